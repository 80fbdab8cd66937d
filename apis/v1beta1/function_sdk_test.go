package v1beta1

import "github.com/aws/aws-sdk-go-v2/service/lambda"

var _ = sdkCoverage(sdkKind{
	kind: FunctionKind,
	inputs: []any{
		lambda.CreateFunctionInput{},
		lambda.UpdateFunctionConfigurationInput{},
		lambda.UpdateFunctionCodeInput{},
		lambda.PutFunctionConcurrencyInput{},
		lambda.PutFunctionCodeSigningConfigInput{},
		lambda.PutFunctionRecursionConfigInput{},
		lambda.PutFunctionScalingConfigInput{},
		lambda.PublishVersionInput{},
		lambda.TagResourceInput{},
	},
	elsewhere: map[string]string{
		"ImageUri":            "code.imageUri",
		"S3Bucket":            "code.s3Bucket",
		"S3Key":               "code.s3Key",
		"S3ObjectVersion":     "code.s3ObjectVersion",
		"S3ObjectStorageMode": "code.s3ObjectStorageMode",
		"SourceKMSKeyArn":     "code.sourceKmsKeyArn",
	},
	lacking: map[string]string{
		"FunctionName":               "The external name, or else metadata.name.",
		"Resource":                   "The function's ARN.",
		"RevisionId":                 "The provider's own guard against a change that it has not seen.",
		"Qualifier":                  "Scaling is that of $LATEST.PUBLISHED; other versions are other resources.",
		"DryRun":                     "The provider means what it sends.",
		"ZipFile":                    "The bytes come from inline, configMapRef, zipFileFrom, sourceRef or oci.",
		"PublishVersion/Description": "A version that a Function publishes has the function's own description.",
		"CodeSha256":                 "The provider's own guard against code that it has not seen.",
		"Code.ZipFile":               "The bytes come from inline, configMapRef, zipFileFrom, sourceRef or oci.",
	},
	open: map[string]string{
		"Runtime": "AWS adds runtimes faster than providers are released, so the API knows families.",
	},
})
