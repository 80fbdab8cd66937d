package iam

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

const function = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata: {name: checkout, namespace: shop}
spec:
  forProvider:
    region: eu-central-1
    runtime: python3.13
    handler: index.handler
    role: arn:aws:iam::123456789012:role/checkout
    code: {s3Bucket: releases, s3Key: checkout.zip}
`

const mapping = `
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: EventSourceMapping
metadata: {name: orders, namespace: shop}
spec:
  forProvider: {region: eu-central-1, functionNameRef: {name: checkout}, eventSourceArn: "arn:aws:sqs:eu-central-1:123456789012:orders"}
`

const config = `
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: ClusterProviderConfig
metadata: {name: default}
spec:
  credentials: {source: IRSA}
  driftEvents: {queueARN: "arn:aws:sqs:eu-central-1:123456789012:drift"}
`

const alias = `
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Alias
metadata: {name: live, namespace: shop}
spec:
  managementPolicies: [Observe, Update]
  forProvider: {region: eu-central-1, functionName: checkout, functionVersion: "1"}
  rollout:
    preTraffic: [{name: ping, invoke: {payload: "{}"}}]
    strategy: {canary: {steps: [{setWeight: 10}]}}
    analysis: {metrics: [{name: errors, provider: {lambda: {metric: ErrorRate}}, successCondition: "result < 1"}]}
