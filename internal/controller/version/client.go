package version

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
)

// lambdaAPI has the calls to Lambda that this kind makes.
type lambdaAPI interface {
	versions.API
	versions.Lister

	GetFunction(
		ctx context.Context, in *lambda.GetFunctionInput, opts ...func(*lambda.Options),
	) (*lambda.GetFunctionOutput, error)
	PublishVersion(
		ctx context.Context, in *lambda.PublishVersionInput, opts ...func(*lambda.Options),
	) (*lambda.PublishVersionOutput, error)
}

// The AWS operations that this kind calls.
const (
	opGet     = "GetFunction"
	opList    = versions.CallList
	opPublish = "PublishVersion"
	opDelete  = versions.CallDelete
)
