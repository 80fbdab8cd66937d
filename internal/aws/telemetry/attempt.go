package telemetry

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
	// EventDeferred is a call that was not sent because its quota is exhausted.
	EventDeferred = "call deferred"

	// EventThrottled is a call that AWS throttled.
	EventThrottled = "call throttled"

	// EventRetry is another attempt of a call.
	EventRetry = "call retried"

	// KeyWait is the time to wait, in seconds.
	KeyWait = attribute.Key("crossplane.wait")

	// KeyOperations are the operations of AWS that an event is about.
	KeyOperations = attribute.Key("crossplane.aws.operations")
)

type triesKey struct{}

// tries counts the attempts of a call.
type tries struct {
	count int
	last  error
}

// recordAttempt records the result of an attempt on the span of the call.
func recordAttempt(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
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
