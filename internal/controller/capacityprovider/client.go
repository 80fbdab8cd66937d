package capacityprovider

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

	CreateCapacityProvider(ctx context.Context, in *lambda.CreateCapacityProviderInput,
		opts ...func(*lambda.Options)) (*lambda.CreateCapacityProviderOutput, error)
	GetCapacityProvider(ctx context.Context, in *lambda.GetCapacityProviderInput,
		opts ...func(*lambda.Options)) (*lambda.GetCapacityProviderOutput, error)
	UpdateCapacityProvider(ctx context.Context, in *lambda.UpdateCapacityProviderInput,
		opts ...func(*lambda.Options)) (*lambda.UpdateCapacityProviderOutput, error)
	DeleteCapacityProvider(ctx context.Context, in *lambda.DeleteCapacityProviderInput,
		opts ...func(*lambda.Options)) (*lambda.DeleteCapacityProviderOutput, error)
}

// The AWS operations that this kind calls.
const (
	opGet    = "GetCapacityProvider"
	opTags   = "ListTags"
	opCreate = "CreateCapacityProvider"
	opUpdate = "UpdateCapacityProvider"
	opDelete = "DeleteCapacityProvider"
)
