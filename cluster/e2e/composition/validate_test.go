package composition

import (
	"cmp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestExamplesAreValid checks that everything in examples/composition matches the schemas of Crossplane, of the
// composition function and of the definitions.
func TestExamplesAreValid(t *testing.T) {
	x := theTools(t)
	kinds := map[string]int{}
	for _, f := range x.validate(t, x.example()) {
		kinds[f.Kind]++
		if f.Status != "valid" {
			t.Errorf("%s %s is %s: %v", f.Kind, f.Name, f.Status, f.Errors)
		}
	}
	for _, kind := range []string{
		"CompositeResourceDefinition", "Composition", "Resources", "Function",
		"LambdaFunction", "WebEndpoint", "QueueWorker", "Release", "VerifiedEndpoint", "ServerlessFunction", "Configuration",
	} {
		if kinds[kind] == 0 {
			t.Errorf("no %s was looked at", kind)
		}
	}
}

// TestWrongCompositesAreRefused checks that an invalid composite resource is rejected when it is applied, rather than
// getting stuck later.
func TestWrongCompositesAreRefused(t *testing.T) {
	cases := map[string]struct {
		reason  string
		example string
		edit    string
		name    string
		want    string
	}{
		"TooLittleMemory": {
			reason: "Lambda has no less.", example: "lambda-function", edit: `{memorySizeMB: 127}`,
			want: "spec.memorySizeMB",
		},
		"TooMuchMemory": {
			reason: "Lambda has no more.", example: "lambda-function", edit: `{memorySizeMB: 10241}`,
			want: "spec.memorySizeMB",
		},
		"NoTime": {
			reason: "Something has to run.", example: "lambda-function", edit: `{timeoutSeconds: 0}`,
			want: "spec.timeoutSeconds",
		},
		"TooLong": {
			reason: "Lambda ends what takes longer.", example: "lambda-function",
			edit: `{timeoutSeconds: 901}`, want: "spec.timeoutSeconds",
		},
		"NoName": {
			reason: "A function has a name.", example: "lambda-function", edit: `{functionName: null}`,
			want: "spec.functionName",
		},
		"NoNameOfObject": {
			reason: "The Function has this name too.", example: "lambda-function",
			edit: `{functionName: My_Function}`, want: "spec.functionName",
		},
		"NoCode": {
			reason:  "Without a key of the archive, the function has no code.",
			example: "lambda-function", edit: `{s3Key: null}`, want: "spec.s3Key",
		},
		"NoRole": {
			reason: "The value is not an ARN of a role.", example: "lambda-function",
			edit: `{iamRoleARN: thumbnails}`, want: "spec.iamRoleARN",
		},
		"OldRuntime": {
			reason: "The platform has chosen others.", example: "lambda-function",
			edit: `{runtime: python2.7}`, want: "spec.runtime",
		},
		"NoVariable": {
			reason: "Lambda takes no such name.", example: "lambda-function",
			edit: `{environmentVariables: {"LOG-LEVEL": info}}`, want: "the name of a variable",
		},
		"Unknown": {
			reason: "The API server would drop an unknown field silently.", example: "lambda-function",
			edit: `{memory: 128}`, want: "memory",
		},
		"OtherRegion": {
			reason: "The platform is not there.", example: "web-endpoint", edit: `{region: ap-south-1}`,
			want: "spec.region",
		},
		"NobodyCalls": {
			reason: "The callers must be set explicitly.", example: "web-endpoint",
			edit: `{callers: null}`, want: "say who may call the endpoint",
		},
		"Anybody": {
			reason: "The value is not one of the supported callers.", example: "web-endpoint",
			edit: `{callers: anybody}`, want: "spec.callers",
		},
		"NoOrigin": {
			reason: "An origin has no path.", example: "web-endpoint",
			edit: `{origins: ["https://www.example.com/shop"]}`, want: "spec.origins",
		},
		"Dots": {
			reason: "A function's name has no dots.", example: "web-endpoint", name: "www.example.com",
			want: "no dots",
		},
		"LongName": {
			reason: "A function's name is short.", example: "queue-worker",
			name: strings.Repeat("x", 51), want: "at most 50 characters",
		},
		"NoQueue": {
			reason: "The ARN is that of a topic.", example: "queue-worker",
			edit: `{queueARN: "arn:aws:sns:eu-central-1:123456789012:invoices"}`, want: "spec.queueARN",
		},
		"NoWindow": {
			reason: "A large batch takes time to fill.", example: "queue-worker",
			edit: `{batchingWindowSeconds: null}`, want: "needs batchingWindowSeconds",
		},
		"FIFO": {
			reason: "A FIFO queue waits for no batch.", example: "queue-worker",
			edit: `{queueARN: "arn:aws:sqs:eu-central-1:123456789012:invoices.fifo"}`, want: "a FIFO queue",
		},
		"OneAfterAnother": {
			reason: "AWS keeps two pollers.", example: "queue-worker", edit: `{maximumConcurrency: 1}`,
			want: "spec.maximumConcurrency",
		},
		"Unmeasured": {
			reason: "A rollout that measures nothing rejects nothing.", example: "web-endpoint",
			edit: `{rollout: {percentage: 10}}`, want: "set maximumErrorPercentage, alarms or both",
		},
		"AllAtOnce": {
			reason: "Without a rollout, all invocations move at once.", example: "web-endpoint",
			edit: `{rollout: {percentage: 100, alarms: [a]}}`, want: "spec.rollout.percentage",
		},
		"NoFunction": {
			reason: "A release is of a function.", example: "release", edit: `{functionName: null}`,
			want: "spec.functionName",
		},
		"NumberAsName": {
			reason: "A number is a version.", example: "release", name: "42",
			want: "the name has a letter",
		},
		"TwoInOneStep": {
			reason: "The steps have an order.", example: "release",
			edit: `{steps: [{setWeight: 10, pause: {}}]}`, want: "exactly one of setWeight and pause",
		},
		"NoQuorum": {
			reason: "The mode needs a number.", example: "release", edit: `{readiness: {mode: Quorum}}`,
			want: "set quorum with the mode Quorum",
		},
		"QuorumOfAll": {
			reason: "The mode All has no number.", example: "release",
			edit: `{readiness: {mode: All, quorum: 2}}`, want: "set quorum with the mode Quorum",
		},
		"QuorumOfNone": {
			reason: "There is nothing to count.", example: "release",
			edit: `{readiness: {mode: Quorum, quorum: 1}}`, want: "two checks or more",
		},
		"QuorumOfAlarms": {reason: "The Composition counts checks.", example: "release", edit: `{readiness: {mode: ` +
			`Quorum, quorum: 1, alarms: {names: [a, b]}}}`, want: "a quorum is of checks only"},
		"LargeQuorum": {
			reason: "Three of two never succeed.", example: "release",
			edit: `{readiness: {mode: Quorum, quorum: 3, checks: [{name: a, successCondition: "true", provider: ` +
				`{lambda: {metric: Errors}}}, {name: b, successCondition: "true", provider: {lambda: {metric: ` +
				`Errors}}}]}}`,
			want: "the quorum is larger",
		},
		"TwoSources": {
			reason: "A check has one value.", example: "release",
			edit: `{readiness: {mode: All, checks: [{name: a, successCondition: "true", provider: {lambda: {metric: ` +
				`Errors}, web: {url: "https://example.org"}}}]}}`,
			want: "exactly one of lambda",
		},
		"NoDependency": {
			reason: "A name alone can't be healthy.", example: "release",
			edit: `{dependencies: [{name: a}]}`, want: "exactly one of http and condition",
		},
		"NoURLOfADependency": {
			reason:  "A host has no spaces.",
			example: "release",
			edit:    `{dependencies: [{name: a, http: {url: "https://exa mple"}}]}`,
			want:    "url must be an http or https URL",
		},
		"NoAddress": {
			reason: "A port is a number.", example: "release",
			edit: `{readiness: {mode: All, checks: [{name: a, successCondition: "true", provider: {prometheus: ` +
				`{address: "http://prometheus:port", query: up}}}]}}`,
			want: "address must be an http or https URL",
		},
		"TwoSourcesOfCode": {
			reason: "A function has one code.", example: "serverless-function",
			edit: `{code: {files: {index.py: pass}, bucket: my-code, key: app.zip}}`,
			want: "set either files, or bucket and key",
		},
		"BucketOnly": {
			reason: "A bucket has many archives.", example: "serverless-function", edit: `{code: {bucket: my-code}}`,
			want: "set either files, or bucket and key",
		},
		"OddRetention": {
			reason: "AWS offers other periods.", example: "serverless-function", edit: `{logRetentionDays: 42}`,
			want: "spec.logRetentionDays",
		},
		"LongFunctionName": {
			reason: "The role's name is longer.", example: "serverless-function", name: strings.Repeat("y", 41),
			want: "at most 40 characters",
		},
		"NoSource": {
			reason: "The code has to come from somewhere.", example: "verified-endpoint", edit: `{code: {}}`,
			want: "set exactly one of sourceRef and oci",
		},
		"TwoArtifacts": {
			reason:  "A function has one code.",
			example: "verified-endpoint",
			want:    "set exactly one of sourceRef and oci",
			edit:    `{code: {sourceRef: {kind: GitRepository, name: shop}, oci: {reference: "ghcr.io/acme/prices:v1"}}}`,
		},
		"Unverifiable": {
			reason:  "Flux verifies no signatures of a bucket, so nothing of it would be deployed.",
			example: "verified-endpoint", edit: `{code: {sourceRef: {kind: Bucket, name: shop}}}`,
			want: "spec.code.sourceRef.kind",
		},
		"OwnSigners": {
			reason: "Only the platform team names signers.", example: "verified-endpoint", want: "verify",
			edit: `{code: {oci: {reference: "ghcr.io/acme/prices:v1", verify: {cosign: {}}}}}`,
		},
		"NumberAsAlias": {
			reason: "A number is a version.", example: "verified-endpoint", name: "7", want: "the name has a letter",
		},
		"NumberAsEndpoint": {
			reason:  "The alias has this name too.",
			example: "web-endpoint",
			name:    "2026",
			want:    "the name has a letter",
		},
		"HandlerWithASpace": {
			reason: "Lambda takes no such name.", example: "queue-worker", edit: `{handler: "index.handler "}`,
			want: "spec.handler",
		},
		"RoleWithASpace": {
			reason: "A role's name has none.", example: "web-endpoint",
			edit: `{roleARN: "arn:aws:iam::123456789012:role/store front"}`, want: "spec.roleARN",
		},
		"BucketByURL": {
			reason: "The name alone is asked for.", example: "lambda-function", edit: `{s3Bucket: "s3://my-code"}`,
			want: "spec.s3Bucket",
		},
		"NoVariableOfAServerlessFunction": {
			reason: "Lambda takes no such name.", example: "serverless-function",
			edit: `{environment: {"LOG-LEVEL": info}}`, want: "the name of a variable",
		},
		"NoFile": {
			reason: "The path leads out of the archive.", example: "serverless-function",
			edit: `{code: {files: {"../index.py": pass}}}`, want: "the name of a file",
		},
		"NoStatistic": {
			reason: "CloudWatch has no such statistic.", example: "release",
			edit: `{readiness: {mode: All, checks: [{name: a, successCondition: "true", provider: {lambda: {metric: ` +
				`Duration, statistic: avg}}}]}}`,
			want: "statistic",
		},
		"TooManyMessages": {
			reason: "AWS hands over no more.", example: "queue-worker", edit: `{batchSize: 10001}`,
			want: "spec.batchSize",
		},
	}
	x := theTools(t)
	var all []*unstructured.Unstructured
	names := map[string]string{}
	for name, tc := range cases {
		xr := x.composite(t, tc.example, 0)
		names[name] = cmp.Or(tc.name, strings.ToLower(name))
		xr.SetName(names[name])
		if tc.edit != "" {
			edit(t, xr, tc.edit)
		}
		all = append(all, xr)
	}
	output := map[string]string{}
	for _, f := range x.validate(t, write(t, all...)) {
		for _, e := range f.Errors {
			output[f.Name] += e.Message + "\n"
		}
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := output[names[name]]; !strings.Contains(got, tc.want) {
				t.Errorf("%s\nit says %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestWrongResourcesAreRefused checks rendered resources against the provider's own schema: a Function without code
// is invalid.
func TestWrongResourcesAreRefused(t *testing.T) {
	x := theTools(t)
	rendered := x.render(t, "lambda-function", x.composite(t, "lambda-function", 0))
	function := rendered[len(rendered)-1]
	unstructured.RemoveNestedField(function.Object, "spec", "forProvider", "code")
	for _, f := range x.validate(t, write(t, function)) {
		if f.Status == "valid" {
			t.Error("a Function without code is valid")
		}
	}
}
