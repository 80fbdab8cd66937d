package managed

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// lifecycle metrics are those of crossplane-runtime, by its names. Its own recorder
// remembers the name of each resource that there ever was, and takes resources of the
// same name for one.
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
		detected: histogram("first_time_to_reconcile", "How long resources took from their creation until they were first looked at", quick),
		ready:    histogram("first_time_to_readiness", "How long resources took from their creation to the first time that they were Ready", slow),
		deletion: histogram("deletion", "How long deletions took", slow),
		drift:    histogram("drift", "How long before something in AWS was found to differ it was last found as its spec asks for, edits of the spec included", quick),
	}
}

func (l lifecycle) collectors() []prometheus.Collector {
	return []prometheus.Collector{l.detected, l.ready, l.deletion, l.drift}
}

// deleted notes that the deletion of a resource has come to its end.
func (m *Metrics) deleted(gvk string, took time.Duration) {
	if m != nil {
		m.lifecycle.deletion.WithLabelValues(gvk).Observe(took.Seconds())
	}
}

// detect notes that a resource is looked at for the first time.
func (g *gate[T]) detect(mg T) {
	if g.metrics == nil || mg.GetCondition(xpv2.TypeSynced).Status != corev1.ConditionUnknown || !g.memory.detect(client.ObjectKeyFromObject(mg)) {
		return
	}
	g.metrics.lifecycle.detected.WithLabelValues(g.kind.GVK.String()).Observe(g.since(mg.GetCreationTimestamp()))
}

// differed notes how long something was as its spec asks for, before it was found to differ.
func (g *gate[T]) differed(mg T, c Comparison) {
	if g.metrics == nil {
		return
	}
	if was := g.memory.same(client.ObjectKeyFromObject(mg), c, g.now()); !was.IsZero() {
		g.metrics.lifecycle.drift.WithLabelValues(g.kind.GVK.String()).Observe(g.now().Sub(was).Seconds())
	}
}

func (g *gate[T]) since(t metav1.Time) float64 { return g.now().Sub(t.Time).Seconds() }

// detect tells whether a resource is looked at for the first time.
func (m *memory) detect(key client.ObjectKey) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.record(key)
	first := !r.detected
	r.detected = true
	return first
}

// same notes what a look has found. It returns since when a resource that differs was not
// looked at.
func (m *memory) same(key client.ObjectKey, c Comparison, now time.Time) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.record(key)
	was := r.compared
	switch c {
	case Same:
		r.compared = now
	case Followed, Differs, Missing:
		if !was.IsZero() {
			r.compared = now
		}
		return was
	case Undecided:
	}
	return time.Time{}
}
