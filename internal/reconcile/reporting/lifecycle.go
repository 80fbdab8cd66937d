package reporting

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

// lifecycle contains the metrics of crossplane-runtime under their names. The runtime's own recorder keeps the name of
// every resource that ever existed, and does not distinguish resources with the same name in different namespaces.
type lifecycle struct {
	detected, ready, deletion, drift *prometheus.HistogramVec
}

func newLifecycle() lifecycle {
	return lifecycle{
		detected: metrics.FirstTimeToReconcile(), ready: metrics.FirstTimeToReadiness(),
		deletion: metrics.Deletion(), drift: metrics.Drift(),
	}
}

func (l lifecycle) Collectors() []prometheus.Collector {
	return []prometheus.Collector{l.detected, l.ready, l.deletion, l.drift}
}

// RecordDetection records how long it took until a resource was first reconciled.
func (m *Metrics) RecordDetection(gvk string, took time.Duration) {
	if m != nil {
		m.Lifecycle.detected.WithLabelValues(gvk).Observe(took.Seconds())
	}
}

// RecordDifference records how long before a comparison that found a difference the previous one was.
func (m *Metrics) RecordDifference(gvk string, since time.Duration) {
	if m != nil {
		m.Lifecycle.drift.WithLabelValues(gvk).Observe(since.Seconds())
	}
}

// RecordDeletion records that the deletion of a resource has finished.
func (m *Metrics) RecordDeletion(gvk string, took time.Duration) {
	if m != nil {
		m.Lifecycle.deletion.WithLabelValues(gvk).Observe(took.Seconds())
	}
}
