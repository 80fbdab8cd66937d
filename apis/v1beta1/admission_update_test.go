package v1beta1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	observedFunction = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata: {name: hello, namespace: default}
spec:
  managementPolicies: [Observe]
  forProvider: {region: eu-central-1}
`

	customRuntime    = `runtimeConfig: {runtimeArn: "arn:aws:lambda:eu-central-1:123456789012:runtime/php", runtimeAlias: prod}`
	tenancy          = `tenancyConfig: {tenantIsolationMode: PER_TENANT}`
	durable          = `durableConfig: {executionTimeout: 60}`
	capacityProvider = `capacityProviderConfig: {lambdaManagedInstancesCapacityProviderConfig: {capacityProviderArn: "arn:aws:lambda:eu-central-1:123456789012:capacity-provider:web"}}`
	toImage          = `packageType: Image, runtime: null, handler: null, code: {inline: null, imageUri: "123456789012.dkr.ecr.eu-central-1.amazonaws.com/hello:v1"}`
)

// TestUpdate creates base changed by first, and then changes it in a dry run. The function exists in AWS, unless the
// case says that it is absent.
func TestUpdate(t *testing.T) {
	cases := map[string]struct {
		reason string
		base   string
		absent bool
		first  string
		then   string
		want   string
	}{
		"Region": {
			reason: "A function does not move.",
			base:   zipFunction,
			then:   forProvider(`region: eu-west-1`),
			want:   `spec.forProvider.region: Forbidden: region can't be changed: create another resource in the other region`,
		},
		"RegionObserved": {
			reason: "An observed function does not move either.",
			base:   observedFunction,
			then:   forProvider(`region: eu-west-1`),
			want:   `spec.forProvider.region: Forbidden: region can't be changed: create another resource in the other region`,
		},
		"ToImage": {
			reason: "AWS can't change the package type.",
			base:   zipFunction,
			then:   forProvider(toImage),
			want:   "spec.forProvider.packageType: Forbidden: packageType can't be changed after creation: create a new Function",
		},
		"ToZip": {
			reason: "AWS can't change the package type.",
			base:   imageFunction,
			then: forProvider(
				`packageType: null, runtime: python3.13, handler: index.handler, code: {imageUri: null, inline: {index.py: ""}}`,
			),
			want: "spec.forProvider.packageType: Forbidden: packageType can't be changed after creation: create a new Function",
		},
		"ToImageUncreated": {
			reason: "A creation that AWS refused can be corrected.",
			base:   zipFunction,
			absent: true,
			then:   forProvider(toImage + `, ` + tenancy + `, ` + durable),
		},
		"TypeSpelledOut": {
			reason: "Zip is what it was.",
			base:   zipFunction,
			then:   forProvider(`packageType: Zip`),
		},
		"TypeMoved": {
			reason: "It is an image in either block.",
			base:   imageFunction,
			then:   `spec: {forProvider: {packageType: null}, initProvider: {packageType: Image}}`,
		},
		"TenancyAdded": {
			reason: "AWS takes it at creation only.",
			base:   zipFunction,
			then:   forProvider(tenancy),
			want:   "spec.forProvider.tenancyConfig: Forbidden: tenancyConfig can't be set or removed after creation: create a new Function",
		},
		"TenancyRemoved": {
			reason: "AWS can't remove it.",
			base:   zipFunction,
			first:  forProvider(tenancy),
			then:   forProvider(`tenancyConfig: null`),
			want:   "spec.forProvider.tenancyConfig: Forbidden: tenancyConfig can't be set or removed after creation: create a new Function",
		},
		"DurableAdded": {
			reason: "AWS takes it at creation only.",
			base:   zipFunction,
			then:   forProvider(durable),
			want:   "spec.forProvider.durableConfig: Forbidden: durableConfig can't be set or removed after creation (its values can be changed): create a new Function",
		},
		"DurableRemoved": {
			reason: "AWS can't remove it.",
			base:   zipFunction,
			first:  forProvider(durable),
			then:   forProvider(`durableConfig: null`),
			want:   "spec.forProvider.durableConfig: Forbidden: durableConfig can't be set or removed after creation (its values can be changed): create a new Function",
		},
		"DurableChanged": {
			reason: "Its values can be changed.",
			base:   zipFunction,
			first:  forProvider(durable),
			then:   forProvider(`durableConfig: {executionTimeout: 120, retentionPeriodInDays: 7}`),
		},
		"DurableMoved": {
			reason: "It is there in either block.",
			base:   zipFunction,
			first:  forProvider(durable),
			then:   `spec: {forProvider: {durableConfig: null}, initProvider: {durableConfig: {executionTimeout: 60}}}`,
		},
		"CapacityProviderAdded": {
			reason: "AWS takes it at creation only.",
			base:   zipFunction,
			then:   forProvider(capacityProvider),
			want:   "spec.forProvider.capacityProviderConfig: Forbidden: capacityProviderConfig can't be set or removed after creation (its values can be changed): create a new Function",
		},
		"CapacityProviderRemoved": {
			reason: "AWS can't remove it.",
			base:   managedInstancesFunction,
			then:   forProvider(`capacityProviderConfig: null`),
			want:   "spec.forProvider.capacityProviderConfig: Forbidden: capacityProviderConfig can't be set or removed after creation (its values can be changed): create a new Function",
		},
		"CapacityProviderChanged": {
			reason: "Its values can be changed.",
			base:   managedInstancesFunction,
			then: managedInstances(
				`perExecutionEnvironmentMaxConcurrency: 32, executionEnvironmentMemoryGiBPerVCpu: "2.5"`,
			),
		},
		"Everything": {
			reason: "All else can be changed.",
			base:   zipFunction,
			then: `spec: {forProvider: {runtime: nodejs22.x, handler: app.run, role: "arn:aws:iam::123456789012:role/path/other", memorySize: 256, timeout: 10,
				description: d, architectures: [arm64], code: {inline: null, s3Bucket: my-code, s3Key: app.zip}, environment: {variables: {LOG_LEVEL: debug}},
				reservedConcurrentExecutions: 0, tags: {team: a}}, providerConfigRef: {kind: ProviderConfig, name: team}, managementPolicies: [Observe, Update]}`,
		},
		"Stripped": {
			reason: "What is no longer named is cleared.",
			base:   zipFunction,
			first: forProvider(
				`memorySize: 256, layers: ["arn:aws:lambda:eu-central-1:123456789012:layer:l:1"], environment: {variables: {LOG_LEVEL: debug}}, tags: {team: a}`,
			),
			then: forProvider(`memorySize: null, layers: null, environment: null, tags: null`),
		},
		"HandlerRemoved": {
			reason: "Should it vanish from AWS, it could not be created anew.",
			base:   zipFunction,
			then:   forProvider(`handler: null`),
			want:   "spec.forProvider.handler: Required value: packageType Zip, the default, needs a handler: set handler, for example to index.handler",
		},
		"TakenOver": {
			reason: "An observed function may turn out to be an image with anything that is fixed at creation.",
			base:   observedFunction,
			then: `spec: {managementPolicies: ["*"], forProvider: {packageType: Image, role: "arn:aws:iam::123456789012:role/hello",
				code: {imageUri: "123456789012.dkr.ecr.eu-central-1.amazonaws.com/hello:v1"}, ` + tenancy + `, ` + durable + `, ` + capacityProvider + `}}`,
		},
		"TakenOverByHalf": {
			reason: "What could be created has to say how.",
			base:   observedFunction,
			then:   `spec: {managementPolicies: ["*"], forProvider: {role: "arn:aws:iam::123456789012:role/hello", runtime: python3.13}}`,
			want: "spec.forProvider.code: Required value: set exactly one source: s3Bucket and s3Key, imageUri, inline, configMapRef, zipFileFrom, sourceRef or oci (set it in spec.initProvider if another tool deploys code later)\n" +
				"spec.forProvider.handler: Required value: packageType Zip, the default, needs a handler: set handler, for example to index.handler",
		},
		"LetGo": {
			reason: "Who only observes need not say anything.",
			base:   zipFunction,
			first:  forProvider(tenancy),
			then:   `spec: {managementPolicies: [Observe], forProvider: {tenancyConfig: null, runtime: null, handler: null, role: null, code: null}}`,
		},
	}
	c := strictClient(t)
	ns := suite.Cluster(t).Namespace(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := manifest(t, tc.base, tc.first)
			create(t, c, ns, f)
			if !tc.absent {
				writeStatus(
					t,
					f,
					FunctionStatus{
						AtProvider: FunctionObservation{
							FunctionArn: ptr.To("arn:aws:lambda:eu-central-1:123456789012:function:hello"),
						},
					},
				)
			}
			if diff := cmp.Diff(tc.want, complaintsOfUpdate(t, c, f, tc.then)); diff != "" {
				t.Errorf("\n%s\nPatch(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestStatusIsASubresource checks that only the provider writes a status, and that this never reverts a spec.
func TestStatusIsASubresource(t *testing.T) {
	c := strictClient(t)
	f := manifest(t, zipFunction, `status: {observedGeneration: 7}`)
	f.SetNamespace(suite.Cluster(t).Namespace(t))
	if err := c.Create(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(
		map[string]any{"observedGeneration": int64(-1), "phase": "Pending"},
		f.Object["status"],
	); diff != "" {
		t.Errorf(
			"a new function's status is not the user's, and says that nothing was observed yet: -want, +got:\n%s",
			diff,
		)
	}
	patch := client.RawPatch(
		"application/merge-patch+json",
		toJSON(t, `{spec: {forProvider: {memorySize: 512}}, status: {observedGeneration: 1}}`),
	)
	if err := c.Status().Patch(t.Context(), f, patch); err != nil {
		t.Fatal(err)
	}
	size, found, err := unstructured.NestedInt64(f.Object, "spec", "forProvider", "memorySize")
	if found || err != nil {
		t.Errorf("a write of the status changed the spec: memorySize is %d (%v)", size, err)
	}
	if f.GetGeneration() != 1 {
		t.Errorf("a write of the status made generation %d", f.GetGeneration())
	}
}
