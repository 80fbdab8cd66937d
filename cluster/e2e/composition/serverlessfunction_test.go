package composition

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// roleARN, queueARN and logGroupARN are what AWS returns for the resources of a ServerlessFunction.
	roleARN     = "arn:aws:iam::123456789012:role/greeting-eu-central-1"
	queueARN    = "arn:aws:sqs:eu-central-1:123456789012:greeting-dead-letters"
	logGroupARN = "arn:aws:logs:eu-central-1:123456789012:log-group:/aws/lambda/greeting"
)

// ofAWS returns the observed resources of the AWS providers, by their names in the Composition.
func ofAWS(t *testing.T, names ...string) []*unstructured.Unstructured {
	t.Helper()
	all := map[string]struct{ service, kind, name, atProvider string }{
		"role":        {"iam", "Role", "greeting-eu-central-1", `{arn: "` + roleARN + `"}`},
		"role-policy": {"iam", "RolePolicy", "greeting", `{id: "greeting-eu-central-1:greeting"}`},
		"log-group":   {"cloudwatchlogs", "Group", "greeting", `{arn: "` + logGroupARN + `"}`},
		"dead-letter-queue": {"sqs", "Queue", "greeting-dead-letters", `{arn: "` + queueARN +
			`", url: "https://sqs.eu-central-1.amazonaws.com/123456789012/greeting-dead-letters"}`},
	}
	var found []*unstructured.Unstructured
	for _, name := range names {
		r := all[name]
		u := observed(t, name, r.kind, r.name, `{`+ready("Available")+`, atProvider: `+r.atProvider+`}`)
		u.SetAPIVersion(r.service + ".aws.m.upbound.io/v1beta1")
		found = append(found, u)
	}
	return found
}

// serverlessFunction renders the ServerlessFunction greeting as Crossplane does in its second reconcile with the
// observed resources: the first one has written their ARNs into the status.
func (x *tools) serverlessFunction(t *testing.T, observed ...*unstructured.Unstructured) []*unstructured.Unstructured {
	t.Helper()
	const example = "serverless-function"
	xr := x.composite(t, example, 0)
	xr.Object["status"] = x.render(t, example, xr, observed...)[0].Object["status"]
	return x.render(t, example, xr, observed...)
}

// TestServerlessFunctionSteps checks in which order the resources of a ServerlessFunction are created: each waits
// for what it needs of the others.
func TestServerlessFunctionSteps(t *testing.T) {
	base := []string{"Group greeting", "Queue greeting-dead-letters", "Role greeting-eu-central-1"}
	cases := map[string]struct {
		reason   string
		observed []string
		want     []string
	}{
		"Nothing": {reason: "Three resources need no other.", want: base},
		"RoleOnly": {
			reason: "The policy needs to know what it allows.", observed: []string{"role", "log-group"}, want: base,
		},
		"PolicyIsNext": {
			reason: "The policy names log group and queue.",
			observed: []string{
				"role",
				"log-group",
				"dead-letter-queue",
			},
			want: append(base[:3:3], "RolePolicy greeting"),
		},
		"FunctionIsLast": {
			reason:   "The function is created once its role may send to the queue.",
			observed: []string{"role", "log-group", "dead-letter-queue", "role-policy"},
			want:     append([]string{"Function greeting"}, append(base[:3:3], "RolePolicy greeting")...),
		},
	}
	x := theTools(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rendered := x.serverlessFunction(t, ofAWS(t, tc.observed...)...)
			got := map[string]bool{}
			for _, o := range rendered[1:] {
				got[title(o)] = true
			}
			want := map[string]bool{}
			for _, title := range tc.want {
				want[title] = true
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			areValid(t, x, rendered)
		})
	}
}

