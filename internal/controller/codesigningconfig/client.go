package codesigningconfig

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
)

// lambdaAPI is the part of the Lambda API that this kind calls.
type lambdaAPI interface {
	readcache.TagLister
	tagging.Writer

	CreateCodeSigningConfig(ctx context.Context, in *lambda.CreateCodeSigningConfigInput,
		opts ...func(*lambda.Options)) (*lambda.CreateCodeSigningConfigOutput, error)
	GetCodeSigningConfig(ctx context.Context, in *lambda.GetCodeSigningConfigInput,
		opts ...func(*lambda.Options)) (*lambda.GetCodeSigningConfigOutput, error)
	ListCodeSigningConfigs(ctx context.Context, in *lambda.ListCodeSigningConfigsInput,
		opts ...func(*lambda.Options)) (*lambda.ListCodeSigningConfigsOutput, error)
	UpdateCodeSigningConfig(ctx context.Context, in *lambda.UpdateCodeSigningConfigInput,
		opts ...func(*lambda.Options)) (*lambda.UpdateCodeSigningConfigOutput, error)
	DeleteCodeSigningConfig(ctx context.Context, in *lambda.DeleteCodeSigningConfigInput,
		opts ...func(*lambda.Options)) (*lambda.DeleteCodeSigningConfigOutput, error)
}

// The AWS operations that this kind calls.
const (
	opGet    = "GetCodeSigningConfig"
	opList   = "ListCodeSigningConfigs"
	opTags   = "ListTags"
	opCreate = "CreateCodeSigningConfig"
	opUpdate = "UpdateCodeSigningConfig"
	opDelete = "DeleteCodeSigningConfig"
)
