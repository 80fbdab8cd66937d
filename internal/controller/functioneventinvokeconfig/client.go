package functioneventinvokeconfig

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// lambdaAPI is the part of the Lambda API that this kind calls. Put replaces all settings,
// so that UpdateFunctionEventInvokeConfig, which keeps what it is not sent, is not needed.
type lambdaAPI interface {
	GetFunctionEventInvokeConfig(ctx context.Context, in *lambda.GetFunctionEventInvokeConfigInput,
		opts ...func(*lambda.Options)) (*lambda.GetFunctionEventInvokeConfigOutput, error)
	PutFunctionEventInvokeConfig(ctx context.Context, in *lambda.PutFunctionEventInvokeConfigInput,
		opts ...func(*lambda.Options)) (*lambda.PutFunctionEventInvokeConfigOutput, error)
	DeleteFunctionEventInvokeConfig(ctx context.Context, in *lambda.DeleteFunctionEventInvokeConfigInput,
		opts ...func(*lambda.Options)) (*lambda.DeleteFunctionEventInvokeConfigOutput, error)
}

// The AWS operations that this kind calls.
const (
	opGet    = "GetFunctionEventInvokeConfig"
	opPut    = "PutFunctionEventInvokeConfig"
	opDelete = "DeleteFunctionEventInvokeConfig"
)
