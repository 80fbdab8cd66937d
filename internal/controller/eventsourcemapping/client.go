package eventsourcemapping

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
)

// reader is how an observation reads mappings: by UUID, or, where a create may have
// made one whose UUID was lost, by source.
type reader interface {
	readcache.TagLister
	GetEventSourceMapping(ctx context.Context, in *lambda.GetEventSourceMappingInput, opts ...func(*lambda.Options)) (*lambda.GetEventSourceMappingOutput, error)
	ListEventSourceMappings(ctx context.Context, in *lambda.ListEventSourceMappingsInput, opts ...func(*lambda.Options)) (*lambda.ListEventSourceMappingsOutput, error)
}

// writer is how a mapping is changed: one call a reconcile.
type writer interface {
	CreateEventSourceMapping(ctx context.Context, in *lambda.CreateEventSourceMappingInput, opts ...func(*lambda.Options)) (*lambda.CreateEventSourceMappingOutput, error)
	UpdateEventSourceMapping(ctx context.Context, in *lambda.UpdateEventSourceMappingInput, opts ...func(*lambda.Options)) (*lambda.UpdateEventSourceMappingOutput, error)
	DeleteEventSourceMapping(ctx context.Context, in *lambda.DeleteEventSourceMappingInput, opts ...func(*lambda.Options)) (*lambda.DeleteEventSourceMappingOutput, error)
	TagResource(ctx context.Context, in *lambda.TagResourceInput, opts ...func(*lambda.Options)) (*lambda.TagResourceOutput, error)
	UntagResource(ctx context.Context, in *lambda.UntagResourceInput, opts ...func(*lambda.Options)) (*lambda.UntagResourceOutput, error)
}

// lambdaAPI are the calls to Lambda that this kind makes.
type lambdaAPI interface {
	reader
	writer
}

// Operations that this kind calls, by the names that quotas know.
const (
	opGet    = "GetEventSourceMapping"
	opList   = "ListEventSourceMappings"
	opTags   = "ListTags"
	opCreate = "CreateEventSourceMapping"
	opUpdate = "UpdateEventSourceMapping"
	opDelete = "DeleteEventSourceMapping"
)
