package reporting

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
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
	histogram := func(name, help string, buckets []float64) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Subsystem: "crossplane", Name: "managed_resource_" + name + "_seconds", Help: help, Buckets: buckets}, []string{"gvk"})
	}
	quick := prometheus.ExponentialBuckets(10e-9, 10, 10)
	slow := []float64{1, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600}
	return lifecycle{
		Detected: histogram("first_time_to_reconcile", "How long resources took from their creation to their first reconcile", quick),
		ready:    histogram("first_time_to_readiness", "How long resources took from their creation to the first time that they were Ready", slow),
		deletion: histogram("deletion", "How long deletions took", slow),
		Drift:    histogram("drift", "Time from the previous comparison of a resource with AWS to one that found a difference, edits of the spec included", quick),
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
