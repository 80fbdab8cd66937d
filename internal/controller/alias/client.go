package alias

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// lambdaAPI is the part of the Lambda API that this kind calls.
type lambdaAPI interface {
	GetAlias(ctx context.Context, in *lambda.GetAliasInput,
		opts ...func(*lambda.Options)) (*lambda.GetAliasOutput, error)
	ListAliases(ctx context.Context, in *lambda.ListAliasesInput,
		opts ...func(*lambda.Options)) (*lambda.ListAliasesOutput, error)
	CreateAlias(ctx context.Context, in *lambda.CreateAliasInput,
		opts ...func(*lambda.Options)) (*lambda.CreateAliasOutput, error)
	UpdateAlias(ctx context.Context, in *lambda.UpdateAliasInput,
		opts ...func(*lambda.Options)) (*lambda.UpdateAliasOutput, error)
	GetFunctionConfiguration(ctx context.Context, in *lambda.GetFunctionConfigurationInput,
		opts ...func(*lambda.Options)) (*lambda.GetFunctionConfigurationOutput, error)
	Invoke(ctx context.Context, in *lambda.InvokeInput, opts ...func(*lambda.Options)) (*lambda.InvokeOutput, error)
	DeleteAlias(ctx context.Context, in *lambda.DeleteAliasInput,
		opts ...func(*lambda.Options)) (*lambda.DeleteAliasOutput, error)
}

// The AWS operations that this kind calls.
const (
	opGet    = "GetAlias"
	opList   = "ListAliases"
	opCreate = "CreateAlias"
	opUpdate = "UpdateAlias"
	opDelete = "DeleteAlias"

	opGetConfiguration = "GetFunctionConfiguration"
	opInvoke           = "Invoke"
)
