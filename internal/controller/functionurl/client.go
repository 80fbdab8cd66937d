package functionurl

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// lambdaAPI is the part of the Lambda API that this kind calls.
type lambdaAPI interface {
	GetFunctionUrlConfig(ctx context.Context, in *lambda.GetFunctionUrlConfigInput,
		opts ...func(*lambda.Options)) (*lambda.GetFunctionUrlConfigOutput, error)
	CreateFunctionUrlConfig(ctx context.Context, in *lambda.CreateFunctionUrlConfigInput,
		opts ...func(*lambda.Options)) (*lambda.CreateFunctionUrlConfigOutput, error)
	UpdateFunctionUrlConfig(ctx context.Context, in *lambda.UpdateFunctionUrlConfigInput,
		opts ...func(*lambda.Options)) (*lambda.UpdateFunctionUrlConfigOutput, error)
	DeleteFunctionUrlConfig(ctx context.Context, in *lambda.DeleteFunctionUrlConfigInput,
		opts ...func(*lambda.Options)) (*lambda.DeleteFunctionUrlConfigOutput, error)
}

// The AWS operations that this kind calls.
const (
	opGet    = "GetFunctionUrlConfig"
	opCreate = "CreateFunctionUrlConfig"
	opUpdate = "UpdateFunctionUrlConfig"
	opDelete = "DeleteFunctionUrlConfig"
)
