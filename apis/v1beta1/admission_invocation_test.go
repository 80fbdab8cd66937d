package v1beta1

import (
	"strings"
	"testing"
)

const invocation = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Invocation
metadata: {name: hello, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    functionName: hello
    payload: "{}"
`

func TestInvocationRefused(t *testing.T) {
	const functionName = `: functionName must be the name of a function, or its ARN such as arn:aws:lambda:eu-central-1:123456789012:function:name: set a version or alias in qualifier`
	testRefusals(t, invocation, map[string]refusal{
		"NoFunction": {
			"It is of a function.",
			forProvider(`functionName: null`),
			`spec.forProvider.functionName: Required value: set functionName to the function's name in AWS, or set functionNameRef or functionNameSelector to a Function`,
		},
		"Region": {
			"A zone is no region.",
			forProvider(`region: eu-central-1a`),
			`spec.forProvider.region: Invalid value: "eu-central-1a": region is not an AWS region name: use one such as eu-central-1`,
		},
		"NameWithVersion": {
			"Versions have a field.",
			forProvider(`functionName: "hello:3"`),
			`spec.forProvider.functionName: Invalid value: "hello:3"` + functionName,
		},
		"ARNWithVersion": {
			"Versions have a field.",
			forProvider(`functionName: "arn:aws:lambda:eu-central-1:123456789012:function:hello:3"`),
			`spec.forProvider.functionName: Invalid value: "arn:aws:lambda:eu-central-1:123456789012:function:hello:3"` + functionName,
		},
		"Qualifier": {
			"A version has no dots.",
			forProvider(`qualifier: v1.0`),
			`spec.forProvider.qualifier: Invalid value: "v1.0": qualifier is not a version or an alias: use a version number, the name of an alias, or $LATEST`,
		},
		"TwoPayloads": {
			"There is one event.",
			forProvider(`payloadFrom: {secretKeyRef: {name: a, key: b}}`),
			`spec.forProvider.payloadFrom: Forbidden: payload is also set: set only one of payload and payloadFrom`,
		},
		"TwoSources": {
			"It comes from one place.",
			forProvider(
				`payload: null, payloadFrom: {secretKeyRef: {name: a, key: b}, configMapKeyRef: {name: a, key: b}}`,
			),
			`spec.forProvider.payloadFrom: Invalid value: set exactly one of secretKeyRef and configMapKeyRef in valueFrom`,
		},
		"NoPayload": {
			"Nothing is no JSON.",
			forProvider(`payload: ""`),
			`spec.forProvider.payload: Invalid value: "": spec.forProvider.payload in body should be at least 1 chars long`,
		},
		"LargePayload": {
			"Objects of a cluster are small.",
			forProvider(`payload: "` + strings.Repeat("1", 262145) + `"`),
			`spec.forProvider.payload: Too long: may not be more than 262144 bytes`,
		},
		"Type": {
			"As AWS spells them.",
			forProvider(`invocationType: Async`),
			`spec.forProvider.invocationType: Unsupported value: "Async": supported values: "RequestResponse", "Event", "DryRun"`,
		},
		"TailOfEvent": {
			"Nobody waits for the log of an event.",
			forProvider(`invocationType: Event, logType: Tail`),
			`spec.forProvider.logType: Forbidden: only a synchronous invocation returns its log: remove logType, or set invocationType to RequestResponse`,
		},
		"ResultOfEvent": {
			"Nobody waits for its result.",
			forProvider(`invocationType: Event, recordResult: true`),
			`spec.forProvider.recordResult: Forbidden: only a synchronous invocation returns a result: remove recordResult, or set invocationType to RequestResponse`,
		},
		"ContextOfEvent": {
			"An event has no client.",
			forProvider(`invocationType: Event, clientContext: e30=`),
			`spec.forProvider.clientContext: Forbidden: only a synchronous invocation passes clientContext to the function: remove clientContext, or set invocationType to RequestResponse`,
		},
		"Context": {
			"It is encoded.",
			forProvider(`clientContext: "{}"`),
			`spec.forProvider.clientContext: Invalid value: "{}": clientContext is not base64: encode a JSON object as base64`,
		},
		"Tenant": {
			"As AWS takes them.",
			forProvider(`tenantId: "a#b"`),
			`spec.forProvider.tenantId: Invalid value: "a#b": tenantId must have 1 to 256 letters, digits, spaces and . _ : / = + - @`,
		},
		"Execution": {
			"As AWS takes them.",
			forProvider(`durableExecutionName: "a.b"`),
			`spec.forProvider.durableExecutionName: Invalid value: "a.b": durableExecutionName must have 1 to 64 letters, digits, hyphens and underscores`,
		},
		"Scope": {
			"There are two.",
			forProvider(`lifecycleScope: ALL`),
			`spec.forProvider.lifecycleScope: Unsupported value: "ALL": supported values: "CREATE_ONLY", "CRUD"`,
		},
		"CRUDOfAList": {
			"Nothing can be added to a list.",
			forProvider(`lifecycleScope: CRUD, payload: "[]"`),
			`spec.forProvider.payload: Invalid value: with lifecycleScope CRUD, the payload must be a JSON object, since the action is added to it: start it with {`,
		},
		"CRUDOfADryRun": {
			"Nothing is told.",
			forProvider(`lifecycleScope: CRUD, invocationType: DryRun`),
			`spec.forProvider.lifecycleScope: Forbidden: a dry run does not invoke the function: remove lifecycleScope, or set another invocationType`,
		},
		"CRUDOfExecution": {
			"A deletion would need another name.",
			forProvider(`lifecycleScope: CRUD, durableExecutionName: a`),
			`spec.forProvider.durableExecutionName: Forbidden: with lifecycleScope CRUD, the function is also invoked for the deletion, but Lambda runs one execution of a name: remove durableExecutionName, or set lifecycleScope to CREATE_ONLY`,
		},
		"KeyWithoutCRUD": {
			"Nothing is added.",
			forProvider(`terraformKey: tf`),
			`spec.forProvider.terraformKey: Forbidden: terraformKey is used only with lifecycleScope CRUD: remove terraformKey, or set lifecycleScope to CRUD`,
		},
		"LargeTrigger": {
			"A hash will do.",
			forProvider(`triggers: {a: "` + strings.Repeat("x", 4097) + `"}`),
			`spec.forProvider.triggers: Invalid value: a trigger must have a key of at most 256 characters and a value of at most 4096 characters: use a hash of a longer value`,
		},
		"TooManyAttempts": {
			"It has to end.",
			forProvider(`retryPolicy: {maximumAttempts: 11}`),
			`spec.forProvider.retryPolicy.maximumAttempts: Invalid value: 11: spec.forProvider.retryPolicy.maximumAttempts in body should be less than or equal to 10`,
		},
		"NoAttempts": {
			"One is the least.",
			forProvider(`retryPolicy: {maximumAttempts: 0}`),
			`spec.forProvider.retryPolicy.maximumAttempts: Invalid value: 0: spec.forProvider.retryPolicy.maximumAttempts in body should be greater than or equal to 1`,
		},
		"UnknownOfUnknown": {
			"It stops or goes on.",
			forProvider(`retryPolicy: {unknownOutcome: Always}`),
			`spec.forProvider.retryPolicy.unknownOutcome: Unsupported value: "Always": supported values: "Stop", "Retry"`,
		},
	})
}

