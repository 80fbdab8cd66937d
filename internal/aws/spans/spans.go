// Package spans makes an OpenTelemetry span of each call to AWS, by OpenTelemetry's
// semantic conventions for AWS SDKs.
//
// A span tells which operation was called, where, what became of it and how often it
// was tried. It tells nothing of what was sent or received: requests hold the values of
// environment variables and code. Nothing is added to a request, either: AWS needs no
// trace context, and a header more is a header to sign.
package spans

import (
	"context"
	"errors"
	"net"

	"github.com/aws/aws-sdk-go-v2/aws"
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

// system is what the conventions call the API of AWS.
const system = "aws-api"

// AddTo has the clients of a config make a span of each call. It adds nothing where
// the tracer is nil.
func AddTo(cfg *aws.Config, t trace.Tracer) {
	if t == nil {
		return
	}
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		// After the SDK has said what is called. Each try is seen within the retries.
		return errors.Join(
			stack.Initialize.Add(&call{tracer: t}, middleware.After),
			stack.Finalize.Insert(attempt{}, "Retry", middleware.After),
		)
	})
}

// call is the step of the SDK's stack that all tries of a call are in.
type call struct{ tracer trace.Tracer }

// ID of the step.
func (c *call) ID() string { return "Span" }

// HandleInitialize makes the span of a call.
func (c *call) HandleInitialize(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	middleware.InitializeOutput, middleware.Metadata, error,
) {
	service, operation := awsmiddleware.GetServiceID(ctx), awsmiddleware.GetOperationName(ctx)
	ctx, span := c.tracer.Start(ctx, service+"."+operation, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
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

// answer is what AWS's last answer says of itself.
func answer(md middleware.Metadata) []attribute.KeyValue {
	var kv []attribute.KeyValue
	if r, ok := awsmiddleware.GetRawResponse(md).(*smithyhttp.Response); ok && r != nil && r.Response != nil && r.StatusCode != 0 {
		kv = append(kv, semconv.HTTPResponseStatusCode(r.StatusCode))
	}
	if id, ok := awsmiddleware.GetRequestIDMetadata(md); ok && id != "" {
		kv = append(kv, semconv.AWSRequestID(id))
	}
	return kv
}

// fail says why a call has failed, as conditions say it. That a thing does not exist
// is an answer, and a call that was not sent has not failed.
func fail(span trace.Span, err error) {
	if _, deferred := quota.Deferred(err); deferred {
		return
	}
	span.SetAttributes(errorType(err))
	if !awserr.IsNotFound(err) {
		span.SetStatus(codes.Error, awserr.Clean(err).Error())
	}
}

// errorType is AWS's code, or what kept AWS from answering.
func errorType(err error) attribute.KeyValue {
	if code := awserr.Code(err); code != "" {
		return semconv.ErrorTypeKey.String(code)
	}
	timed, ok := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, context.Canceled):
		return semconv.ErrorTypeKey.String("canceled")
	case ok && timed.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return semconv.ErrorTypeKey.String("timeout")
	default:
		return semconv.ErrorTypeOther
	}
}
