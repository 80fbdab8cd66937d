package v1beta1

import "testing"

const runtimeManagementConfig = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: RuntimeManagementConfig
metadata: {name: hello, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    functionName: hello
    updateRuntimeOn: FunctionUpdate
`

func TestRuntimeManagementConfigRefused(t *testing.T) {
	const at = `spec.forProvider.runtimeVersionArn: `
	const qualifier = `: qualifier must be a version number such as '3', or $LATEST: an alias has no runtime settings`
	const runtime = `runtimeVersionArn: "arn:aws:lambda:eu-central-1::runtime:0123abcd"`
	testRefusals(t, runtimeManagementConfig, map[string]refusal{
		"NoFunction": {"It is for a function.", forProvider(`functionName: null`), noFunction},
		"Alias": {
			"Aliases have no runtime.",
			forProvider(`qualifier: live`),
			`spec.forProvider.qualifier: Invalid value: "live"` + qualifier,
		},
		"Published": {
			"It is not one version.",
			forProvider(`qualifier: $LATEST.PUBLISHED`),
			`spec.forProvider.qualifier: Invalid value: "$LATEST.PUBLISHED"` + qualifier,
		},
		"NoMode": {
			"When is nothing to guess.",
			forProvider(`updateRuntimeOn: null`),
			`spec.forProvider.updateRuntimeOn: Required value: set updateRuntimeOn to Auto, FunctionUpdate or Manual`,
		},
		"Mode": {
			"As AWS spells them.",
			forProvider(`updateRuntimeOn: "Function update"`),
			`spec.forProvider.updateRuntimeOn: Unsupported value: "Function update": supported values: "Auto", "FunctionUpdate", "Manual"`,
		},
		"ManualWithout": {
			"It has to stay on something.", forProvider(`updateRuntimeOn: Manual`),
			at + `Required value: updateRuntimeOn Manual needs a runtime version: set runtimeVersionArn to its ARN`,
		},
		"FunctionUpdateWith": {
			"It stays on none.",
			forProvider(runtime),
			at + `Forbidden: runtimeVersionArn is used only with updateRuntimeOn Manual: set updateRuntimeOn to Manual, or remove runtimeVersionArn`,
		},
		"AutoWith": {
			"It stays on none.",
			forProvider(`updateRuntimeOn: Auto, ` + runtime),
			at + `Forbidden: runtimeVersionArn is used only with updateRuntimeOn Manual: set updateRuntimeOn to Manual, or remove runtimeVersionArn`,
		},
		"RuntimeName": {
			"Runtimes have ARNs.",
			forProvider(`updateRuntimeOn: Manual, runtimeVersionArn: python3.13`),
			at + `Invalid value: "python3.13": runtimeVersionArn is not the ARN of a runtime version: use the form arn:aws:lambda:eu-central-1::runtime:0123abcd, or arn:aws:lambda:eu-central-1:123456789012:runtime/name/version/v1 for a customer-managed runtime`,
		},
		"FunctionARN": {
			"Runtimes have ARNs.",
			forProvider(
				`updateRuntimeOn: Manual, runtimeVersionArn: "arn:aws:lambda:eu-central-1:123456789012:function:hello"`,
			),
			at + `Invalid value: "arn:aws:lambda:eu-central-1:123456789012:function:hello": runtimeVersionArn is not the ARN of a runtime version: use the form arn:aws:lambda:eu-central-1::runtime:0123abcd, or arn:aws:lambda:eu-central-1:123456789012:runtime/name/version/v1 for a customer-managed runtime`,
		},
		"InitManual": {
			"What is set at creation is held to the same.",
			`spec: {forProvider: {updateRuntimeOn: null}, initProvider: {updateRuntimeOn: Manual}}`,
			at + `Required value: updateRuntimeOn Manual needs a runtime version: set runtimeVersionArn to its ARN`,
		},
	})
}

func TestRuntimeManagementConfigAccepted(t *testing.T) {
	testAcceptances(t, runtimeManagementConfig, map[string]acceptance{
		"Least": {"The least is enough.", ``},
		"Auto":  {"It may be said.", forProvider(`updateRuntimeOn: Auto`)},
		"Manual": {
			"On one version.",
			forProvider(
				`updateRuntimeOn: Manual, runtimeVersionArn: "arn:aws-us-gov:lambda:us-gov-west-1::runtime:0123abcd"`,
			),
		},
		"Customer": {
			"On a version of a customer-managed runtime.",
			forProvider(
				`updateRuntimeOn: Manual, runtimeVersionArn: "arn:aws:lambda:eu-central-1:123456789012:runtime/php/version/v8.3.1"`,
			),
		},
		"InitVersion": {
			"What is needed may be in the other block.",
			`spec: {forProvider: {updateRuntimeOn: Manual}, initProvider: {runtimeVersionArn: "arn:aws:lambda:eu-central-1::runtime:0123abcd"}}`,
		},
		"InitMode": {
			"What is needed may be in the other block.",
			`spec: {forProvider: {updateRuntimeOn: null, runtimeVersionArn: "arn:aws:lambda:eu-central-1::runtime:0123abcd"}, initProvider: {updateRuntimeOn: Manual}}`,
		},
		"Version": {"For one version.", forProvider(`qualifier: "3"`)},
		"Latest":  {"As AWS calls it.", forProvider(`qualifier: $LATEST`)},
		"Ref":     {"For a Version.", forProvider(`qualifierRef: {name: v3}`)},
		"Observed": {
			"Who only observes names the region.",
			`spec: {managementPolicies: [Observe], forProvider: {functionName: null, updateRuntimeOn: null}}`,
		},
	})
}
