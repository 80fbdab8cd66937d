package v1beta1

import (
	"strings"
	"testing"
)

const functionEventInvokeConfig = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: FunctionEventInvokeConfig
metadata: {name: hello, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    functionName: hello
    maximumRetryAttempts: 1
`

func TestFunctionEventInvokeConfigRefused(t *testing.T) {
	onFailure := func(fields string) string {
		return forProvider(`destinationConfig: {onFailure: {` + fields + `}}`)
	}
	const queue = `destination: "arn:aws:sqs:eu-central-1:123456789012:failed"`
	const from = `destinationFrom: {apiVersion: sqs.aws.m.upbound.io/v1beta1, kind: Queue, name: q, fieldPath: status.atProvider.arn}`
	const at = `spec.forProvider.destinationConfig.onFailure`
	testRefusals(t, functionEventInvokeConfig, map[string]refusal{
		"NoFunction": {"It is for a function.", forProvider(`functionName: null`), noFunction},
		"Qualifier": {
			"Names of aliases have a form.",
			forProvider(`qualifier: "a:b"`),
			`spec.forProvider.qualifier: Invalid value: "a:b": qualifier must be the name of an alias, a version number, or $LATEST`,
		},
		"Young": {
			"A minute is the least.",
			forProvider(`maximumEventAgeInSeconds: 59`),
			`spec.forProvider.maximumEventAgeInSeconds: Invalid value: 59: spec.forProvider.maximumEventAgeInSeconds in body should be greater than or equal to 60`,
		},
		"Old": {
			"Six hours are the most.",
			forProvider(`maximumEventAgeInSeconds: 21601`),
			`spec.forProvider.maximumEventAgeInSeconds: Invalid value: 21601: spec.forProvider.maximumEventAgeInSeconds in body should be less than or equal to 21600`,
		},
		"Few": {
			"None is the least.",
			forProvider(`maximumRetryAttempts: -1`),
			`spec.forProvider.maximumRetryAttempts: Invalid value: -1: spec.forProvider.maximumRetryAttempts in body should be greater than or equal to 0`,
		},
		"Many": {
			"Two are the most.",
			forProvider(`maximumRetryAttempts: 3`),
			`spec.forProvider.maximumRetryAttempts: Invalid value: 3: spec.forProvider.maximumRetryAttempts in body should be less than or equal to 2`,
		},
		"NoSetting": {
			"AWS takes none without.",
			forProvider(`maximumRetryAttempts: null`),
			`spec.forProvider: Required value: set at least one of maximumEventAgeInSeconds, maximumRetryAttempts and destinationConfig: AWS rejects an empty configuration`,
		},
		"NoSettingToUpdate": {
			"AWS takes none without.",
			`spec: {managementPolicies: [Observe, Update], forProvider: {maximumRetryAttempts: null}}`,
			`spec.forProvider: Required value: set at least one of maximumEventAgeInSeconds, maximumRetryAttempts and destinationConfig: AWS rejects an empty configuration`,
		},
		"NoDestination": {
			"An empty block says nothing.",
			forProvider(`destinationConfig: {}`),
			`spec.forProvider.destinationConfig: Invalid value: set onFailure or onSuccess, or remove destinationConfig if there is no destination`,
		},
		"EmptyDestination": {
			"An empty block says nothing.",
			onFailure(``),
			at + `: Invalid value: set destination to an ARN, destinationRef or destinationSelector to a Function, or destinationFrom to a field of another object; if there is no destination, remove the block`,
		},
		"NoARN": {
			"Destinations are ARNs.",
			onFailure(`destination: failed`),
			at + `.destination: Invalid value: "failed": destination must be the ARN of a queue, topic, bucket, function or event bus, such as arn:aws:sqs:eu-central-1:123456789012:failed`,
		},
		"Kinesis": {
			"Streams are no destination.",
			onFailure(`destination: "arn:aws:kinesis:eu-central-1:123456789012:stream/s"`),
			at + `.destination: Invalid value: "arn:aws:kinesis:eu-central-1:123456789012:stream/s": destination must be the ARN of a queue, topic, bucket, function or event bus, such as arn:aws:sqs:eu-central-1:123456789012:failed`,
		},
		"BucketOnSuccess": {
			"Buckets take failures only.",
			forProvider(`destinationConfig: {onSuccess: {destination: "arn:aws:s3:::records"}}`),
			`spec.forProvider.destinationConfig.onSuccess.destination: Invalid value: destination must be the ARN of a queue, topic, function or event bus, such as arn:aws:sqs:eu-central-1:123456789012:done; a bucket is for onFailure only`,
		},
		"Long": {
			"AWS takes 350 characters.",
			onFailure(`destination: "arn:aws:sqs:` + strings.Repeat("q", 350) + `"`),
			at + `.destination: Too long: may not be more than 350 bytes`,
		},
		"TwoWays": {
			"One of them has to lose.",
			onFailure(queue + `, ` + from),
			at + `.destinationFrom: Forbidden: destination is also set: set only one of destination and destinationFrom`,
		},
		"RefAnd": {
			"One of them has to lose.",
			onFailure(`destinationRef: {name: other}, ` + from),
			at + `.destinationFrom: Forbidden: destinationRef or destinationSelector is also set: set only one of them and destinationFrom`,
		},
		"HalfFrom": {
			"A field has a path.",
			onFailure(`destinationFrom: {apiVersion: v1, kind: ConfigMap, name: a}`),
			at + `.destinationFrom.fieldPath: Required value`,
		},
	})
}

func TestFunctionEventInvokeConfigAccepted(t *testing.T) {
	testAcceptances(t, functionEventInvokeConfig, map[string]acceptance{
		"Least": {"The least is enough.", ``},
		"Observed": {
			"Who only observes names the region.",
			`spec: {managementPolicies: [Observe], forProvider: {functionName: null, maximumRetryAttempts: null}}`,
		},
		"Latest":  {"As AWS calls it.", forProvider(`qualifier: $LATEST`)},
		"Version": {"A version by number.", forProvider(`qualifier: "3"`)},
		"Initial": {
			"Another tool may change it.",
			`spec: {forProvider: {maximumRetryAttempts: null}, initProvider: {maximumEventAgeInSeconds: 60}}`,
		},
		"Destinations": {
			"Of all kinds.",
			forProvider(
				`qualifierRef: {name: live}, maximumEventAgeInSeconds: 21600, maximumRetryAttempts: 0, destinationConfig: {
				onFailure: {destination: "arn:aws:s3:::records"}, onSuccess: {destinationRef: {name: next}}}`,
			),
		},
		"DestinationFrom": {
			"Of another provider.",
			forProvider(
				`destinationConfig: {onFailure: {destinationFrom: {apiVersion: sqs.aws.m.upbound.io/v1beta1, kind: Queue, name: q, fieldPath: status.atProvider.arn}}}`,
			),
		},
	})
}
