package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/go-logr/logr"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// reportInterval is the minimum time between two equal lines of the log.
const reportInterval = 10 * time.Minute

// reporter logs that spans cannot be sent: the first time, and then every reportInterval. The SDK
// would log each attempt.
type reporter struct {
	sdktrace.SpanExporter

	log logr.Logger
	now func() time.Time

	mu       sync.Mutex
	failing  bool
	loggedAt time.Time
	lost     int
}

// ExportSpans sends spans to the collector. It logs errors instead of returning them.
func (r *reporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	r.report(len(spans), r.SpanExporter.ExportSpans(ctx, spans))
	return nil
}

func (r *reporter) report(spans int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		if r.failing {
			r.log.Info("Traces are sent again", "spansLost", r.lost)
			r.failing, r.lost = false, 0
		}
		return
	}
	r.lost += spans
	if now := r.now(); !r.failing || now.Sub(r.loggedAt) >= reportInterval {
		r.log.Info("Cannot send traces: check the collector, and the environment variables OTEL_EXPORTER_OTLP_*",
			"error", err.Error(), "spansLost", r.lost)
		r.loggedAt = now
	}
	r.failing = true
}
