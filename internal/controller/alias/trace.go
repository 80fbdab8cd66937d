package alias

import (
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/telemetry"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// Attributes of the spans of a rollout.
const (
	keyRollout = attribute.Key("crossplane.rollout.id")
	keyPhase   = attribute.Key("crossplane.rollout.phase")
	keyStep    = attribute.Key("crossplane.rollout.step")
	keyIndex   = attribute.Key("crossplane.rollout.step_index")
	keyWeight  = attribute.Key("crossplane.rollout.weight")
	keyStable  = attribute.Key("crossplane.rollout.stable")
	keyTarget  = attribute.Key("crossplane.rollout.target")
	keyReason  = attribute.Key("crossplane.rollout.reason")
	keyChecks  = attribute.Key("crossplane.rollout.checks")
)

// describe sets the state of a rollout on the span of the present observation.
func describe(ctx context.Context, s *v1beta1.AliasRolloutStatus) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() && s.ID != "" {
		span.SetAttributes(attributesOf(s)...)
	}
}

func attributesOf(s *v1beta1.AliasRolloutStatus) []attribute.KeyValue {
	kv := []attribute.KeyValue{
		keyRollout.String(s.ID), keyPhase.String(s.Phase), keyIndex.Int64(int64(s.CurrentStepIndex)),
		keyWeight.Int64(int64(s.ObservedWeight)),
		keyStable.String(s.Stable.FunctionVersion), keyTarget.String(s.Target.FunctionVersion),
	}
	if s.Step != "" {
		kv = append(kv, keyStep.String(s.Step))
	}
	if s.Reason != "" {
		kv = append(kv, keyReason.String(s.Reason))
	}
	return kv
}

// trace records the step that a decision has ended as a span from its beginning to its end, and the rollout if that has
// ended. All of them are in one trace, whose ID depends on the rollout's: also if another process has recorded the
// others.
func (e *external) trace(ctx context.Context, a *v1beta1.Alias, before, after *v1beta1.AliasRolloutStatus) {
	if e.tracer == nil || !stepEnded(before, after) {
		return
	}
	end := endOf(after, e.time())
	start := timeOf(before.StepStartedAt, end)
	began := timeOf(before.StartedAt, start)
	// The span of the rollout is the parent of all steps. It is started for each of them, since whether they are
	// sampled depends on it, and sent when the rollout has ended.
	identity := string(a.GetUID()) + "/" + before.ID
	in, whole := e.tracer.Start(telemetry.WithIDs(ctx, traceID(identity), spanID(identity)), "Rollout",
		trace.WithNewRoot(), trace.WithTimestamp(began), trace.WithAttributes(
			semconv.K8SNamespaceName(a.GetNamespace()), attribute.String("crossplane.kind", v1beta1.AliasKind),
			attribute.String("crossplane.name", a.GetName()),
		))
	id := spanID(strings.Join([]string{identity, before.Step, start.UTC().Format(time.RFC3339)}, "/"))
	_, step := e.tracer.Start(telemetry.WithIDs(in, trace.TraceID{}, id), before.Step, trace.WithTimestamp(start),
		trace.WithLinks(trace.LinkFromContext(ctx)))
	step.SetAttributes(attributesOf(before)...)
	step.SetAttributes(keyChecks.StringSlice(rollout.DescribeChecks(lastOf(before, after))))
	failedBy(step, before, after)
	step.End(trace.WithTimestamp(end))
	if !rolloutEnded(before, after) {
		return
	}
	result := lastOf(before, after)
	whole.SetAttributes(attributesOf(result)...)
	whole.SetAttributes(
		keyTarget.String(before.Target.FunctionVersion)) // That of a finished rollout may be the next one.
	failedBy(whole, nil, result)
	whole.End(trace.WithTimestamp(end))
}

// lastOf returns the last state of the rollout that before is of.
func lastOf(before, after *v1beta1.AliasRolloutStatus) *v1beta1.AliasRolloutStatus {
	if after.ID != before.ID {
		return before
	}
	return after
}

// stepEnded reports whether a decision has ended a step of a rollout.
func stepEnded(before, after *v1beta1.AliasRolloutStatus) bool {
	return before != nil && before.ID != "" && before.Step != "" &&
		(after.Step != before.Step || after.ID != before.ID || after.CurrentStepIndex != before.CurrentStepIndex ||
			!after.StepStartedAt.Equal(before.StepStartedAt))
}

// rolloutEnded reports whether a decision has ended a rollout.
func rolloutEnded(before, after *v1beta1.AliasRolloutStatus) bool {
	return after.ID != before.ID || after.FinishedAt != nil && before.FinishedAt == nil
}

// failedBy marks a span as failed with the message of a state that has failed, unless it had failed before.
func failedBy(span trace.Span, before, after *v1beta1.AliasRolloutStatus) {
	fails := func(s *v1beta1.AliasRolloutStatus) bool {
		return s != nil && (s.Phase == v1beta1.RolloutFailed || s.Step == v1beta1.RolloutRollingBack &&
			s.Reason != v1beta1.RolloutReasonSuperseded)
	}
	if fails(after) && !fails(before) {
		span.SetAttributes(keyReason.String(after.Reason))
		span.SetStatus(codes.Error, after.Message)
	}
}

// endOf returns when the step before a state has ended.
func endOf(s *v1beta1.AliasRolloutStatus, now time.Time) time.Time {
	return timeOf(s.StepStartedAt, timeOf(s.FinishedAt, now))
}

// timeOf returns a recorded time, or another one if it is not known.
func timeOf(t *metav1.Time, otherwise time.Time) time.Time {
	if at := ptr.Deref(t, metav1.Time{}).Time; !at.IsZero() {
		return at
	}
	return otherwise
}

// traceID returns the ID of the trace of what an identity names.
func traceID(identity string) (id trace.TraceID) {
	sum := sha256.Sum256([]byte("trace/" + identity))
	copy(id[:], sum[:])
	return id
}

// spanID returns the ID of the span of what an identity names.
func spanID(identity string) (id trace.SpanID) {
	sum := sha256.Sum256([]byte("span/" + identity))
	copy(id[:], sum[:])
	return id
}
