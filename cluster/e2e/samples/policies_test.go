package samples

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The longest time that the API server may take to enforce a new policy or to observe the labels of a namespace, and
// the time between two attempts.
const (
	enforced = time.Minute
	interval = 100 * time.Millisecond
)

const (
	tags  = `tags: {team: shop, cost-center: "42"}`
	image = `123456789012.dkr.ecr.eu-central-1.amazonaws.com/shop:v1`
)

// function returns a Function with settings beside region and role.
func function(namespace, name, annotations, settings, initial string) string {
	return fmt.Sprintf(`
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata: {namespace: %s, name: %s, annotations: {%s}}
spec:
  forProvider: {region: eu-central-1, role: "arn:aws:iam::123456789012:role/shop", %s}
  initProvider: {%s}`, namespace, name, annotations, settings, initial)
}

// zip returns a Function with code in an archive.
func zip(namespace, name, annotations, runtime, initial string) string {
	return function(namespace, name, annotations, `code: {s3Bucket: code, s3Key: app.zip}, handler: index.handler, `+
		tags+`, runtime: `+runtime, initial)
}

// url returns a FunctionURL.
func url(namespace, authType, initial string) string {
	return fmt.Sprintf(`
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: FunctionURL
metadata: {namespace: %s, name: shop}
spec:
  forProvider: {region: eu-central-1, functionName: shop, authType: %s}
  initProvider: {%s}`, namespace, authType, initial)
}