`

// run runs the command with a file, and returns the exit code and what it prints.
func run(t *testing.T, stdin string, args ...string) (code int, out, errOut string) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	var stdout, stderr bytes.Buffer
	f := kubectl.NewFactory(
		genericiooptions.IOStreams{In: strings.NewReader(stdin), Out: &stdout, ErrOut: &stderr},
		time.Now,
		"test",
	)
	root := kubectl.NewCommand(f, NewCommand(f))
	root.SetArgs(append([]string{"iam", "-f", "-"}, args...))
	return kubectl.Run(t.Context(), f, root), stdout.String(), stderr.String()
}

// lines returns the policy's actions with the resources of each.
func lines(t *testing.T, policy string) []string {
	t.Helper()
	var p Policy
	if err := json.Unmarshal([]byte(policy), &p); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range p.Statement {
		for _, a := range s.Action {
			out = append(out, a+" "+strings.Join(s.Resource, " "))
		}
	}
	slices.Sort(out)
	return out
}

func TestCommand(t *testing.T) {
	const checkout, account = "arn:aws:lambda:eu-central-1:123456789012:function:checkout", "--account-id=123456789012"
	whole := []string{
		"iam:PassRole arn:aws:iam::123456789012:role/checkout",
		"lambda:CreateFunction " + checkout,
		"lambda:DeleteFunction " + checkout,
		"lambda:GetAccountSettings *",
		"lambda:GetFunction " + checkout,
		"lambda:ListTags " + checkout,
		"lambda:TagResource " + checkout,
		"lambda:UpdateFunctionCode " + checkout,
		"lambda:UpdateFunctionConfiguration " + checkout,
		"s3:GetObject arn:aws:s3:::releases/checkout.zip",
	}
	policies := func(p string) string { return strings.Replace(function, "spec:", "spec:\n  managementPolicies: "+p, 1) }
	without := func(prefixes ...string) []string {
		return slices.DeleteFunc(slices.Clone(whole), func(l string) bool {
			return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(l, p) })
		})
	}
	cases := map[string]struct {
		reason, stdin string
		args          []string
		want          []string
	}{
		"Function": {reason: "All that a Function can need.", stdin: function, args: []string{account}, want: whole},
		"Registry": {
			reason: "An artifact in Amazon ECR is read with the identity of the config.",
			stdin: strings.Replace(function, "{s3Bucket: releases, s3Key: checkout.zip}",
				"{oci: {reference: \"123456789012.dkr.ecr.eu-central-1.amazonaws.com/checkout:v1\"}}", 1),
			args: []string{account},
			want: append([]string{
				"ecr:BatchGetImage arn:aws:ecr:eu-central-1:123456789012:repository/checkout",
				"ecr:GetAuthorizationToken *",
				"ecr:GetDownloadUrlForLayer arn:aws:ecr:eu-central-1:123456789012:repository/checkout",
			}, without("s3:")...),
		},
		"NoDelete": {
			reason: "What is kept is not deleted.",
			stdin:  policies("[Observe, Create, Update]"),
			args:   []string{account},
			want:   without("lambda:DeleteFunction"),
		},
		"Observe": {
			reason: "What is only observed is only read.", stdin: policies("[Observe]"), args: []string{account},
			want: without("iam:", "lambda:Create", "lambda:Delete", "lambda:Tag", "lambda:Update"),
		},
		"Source": {
			reason: "An artifact that may be staged takes rights on the place in S3 alone.",
			stdin: strings.Replace(
				function,
				"{s3Bucket: releases, s3Key: checkout.zip}",
				"{sourceRef: {kind: GitRepository, name: shop}, staging: {s3Bucket: staging, prefix: code/}}",
				1,
			),
			args: []string{account},
			want: slices.Sorted(slices.Values(append(without("s3:"),
				"s3:GetObject arn:aws:s3:::staging/code/*", "s3:PutObject arn:aws:s3:::staging/code/*"))),
		},
		"SourceOfConfig": {
			reason: "A config that requires verified code stages it in its own place.",
			stdin: strings.Replace(
				function,
				"{s3Bucket: releases, s3Key: checkout.zip}",
				"{sourceRef: {kind: GitRepository, name: shop}, staging: {s3Bucket: staging, prefix: code/}}",
				1,
			) +
				strings.Replace(
					config,
					`driftEvents: {queueARN: "arn:aws:sqs:eu-central-1:123456789012:drift"}`,
					"code: {requireVerified: true, staging: {s3Bucket: verified}}",
					1,
				),
			args: []string{account},
			want: slices.Sorted(
				slices.Values(
					append(
						without("s3:"),
						"s3:GetObject arn:aws:s3:::verified/*",
						"s3:PutObject arn:aws:s3:::verified/*",
					),
				),
			),
		},
		"SourceObserved": {
			reason: "What is only observed is not staged.",
			stdin: strings.Replace(
				policies("[Observe]"),
				"{s3Bucket: releases, s3Key: checkout.zip}",
				"{sourceRef: {kind: GitRepository, name: shop}, staging: {s3Bucket: staging}}",
				1,
			),
			args: []string{account},
			want: []string{
				"lambda:GetAccountSettings *",
				"lambda:GetFunction " + checkout,
				"lambda:ListTags " + checkout,
			},
		},
		"AnyAccount": {
			reason: "An account that is not known is any.",
			stdin:  policies("[Observe]"),
			want: []string{
				"lambda:GetAccountSettings *",
				"lambda:GetFunction arn:aws:lambda:eu-central-1:*:function:checkout",
				"lambda:ListTags arn:aws:lambda:eu-central-1:*:function:checkout",
				"s3:GetObject arn:aws:s3:::releases/checkout.zip",
			},
		},
		"AnyRegion": {
			reason: "The region can be replaced.",
			stdin:  policies("[Observe]"),
			args:   []string{account, "--region=*"},
			want: []string{
				"lambda:GetAccountSettings *",
				"lambda:GetFunction arn:aws:lambda:*:123456789012:function:checkout",
				"lambda:ListTags arn:aws:lambda:*:123456789012:function:checkout",
				"s3:GetObject arn:aws:s3:::releases/checkout.zip",
			},
		},
		"China": {
			reason: "The region has another partition.",
			stdin:  strings.ReplaceAll(policies("[Observe]"), "eu-central-1", "cn-north-1"),
			args:   []string{account},
			want: []string{
				"lambda:GetAccountSettings *",
				"lambda:GetFunction arn:aws-cn:lambda:cn-north-1:123456789012:function:checkout",
				"lambda:ListTags arn:aws-cn:lambda:cn-north-1:123456789012:function:checkout",
				"s3:GetObject arn:aws-cn:s3:::releases/checkout.zip",
			},
		},
		"InvokedWithin": {
			reason: "The provider asks when a function was invoked before it deletes it.",
			stdin:  function,
			args:   []string{account, "--deletion-protection-invoked-within"},
			want:   append([]string{"cloudwatch:GetMetricData *"}, whole...),
		},
		"InvokedWithinNoDelete": {
			reason: "What is kept is not asked for.",
			stdin:  policies("[Observe, Create, Update]"),
			args:   []string{account, "--deletion-protection-invoked-within"},
			want:   without("lambda:DeleteFunction"),
		},
		"Rollout": {
			reason: "A new version is tested and judged.", stdin: alias, args: []string{account},
			want: []string{
				"cloudwatch:GetMetricData *",
				"lambda:GetAccountSettings *",
				"lambda:GetFunctionConfiguration " + checkout + " " + checkout + ":*",
				"lambda:InvokeFunction " + checkout + ":*",
				"lambda:ListAliases " + checkout,
				"lambda:UpdateAlias " + checkout,
			},
		},
		"RolloutWithoutTests": {
			reason: "A version that nobody has invoked for long is woken.",
			stdin:  strings.Replace(alias, `    preTraffic: [{name: ping, invoke: {payload: "{}"}}]`+"\n", "", 1),
			args:   []string{account},
			want: []string{
				"cloudwatch:GetMetricData *",
				"lambda:GetAccountSettings *",
				"lambda:GetFunctionConfiguration " + checkout + " " + checkout + ":*",
				"lambda:InvokeFunction " + checkout + ":*",
				"lambda:ListAliases " + checkout,
				"lambda:UpdateAlias " + checkout,
			},
		},
		"ObservedRollout": {
			reason: "What is only observed is not rolled out.",
			stdin:  strings.Replace(alias, ", Update]", "]", 1),
			args:   []string{account},
			want:   []string{"lambda:GetAccountSettings *", "lambda:ListAliases " + checkout},
		},
		"ObservedByName": {
			reason: "What nothing but its name is known of takes the reads of the settings that spec has.",
			stdin: "{apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: Function, metadata: {name: checkout}, " +
				"spec: {managementPolicies: [Observe], forProvider: {region: eu-central-1, recursiveLoop: Allow}}}",
			args: []string{account},
			want: []string{
				"lambda:GetAccountSettings *",
				"lambda:GetFunction " + checkout,
				"lambda:GetFunctionRecursionConfig " + checkout,
				"lambda:ListTags " + checkout,
			},
		},
		"GeneratedName": {
			reason: "The API server ends the name as it likes.",
			stdin:  strings.Replace(policies("[Observe]"), "name: checkout,", "generateName: shop-,", 1),
			args:   []string{account},
			want: []string{
				"lambda:GetAccountSettings *",
				"lambda:GetFunction arn:aws:lambda:eu-central-1:123456789012:function:shop-*",
				"lambda:ListTags arn:aws:lambda:eu-central-1:123456789012:function:shop-*",
				"s3:GetObject arn:aws:s3:::releases/checkout.zip",
			},
		},
		"RoleWithoutNamespace": {
			reason: "An object of another provider without a namespace is in that of the command.",
			stdin: strings.NewReplacer(", namespace: shop", "", "role: arn:aws:iam::123456789012:role/checkout", "roleFrom: {apiVersion: iam.aws.m.upbound.io/v1beta1, kind: Role, name: r, fieldPath: status.atProvider.arn}").
				Replace(function) +
				"---\n{apiVersion: iam.aws.m.upbound.io/v1beta1, kind: Role, metadata: {name: r}, status: {atProvider: {arn: \"arn:aws:iam::123456789012:role/checkout\"}}}",
			args: []string{account, "-n", "shop"},
			want: whole,
		},
		"FileSystem": {
			reason: "AWS verifies the mount targets of EFS with the permissions of the caller.",
			stdin: strings.Replace(
				function,
				"handler:",
				`fileSystemConfigs: [{arn: "arn:aws:elasticfilesystem:eu-central-1:123456789012:access-point/fsap-0123456789abcdef0", localMountPath: /mnt/data}]`+"\n    handler:",
				1,
			),
			args: []string{account},
			want: append([]string{
				"elasticfilesystem:DescribeMountTargets arn:aws:elasticfilesystem:eu-central-1:123456789012:access-point/fsap-0123456789abcdef0 arn:aws:elasticfilesystem:eu-central-1:123456789012:file-system/*",
			}, whole...),
		},
		"DurableKey": {
			reason: "AWS verifies the key of durable executions with the permissions of the caller.",
			stdin: strings.Replace(
				function,
				"handler:",
				`durableConfig: {executionTimeout: 60, kmsKeyArn: "arn:aws:kms:eu-central-1:123456789012:key/k"}`+"\n    handler:",
				1,
			),
			args: []string{account},
			want: slices.Sorted(slices.Values(append([]string{
				"kms:Decrypt arn:aws:kms:eu-central-1:123456789012:key/k",
				"kms:DescribeKey arn:aws:kms:eu-central-1:123456789012:key/k",
				"kms:GenerateDataKey arn:aws:kms:eu-central-1:123456789012:key/k",
			}, whole...))),
		},
		"DriftEventsOfANamespace": {
			reason: "The config of a namespace has a queue, too.",
			stdin: strings.NewReplacer("ClusterProviderConfig", "ProviderConfig", "name: default", "name: default, namespace: shop").
				Replace(config),
			want: []string{
				"sqs:DeleteMessage arn:aws:sqs:eu-central-1:123456789012:drift",
				"sqs:GetQueueUrl arn:aws:sqs:eu-central-1:123456789012:drift",
				"sqs:ReceiveMessage arn:aws:sqs:eu-central-1:123456789012:drift",
			},
		},
		"WithoutObserve": {
			reason: "Policies with which nothing is called need no permission on any mapping.",
			stdin: strings.Replace(
				strings.Replace(mapping, "spec:", "spec:\n  managementPolicies: [Create]", 1),
				"functionNameRef: {name: checkout}",
				"functionName: checkout",
				1,
			),
			args: []string{account},
			want: []string{"lambda:GetAccountSettings *", "lambda:ListEventSourceMappings *"},
		},
		"OtherAccountsCluster": {
			reason: "Who creates a mapping of an MSK cluster of another account lists the connections to it.",
			stdin: strings.NewReplacer("arn:aws:sqs:eu-central-1:123456789012:orders", "arn:aws:kafka:eu-central-1:123456789012:vpc-connection/210987654321/orders/01234567-89ab-cdef-0123-456789abcdef-1",
				"functionNameRef: {name: checkout}", "functionName: checkout, topics: [t], startingPosition: LATEST").
				Replace(strings.Replace(mapping, "spec:", "spec:\n  managementPolicies: [Observe, Create]", 1)),
			args: []string{account},
			want: []string{
				"kafka:ListVpcConnections *",
				"lambda:CreateEventSourceMapping *",
				"lambda:GetAccountSettings *",
				"lambda:GetEventSourceMapping arn:aws:lambda:eu-central-1:123456789012:event-source-mapping:*",
				"lambda:ListEventSourceMappings *",
				"lambda:ListTags arn:aws:lambda:eu-central-1:123456789012:event-source-mapping:*",
				"lambda:TagResource arn:aws:lambda:eu-central-1:123456789012:event-source-mapping:*",
			},
		},
		"ARN": {
			reason: "A function may be named by its ARN.",
			stdin: strings.Replace(
				strings.Replace(mapping, "spec:", "spec:\n  managementPolicies: [Observe]", 1),
				"functionNameRef: {name: checkout}",
				"functionName: \""+checkout+"\"",
				1,
			),
			args: []string{account},
			want: []string{
				"lambda:GetAccountSettings *",
				"lambda:GetEventSourceMapping arn:aws:lambda:eu-central-1:123456789012:event-source-mapping:*",
				"lambda:ListTags arn:aws:lambda:eu-central-1:123456789012:event-source-mapping:*",
			},
		},
		"Version": {
			reason: "Nothing reads the tags of the function of a Version.",
			stdin: strings.NewReplacer("kind: EventSourceMapping", "kind: Version", "spec:", "spec:\n  managementPolicies: [Observe, Create]",
				`functionNameRef: {name: checkout}, eventSourceArn: "arn:aws:sqs:eu-central-1:123456789012:orders"`, "functionName: checkout").
				Replace(mapping),
			args: []string{account},
			want: []string{
				"lambda:GetAccountSettings *",
				"lambda:GetFunction " + checkout + " " + checkout + ":*",
				"lambda:ListVersionsByFunction " + checkout,
				"lambda:PublishVersion " + checkout,
			},
		},
		"DriftEvents": {
			reason: "A config's queue is read.", stdin: config,
			want: []string{
				"sqs:DeleteMessage arn:aws:sqs:eu-central-1:123456789012:drift",
				"sqs:GetQueueUrl arn:aws:sqs:eu-central-1:123456789012:drift",
				"sqs:ReceiveMessage arn:aws:sqs:eu-central-1:123456789012:drift",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, out, errOut := run(t, tc.stdin, tc.args...)
			if code != 0 || errOut != "" {
				t.Errorf("%s\nexit code %d, %s", tc.reason, code, errOut)
			}
			if diff := cmp.Diff(tc.want, lines(t, out)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if _, again, _ := run(t, tc.stdin, tc.args...); again != out {
				t.Errorf("the output differs between runs:\n%s", cmp.Diff(out, again))
			}
		})
	}
}

// TestFollowingRollout checks that the policy has the calls of a rollout that begins when the function has a new
// version.
func TestFollowingRollout(t *testing.T) {
	const checkout = "arn:aws:lambda:eu-central-1:123456789012:function:checkout"
	published := strings.Replace(function, "handler:", "publish: true\n    handler:", 1)
	judged := strings.Replace(alias, "analysis: {", "analysis: {alarms: {names: [shop]}, ", 1)
	following := strings.Replace(
		judged,
		`functionName: checkout, functionVersion: "1"`,
		"functionNameRef: {name: checkout}",
		1,
	)
	code, out, errOut := run(t, published+following, "--account-id=123456789012")
	if code != 0 {
		t.Fatalf("exit code %d, %s", code, errOut)
	}
	got := lines(t, out)
	for _, want := range []string{
		"cloudwatch:DescribeAlarmHistory *", "cloudwatch:DescribeAlarms *", "cloudwatch:GetMetricData *",
		"lambda:GetFunctionConfiguration " + checkout + " " + checkout + ":*",
		"lambda:InvokeFunction " + checkout + ":*", "lambda:UpdateAlias " + checkout,
	} {
		if !slices.Contains(got, want) {
			t.Errorf("the policy lacks %s: %q", want, got)
		}
	}
}

// TestCondition checks that a mapping may only be created for the function.
func TestCondition(t *testing.T) {
	_, out, _ := run(t, function+mapping, "--account-id=123456789012")
	var p Policy
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(
		p.Statement,
		func(s Statement) bool { return slices.Contains(s.Action, "lambda:CreateEventSourceMapping") },
	)
	if i < 0 {
		t.Fatalf("no statement creates mappings: %s", out)
	}
	const checkout = "arn:aws:lambda:eu-central-1:123456789012:function:checkout"
	want := Statement{
		Effect: "Allow", Action: []string{"lambda:CreateEventSourceMapping"}, Resource: []string{"*"},
		Condition: condition{"ArnLike": {"lambda:FunctionArn": {checkout, checkout + ":*"}}},
	}
	if diff := cmp.Diff(want, p.Statement[i]); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestObserved checks that resources that only observe, and name nothing but what they observe, are only read.
func TestObserved(t *testing.T) {
	const functionName = "functionName: checkout"
	for kind, fields := range map[string][2]string{
		"Alias": {"live", functionName}, "CapacityProvider": {"pool"}, "CodeSigningConfig": {"arn:aws:lambda:eu-central-1:123456789012:code-signing-config:csc-0123456789abcdef0"},
		"EventSourceMapping": {"0a1b2c3d-0000-4000-8000-0123456789ab", functionName}, "Function": {"checkout"},
		"FunctionEventInvokeConfig": {"checkout", functionName}, "FunctionURL": {"checkout", functionName}, "LayerVersion": {"arn:aws:lambda:eu-central-1:123456789012:layer:observed:1"},
		"LayerVersionPermission": {"base:1:partners", "layerVersionArn: arn:aws:lambda:eu-central-1:123456789012:layer:base:1"}, "Permission": {"partners", functionName},
		"ProvisionedConcurrencyConfig": {"checkout:live", functionName + ", qualifier: live"},
		"ResourcePolicy":               {"arn:aws:lambda:eu-central-1:123456789012:function:checkout", "resourceArn: arn:aws:lambda:eu-central-1:123456789012:function:checkout"},
		"RuntimeManagementConfig":      {"checkout", functionName}, "Version": {"1", functionName},
	} {
		t.Run(kind, func(t *testing.T) {
			code, out, errOut := run(t, fmt.Sprintf(`apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: %s
