package v1beta1

import "testing"

const provisionedConcurrencyConfig = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: ProvisionedConcurrencyConfig
metadata: {name: hello, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    functionName: hello
    qualifier: live
    provisionedConcurrentExecutions: 5
`

func TestProvisionedConcurrencyConfigRefused(t *testing.T) {
	const qualifier = `: qualifier must be the name of an alias or a version number: $LATEST can't have provisioned concurrency, so publish a version`
	const least = `.provisionedConcurrentExecutions in body should be greater than or equal to 1`
	testRefusals(t, provisionedConcurrencyConfig, map[string]refusal{
		"NoFunction": {"It is for a function.", forProvider(`functionName: null`), noFunction},
		"NoQualifier": {
			"It is for a version.",
			forProvider(`qualifier: null`),
			`spec.forProvider.qualifier: Required value: set qualifier to an alias or a version, or set qualifierRef or qualifierSelector to an Alias: $LATEST can't have provisioned concurrency`,
		},
		"Latest": {
			"AWS refuses it.",
			forProvider(`qualifier: $LATEST`),
			`spec.forProvider.qualifier: Invalid value: "$LATEST"` + qualifier,
		},
		"ARN": {
			"A qualifier is no ARN.",
			forProvider(`qualifier: "arn:aws:lambda:eu-central-1:123456789012:function:hello:live"`),
			`spec.forProvider.qualifier: Invalid value: "arn:aws:lambda:eu-central-1:123456789012:function:hello:live"` + qualifier,
		},
		"Empty": {
			"A qualifier has a name.",
			forProvider(`qualifier: ""`),
			`spec.forProvider.qualifier: Invalid value: ""` + qualifier,
		},
		"None": {
			"For none, there is deletion.",
			forProvider(`provisionedConcurrentExecutions: 0`),
			`spec.forProvider.provisionedConcurrentExecutions: Invalid value: 0: spec.forProvider` + least,
		},
		"NoNone": {
			"How many is nothing to guess.",
			forProvider(`provisionedConcurrentExecutions: null`),
			`spec.forProvider.provisionedConcurrentExecutions: Required value: set provisionedConcurrentExecutions to the number of execution environments that AWS keeps ready`,
		},
		"InitNone": {
			"What is set at creation is held to the same.",
			`spec: {initProvider: {provisionedConcurrentExecutions: 0}}`,
			`spec.initProvider.provisionedConcurrentExecutions: Invalid value: 0: spec.initProvider` + least,
		},
		"Text": {
			"A number is one.",
			forProvider(`provisionedConcurrentExecutions: "5"`),
			`spec.forProvider.provisionedConcurrentExecutions: Invalid value: "string": spec.forProvider.provisionedConcurrentExecutions in body must be of type integer: "string"`,
		},
		"Unknown": {
			"AWS's other numbers are no settings.",
			forProvider(`allocatedProvisionedConcurrentExecutions: 5`),
			`ProvisionedConcurrencyConfig in version "v1beta1" cannot be handled as a ProvisionedConcurrencyConfig: strict decoding error: unknown field "spec.forProvider.allocatedProvisionedConcurrentExecutions"`,
		},
		"Region": {
			"Regions have a form.",
			forProvider(`region: here`),
			`spec.forProvider.region: Invalid value: "here": region is not an AWS region name: use one such as eu-central-1`,
		},
	})
}

func TestProvisionedConcurrencyConfigAccepted(t *testing.T) {
	testAcceptances(t, provisionedConcurrencyConfig, map[string]acceptance{
		"Least":   {"The least is enough.", ``},
		"Version": {"A version by number.", forProvider(`qualifier: "3"`)},
		"References": {
			"Both by reference.",
			forProvider(
				`functionName: null, functionNameRef: {name: hello}, qualifier: null, qualifierRef: {name: live}`,
			),
		},
		"Scaled": {
			"Application Auto Scaling changes it later.",
			`spec: {forProvider: {provisionedConcurrentExecutions: null}, initProvider: {provisionedConcurrentExecutions: 1}}`,
		},
		"Observed": {
			"Who only observes names the region.",
			`spec: {managementPolicies: [Observe], forProvider: {functionName: null, qualifier: null, provisionedConcurrentExecutions: null}}`,
		},
	})
}