// TestServerlessFunction checks the resources of a ServerlessFunction once all exist but the function.
func TestServerlessFunction(t *testing.T) {
	x := theTools(t)
	rendered := x.serverlessFunction(t, ofAWS(t, "role", "log-group", "dead-letter-queue", "role-policy")...)
	areValid(t, x, rendered)
	got := map[string]any{}
	for _, o := range rendered[1:] {
		forProvider, _, err := unstructured.NestedMap(o.Object, "spec", "forProvider")
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"policy", "assumeRolePolicy"} {
			if text, ok := forProvider[field].(string); ok {
				var policy map[string]any
				if err := json.Unmarshal([]byte(text), &policy); err != nil {
					t.Errorf("%s: %s is no JSON: %v", title(o), field, err)
				}
				forProvider[field] = policy
			}
		}
		got[o.GetKind()] = forProvider
	}
	want := values(t, `
Function:
  region: eu-central-1
  role: `+roleARN+`
  runtime: python3.13
  handler: index.handler
  memorySize: 128
  timeout: 10
  deadLetterConfig: {targetArn: "`+queueARN+`"}
  environment: {variables: {NAME: world}}
  code:
    inline:
      index.py: |
        import os

        def handler(event, context):
            return f"hello {event.get('name', os.environ['NAME'])}"
  tags: {team: shop}
Group: {region: eu-central-1, retentionInDays: 30, tags: {team: shop}}
Queue:
  name: greeting-dead-letters
  region: eu-central-1
  messageRetentionSeconds: 1209600
  sqsManagedSseEnabled: true
  tags: {team: shop}
Role:
  description: Execution role of a Lambda function.
  assumeRolePolicy:
    Version: "2012-10-17"
    Statement: [{Effect: Allow, Principal: {Service: lambda.amazonaws.com}, Action: "sts:AssumeRole"}]
  tags: {team: shop}
RolePolicy:
  roleSelector: {matchControllerRef: true}
  policy:
    Version: "2012-10-17"
    Statement:
    - {Effect: Allow, Action: ["logs:CreateLogStream", "logs:PutLogEvents"], Resource: "`+logGroupARN+`:*"}
    - {Effect: Allow, Action: "sqs:SendMessage", Resource: "`+queueARN+`"}
`)
	if diff := cmp.Diff(want, plain(t, got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, o := range rendered {
		name := o.GetAnnotations()["crossplane.io/external-name"]
		if o.GetKind() == "Group" && name != "/aws/lambda/greeting" {
			t.Errorf("the log group is %q, and not the one that Lambda writes to", name)
		}
	}
}

// TestServerlessFunctionStatus checks that a ServerlessFunction is ready only when all that it is made of is.
func TestServerlessFunctionStatus(t *testing.T) {
	all := []string{"role", "log-group", "dead-letter-queue", "role-policy"}
	cases := map[string]struct {
		reason   string
		function string
		want     string
		ready    string
	}{
		"NoFunction": {reason: "The function is still to come.", want: `{phase: Pending}`, ready: "False"},
		"Error": {
			reason:   "AWS does not take the code.",
			function: `{phase: Error, message: no such bucket, ` + ready("Unavailable") + `}`,
			want:     `{phase: Error, message: no such bucket}`, ready: "False",
		},
		"Available": {
			reason:   "AWS serves it.",
			function: `{phase: Available, ` + ready("Available") + `, atProvider: {functionArn: "arn:f"}}`,
			want:     `{phase: Available, functionArn: "arn:f"}`, ready: "True",
		},
	}
	x := theTools(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			resources := ofAWS(t, all...)
			if tc.function != "" {
				resources = append(resources, observed(t, "function", "Function", "greeting", tc.function))
			}
			xr := x.serverlessFunction(t, resources...)[0]
			want := values(t, `{roleArn: "`+roleARN+`", rolePolicy: "greeting-eu-central-1:greeting", logGroupArn: "`+
				logGroupARN+`", deadLetterQueueArn: "`+queueARN+`", deadLetterQueueUrl: `+
				`"https://sqs.eu-central-1.amazonaws.com/123456789012/greeting-dead-letters"}`)
			maps.Copy(want, values(t, tc.want))
			if diff := cmp.Diff(want, plain(t, statusOf(t, xr))); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			if got := condition(xr, "Ready"); got != tc.ready {
				t.Errorf("%s\nReady is %q, want %q", tc.reason, got, tc.ready)
			}
			areValid(t, x, []*unstructured.Unstructured{xr})
		})
	}
}

// TestWrongResourcesOfAWSProvidersAreRefused checks that resources of the AWS providers are compared with their
// schemas at all.
func TestWrongResourcesOfAWSProvidersAreRefused(t *testing.T) {
	x := theTools(t)
	for _, o := range x.serverlessFunction(t)[1:] {
		if err := unstructured.SetNestedField(o.Object, "x", "spec", "forProvider", "unknown"); err != nil {
			t.Fatal(err)
		}
		for _, f := range x.validate(t, write(t, o)) {
			if f.Status == "valid" {
				t.Errorf("a %s with an unknown field is valid", o.GetKind())
			}
		}
	}
}

// TestConfiguration checks that the folder is a package, as docs/configuration.md builds it, and that the package
// depends on everything that its Composition uses.
func TestConfiguration(t *testing.T) {
	x := theTools(t)
	file := filepath.Join(t.TempDir(), "configuration.xpkg")
	if _, err := x.cli(t.Context(), "xpkg", "build", "--package-root="+x.example("serverless-function"),
		"--ignore=xr.yaml,functions.yaml", "--package-file="+file); err != nil {
		t.Fatal(err)
	}
	configuration := read(t, x.example("serverless-function", "crossplane.yaml"))[0]
	dependencies, _, err := unstructured.NestedSlice(configuration.Object, "spec", "dependsOn")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, d := range dependencies {
		got[d.(map[string]any)["package"].(string)] = true
	}
	want := map[string]bool{"xpkg.crossplane.io/crossplane-contrib/function-patch-and-transform": true}
	for _, o := range x.serverlessFunction(t, ofAWS(t, "role", "log-group", "dead-letter-queue", "role-policy")...)[1:] {
		service, ofUpbound := strings.CutSuffix(o.GroupVersionKind().Group, ".aws.m.upbound.io")
		if ofUpbound {
			want["xpkg.upbound.io/upbound/provider-aws-"+service] = true
		} else {
			want["registry.example.org/provider-lambda"] = true
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-used +required:\n%s", diff)
	}
}

// TestServerlessFunctionRegions checks that a ServerlessFunction can be in a region of each partition.
func TestServerlessFunctionRegions(t *testing.T) {
	x := theTools(t)
	var all []*unstructured.Unstructured
	for _, region := range []string{"eu-central-1", "cn-north-1", "us-gov-west-1", "us-isob-east-1", "eusc-de-east-1"} {
		xr := x.composite(t, "serverless-function", 0)
		xr.SetName(region)
		edit(t, xr, `{region: `+region+`}`)
		all = append(all, xr)
	}
	areValid(t, x, all)
}
