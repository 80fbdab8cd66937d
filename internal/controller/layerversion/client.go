package layerversion

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// lambdaAPI has the calls to Lambda that this kind makes.
type lambdaAPI interface {
	GetLayerVersion(ctx context.Context, in *lambda.GetLayerVersionInput,
		opts ...func(*lambda.Options)) (*lambda.GetLayerVersionOutput, error)
	ListLayerVersions(ctx context.Context, in *lambda.ListLayerVersionsInput,
		opts ...func(*lambda.Options)) (*lambda.ListLayerVersionsOutput, error)
	PublishLayerVersion(ctx context.Context, in *lambda.PublishLayerVersionInput,
		opts ...func(*lambda.Options)) (*lambda.PublishLayerVersionOutput, error)
	ListFunctions(ctx context.Context, in *lambda.ListFunctionsInput,
		opts ...func(*lambda.Options)) (*lambda.ListFunctionsOutput, error)
	DeleteLayerVersion(ctx context.Context, in *lambda.DeleteLayerVersionInput,
		opts ...func(*lambda.Options)) (*lambda.DeleteLayerVersionOutput, error)
}

// The AWS operations that this kind calls, by the names that the quota package uses.
const (
	opGet     = "GetLayerVersion"
	opList    = "ListLayerVersions"
	opPublish = "PublishLayerVersion"
	opDelete  = "DeleteLayerVersion"

	opFunctions = "ListFunctions"
)
