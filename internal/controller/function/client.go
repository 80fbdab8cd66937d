package function

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/ecr"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
)

// reader has the calls that read a function. A batched implementation could replace it.
type reader interface {
	GetFunction(
		ctx context.Context, in *lambda.GetFunctionInput, opts ...func(*lambda.Options),
	) (*lambda.GetFunctionOutput, error)
	GetFunctionCodeSigningConfig(
		ctx context.Context, in *lambda.GetFunctionCodeSigningConfigInput, opts ...func(*lambda.Options),
	) (*lambda.GetFunctionCodeSigningConfigOutput, error)
	GetFunctionRecursionConfig(
		ctx context.Context, in *lambda.GetFunctionRecursionConfigInput, opts ...func(*lambda.Options),
	) (*lambda.GetFunctionRecursionConfigOutput, error)
	GetFunctionScalingConfig(
		ctx context.Context, in *lambda.GetFunctionScalingConfigInput, opts ...func(*lambda.Options),
	) (*lambda.GetFunctionScalingConfigOutput, error)
}

// writer has the calls that change a function. A reconcile makes at most one of them.
type writer interface {
	CreateFunction(
		ctx context.Context, in *lambda.CreateFunctionInput, opts ...func(*lambda.Options),
	) (*lambda.CreateFunctionOutput, error)
	UpdateFunctionConfiguration(
		ctx context.Context, in *lambda.UpdateFunctionConfigurationInput, opts ...func(*lambda.Options),
	) (*lambda.UpdateFunctionConfigurationOutput, error)
	UpdateFunctionCode(
		ctx context.Context, in *lambda.UpdateFunctionCodeInput, opts ...func(*lambda.Options),
	) (*lambda.UpdateFunctionCodeOutput, error)
	DeleteFunction(
		ctx context.Context, in *lambda.DeleteFunctionInput, opts ...func(*lambda.Options),
	) (*lambda.DeleteFunctionOutput, error)
	PutFunctionConcurrency(
		ctx context.Context, in *lambda.PutFunctionConcurrencyInput, opts ...func(*lambda.Options),
	) (*lambda.PutFunctionConcurrencyOutput, error)
	DeleteFunctionConcurrency(
		ctx context.Context, in *lambda.DeleteFunctionConcurrencyInput, opts ...func(*lambda.Options),
	) (*lambda.DeleteFunctionConcurrencyOutput, error)
	TagResource(
		ctx context.Context, in *lambda.TagResourceInput, opts ...func(*lambda.Options),
	) (*lambda.TagResourceOutput, error)
	UntagResource(
		ctx context.Context, in *lambda.UntagResourceInput, opts ...func(*lambda.Options),
	) (*lambda.UntagResourceOutput, error)
	PutFunctionCodeSigningConfig(
		ctx context.Context, in *lambda.PutFunctionCodeSigningConfigInput, opts ...func(*lambda.Options),
	) (*lambda.PutFunctionCodeSigningConfigOutput, error)
	DeleteFunctionCodeSigningConfig(
		ctx context.Context, in *lambda.DeleteFunctionCodeSigningConfigInput, opts ...func(*lambda.Options),
	) (*lambda.DeleteFunctionCodeSigningConfigOutput, error)
	PutFunctionRecursionConfig(
		ctx context.Context, in *lambda.PutFunctionRecursionConfigInput, opts ...func(*lambda.Options),
	) (*lambda.PutFunctionRecursionConfigOutput, error)
	PutFunctionScalingConfig(
		ctx context.Context, in *lambda.PutFunctionScalingConfigInput, opts ...func(*lambda.Options),
	) (*lambda.PutFunctionScalingConfigOutput, error)
}

// publisher publishes a version of a function.
type publisher interface {
	PublishVersion(
		ctx context.Context, in *lambda.PublishVersionInput, opts ...func(*lambda.Options),
	) (*lambda.PublishVersionOutput, error)
}

// provisionedReader lists the provisioned concurrency of a function, which decides whether a reservation is possible.
type provisionedReader interface {
	ListProvisionedConcurrencyConfigs(
		ctx context.Context, in *lambda.ListProvisionedConcurrencyConfigsInput, opts ...func(*lambda.Options),
	) (*lambda.ListProvisionedConcurrencyConfigsOutput, error)
}

// lambdaAPI has the calls to Lambda that this kind makes.
type lambdaAPI interface {
	reader
	writer
	publisher
	versions.API
	versions.Lister
	provisionedReader
}

// ecrAPI has the call to Amazon ECR that resolves an image tag to a digest.
type ecrAPI interface {
	BatchGetImage(
		ctx context.Context, in *ecr.BatchGetImageInput, opts ...func(*ecr.Options),
	) (*ecr.BatchGetImageOutput, error)
}

// The AWS operations that this kind calls, by the names that the quota package uses.
const (
	opCreate         = "CreateFunction"
	opDelete         = "DeleteFunction"
	opGet            = "GetFunction"
	opGetCodeSigning = "GetFunctionCodeSigningConfig"
	opGetRecursion   = "GetFunctionRecursionConfig"
	opGetScaling     = "GetFunctionScalingConfig"
)

// A call is a mutating call to AWS on an existing function.
type call string

// The mutating calls, named after their AWS operations.
const (
	opNone                call = ""
	opUpdateConfiguration call = "UpdateFunctionConfiguration"
	opUpdateCode          call = "UpdateFunctionCode"
	opPublish             call = "PublishVersion"
	opPutConcurrency      call = "PutFunctionConcurrency"
	opDeleteConcurrency   call = "DeleteFunctionConcurrency"
	opTag                 call = tagging.OpTag
	opUntag               call = tagging.OpUntag
	opPutCodeSigning      call = "PutFunctionCodeSigningConfig"
	opDeleteCodeSigning   call = "DeleteFunctionCodeSigningConfig"
	opPutRecursion        call = "PutFunctionRecursionConfig"
	opPutScaling          call = "PutFunctionScalingConfig"
)