func TestInvocationAccepted(t *testing.T) {
	testAcceptances(t, invocation, map[string]acceptance{
		"Least":     {"The least is enough.", ``},
		"NoPayload": {"A function may be invoked with nothing.", forProvider(`payload: null`)},
		"ARN": {
			"A function of another account.",
			forProvider(`functionName: "arn:aws-us-gov:lambda:us-gov-west-1:123456789012:function:hello"`),
		},
		"PartialARN": {"A function of another account.", forProvider(`functionName: "123456789012:function:hello"`)},
		"Ref": {
			"A Function of this namespace.",
			forProvider(`functionName: null, functionNameRef: {name: hello}`),
		},
		"Selector": {
			"Or one by its labels.",
			forProvider(`functionName: null, functionNameSelector: {matchLabels: {app: hello}}`),
		},
		"Alias":  {"An alias.", forProvider(`qualifierRef: {name: live}`)},
		"Latest": {"As AWS calls it.", forProvider(`qualifier: $LATEST`)},
		"Event":  {"Asynchronous.", forProvider(`invocationType: Event, logType: None, recordResult: false`)},
		"CRUD": {
			"With the action in the payload.",
			forProvider(`lifecycleScope: CRUD, terraformKey: crossplane`),
		},
		"CRUDIndent":  {"White space is no part of an object.", forProvider(`lifecycleScope: CRUD, payload: "\n  {}"`)},
		"CRUDNothing": {"The action alone.", forProvider(`lifecycleScope: CRUD, payload: null`)},
		"FromSecret": {
			"An event with secrets.",
			forProvider(`payload: null, payloadFrom: {secretKeyRef: {name: a, key: b}}`),
		},
		"Everything": {
			"All of the rest.",
			forProvider(
				`clientContext: e30=, tenantId: "a b._:/=+@-", durableExecutionName: a_b-1, logType: Tail, recordResult: true, triggers: {a: b}, retryPolicy: {maximumAttempts: 10, unknownOutcome: Retry}`,
			),
		},
		"Observed": {
			"Who only observes names the region.",
			`spec: {managementPolicies: [Observe], forProvider: {functionName: null, payload: null}}`,
		},
	})
}

func TestInvocationUpdates(t *testing.T) {
	testUpdates(t, invocation, map[string]update{
		"Region": {
			"A function does not move.",
			``,
			forProvider(`region: eu-west-1`),
			`spec.forProvider.region: Forbidden: region can't be changed: create another resource in the other region`,
		},
		"FunctionName": {
			"Another function has been told of nothing.",
			``,
			forProvider(`functionName: other`),
			`spec.forProvider.functionName: Forbidden: functionName can't be changed: create a new Invocation of the other function`,
		},
		"Payload":   {"That is what it is for.", ``, forProvider(`payload: "[1]"`), ``},
		"Qualifier": {"Another version may be told.", ``, forProvider(`qualifier: "2"`), ``},
	})
}
