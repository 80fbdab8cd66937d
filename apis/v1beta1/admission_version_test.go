package v1beta1

import (
	"strings"
	"testing"
)

const helloVersion = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Version
metadata: {name: hello, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    functionName: hello
`

func TestVersionRefused(t *testing.T) {
	const (
		sha   = "codeSha256 is not a SHA-256: use 44 characters of base64 for a .zip archive, or 64 hexadecimal digits for an image"
		plain = "functionName must be the plain name of a function: use letters, digits, hyphens and underscores, without an ARN or a version"
	)
	testRefusals(t, helloVersion, map[string]refusal{
		"NoRegion": {
			reason: "A function lies in a region.",
			change: forProvider(`region: null`),
			want:   "spec.forProvider.region: Required value",
		},
		"RegionZone": {
			reason: "A zone is no region.",
			change: forProvider(`region: eu-central-1a`),
			want:   `spec.forProvider.region: Invalid value: "eu-central-1a": region is not an AWS region name: use one such as eu-central-1`,
		},
		"NoFunction": {
			reason: "A version is of a function.",
			change: forProvider(`functionName: null`),
			want:   "spec.forProvider.functionName: Required value: set functionName to the function's name in AWS, or set functionNameRef or functionNameSelector to a Function",
		},
		"FunctionQualified": {
			reason: "What is published is the function itself.",
			change: forProvider(`functionName: "hello:3"`),
			want:   `spec.forProvider.functionName: Invalid value: "hello:3": ` + plain,
		},
		"LongFunction": {
			reason: "AWS takes 64 characters.",
			change: forProvider(`functionName: ` + numberedName(65)),
			want:   "spec.forProvider.functionName: Too long: may not be more than 64 bytes",
		},
		"LongDescription": {
			reason: "AWS takes 256 characters.",
			change: forProvider(`description: ` + numberedName(257)),
			want:   "spec.forProvider.description: Too long: may not be more than 256 bytes",
		},
		"Hash": {
			reason: "A hash has its length.",
			change: forProvider(`codeSha256: abc`),
			want:   `spec.forProvider.codeSha256: Invalid value: "abc": ` + sha,
		},
		"HashWithAlgorithm": {
			reason: "AWS tells a digest without its algorithm.",
			change: forProvider(`codeSha256: "sha256:` + strings.Repeat("a", 57) + `"`),
			want:   `spec.forProvider.codeSha256: Invalid value: "sha256:` + strings.Repeat("a", 57) + `": ` + sha,
		},
		"PublishTo": {
			reason: "AWS knows one place.",
			change: forProvider(`publishTo: $LATEST`),
			want:   `spec.forProvider.publishTo: Unsupported value: "$LATEST": supported values: "LATEST_PUBLISHED"`,
		},
		"PublishToHistory": {
			reason: "There is no history of one version.",
			change: forProvider(`publishTo: LATEST_PUBLISHED, historyLimit: 3`),
			want:   "spec.forProvider.historyLimit: Forbidden: publishTo publishes the same version again and leaves no earlier ones to delete: remove historyLimit",
		},
		"Policy": {
			reason: "There are two.",
			change: forProvider(`publishPolicy: Always`),
			want:   `spec.forProvider.publishPolicy: Unsupported value: "Always": supported values: "OnChange", "OnRequest"`,
		},
		"LongTrigger": {
			reason: "A trigger is a word, not a document.",
			change: forProvider(`publishTrigger: ` + numberedName(257)),
			want:   "spec.forProvider.publishTrigger: Too long: may not be more than 256 bytes",
		},
		"NegativeHistory": {
			reason: "Less than none can't be kept.",
			change: forProvider(`historyLimit: -1`),
			want:   "spec.forProvider.historyLimit: Invalid value: -1: spec.forProvider.historyLimit in body should be greater than or equal to 0",
		},
		"LongHistory": {
			reason: "A limit is there to limit.",
			change: forProvider(`historyLimit: 101`),
			want:   "spec.forProvider.historyLimit: Invalid value: 101: spec.forProvider.historyLimit in body should be less than or equal to 100",
		},
	})
}

func TestVersionAccepted(t *testing.T) {
	testAcceptances(t, helloVersion, map[string]acceptance{
		"Least": {reason: "The least is enough."},
		"Ref": {
			reason: "A Function of the same namespace.",
			change: forProvider(`functionName: null, functionNameRef: {name: hello}`),
		},
		"Selector": {
			reason: "Whichever Function that is.",
			change: forProvider(`functionName: null, functionNameSelector: {matchControllerRef: true}`),
		},
		"All": {
			reason: "All of it.",
			change: forProvider(
				`description: d, codeSha256: "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=", publishPolicy: OnRequest, publishTrigger: v1, historyLimit: 0`,
			),
		},
		"Image":     {reason: "A digest.", change: forProvider(`codeSha256: ` + strings.Repeat("0f", 32))},
		"PublishTo": {reason: "Lambda Managed Instances.", change: forProvider(`publishTo: LATEST_PUBLISHED`)},
		"Observed":  {reason: "Who only observes names the function.", change: `spec: {managementPolicies: [Observe]}`},
	})
}

func TestVersionUpdate(t *testing.T) {
	testUpdates(t, helloVersion, map[string]update{
		"Region": {
			reason: "A version does not move.",
			then:   forProvider(`region: eu-west-1`),
			want:   "spec.forProvider.region: Forbidden: region can't be changed: create another resource in the other region",
		},
		"Function": {
			reason: "Nor is it given to another function.",
			then:   forProvider(`functionName: other`),
			want:   "spec.forProvider.functionName: Forbidden: functionName can't be changed: create another resource for the other function",
		},
		"PublishTo": {
			reason: "A number is not given up.",
			then:   forProvider(`publishTo: LATEST_PUBLISHED`),
			want:   "spec.forProvider.publishTo: Forbidden: publishTo can't be changed: create a new Version",
		},
		"PublishToRemoved": {
			reason: "Nor is one given later.",
			first:  forProvider(`publishTo: LATEST_PUBLISHED`),
			then:   forProvider(`publishTo: null`),
			want:   "spec.forProvider.publishTo: Forbidden: publishTo can't be changed: create a new Version",
		},
		"Rest": {
			reason: "All else may change.",
			then:   forProvider(`description: d, publishPolicy: OnRequest, publishTrigger: v1, historyLimit: 5`),
		},
	})
}
