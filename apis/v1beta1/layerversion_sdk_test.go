package v1beta1

import "github.com/aws/aws-sdk-go-v2/service/lambda"

var _ = sdkCoverage(sdkKind{
	kind:   LayerVersionKind,
	inputs: []any{lambda.PublishLayerVersionInput{}},
	lacking: map[string]string{
		"Content.ZipFile": "The bytes come from inline, configMapRef, zipFileFrom, sourceRef or oci.",
	},
	open: map[string]string{
		"CompatibleRuntimes": "AWS adds runtimes faster than providers are released, so the API knows families.",
	},
})
