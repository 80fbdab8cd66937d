package v1beta1

import "github.com/aws/aws-sdk-go-v2/service/lambda"

var _ = sdkCoverage(sdkKind{
	kind:   LayerVersionPermissionKind,
	inputs: []any{lambda.AddLayerVersionPermissionInput{}},
	lacking: map[string]string{
		"RevisionId": "A statement is added or not, whatever else the policy says.",
	},
})