metadata: {name: observed, namespace: shop, annotations: {crossplane.io/external-name: %q}}
spec:
  managementPolicies: [Observe]
  forProvider: {region: eu-central-1, %s}
`, kind, fields[0], fields[1]))
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, errOut)
			}
			needed := lines(t, out)
			if len(needed) < 2 {
				t.Errorf("it needs more than %v", needed)
			}
			for _, l := range needed {
				if !strings.HasPrefix(l, "lambda:Get") && !strings.HasPrefix(l, "lambda:List") {
					t.Errorf("it needs %s", l)
				}
			}
		})
	}
}

// TestIncomplete checks that a resource that cannot be reconciled is named, and that the policy of the others is
// written.
func TestIncomplete(t *testing.T) {
	stdin := strings.Replace(
		function,
		"handler:",
		"environment: {envFrom: [{secretRef: {name: missing}}]}\n    handler:",
		1,
	)
	code, out, errOut := run(t, stdin)
	if code == 0 || !strings.Contains(errOut, "Function shop/checkout: ") || !strings.Contains(errOut, "missing") ||
		!json.Valid([]byte(out)) {
		t.Errorf("exit code %d, %s%s", code, out, errOut)
	}
}

// TestAccountID checks that no policy is written for an account that cannot exist: it would allow nothing.
func TestAccountID(t *testing.T) {
	code, out, errOut := run(t, function, "--account-id=1234-5678-9012")
	if want := `--account-id is "1234-5678-9012": it must have 12 digits, or be *`; code == 0 || out != "" ||
		!strings.Contains(errOut, want) {
		t.Errorf("exit code %d, %s%s", code, out, errOut)
	}
}
