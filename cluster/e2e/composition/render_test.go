package composition

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// byDigest names an artifact by its digest.
const byDigest = "ghcr.io/acme/prices@sha256:31b6ee58caf91f56bc97c8cb2f424d7472ac570ecf124c1c3da02df3319dd781"

// The specs of a VerifiedEndpoint's resources have these parts.
const (
	verifiedConfig  = `providerConfigRef: {kind: ClusterProviderConfig, name: verified}`
	verifiedRollout = `
forProvider:
  region: eu-central-1
  functionNameRef: {name: payment}
rollout:
  strategy: {canary: {steps: [{setWeight: 10}, {analysis: {successes: 3}}, {setWeight: 50}, {pause: {duration: 10m}}]}}
  analysis:
    metrics:
    - name: error-rate
      interval: 1m
      successCondition: result < 0.01
      minSampleCount: 50
      provider: {lambda: {metric: ErrorRate}}
  progressDeadlineSeconds: 7200`
	verifiedURL = `
forProvider:
  region: eu-central-1
  functionNameRef: {name: payment}
  qualifierRef: {name: payment}
  authType: AWS_IAM`
)

// TestRender checks that each composite resource becomes the resources that its Composition promises, in its own
// namespace and owned by it.
func TestRender(t *testing.T) {
	cases := map[string]struct {
		reason  string
		example string
		n       int
		want    map[string]string
	}{
		"LambdaFunction": {
			reason:  "A LambdaFunction is one Function, whose name in AWS is the one that was asked for.",
			example: "lambda-function",
			want: map[string]string{"Function thumbnails": `
providerConfigRef: {kind: ClusterProviderConfig, name: default}
forProvider:
  region: eu-central-1
  runtime: python3.13
  handler: index.handler
  memorySize: 256
  timeout: 30
  environment: {variables: {LOG_LEVEL: info}}
  code: {s3Bucket: my-code, s3Key: app.zip}
  role: arn:aws:iam::123456789012:role/thumbnails`},
		},
		"WebEndpointForAll": {
			reason: "Everyone is let in without a signature, by both actions.", example: "web-endpoint",
			want: map[string]string{
				"Function storefront": `
forProvider:
  region: eu-central-1
  runtime: nodejs22.x
  handler: index.handler
  memorySize: 256
  timeout: 10
  publish: true
  code: {s3Bucket: my-code, s3Key: app.zip}
  role: arn:aws:iam::123456789012:role/storefront`,
				"Alias storefront": `
forProvider:
  region: eu-central-1
  functionNameRef: {name: storefront}`,
				"FunctionURL storefront": `
forProvider:
  region: eu-central-1
  functionNameRef: {name: storefront}
  qualifierRef: {name: storefront}
  authType: NONE
  cors: {allowOrigins: ["https://www.example.com"]}`,
				"Permission storefront": `
forProvider:
  region: eu-central-1
  functionNameRef: {name: storefront}
  qualifierRef: {name: storefront}
  action: lambda:InvokeFunctionUrl
  principal: "*"
  functionUrlAuthType: NONE`,
				"Permission storefront-invoke": `
forProvider:
  region: eu-central-1
  functionNameRef: {name: storefront}
  qualifierRef: {name: storefront}
  action: lambda:InvokeFunction
  principal: "*"
  invokedViaFunctionUrl: true`,
			},
		},
		"WebEndpointForOne": {
			reason:  "A role has to sign, and nobody else is let in. New code is rolled out in steps.",
			example: "web-endpoint", n: 1,
			want: map[string]string{
				"Function prices": `
forProvider:
  region: eu-central-1
  runtime: nodejs22.x
  handler: index.handler
  memorySize: 256
  timeout: 10
  publish: true
  code: {s3Bucket: my-code, s3Key: app.zip}
  role: arn:aws:iam::123456789012:role/prices`,
				"Alias prices": `
forProvider:
  region: eu-central-1
  functionNameRef: {name: prices}
rollout:
  strategy: {linear: {percentage: 25, interval: 10m}}
  analysis:
    alarms: {names: [prices-latency], interval: 10s}
    metrics:
    - name: error-rate
      successCondition: result * 100.0 <= 1.0
      provider: {lambda: {metric: ErrorRate}}`,
				"FunctionURL prices": `
forProvider:
  region: eu-central-1
  functionNameRef: {name: prices}
  qualifierRef: {name: prices}
  authType: AWS_IAM`,
				"Permission prices": `
forProvider:
  region: eu-central-1
  functionNameRef: {name: prices}
  qualifierRef: {name: prices}
  action: lambda:InvokeFunctionUrl
  principal: arn:aws:iam::123456789012:role/storefront
  functionUrlAuthType: AWS_IAM`,
				"Permission prices-invoke": `
forProvider:
  region: eu-central-1
  functionNameRef: {name: prices}
  qualifierRef: {name: prices}
  action: lambda:InvokeFunction
  principal: arn:aws:iam::123456789012:role/storefront
  invokedViaFunctionUrl: true`,
			},
		},
		"VerifiedEndpointOfAFluxSource": {
			reason:  "The folder of a repository is deployed if it is verified, and each version of it is rolled out.",
			example: "verified-endpoint",
			want: map[string]string{
				"Function payment": verifiedConfig + `
forProvider:
  region: eu-central-1
  runtime: python3.13
  handler: index.handler
  publish: true
  publishRevision: true
  historyLimit: 5
  code: {sourceRef: {kind: GitRepository, name: shop, path: functions/payment}}
  role: arn:aws:iam::123456789012:role/payment`,
				"Alias payment":       verifiedConfig + verifiedRollout,
				"FunctionURL payment": verifiedConfig + verifiedURL,
			},
		},
		"VerifiedEndpointOfARegistry": {
			reason:  "A tag in a registry is followed. The signers are those of the provider config.",
			example: "verified-endpoint", n: 1,
			want: map[string]string{
				"Function quotes": verifiedConfig + `
forProvider:
  region: eu-central-1
  runtime: python3.13
  handler: index.handler
  publish: true
  publishRevision: true
  historyLimit: 5
  code: {oci: {reference: "ghcr.io/acme/quotes:main", trackTag: true, pullSecretRefs: [{name: ghcr}]}}
  role: arn:aws:iam::123456789012:role/quotes`,
				"Alias quotes":       verifiedConfig + strings.ReplaceAll(verifiedRollout, "payment", "quotes"),
				"FunctionURL quotes": verifiedConfig + strings.ReplaceAll(verifiedURL, "payment", "quotes"),
			},
		},
		"Release": {
			reason: "A Release is one Alias. It rolls back if two of the three checks fail, since two have to " +
				"succeed.",
			example: "release",
			want: map[string]string{"Alias basket": `
providerConfigRef: {kind: ClusterProviderConfig, name: default}
forProvider:
  region: eu-central-1
  functionNameRef: {name: basket}
rollout:
  strategy: {canary: {steps: [{setWeight: 20}, {pause: {duration: 10m}}]}}
  preTraffic:
  - name: ping
    invoke: {payload: '{"ping": true}', expect: functionError == "" && payload.pong}
  dependencies:
  - name: payments
    condition: {apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: Function, name: payments}
  analysis:
    trigger: {mode: Quorum, quorum: 2}
    metrics:
    - name: error-rate
      interval: 1m
      successCondition: result < 0.01
      provider: {lambda: {metric: ErrorRate}}
    - name: duration
      interval: 1m
      successCondition: result < 500 || result <= baseline * 1.5
      failureLimit: 2
      provider: {lambda: {metric: Duration, statistic: p95}}
    - name: lost-baskets
      interval: 1m
      successCondition: result == 0
      provider:
        cloudWatch:
          queries:
          - id: lost
            metric: {namespace: Shop, metricName: LostBaskets, dimensions: {FunctionName: basket}, statistic: Sum}
  progressDeadlineSeconds: 1800
  rollbackWindow: {revisions: 3}`},
		},
		"QueueWorker": {
			reason:  "The region is the queue's, and the mapping reads for the function of the same QueueWorker.",
			example: "queue-worker",
			want: map[string]string{
				"Function invoices": `
writeConnectionSecretToRef: {name: invoices-connection}
forProvider:
  region: eu-central-1
  runtime: python3.13
  handler: index.handler
  memorySize: 256
  timeout: 30
  code: {s3Bucket: my-code, s3Key: app.zip}
  role: arn:aws:iam::123456789012:role/invoices`,
				"EventSourceMapping invoices": `
forProvider:
  region: eu-central-1
  functionNameSelector: {matchControllerRef: true}
  eventSourceArn: arn:aws:sqs:eu-central-1:123456789012:invoices
  enabled: true
  batchSize: 100
  maximumBatchingWindowInSeconds: 5
  functionResponseTypes: [ReportBatchItemFailures]
  scalingConfig: {maximumConcurrency: 10}`,
			},
		},
	}
	x := theTools(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rendered := x.render(t, tc.example, x.composite(t, tc.example, tc.n))
			owner, got := rendered[0], map[string]any{}
			for _, o := range rendered[1:] {
				got[title(o)] = o.Object["spec"]
				if o.GetNamespace() != owner.GetNamespace() || len(o.GetOwnerReferences()) != 1 ||
					o.GetOwnerReferences()[0].Name != owner.GetName() {
					t.Errorf("%s\n%s is in namespace %s and owned by %v", tc.reason, title(o), o.GetNamespace(),
						o.GetOwnerReferences())
				}
			}
			want := map[string]any{}
			for title, spec := range tc.want {
				want[title] = values(t, spec)
			}
			if diff := cmp.Diff(want, plain(t, got)); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			for _, f := range x.validate(t, write(t, rendered...)) {
				if f.Status != "valid" {
					t.Errorf("%s\n%s %s is %s: %v", tc.reason, f.Kind, f.Name, f.Status, f.Errors)
				}
			}
		})
	}
}

