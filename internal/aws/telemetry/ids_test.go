package telemetry

import (
	"testing"

	"go.opentelemetry.io/otel/trace"
)

func TestIDs(t *testing.T) {
	wantTrace, wantSpan := trace.TraceID{1}, trace.SpanID{2}
	ctx := WithIDs(t.Context(), wantTrace, wantSpan)
	if gotTrace, gotSpan := (IDs{}).NewIDs(ctx); gotTrace != wantTrace || gotSpan != wantSpan {
		t.Errorf("a root has the IDs of its context, got %s, %s", gotTrace, gotSpan)
	}
	if got := (IDs{}).NewSpanID(ctx, trace.TraceID{3}); got != wantSpan {
		t.Errorf("a span has the ID of its context, got %s", got)
	}
	traces, spans := map[trace.TraceID]bool{}, map[trace.SpanID]bool{}
	for range 1000 {
		tr, s := IDs{}.NewIDs(t.Context())
		traces[tr], spans[s] = true, true
		spans[IDs{}.NewSpanID(t.Context(), tr)] = true
	}
	if len(traces) != 1000 || len(spans) != 2000 || traces[trace.TraceID{}] || spans[trace.SpanID{}] {
		t.Errorf("others are random: got %d traces and %d spans", len(traces), len(spans))
	}
	// Half of the IDs would make half of a trace: a root span needs both.
	if got, _ := (IDs{}).NewIDs(WithIDs(t.Context(), trace.TraceID{}, wantSpan)); !got.IsValid() {
		t.Error("a trace without an ID")
	}
}