// TestPolicies checks which manifests the ValidatingAdmissionPolicies refuse. The API server evaluates them.
func TestPolicies(t *testing.T) {
	cases := map[string]struct {
		reason   string
		manifest string
		want     string
	}{
		"SignedURL": {reason: "Callers sign their requests.", manifest: url("shop", "AWS_IAM", "")},
		"PublicURL": {
			reason: "Anyone may call the URL.", manifest: url("shop", "NONE", ""), want: "use AWS_IAM",
		},
		"PublicURLAtFirst": {
			reason: "A field of initProvider reaches AWS too.", manifest: strings.Replace(
				url("shop", "X", "authType: NONE"), ", authType: X", "", 1), want: "use AWS_IAM",
		},
		"PublicURLOfExemptNamespace": {
			reason: "The namespace has the label that allows it.", manifest: url("public", "NONE", ""),
		},
		"Function": {reason: "The function keeps to all rules.", manifest: zip("shop", "shop", "", "python3.13", "")},
		"NoTags": {
			reason: "Each missing tag is named.", want: "set the tags team, cost-center",
			manifest: function("shop", "shop", "", `packageType: Image, code: {imageUri: "`+image+`"}`, ""),
		},
		"OneTag": {
			reason: "A tag that is set is not named.", want: "set the tags cost-center",
			manifest: function("shop", "shop", "", `packageType: Image, tags: {team: shop}, code: {imageUri: "`+
				image+`"}`, ""),
		},
		"EmptyTag": {
			reason: "A tag without a value says nothing.", want: "set the tags cost-center",
			manifest: function("shop", "shop", "", `packageType: Image, tags: {team: shop, cost-center: ""}, `+
				`code: {imageUri: "`+image+`"}`, ""),
		},
		"TagsAtFirst": {
			reason:   "Tags may also be set once, and left to others after that.",
			manifest: function("shop", "shop", "", `packageType: Image, code: {imageUri: "`+image+`"}`, tags),
		},
		"MappingWithoutTags": {
			reason: "A mapping has tags too.", want: "set the tags team, cost-center",
			manifest: `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: EventSourceMapping
metadata: {namespace: shop, name: shop}
spec:
  forProvider:
    region: eu-central-1
    functionName: shop
    eventSourceArn: arn:aws:sqs:eu-central-1:123456789012:shop`,
		},
		"OldRuntime": {
			reason: "The runtime is not in the list.", manifest: zip("shop", "shop", "", "python3.9", ""),
			want: "use one of the runtimes nodejs22.x",
		},
		"OldRuntimeAtFirst": {
			reason: "A field of initProvider reaches AWS too.",
			manifest: function("shop", "shop", "", `code: {s3Bucket: code, s3Key: app.zip}, handler: index.handler, `+
				tags, "runtime: python3.9"),
			want: "use one of the runtimes nodejs22.x",
		},
		"Image": {
			reason: "The image is in the registry, and has no runtime.",
			manifest: function("shop", "shop", "", `packageType: Image, `+tags+`, code: {imageUri: "`+image+`"}`,
				""),
		},
		"OtherRegistry": {
			reason: "The image is in another account's registry.", want: "use an image from 123456789012",
			manifest: function("shop", "shop", "", `packageType: Image, `+tags+
				`, code: {imageUri: "999999999999.dkr.ecr.eu-central-1.amazonaws.com/shop:v1"}`, ""),
		},
		"ReservedName": {
			reason: "The prefix belongs to another namespace.", want: "reserved for the namespace platform",
			manifest: zip("shop", "platform-logs", "", "python3.13", ""),
		},
		"ReservedExternalName": {
			reason: "The annotation is the function's name in AWS.", want: "reserved for the namespace platform",
			manifest: zip("shop", "logs", "crossplane.io/external-name: platform-logs", "python3.13", ""),
		},
		"ReservedNameByARN": {
			reason: "An ARN ends in the function's name.", want: "reserved for the namespace platform",
			manifest: zip("shop", "logs", `crossplane.io/external-name: `+
				`"arn:aws:lambda:eu-central-1:123456789012:function:platform-logs"`, "python3.13", ""),
		},
		"ReservedNameBesideAnEmptyOne": {
			reason:   "The function of an empty annotation has the object's name.",
			want:     "reserved for the namespace platform",
			manifest: zip("shop", "platform-logs", `crossplane.io/external-name: ""`, "python3.13", ""),
		},
		"OtherExternalName": {
			reason:   "Only the name in AWS counts.",
			manifest: zip("shop", "platform-logs", "crossplane.io/external-name: logs", "python3.13", ""),
		},
		"ReservedNameOfPlatform": {
			reason: "The namespace owns the prefix.", manifest: zip("platform", "platform-logs", "", "python3.13", ""),
		},
	}
	c := withPolicies(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := c.Create(t.Context(), parse(t, tc.manifest)[0], client.DryRunAll)
			if got := fmt.Sprint(err); (err == nil) != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s\nthe API server answers %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

// TestPoliciesLetTheProviderWork checks that a resource that is older than a policy keeps its annotations and
// finalizers, which the provider writes: else it could never be deleted.
func TestPoliciesLetTheProviderWork(t *testing.T) {
	c := withPolicies(t)
	ns := namespace(t, c, "older", map[string]string{"lambda.example.com/public-urls": "allowed"})
	u := parse(t, url("older", "NONE", ""))[0]
	if err := eventually(t, func(ctx context.Context) error {
		return client.IgnoreAlreadyExists(c.Create(ctx, u.DeepCopy()))
	}); err != nil {
		t.Fatalf("an exempt namespace may not have a public URL: %v", err)
	}
	ns.SetLabels(nil)
	if err := c.Update(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	patch := func(text string) error {
		return c.Patch(t.Context(), u.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(text)),
			client.DryRunAll)
	}
	if err := eventually(t, func(context.Context) error {
		if err := patch(`{"spec": {"forProvider": {"invokeMode": "RESPONSE_STREAM"}}}`); err == nil {
			return fmt.Errorf("the spec of a public URL may be changed")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if err := patch(`{"metadata": {"finalizers": ["finalizer.managedresource.crossplane.io"], "annotations": {` +
		`"crossplane.io/external-name": "shop"}}}`); err != nil {
		t.Errorf("the provider may not write finalizers and annotations: %v", err)
	}
}

// TestKyvernoPolicies checks that Kyverno's CustomResourceDefinition accepts the ValidatingPolicies, and that their
// rules are those of the ValidatingAdmissionPolicies, which the API server evaluates in the other tests. Kyverno itself
// does not run.
func TestKyvernoPolicies(t *testing.T) {
	c := strict(t)
	rules := map[string]map[string]any{}
	for _, u := range examples(t, "policies", "validatingadmissionpolicy", "*.yaml") {
		if u.GetKind() == "ValidatingAdmissionPolicy" {
			rules[u.GetName()] = u.Object["spec"].(map[string]any)
		}
	}
	all := examples(t, "policies", "kyverno", "*.yaml")
	if len(all) != len(rules) {
		t.Errorf("there are %d policies for Kyverno, and %d for the API server", len(all), len(rules))
	}
	for _, u := range all {
		if err := c.Create(t.Context(), u.DeepCopy(), client.DryRunAll); err != nil {
			t.Errorf("%s is refused: %v", u.GetName(), err)
		}
		spec := u.Object["spec"].(map[string]any)
		if diff := cmp.Diff([]any{"Deny"}, spec["validationActions"]); diff != "" {
			t.Errorf("%s refuses nothing: -want +got:\n%s", u.GetName(), diff)
		}
		delete(spec, "validationActions")
		if diff := cmp.Diff(rules[u.GetName()], spec); diff != "" {
			t.Errorf("%s: -of the API server, +of Kyverno:\n%s", u.GetName(), diff)
		}
	}
}

// withPolicies applies the ValidatingAdmissionPolicies and returns once they are enforced.
func withPolicies(t *testing.T) client.Client {
	t.Helper()
	c := strict(t)
	namespace(t, c, "shop", nil)
	namespace(t, c, "platform", nil)
	namespace(t, c, "public", map[string]string{"lambda.example.com/public-urls": "allowed"})
	namespace(t, c, "verified", map[string]string{"lambda.example.com/verified-code": "required"})
	for _, u := range examples(t, "policies", "validatingadmissionpolicy", "*.yaml") {
		if err := client.IgnoreAlreadyExists(c.Create(t.Context(), u)); err != nil {
			t.Fatalf("%s %s is refused: %v", u.GetKind(), u.GetName(), err)
		}
	}
	for policy, manifest := range map[string]string{
		"lambda-function-urls":  url("shop", "NONE", ""),
		"lambda-tags":           strings.Replace(zip("shop", "shop", "", "python3.13", ""), tags+", ", "", 1),
		"lambda-code":           zip("shop", "shop", "", "python3.9", ""),
		"lambda-function-names": zip("shop", "platform-logs", "", "python3.13", ""),
		"lambda-flux-sources":   gitRepository("verified"),
	} {
		if err := eventually(t, func(ctx context.Context) error {
			err := c.Create(ctx, parse(t, manifest)[0], client.DryRunAll)
			if !strings.Contains(fmt.Sprint(err), "'"+policy+"'") {
				return fmt.Errorf("%s does not refuse a manifest that violates it: %w", policy, err)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// namespace returns a namespace with labels, which it creates if it does not exist.
func namespace(t *testing.T, c client.Client, name string, labels map[string]string) *unstructured.Unstructured {
	t.Helper()
	ns := parse(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+name+"}")[0]
	ns.SetLabels(labels)
	if err := client.IgnoreAlreadyExists(c.Create(t.Context(), ns)); err != nil {
		t.Fatal(err)
	}
	return ns
}

// eventually calls a function until it succeeds. After a minute, it returns the last error.
func eventually(t *testing.T, f func(context.Context) error) error {
	t.Helper()
	var last error
	attempt := func(ctx context.Context) (bool, error) {
		last = f(ctx)
		return last == nil, nil
	}
	if err := wait.PollUntilContextTimeout(t.Context(), interval, enforced, true, attempt); err != nil {
		return fmt.Errorf("%w: %w", err, last)
	}
	return nil
}
