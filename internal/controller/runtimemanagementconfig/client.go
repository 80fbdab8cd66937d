package runtimemanagementconfig

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// lambdaAPI is the part of the Lambda API that this kind calls. AWS cannot list the configurations.
type lambdaAPI interface {
	GetRuntimeManagementConfig(ctx context.Context, in *lambda.GetRuntimeManagementConfigInput,
		opts ...func(*lambda.Options)) (*lambda.GetRuntimeManagementConfigOutput, error)
	PutRuntimeManagementConfig(ctx context.Context, in *lambda.PutRuntimeManagementConfigInput,
		opts ...func(*lambda.Options)) (*lambda.PutRuntimeManagementConfigOutput, error)
}

// The AWS operations that this kind calls.
const (
	opGet = "GetRuntimeManagementConfig"
	opPut = "PutRuntimeManagementConfig"
)
