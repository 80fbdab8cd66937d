package telemetry

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
)

// system is the API of AWS in the conventions.
const system = "aws-api"

// Call returns the middleware that records each call as a span. It is nil if the tracer is nil.
func Call(t trace.Tracer) middleware.InitializeMiddleware {
	if t == nil {
		return nil
	}
	return middleware.InitializeMiddlewareFunc("Span", call{tracer: t}.record)
}

// Attempt returns the middleware that records the attempts of a call as events of the span that Call
// started. It is nil if the tracer is nil.
func Attempt(t trace.Tracer) middleware.FinalizeMiddleware {
	if t == nil {
		return nil
	}
	return middleware.FinalizeMiddlewareFunc("SpanAttempt", recordAttempt)
}

// call is the middleware around all attempts of a call.
type call struct{ tracer trace.Tracer }

// record records a call as a span.
func (c call) record(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	middleware.InitializeOutput, middleware.Metadata, error,
) {
	service, operation := awsmiddleware.GetServiceID(ctx), awsmiddleware.GetOperationName(ctx)
	ctx, span := c.tracer.Start(ctx, service+"."+operation, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(
			semconv.RPCSystemKey.String(system),
			semconv.RPCService(service),
			semconv.RPCMethod(operation),
			semconv.CloudRegion(awsmiddleware.GetRegion(ctx)),
		))
	defer span.End()
	if !span.IsRecording() {
		return next.HandleInitialize(ctx, in)
	}
	t := &tries{}
	out, md, err := next.HandleInitialize(context.WithValue(ctx, triesKey{}, t), in)
	span.SetAttributes(answer(md)...)
	if t.count > 1 {
		span.SetAttributes(semconv.HTTPRequestResendCount(t.count - 1))
	}
	if err != nil {
		fail(span, &smithy.OperationError{ServiceID: service, OperationName: operation, Err: err})
	}
	return out, md, err
}

// answer returns the attributes of AWS's last response.
func answer(md middleware.Metadata) []attribute.KeyValue {
	var kv []attribute.KeyValue
	if r, ok := awsmiddleware.GetRawResponse(md).(*smithyhttp.Response); ok && r != nil && r.Response != nil &&
		r.StatusCode != 0 {
		kv = append(kv, semconv.HTTPResponseStatusCode(r.StatusCode))
	}
	if id, ok := awsmiddleware.GetRequestIDMetadata(md); ok && id != "" {
		kv = append(kv, semconv.AWSRequestID(id))
	}
	return kv
}

// fail records why a call has failed, in the words of conditions. NotFound is not an error of a
// span, and a deferred call has not failed.
func fail(span trace.Span, err error) {
	if _, deferred := quota.Deferred(err); deferred {
		return
	}
	span.SetAttributes(errorType(err))
	if !awserr.IsNotFound(err) {
		span.SetStatus(codes.Error, awserr.Sanitize(err).Error())
	}
}

// IDs generates the IDs of traces and spans: those of WithIDs, and random ones otherwise. It is a generator of
// OpenTelemetry's SDK.
type IDs struct{}

type idsKey struct{}

type ids struct {
	trace trace.TraceID
	span  trace.SpanID
}

// WithIDs returns a context in which the next span has an ID. If it is the root of a trace, the trace has one too.
// Spans that are recorded at different times, by different processes, are so parts of one trace.
func WithIDs(ctx context.Context, t trace.TraceID, s trace.SpanID) context.Context {
	return context.WithValue(ctx, idsKey{}, ids{trace: t, span: s})
}

// NewIDs returns the IDs of a trace and of its root span.
func (IDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if i, ok := ctx.Value(idsKey{}).(ids); ok && i.trace.IsValid() && i.span.IsValid() {
		return i.trace, i.span
	}
	var t trace.TraceID
	for !t.IsValid() {
		binary.BigEndian.PutUint64(t[:8], rand.Uint64()) //nolint:gosec // IDs are no secrets.
		binary.BigEndian.PutUint64(t[8:], rand.Uint64()) //nolint:gosec // As above.
	}
	return t, randomSpanID()
}

// NewSpanID returns the ID of a span that is not the root of its trace.
func (IDs) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if i, ok := ctx.Value(idsKey{}).(ids); ok && i.span.IsValid() {
		return i.span
	}
	return randomSpanID()
}

func randomSpanID() trace.SpanID {
	var s trace.SpanID
	for !s.IsValid() {
		binary.BigEndian.PutUint64(s[:], rand.Uint64()) //nolint:gosec // As above.
	}
	return s
}
