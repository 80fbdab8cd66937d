package v1beta1

import "github.com/aws/aws-sdk-go-v2/service/lambda"

var _ = sdkCoverage(sdkKind{kind: InvocationKind, inputs: []any{lambda.InvokeInput{}}})
