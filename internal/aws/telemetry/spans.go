package telemetry

import (
	"context"
	"errors"

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

// errorType returns AWS's code, or why there was no answer.
func errorType(err error) attribute.KeyValue {
	if code := awserr.Code(err); code != "" {
		return semconv.ErrorTypeKey.String(code)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return semconv.ErrorTypeKey.String("canceled")
	case awserr.IsTimeout(err):
		return semconv.ErrorTypeKey.String("timeout")
	default:
		return semconv.ErrorTypeOther
	}
}
