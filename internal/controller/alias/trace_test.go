package alias

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/telemetry"
	"github.com/crossplane-contrib/provider-lambda/internal/test/tracingtest"
)

func newRecorder(t *testing.T, more ...sdktrace.TracerProviderOption) *tracingtest.Recorder {
	t.Helper()
	return tracingtest.New(t, append(more, sdktrace.WithIDGenerator(telemetry.IDs{}))...)
}

// steps returns the spans of a trace other than its root, in the order of their times, and the root.
func steps(t *testing.T, spans tracetest.SpanStubs) (root tracetest.SpanStub, children tracetest.SpanStubs) {
	t.Helper()
	for _, s := range spans {
		if s.Parent.IsValid() {
			children = append(children, s)
			continue
		}
		if root.Name != "" {
			t.Errorf("there are two roots: %s and %s", root.Name, s.Name)
		}
		root = s
	}
	for _, s := range children {
		if s.Parent.SpanID() != root.SpanContext.SpanID() || s.SpanContext.TraceID() != root.SpanContext.TraceID() {
			t.Errorf("%s is not in the trace of the rollout", s.Name)
		}
	}
	slices.SortStableFunc(children, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	return root, children
}

// TestRolloutTrace checks that the steps of a rollout are spans of one trace, each of them once, which cover the time
// from its beginning to its end.
func TestRolloutTrace(t *testing.T) {
	cases := map[string]struct {
		reason string
		health results
		phase  string
		steps  []string
		last   string
	}{
		"Promoted": {
			reason: "Each step is a span.", health: healthy, phase: v1beta1.RolloutReady,
			steps: []string{
				"Validating 0 0",
				"PreTraffic 0 0",
				"Analyzing 0 0",
				"Shifting 0 0",
				"Analyzing 1 10",
				"Analyzing 2 10",
				"Shifting 2 10",
				"Analyzing 3 50",
				"Analyzing 4 50",
				"Promoting 4 50",
				"Baking 4 100",
			},
		},
		"RolledBack": {
			reason: "The step that has failed and the rollout have an error.",
			health: unhealthy,
			phase:  v1beta1.RolloutFailed,
			steps: []string{
				"Validating 0 0",
				"PreTraffic 0 0",
				"Analyzing 0 0",
				"Shifting 0 0",
				"Analyzing 1 10 AnalysisFailed !Metric errors: Failure (0.5)",
				"RollingBack 1 10 AnalysisFailed",
			},
			last: " AnalysisFailed !Metric errors: Failure (0.5)",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rec := newRecorder(t)
			r := newRollout(t, canary())
			r.tracer, r.health = rec.Tracer, tc.health
			r.desire("2")
			r.ends(tc.phase)
			root, children := steps(t, rec.Spans())
			var got []string
			for i, s := range children {
				got = append(got, shown(s, true))
				if i > 0 && !s.StartTime.Equal(children[i-1].EndTime) {
					t.Errorf(
						"%s begins at %s, and the step before ended at %s",
						s.Name,
						s.StartTime,
						children[i-1].EndTime,
					)
				}
			}
			if diff := cmp.Diff(tc.steps, got); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
			if want := "Rollout" + tc.last; shown(root, false) != want ||
				!root.StartTime.Equal(children[0].StartTime) ||
				!root.EndTime.Equal(children[len(children)-1].EndTime) {
				t.Errorf(
					"want %s over all steps, got %s from %s to %s",
					want,
					shown(root, false),
					root.StartTime,
					root.EndTime,
				)
			}
			if v := valueOf(root, keyTarget); v != "2" {
				t.Errorf("the target is 2, got %s", v)
			}
		})
	}
}

// shown returns a span's name, its index and weight if asked for, its reason and its error.
func shown(s tracetest.SpanStub, position bool) string {
	parts := []string{s.Name}
	if position {
		parts = append(parts, valueOf(s, keyIndex), valueOf(s, keyWeight))
	}
	if r := valueOf(s, keyReason); r != "" {
		parts = append(parts, r)
	}
	if s.Status.Description != "" {
		parts = append(parts, "!"+s.Status.Description)
	}
	return strings.Join(parts, " ")
}

func valueOf(s tracetest.SpanStub, key attribute.Key) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.String()
		}
	}
	return ""
}

// TestTraceOfAnotherProcess checks that processes that do not know of each other record the same trace, that a span
// links to the reconcile that has recorded it, and that a trace is sampled as a whole.
func TestTraceOfAnotherProcess(t *testing.T) {
	at := func(seconds int) *metav1.Time {
		return &metav1.Time{Time: time.Date(2026, 1, 2, 3, 4, seconds, 0, time.UTC)}
	}
	before := &v1beta1.AliasRolloutStatus{
		ID:            "2-abc",
		Phase:         v1beta1.RolloutProgressing,
		Step:          v1beta1.RolloutPromoting,
		StartedAt:     at(0),
		StepStartedAt: at(20),
	}
	after := before.DeepCopy()
	after.Phase, after.Step, after.StepStartedAt, after.FinishedAt = v1beta1.RolloutReady, "", nil, at(30)
	record := func(more ...sdktrace.TracerProviderOption) tracetest.SpanStubs {
		rec := newRecorder(t, more...)
		e := &external{tracer: rec.Tracer, now: time.Now}
		ctx, reconcile := rec.Tracer.Start(t.Context(), "Reconcile Alias")
		e.trace(ctx, testAlias(), before, after)
		e.trace(ctx, testAlias(), after, after)
		e.trace(ctx, testAlias(), nil, after)
		spans := rec.Spans()
		for _, s := range spans {
			if s.Name == v1beta1.RolloutPromoting &&
				(len(s.Links) != 1 || s.Links[0].SpanContext.SpanID() != reconcile.SpanContext().SpanID()) {
				t.Errorf("want a link to the reconcile, got %v", s.Links)
			}
		}
		return spans
	}
	ids := func(spans tracetest.SpanStubs) (out []trace.SpanID) {
		for _, s := range spans {
			out = append(out, s.SpanContext.SpanID())
		}
		return out
	}
	one, other := record(), record()
	if len(one) != 2 || one[0].SpanContext.TraceID() != other[0].SpanContext.TraceID() {
		t.Fatalf("want one trace with a step and the rollout, got %v and %v", one, other)
	}
	if diff := cmp.Diff(ids(one), ids(other)); diff != "" {
		t.Errorf("a step that is recorded twice is the same span: -one, +other:\n%s", diff)
	}
	for sampler, want := range map[sdktrace.Sampler]int{
		sdktrace.NeverSample(): 0, sdktrace.AlwaysSample(): 2,
		sdktrace.ParentBased(sdktrace.NeverSample()): 0, sdktrace.ParentBased(sdktrace.AlwaysSample()): 2,
	} {
		if got := record(sdktrace.WithSampler(sampler)); len(got) != want {
			t.Errorf("%s: %d spans, want %d", sampler.Description(), len(got), want)
		}
	}
}

// TestRolloutWithoutTrace checks that nothing is traced without a tracer.
func TestRolloutWithoutTrace(t *testing.T) {
	before := &v1beta1.AliasRolloutStatus{ID: "2-abc", Step: v1beta1.RolloutBaking, Reason: v1beta1.RolloutReasonPaused}
	(&external{now: time.Now}).trace(t.Context(), testAlias(), before, &v1beta1.AliasRolloutStatus{})
}
