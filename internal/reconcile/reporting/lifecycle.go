package reporting

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

// lifecycle contains the metrics of crossplane-runtime under their names. The runtime's own recorder keeps the name of
// every resource that ever existed, and does not distinguish resources with the same name in different namespaces.
type lifecycle struct {
	Detected *prometheus.HistogramVec
	ready    *prometheus.HistogramVec
	deletion *prometheus.HistogramVec
	Drift    *prometheus.HistogramVec
}

func newLifecycle() lifecycle {
	return lifecycle{
		Detected: metrics.FirstTimeToReconcile(), ready: metrics.FirstTimeToReadiness(),
		deletion: metrics.Deletion(), Drift: metrics.Drift(),
	}
}

func (l lifecycle) Collectors() []prometheus.Collector {
	return []prometheus.Collector{l.Detected, l.ready, l.deletion, l.Drift}
}

// RecordDeletion records that the deletion of a resource has finished.
func (m *Metrics) RecordDeletion(gvk string, took time.Duration) {
	if m != nil {
		m.Lifecycle.deletion.WithLabelValues(gvk).Observe(took.Seconds())
	}
}
