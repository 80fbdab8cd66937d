package v1beta1

import "github.com/aws/aws-sdk-go-v2/service/lambda"

var _ = sdkCoverage(sdkKind{
	kind: CodeSigningConfigKind,
	inputs: []any{
		lambda.CreateCodeSigningConfigInput{},
		lambda.UpdateCodeSigningConfigInput{},
		lambda.TagResourceInput{},
	},
	lacking: map[string]string{
		"CodeSigningConfigArn": "The external name, which AWS gives.",
		"Resource":             "The configuration's ARN.",
	},
})
