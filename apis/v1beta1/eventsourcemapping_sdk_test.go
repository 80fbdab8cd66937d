package v1beta1

import "github.com/aws/aws-sdk-go-v2/service/lambda"

var _ = sdkCoverage(sdkKind{
	kind: EventSourceMappingKind,
	inputs: []any{
		lambda.CreateEventSourceMappingInput{},
		lambda.UpdateEventSourceMappingInput{},
		lambda.TagResourceInput{},
	},
	lacking: map[string]string{
		"UUID":                        "The external name.",
		"Resource":                    "The mapping's ARN.",
		"DestinationConfig.OnSuccess": "Neither creation nor update of a mapping supports it.",
	},
})
