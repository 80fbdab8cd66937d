// Package tracingtest records the spans of a test, and shows them as trees.
package tracingtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// A Recorder records the spans of its Tracer.
type Recorder struct {
	// Tracer samples everything.
	Tracer trace.Tracer

	exporter *tracetest.InMemoryExporter
}

// New returns a Recorder with further options. It ends with the test.
func New(t testing.TB, more ...sdktrace.TracerProviderOption) *Recorder {
	t.Helper()
	e := tracetest.NewInMemoryExporter()
	p := sdktrace.NewTracerProvider(append([]sdktrace.TracerProviderOption{
		sdktrace.WithSyncer(e),
		sdktrace.WithSampler(sdktrace.AlwaysSample()),
	}, more...)...)
	// A shutdown drops the spans, which nobody reads after the test.
	t.Cleanup(func() { _ = p.Shutdown(t.Context()) })
	return &Recorder{Tracer: p.Tracer("test"), exporter: e}
}

// Reset drops all spans.
func (r *Recorder) Reset() { r.exporter.Reset() }

// Spans returns the spans in the order in which they ended.
func (r *Recorder) Spans() tracetest.SpanStubs { return r.exporter.GetSpans() }

// Everything returns all that the spans hold as text, for a test to search.
func (r *Recorder) Everything() string { return fmt.Sprintf("%+v", r.exporter.GetSpans()) }

// Traces returns the traces in the order in which they began, as one text each: a line for each
// span and event, indented below its parent. Values that differ between runs are left out.
func (r *Recorder) Traces() []string {
	spans := r.exporter.GetSpans()
	slices.SortStableFunc(spans, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	var out []string
	for _, s := range spans {
		if !s.Parent.IsValid() {
			b := &strings.Builder{}
			write(b, spans, s, "")
			out = append(out, b.String())
		}
	}
	return out
}

// IDs returns the IDs of the traces.
func (r *Recorder) IDs() []string {
	var out []string
	for _, s := range r.exporter.GetSpans() {
		if !s.Parent.IsValid() {
			out = append(out, s.SpanContext.TraceID().String())
		}
	}
	return out
}

// varying has the attributes that are shown without their values.
var varying = []attribute.Key{"aws.request_id", "crossplane.requeue_after", "crossplane.wait"}

func write(b *strings.Builder, all tracetest.SpanStubs, s tracetest.SpanStub, indent string) {
	b.WriteString(indent + s.Name + describe(s.Attributes))
	if s.Status.Description != "" {
		fmt.Fprintf(b, " !%s", s.Status.Description)
	}
	b.WriteString("\n")
	for _, e := range s.Events {
		b.WriteString(indent + "  * " + e.Name + describe(e.Attributes) + "\n")
	}
	for _, child := range all {
		if child.Parent.SpanID() == s.SpanContext.SpanID() && child.Parent.TraceID() == s.SpanContext.TraceID() {
			write(b, all, child, indent+"  ")
		}
	}
}

func describe(kv []attribute.KeyValue) string {
	kv = slices.Clone(kv)
	slices.SortFunc(kv, func(a, b attribute.KeyValue) int { return cmp.Compare(a.Key, b.Key) })
	b := &strings.Builder{}
	for _, a := range kv {
		v := a.Value.String()
		if slices.Contains(varying, a.Key) {
			v = "..."
		}
		fmt.Fprintf(b, " %s=%s", a.Key, v)
	}
	return b.String()
}
