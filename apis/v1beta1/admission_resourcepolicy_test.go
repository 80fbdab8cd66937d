package v1beta1

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

const functionPolicy = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: ResourcePolicy
metadata: {name: hello, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    resourceArn: arn:aws:lambda:eu-central-1:123456789012:function:hello
    policy: |
      {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "lambda:InvokeFunction", "Resource": "*"}]}
`

const (
	noArn      = "resourceArn is not the ARN of a function, version or alias: use the form arn:aws:lambda:region:123456789012:function:name, followed by :version or :alias if needed"
	neededArn  = "spec.forProvider.resourceArn: Required value: set resourceArn to the ARN of a function, version or alias, or set resourceArnRef or resourceArnSelector to a Function, or resourceArnFrom to a field that contains the ARN"
	doubledArn = "spec.forProvider.resourceArnFrom: Forbidden: the ARN is set twice: set either resourceArnFrom, or one of resourceArn, resourceArnRef and resourceArnSelector"
)

func TestResourcePolicyRefused(t *testing.T) {
	testRefusals(t, functionPolicy, map[string]refusal{
		"NoRegion": {
			reason: "A function lies in a region.",
			change: forProvider(`region: null`),
			want:   "spec.forProvider.region: Required value",
		},
		"RegionName": {
			reason: "A region goes by its code.",
			change: forProvider(`region: Frankfurt`),
			want:   `spec.forProvider.region: Invalid value: "Frankfurt": region is not an AWS region name: use one such as eu-central-1`,
		},
		"NoArn": {
			reason: "A policy is of something.",
			change: forProvider(`resourceArn: null`),
			want:   neededArn,
		},
		"NoArnObserved": {
			reason: "Without it there is nothing to look at either.",
			change: `spec: {managementPolicies: [Observe], forProvider: {resourceArn: null, policy: null}}`,
			want:   neededArn,
		},
		"Name": {
			reason: "AWS takes the ARN.",
			change: forProvider(`resourceArn: hello`),
			want:   `spec.forProvider.resourceArn: Invalid value: "hello": ` + noArn,
		},
		"Layer": {
			reason: "A layer's policy is of another kind.",
			change: forProvider(`resourceArn: "arn:aws:lambda:eu-central-1:123456789012:layer:l:1"`),
			want:   `spec.forProvider.resourceArn: Invalid value: "arn:aws:lambda:eu-central-1:123456789012:layer:l:1": ` + noArn,
		},
		"Wildcard": {
			reason: "AWS takes one resource.",
			change: forProvider(`resourceArn: "arn:aws:lambda:eu-central-1:123456789012:function:hello:*"`),
			want:   `spec.forProvider.resourceArn: Invalid value: "arn:aws:lambda:eu-central-1:123456789012:function:hello:*": ` + noArn,
		},
		"Latest": {
			reason: "The unqualified function stands for it.",
			change: forProvider(`resourceArn: "arn:aws:lambda:eu-central-1:123456789012:function:hello:$LATEST"`),
			want:   `spec.forProvider.resourceArn: Invalid value: "arn:aws:lambda:eu-central-1:123456789012:function:hello:$LATEST": ` + noArn,
		},
		"ArnAndFrom": {
			reason: "One of them would be ignored.",
			change: forProvider(
				`resourceArnFrom: {apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: Alias, name: live, fieldPath: status.atProvider.aliasArn}`,
			),
			want: doubledArn,
		},
		"RefAndFrom": {
			reason: "One of them would be ignored.",
			change: forProvider(
				`resourceArn: null, resourceArnRef: {name: hello}, resourceArnFrom: {apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: Alias, name: live, fieldPath: status.atProvider.aliasArn}`,
			),
			want: doubledArn,
		},
		"NoPolicy": {
			reason: "There is nothing to put.",
			change: forProvider(`policy: null`),
			want:   "spec.forProvider.policy: Required value: set policy to the complete policy document in JSON",
		},
		"YAML": {
			reason: "AWS reads JSON.",
			change: forProvider(`policy: "Statement: []"`),
			want:   `spec.forProvider.policy: Invalid value: "Statement: []": policy is not a policy document: use JSON that starts with a brace`,
		},
		"Empty": {
			reason: "AWS reads JSON.",
			change: forProvider(`policy: ""`),
			want:   `spec.forProvider.policy: Invalid value: "": policy is not a policy document: use JSON that starts with a brace`,
		},
		"Cut": {
			reason: "Half a policy is none.",
			change: forProvider(`policy: '{"Statement": ['`),
			want:   `spec.forProvider.policy: Invalid value: "{\"Statement\": [": policy is incomplete: use JSON that ends with a brace`,
		},
		"NoStatement": {
			reason: "AWS takes no policy without one.",
			change: forProvider(`policy: '{"Version": "2012-10-17"}'`),
			want:   `spec.forProvider.policy: Invalid value: "{\"Version\": \"2012-10-17\"}": policy has no Statement: add one, or delete the ResourcePolicy to remove the policy`,
		},
		"Block": {
			reason: "It is a text, as in AWS.",
			change: forProvider(`policy: {Statement: []}`),
			want:   `ResourcePolicy in version "v1beta1" cannot be handled as a ResourcePolicy: strict decoding error: unknown field "spec.forProvider.policy.Statement"`,
		},
		"Long": {
			reason: "AWS takes 20 KB, and white space may be more.",
			change: forProvider(`policy: '{"Statement": "` + strings.Repeat("x", 65536) + `"}'`),
			want:   "spec.forProvider.policy: Too long: may not be more than 65536 bytes",
		},
	})
}

func TestResourcePolicyAccepted(t *testing.T) {
	c := strictClient(t)
	for name, change := range map[string]string{
		"Least":        ``,
		"Qualified":    forProvider(`resourceArn: "arn:aws-us-gov:lambda:us-gov-west-1:123456789012:function:hello:live"`),
		"Published":    forProvider(`resourceArn: "arn:aws:lambda:eu-central-1:123456789012:function:hello:$LATEST.PUBLISHED"`),
		"Ref":          forProvider(`resourceArn: null, resourceArnRef: {name: hello}`),
		"Selector":     forProvider(`resourceArn: null, resourceArnSelector: {matchLabels: {app: hello}}`),
		"From":         forProvider(`resourceArn: null, resourceArnFrom: {apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: Alias, name: live, fieldPath: status.atProvider.aliasArn}`),
		"Observed":     `spec: {managementPolicies: [Observe], forProvider: {policy: null}}`,
		"LongAsIsFine": forProvider(`policy: '{"Statement": "` + strings.Repeat("x", 20450) + `"}'`),
		"WhiteSpace":   forProvider(`policy: '{"Statement":` + strings.Repeat(" ", 40000) + `"x"}'`),
	} {
		t.Run(name, func(t *testing.T) {
			if got := complaints(
				c.Create(t.Context(), manifest(t, functionPolicy, change), client.DryRunAll),
			); got != "" {
				t.Errorf("refused:\n%s", got)
			}
		})
	}
}

func TestResourcePolicyUpdate(t *testing.T) {
	c := strictClient(t)
	p := manifest(t, functionPolicy, "")
	p.SetNamespace(suite.Cluster(t).Namespace(t))
	if err := c.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	for then, want := range map[string]string{
		`region: eu-west-1`: "spec.forProvider.region: Forbidden: region can't be changed: create another resource in the other region",
		`resourceArn: "arn:aws:lambda:eu-central-1:123456789012:function:other"`: "spec.forProvider.resourceArn: Forbidden: resourceArn can't be changed: create a new ResourcePolicy for the other resource",
		`policy: '{"Statement": {}}'`:                                            "",
	} {
		patch := client.RawPatch("application/merge-patch+json", toJSON(t, forProvider(then)))
		if got := complaints(c.Patch(t.Context(), p.DeepCopy(), patch, client.DryRunAll)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", then, got, want)
		}
	}
}
