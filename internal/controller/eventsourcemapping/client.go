package eventsourcemapping

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
)

// reader has the calls that read mappings: by UUID, or by source to find a mapping that was created but never recorded.
type reader interface {
	readcache.TagLister
	GetEventSourceMapping(ctx context.Context, in *lambda.GetEventSourceMappingInput,
		opts ...func(*lambda.Options)) (*lambda.GetEventSourceMappingOutput, error)
	ListEventSourceMappings(ctx context.Context, in *lambda.ListEventSourceMappingsInput,
		opts ...func(*lambda.Options)) (*lambda.ListEventSourceMappingsOutput, error)
}

// writer has the calls that change a mapping. A reconcile makes at most one of them.
type writer interface {
	CreateEventSourceMapping(ctx context.Context, in *lambda.CreateEventSourceMappingInput,
		opts ...func(*lambda.Options)) (*lambda.CreateEventSourceMappingOutput, error)
	UpdateEventSourceMapping(ctx context.Context, in *lambda.UpdateEventSourceMappingInput,
		opts ...func(*lambda.Options)) (*lambda.UpdateEventSourceMappingOutput, error)
	DeleteEventSourceMapping(ctx context.Context, in *lambda.DeleteEventSourceMappingInput,
		opts ...func(*lambda.Options)) (*lambda.DeleteEventSourceMappingOutput, error)
	TagResource(ctx context.Context, in *lambda.TagResourceInput,
		opts ...func(*lambda.Options)) (*lambda.TagResourceOutput, error)
	UntagResource(ctx context.Context, in *lambda.UntagResourceInput,
		opts ...func(*lambda.Options)) (*lambda.UntagResourceOutput, error)
}

// lambdaAPI has the calls to Lambda that this kind makes.
type lambdaAPI interface {
	reader
	writer
}

// The AWS operations that this kind calls, by the names that the quota package uses.
const (
	opGet    = "GetEventSourceMapping"
	opList   = "ListEventSourceMappings"
	opTags   = "ListTags"
	opCreate = "CreateEventSourceMapping"
	opUpdate = "UpdateEventSourceMapping"
	opDelete = "DeleteEventSourceMapping"
)