// TestRenderChanges checks that what a composite resource omits is omitted from the resources, and that changed
// values are passed on.
func TestRenderChanges(t *testing.T) {
	x := theTools(t)
	cases := map[string]struct {
		reason  string
		example string
		edit    string
		kind    string
		want    string
	}{
		"NoVariables": {
			reason:  "Without variables there is no environment, which removes those that were there.",
			example: "lambda-function",
			edit:    `{environmentVariables: null, memorySizeMB: null}`, kind: "Function",
			want: `{environment: null, memorySize: 128}`,
		},
		"Paused": {
			reason: "A worker that pauses has its mapping disabled.", example: "queue-worker",
			edit: `{paused: true}`, kind: "EventSourceMapping", want: `{enabled: false}`,
		},
		"SmallBatches": {
			reason: "A window that is removed is removed in AWS.", example: "queue-worker",
			edit: `{batchSize: 5, batchingWindowSeconds: 0}`, kind: "EventSourceMapping",
			want: `{batchSize: 5, maximumBatchingWindowInSeconds: 0}`,
		},
		"OtherRegion": {
			reason: "The queue says where the function is.", example: "queue-worker",
			edit: `{queueARN: "arn:aws:sqs:us-east-1:123456789012:invoices"}`, kind: "Function",
			want: `{region: us-east-1}`,
		},
		"Account": {
			reason: "An account is let in by its number.", example: "web-endpoint",
			edit: `{callers: "999999999999"}`, kind: "Permission",
			want: `{principal: "999999999999", region: eu-central-1}`,
		},
		"Digest": {
			reason: "A digest does not move, so it is not followed.", example: "verified-endpoint", kind: "Function",
			edit: `{code: {oci: {reference: "` + byDigest + `"}}}`,
			want: `{code: {oci: {reference: "` + byDigest + `", trackTag: false}}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := x.composite(t, tc.example, 0)
			edit(t, xr, tc.edit)
			found := false
			for _, o := range x.render(t, tc.example, xr)[1:] {
				if o.GetKind() != tc.kind {
					continue
				}
				found = true
				for field, want := range values(t, tc.want) {
					got, _, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "forProvider", field)
					if diff := cmp.Diff(want, plainValue(t, got)); diff != "" {
						t.Errorf("%s\n%s: %s: -want +got:\n%s", tc.reason, title(o), field, diff)
					}
				}
			}
			if !found {
				t.Errorf("%s\nthere is no %s", tc.reason, tc.kind)
			}
		})
	}
}

// title returns the kind and name of a resource.
func title(o *unstructured.Unstructured) string { return o.GetKind() + " " + o.GetName() }

// edit changes the spec of an object; null removes a field.
func edit(t *testing.T, o *unstructured.Unstructured, text string) {
	t.Helper()
	for field, v := range values(t, text) {
		if v == nil {
			unstructured.RemoveNestedField(o.Object, "spec", field)
			continue
		}
		if err := unstructured.SetNestedField(o.Object, v, "spec", field); err != nil {
			t.Fatal(err)
		}
	}
}

// values returns a YAML object.
func values(t *testing.T, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := yaml.UnmarshalStrict([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// plain returns a value as YAML decodes it, so that the types of numbers are comparable.
func plain(t *testing.T, v map[string]any) map[string]any {
	t.Helper()
	b, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return values(t, string(b))
}

func plainValue(t *testing.T, v any) any {
	t.Helper()
	return plain(t, map[string]any{"v": v})["v"]
}
