package managed

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/spans"
)

// Attributes of spans that no convention of OpenTelemetry has a name for.
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

// What comes of a reconcile.
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

// tracedReconciler makes a trace of each reconcile.
type tracedReconciler struct {
	inner  reconcile.Reconciler
	tracer trace.Tracer
	kind   string
	traces *traces
}

// Reconcile within a span that is the root of its trace.
func (s *tracedReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	ctx, span := s.tracer.Start(ctx, "Reconcile "+s.kind, trace.WithNewRoot(), trace.WithAttributes(
		keyKind.String(s.kind),
		semconv.K8SNamespaceName(req.Namespace),
		keyName.String(req.Name),
	))
	defer span.End()
	defer s.traces.begin(req.NamespacedName, span.SpanContext())()
	res, err := s.inner.Reconcile(ctx, req)
	if res.RequeueAfter > 0 {
		span.SetAttributes(keyRequeue.Float64(res.RequeueAfter.Seconds()))
	}
	return res, err
}

// annotateSpan marks the span of a reconcile with the generation that it is about. Like all
// marks it costs nothing where there is no span.
func annotateSpan(ctx context.Context, mg Managed) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(keyGeneration.Int64(mg.GetGeneration()))
	}
}

// endSpan marks the span of a reconcile with what came of it.
func endSpan(ctx context.Context, outcome string) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(keyOutcome.String(outcome))
	}
}

// endSpanWithError marks the span of a reconcile that has failed.
func endSpanWithError(ctx context.Context, c errorClass, err error) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(keyOutcome.String(outcomeFailed), keyErrorClass.String(c.String()))
		failedSpan(span, err)
	}
}

// addDeferredEvent notes that calls wait for their turn in AWS's quotas.
func addDeferredEvent(ctx context.Context, wait time.Duration, ops ...string) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.AddEvent(spans.EventDeferred, trace.WithAttributes(spans.KeyWait.Float64(wait.Seconds()), spans.KeyOperations.StringSlice(ops)))
}

// failedSpan says of a span why what it stands for has failed, as conditions do.
func failedSpan(span trace.Span, err error) {
	if !span.IsRecording() {
		return
	}
	if code := awserr.Code(err); code != "" {
		span.SetAttributes(semconv.ErrorTypeKey.String(code))
	}
	span.SetStatus(codes.Error, awserr.Clean(err).Error())
}

// outcome of a reconcile without an error.
func (a *Attempt) outcome() string {
	_, aborted := a.Aborted()
	switch {
	case aborted && a.throttled:
		return outcomeThrottled
	case aborted:
		return outcomeDeferred
	}
	switch a.action {
	case actionCreated:
		return outcomeCreated
	case actionUpdated:
		return outcomeUpdated
	case actionDeleted:
		return outcomeDeleted
	default:
		return outcomeUnchanged
	}
}

// isPassing tells whether an error of the external client is none: a call that is held
// up by quota is made later.
func isPassing(err error) bool {
	_, waits := quota.Deferred(err)
	return waits || awserr.IsThrottled(err)
}

// traces are the ids of those that are being made, by resource. No two reconciles of a
// resource are under way at the same time.
type traces struct{ ids sync.Map }

// begin a trace, if it is sampled. It ends when the function returned is called.
func (t *traces) begin(key types.NamespacedName, s trace.SpanContext) func() {
	if !s.IsSampled() {
		return func() {}
	}
	t.ids.Store(key, s.TraceID().String())
	return func() { t.ids.Delete(key) }
}

// tracedLogger adds the id of the trace to what is logged of a reconcile.
type tracedLogger struct {
	logging.Logger

	traces *traces
}

// WithValues returns a logger that names the trace as well, if the values name the
// request that is being reconciled.
func (l *tracedLogger) WithValues(kv ...any) logging.Logger {
	inner := l.Logger.WithValues(kv...)
	for i := 0; i+1 < len(kv); i += 2 {
		req, ok := kv[i+1].(reconcile.Request)
		if !ok {
			continue
		}
		if id, ok := l.traces.ids.Load(req.NamespacedName); ok {
			return inner.WithValues("trace_id", id)
		}
	}
	return &tracedLogger{Logger: inner, traces: l.traces}
}
