package v1beta1

import "github.com/aws/aws-sdk-go-v2/service/lambda"

var _ = sdkCoverage(sdkKind{
	kind:   AliasKind,
	inputs: []any{lambda.CreateAliasInput{}, lambda.UpdateAliasInput{}},
	lacking: map[string]string{
		"Name":       "The external name, or else metadata.name.",
		"RevisionId": "The provider's own guard against a change that it has not seen.",
	},
})
