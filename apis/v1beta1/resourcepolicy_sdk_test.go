package v1beta1

import "github.com/aws/aws-sdk-go-v2/service/lambda"

var _ = sdkCoverage(sdkKind{
	kind:   ResourcePolicyKind,
	inputs: []any{lambda.PutResourcePolicyInput{}},
	lacking: map[string]string{
		"RevisionId": "The provider's own guard against a change that it has not seen.",
	},
})
