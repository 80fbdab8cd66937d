package telemetry

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	"go.opentelemetry.io/otel/trace"
)

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
