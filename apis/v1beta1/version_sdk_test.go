package v1beta1

import "github.com/aws/aws-sdk-go-v2/service/lambda"

var _ = sdkCoverage(sdkKind{
	kind:   VersionKind,
	inputs: []any{lambda.PublishVersionInput{}},
	lacking: map[string]string{
		"RevisionId": "The provider's own guard against a change that it has not seen.",
	},
})
