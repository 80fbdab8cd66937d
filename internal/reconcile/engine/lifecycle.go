package engine

import (
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// lifecycle contains the metrics of crossplane-runtime under their names. The runtime's own recorder keeps the name of
// every resource that ever existed, and does not distinguish resources with the same name in different namespaces.
type lifecycle struct {
	detected *prometheus.HistogramVec
	ready    *prometheus.HistogramVec
	deletion *prometheus.HistogramVec
	drift    *prometheus.HistogramVec
}

func newLifecycle() lifecycle {
	histogram := func(name, help string, buckets []float64) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Subsystem: "crossplane", Name: "managed_resource_" + name + "_seconds", Help: help, Buckets: buckets}, []string{"gvk"})
	}
	quick := prometheus.ExponentialBuckets(10e-9, 10, 10)
	slow := []float64{1, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600}
	return lifecycle{
		detected: histogram("first_time_to_reconcile", "How long resources took from their creation to their first reconcile", quick),
		ready:    histogram("first_time_to_readiness", "How long resources took from their creation to the first time that they were Ready", slow),
		deletion: histogram("deletion", "How long deletions took", slow),
		drift:    histogram("drift", "Time from the previous comparison of a resource with AWS to one that found a difference, edits of the spec included", quick),
	}
}

func (l lifecycle) collectors() []prometheus.Collector {
	return []prometheus.Collector{l.detected, l.ready, l.deletion, l.drift}
}

// recordDeletion records that the deletion of a resource has finished.
func (m *Metrics) recordDeletion(gvk string, took time.Duration) {
	if m != nil {
		m.lifecycle.deletion.WithLabelValues(gvk).Observe(took.Seconds())
	}
}

// recordDetection records the first reconcile of a resource.
func (r *reconciler[T]) recordDetection(mg T) {
	if r.metrics == nil || mg.GetCondition(xpv2.TypeSynced).Status != corev1.ConditionUnknown || !r.states.RecordDetection(client.ObjectKeyFromObject(mg)) {
		return
	}
	r.metrics.lifecycle.detected.WithLabelValues(r.kind.GVK.String()).Observe(r.since(mg.GetCreationTimestamp()))
}

// recordDrift records the time since the previous comparison if this one found a difference.
func (r *reconciler[T]) recordDrift(mg T, c reconcile.SyncState) {
	if r.metrics == nil {
		return
	}
	if was := r.states.RecordInSync(client.ObjectKeyFromObject(mg), c, r.now()); !was.IsZero() {
		r.metrics.lifecycle.drift.WithLabelValues(r.kind.GVK.String()).Observe(r.now().Sub(was).Seconds())
	}
}

func (r *reconciler[T]) since(t metav1.Time) float64 { return r.now().Sub(t.Time).Seconds() }
