package invocation

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// lambdaAPI has the calls to Lambda that this kind makes if an invocation is due.
type lambdaAPI interface {
	Invoke(ctx context.Context, in *lambda.InvokeInput, opts ...func(*lambda.Options)) (*lambda.InvokeOutput, error)
	GetFunctionConfiguration(ctx context.Context, in *lambda.GetFunctionConfigurationInput,
		opts ...func(*lambda.Options)) (*lambda.GetFunctionConfigurationOutput, error)
}
