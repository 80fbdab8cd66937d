package functionurl

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// The calls by their AWS operation's name.
const (
	callGet    = "GetFunctionUrlConfig"
	callList   = "ListFunctionUrlConfigs"
	callCreate = "CreateFunctionUrlConfig"
	callUpdate = "UpdateFunctionUrlConfig"
	callDelete = "DeleteFunctionUrlConfig"
)

// lambdaAPI are the calls to Lambda that this kind makes.
type lambdaAPI interface {
	GetFunctionUrlConfig(ctx context.Context, in *lambda.GetFunctionUrlConfigInput, opts ...func(*lambda.Options)) (*lambda.GetFunctionUrlConfigOutput, error)
	ListFunctionUrlConfigs(ctx context.Context, in *lambda.ListFunctionUrlConfigsInput, opts ...func(*lambda.Options)) (*lambda.ListFunctionUrlConfigsOutput, error)
	CreateFunctionUrlConfig(ctx context.Context, in *lambda.CreateFunctionUrlConfigInput, opts ...func(*lambda.Options)) (*lambda.CreateFunctionUrlConfigOutput, error)
	UpdateFunctionUrlConfig(ctx context.Context, in *lambda.UpdateFunctionUrlConfigInput, opts ...func(*lambda.Options)) (*lambda.UpdateFunctionUrlConfigOutput, error)
	DeleteFunctionUrlConfig(ctx context.Context, in *lambda.DeleteFunctionUrlConfigInput, opts ...func(*lambda.Options)) (*lambda.DeleteFunctionUrlConfigOutput, error)
}
