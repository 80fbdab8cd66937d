package v1beta1

import "github.com/aws/aws-sdk-go-v2/service/lambda"

var _ = sdkCoverage(sdkKind{
	kind: CapacityProviderKind,
	inputs: []any{
		lambda.CreateCapacityProviderInput{},
		lambda.UpdateCapacityProviderInput{},
		lambda.TagResourceInput{},
	},
	lacking: map[string]string{
		"CapacityProviderName": "The external name, or else metadata.name.",
		"Resource":             "The capacity provider's ARN.",
	},
})
