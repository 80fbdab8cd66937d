package engine

import (
	"cmp"
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/telemetry"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
)

// Attributes of spans without a name in OpenTelemetry's conventions.
const (
	keyKind       = attribute.Key("crossplane.kind")
	keyName       = attribute.Key("crossplane.name")
	keyGeneration = attribute.Key("crossplane.generation")
	keyOutcome    = attribute.Key("crossplane.outcome")
	keyRequeue    = attribute.Key("crossplane.requeue_after")
	keyErrorClass = attribute.Key("crossplane.error_class")
	keyExists     = attribute.Key("crossplane.exists")
	keyUpToDate   = attribute.Key("crossplane.up_to_date")
	keyChange     = attribute.Key("crossplane.change")
)

// Values of the attribute crossplane.outcome.
const (
	outcomeUnchanged = "unchanged"
	outcomeCreated   = "created"
	outcomeUpdated   = "updated"
	outcomeDeleted   = "deleted"
	outcomeDeferred  = "deferred"
	outcomeThrottled = "throttled"
	outcomeWaiting   = "waiting"
	outcomeGone      = "gone"
	outcomeFailed    = "failed"
)

// outcomes has the outcome of a reconcile that has made a call.
var outcomes = map[reconcile.Verb]string{
	reconcile.ToCreate: outcomeCreated, reconcile.ToUpdate: outcomeUpdated, reconcile.ToDelete: outcomeDeleted,
}

// identifying returns the attributes of a span that say which resource is reconciled.
func (r *reconciler) identifying(req ctrl.Request) trace.SpanStartEventOption {
	return trace.WithAttributes(keyKind.String(r.kind.GVK.Kind), semconv.K8SNamespaceName(req.Namespace),
		keyName.String(req.Name))
}

// annotateSpan sets the generation of the resource on the span of its reconcile. Like those that follow, it does
// nothing if there is no span.
func annotateSpan(ctx context.Context, mg reconcile.Managed) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(keyGeneration.Int64(mg.GetGeneration()))
	}
}

// endSpan sets the outcome on the span of a reconcile.
func endSpan(ctx context.Context, outcome string) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(keyOutcome.String(outcome))
	}
}

// endSpanWithError sets the outcome and the error on the span of a failed reconcile.
func endSpanWithError(ctx context.Context, c backoff.Class, err error) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(keyOutcome.String(outcomeFailed), keyErrorClass.String(c.String()))
		failedSpan(span, err)
	}
}

// addDeferredEvent adds an event about calls that wait for quota to the span.
func addDeferredEvent(ctx context.Context, wait time.Duration, ops ...string) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.AddEvent(telemetry.EventDeferred, trace.WithAttributes(telemetry.KeyWait.Float64(wait.Seconds()),
		telemetry.KeyOperations.StringSlice(ops)))
}

// conclude marks a span as failed unless the error only defers the call.
func conclude(span trace.Span, err error) {
	if err != nil && !reconcile.IsLater(err) && !isPassing(err) {
		failedSpan(span, err)
	}
}

// failedSpan marks a span as failed, with the message that conditions show.
func failedSpan(span trace.Span, err error) {
	if !span.IsRecording() {
		return
	}
	if code := awserr.Code(err); code != "" {
		span.SetAttributes(semconv.ErrorTypeKey.String(code))
	}
	span.SetStatus(codes.Error, awserr.Sanitize(err).Error())
}

// spanOutcome returns the outcome of a reconcile without an error.
func (p *pass) spanOutcome() string {
	switch {
	case p.later != nil && p.later.Throttled:
		return outcomeThrottled
	case p.later != nil:
		return outcomeDeferred
	}
	return cmp.Or(outcomes[p.did], outcomeUnchanged)
}

// isPassing reports whether an error of the external client only defers a call: it waits for quota, or was throttled.
func isPassing(err error) bool {
	_, waits := quota.Deferred(err)
	return waits || awserr.IsThrottled(err)
}

// traced returns a logger that also logs the id of the trace of a reconcile, if it is sampled.
func traced(ctx context.Context, log logging.Logger) logging.Logger {
	s := trace.SpanContextFromContext(ctx)
	if !s.IsSampled() {
		return log
	}
	return log.WithValues("trace_id", s.TraceID().String())
}
