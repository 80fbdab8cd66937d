package spans

import (
	"context"

	"github.com/aws/smithy-go/middleware"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
)

// Events on spans, and their attributes.
const (
	// EventDeferred says that a call was not sent, since its quota is used up.
	EventDeferred = "call deferred"

	// EventThrottled says that AWS refused a call, since its quota is used up.
	EventThrottled = "call throttled"

	// EventRetry says that a call is tried again.
	EventRetry = "call retried"

	// KeyWait is how long to stay away, in seconds.
	KeyWait = attribute.Key("crossplane.wait")

	// KeyOperations are the operations of AWS that an event is about.
	KeyOperations = attribute.Key("crossplane.aws.operations")
)

type triesKey struct{}

// tries of a call.
type tries struct {
	count int
	last  error
}

// attempt is the step of the SDK's stack that each try passes.
type attempt struct{}

// ID of the step.
func (attempt) ID() string { return "SpanAttempt" }

// HandleFinalize notes on the call's span what becomes of a try.
func (attempt) HandleFinalize(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
	middleware.FinalizeOutput, middleware.Metadata, error,
) {
	t, ok := ctx.Value(triesKey{}).(*tries)
	if !ok {
		return next.HandleFinalize(ctx, in)
	}
	span := trace.SpanFromContext(ctx)
	if t.count > 0 {
		span.AddEvent(EventRetry, trace.WithAttributes(errorType(t.last)))
	}
	out, md, err := next.HandleFinalize(ctx, in)
	t.count++
	t.last = err
	switch wait, deferred := quota.Deferred(err); {
	case deferred:
		span.AddEvent(EventDeferred, trace.WithAttributes(KeyWait.Float64(wait.Seconds())))
	case awserr.IsThrottled(err):
		after, _ := awserr.RetryAfter(err)
		span.AddEvent(EventThrottled, trace.WithAttributes(KeyWait.Float64(after.Seconds())))
	}
	return out, md, err
}
