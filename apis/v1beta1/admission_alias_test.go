package v1beta1

import "testing"

const liveAlias = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Alias
metadata: {name: live, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    functionName: hello
    functionVersion: "3"
`

func TestAliasRefused(t *testing.T) {
	const (
		weight = "a weight must be at least 0 and less than 1, such as '0.25': to route all invocations to one version, set functionVersion"
		plain  = "functionName must be the plain name of a function: use letters, digits, hyphens and underscores, without an ARN or a version"
	)
	weights := func(of string) string {
		return forProvider(`routingConfig: {additionalVersionWeights: {` + of + `}}`)
	}
	testRefusals(t, liveAlias, map[string]refusal{
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
		"RegionFIPS": {
			reason: "It is another spelling of us-east-1.",
			change: forProvider(`region: fips-us-east-1`),
			want:   `spec.forProvider.region: Invalid value: "fips-us-east-1": region names an endpoint, not a region: use the region itself, such as eu-central-1, and set useFIPSEndpoint or useDualStackEndpoint in the provider config`,
		},
		"RegionFIPSWithin": {
			reason: "The SDK takes it for eu-central-1.",
			change: forProvider(`region: eu-fips-central-1`),
			want:   `spec.forProvider.region: Invalid value: "eu-fips-central-1": region names an endpoint, not a region: use the region itself, such as eu-central-1, and set useFIPSEndpoint or useDualStackEndpoint in the provider config`,
		},
		"NoFunction": {
			reason: "An alias is of a function.",
			change: forProvider(`functionName: null`),
			want:   "spec.forProvider.functionName: Required value: set functionName to the function's name in AWS, or set functionNameRef or functionNameSelector to a Function",
		},
		"FunctionArn": {
			reason: "Region and account are known.",
			change: forProvider(`functionName: "arn:aws:lambda:eu-central-1:123456789012:function:hello"`),
			want:   `spec.forProvider.functionName: Invalid value: "arn:aws:lambda:eu-central-1:123456789012:function:hello": ` + plain,
		},
		"FunctionQualified": {
			reason: "A version has its own field.",
			change: forProvider(`functionName: "hello:3"`),
			want:   `spec.forProvider.functionName: Invalid value: "hello:3": ` + plain,
		},
		"NoVersion": {
			reason: "What a function that is no Function published last is not known.",
			change: forProvider(`functionVersion: null`),
			want:   "spec.forProvider.functionVersion: Required value: set functionVersion, or set functionVersionRef to a Version; to follow the version that a Function published last, set functionNameRef instead of functionName",
		},
		"VersionAlias": {
			reason: "An alias is of a version, not of an alias.",
			change: forProvider(`functionVersion: live`),
			want:   `spec.forProvider.functionVersion: Invalid value: "live": functionVersion must be a version number such as '3', or $LATEST`,
		},
		"VersionNumber": {
			reason: "YAML's numbers are not texts.",
			change: forProvider(`functionVersion: 3`),
			want:   `spec.forProvider.functionVersion: Invalid value: "integer": spec.forProvider.functionVersion in body must be of type string: "integer"`,
		},
		"LongDescription": {
			reason: "AWS takes 256 characters.",
			change: forProvider(`description: ` + numberedName(257)),
			want:   "spec.forProvider.description: Too long: may not be more than 256 bytes",
		},
		"NoWeights": {
			reason: "A block says something.",
			change: weights(``),
			want:   `spec.forProvider.routingConfig.additionalVersionWeights: Invalid value: 0: spec.forProvider.routingConfig.additionalVersionWeights in body should have at least 1 properties`,
		},
		"TwoWeights": {
			reason: "AWS takes one additional version.",
			change: weights(`"1": "0.1", "2": "0.1"`),
			want:   `spec.forProvider.routingConfig.additionalVersionWeights: Too many: 2: must have at most 1 item`,
		},
		"WeightOfLatest": {
			reason: "$LATEST can't be an additional version.",
			change: weights(`$LATEST: "0.1"`),
			want:   `spec.forProvider.routingConfig.additionalVersionWeights: Invalid value: an additional version must be a version number such as '2', not $LATEST or an alias`,
		},
		"WeightOfItself": {
			reason: "The additional version is another one.",
			change: weights(`"3": "0.1"`),
			want:   "spec.forProvider.routingConfig.additionalVersionWeights: Forbidden: the additional version is the same as functionVersion: choose another version, or remove routingConfig",
		},
		"WeightBesideLatest": {
			reason: "$LATEST shares with no version.",
			change: forProvider(`functionVersion: $LATEST, routingConfig: {additionalVersionWeights: {"2": "0.1"}}`),
			want:   "spec.forProvider.routingConfig: Forbidden: an alias of $LATEST can't route invocations to another version: set functionVersion to a published version, or remove routingConfig",
		},
		"WeightOfAll": {
			reason: "All calls are another version.",
			change: weights(`"2": "1"`),
			want:   `spec.forProvider.routingConfig.additionalVersionWeights: Invalid value: ` + weight,
		},
		"WeightOfMore": {
			reason: "A weight is a share.",
			change: weights(`"2": "1.5"`),
			want:   `spec.forProvider.routingConfig.additionalVersionWeights: Invalid value: ` + weight,
		},
		"WeightOfLess": {
			reason: "A weight is a share.",
			change: weights(`"2": "-0.1"`),
			want:   `spec.forProvider.routingConfig.additionalVersionWeights: Invalid value: ` + weight,
		},
		"WeightInPercents": {
			reason: "A weight is no percentage.",
			change: weights(`"2": "10%"`),
			want:   `spec.forProvider.routingConfig.additionalVersionWeights: Invalid value: ` + weight,
		},
		"WeightAsNumber": {
			reason: "Numbers with fractions are texts, so that they stay what they are.",
			change: weights(`"2": 0.1`),
			want:   `spec.forProvider.routingConfig.additionalVersionWeights.2: Invalid value: "number": spec.forProvider.routingConfig.additionalVersionWeights.2 in body must be of type string: "number"`,
		},
		"WeightInInit": {
			reason: "The rules hold at creation too.",
			change: `spec: {initProvider: {routingConfig: {additionalVersionWeights: {"2": "2"}}}}`,
			want:   `spec.initProvider.routingConfig.additionalVersionWeights: Invalid value: ` + weight,
		},
		"Digits": {
			reason: "Digits alone are a version.",
			change: `metadata: {name: "12"}`,
			want:   "metadata: Invalid value: metadata.name is the alias's name in AWS, which cannot consist of digits only, since that is a version: add a letter",
		},
		"Dots": {
			reason: "AWS takes no dots.",
			change: `metadata: {name: a.b}`,
			want:   "metadata: Invalid value: metadata.name is the alias's name in AWS, which cannot contain dots: use hyphens",
		},
		"LongName": {
			reason: "AWS takes 128 characters.",
			change: `metadata: {name: ` + numberedName(129) + `}`,
			want:   "metadata: Invalid value: metadata.name is the alias's name in AWS, which has at most 128 characters: shorten it",
		},
	})
}

func TestAliasAccepted(t *testing.T) {
	testAcceptances(t, liveAlias, map[string]acceptance{
		"Least": {reason: "The least is enough."},
		"Latest": {
			reason: "What is worked on may have a name too.",
			change: forProvider(`functionVersion: $LATEST`),
		},
		"Published": {
			reason: "So may what is published without a number.",
			change: forProvider(`functionVersion: $LATEST.PUBLISHED`),
		},
		"Following": {
			reason: "A Function's versions are followed.",
			change: forProvider(`functionName: null, functionNameRef: {name: hello}, functionVersion: null`),
		},
		"FollowingSelected": {
			reason: "Whichever Function that is.",
			change: forProvider(
				`functionName: null, functionNameSelector: {matchLabels: {app: hello}}, functionVersion: null`,
			),
		},
		"VersionRef": {
			reason: "A Version is followed.",
			change: forProvider(`functionVersion: null, functionVersionRef: {name: hello}`),
		},
		"VersionSelector": {
			reason: "Whichever Version that is.",
			change: forProvider(`functionVersion: null, functionVersionSelector: {matchLabels: {app: hello}}`),
		},
		"Weights": {
			reason: "A share.",
			change: forProvider(`description: canary, routingConfig: {additionalVersionWeights: {"4": "0.25"}}`),
		},
		"WeightOfNothing": {
			reason: "No share is one.",
			change: forProvider(`routingConfig: {additionalVersionWeights: {"4": "0"}}`),
		},
		"FollowingWithWeights": {
			reason: "What is followed shares too.",
			change: forProvider(
				`functionName: null, functionNameRef: {name: hello}, functionVersion: null, routingConfig: {additionalVersionWeights: {"1": "0.5"}}`,
			),
		},
		"AtCreation": {
			reason: "Another tool shifts the alias later.",
			change: `spec: {forProvider: {functionVersion: null}, initProvider: {functionVersion: "1", routingConfig: {additionalVersionWeights: {"2": "0.5"}}}}`,
		},
		"Observed": {
			reason: "Who only observes names the function.",
			change: `spec: {managementPolicies: [Observe], forProvider: {functionVersion: null}}`,
		},
	})
}

func TestAliasUpdate(t *testing.T) {
	testUpdates(t, liveAlias, map[string]update{
		"Region": {
			reason: "An alias does not move.",
			then:   forProvider(`region: eu-west-1`),
			want:   "spec.forProvider.region: Forbidden: region can't be changed: create another resource in the other region",
		},
		"Function": {
			reason: "Nor is it given to another function.",
			then:   forProvider(`functionName: other`),
			want:   "spec.forProvider.functionName: Forbidden: functionName can't be changed: create another resource for the other function",
		},
		"Rest": {
			reason: "All else may change.",
			then: forProvider(
				`functionVersion: "4", description: d, routingConfig: {additionalVersionWeights: {"3": "0.5"}}`,
			),
		},
	})
}
