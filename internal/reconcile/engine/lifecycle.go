package engine

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// recordDetection records the first reconcile of a resource.
func (r *reconciler[T]) recordDetection(mg T) {
	if r.metrics == nil || mg.GetCondition(xpv2.TypeSynced).Status != corev1.ConditionUnknown ||
		!r.states.RecordDetection(client.ObjectKeyFromObject(mg)) {
		return
	}
	r.metrics.Lifecycle.Detected.WithLabelValues(r.kind.GVK.String()).Observe(r.since(mg.GetCreationTimestamp()))
}

// recordDrift records the time since the previous comparison if this one found a difference.
func (r *reconciler[T]) recordDrift(mg T, c reconcile.SyncState) {
	if r.metrics == nil {
		return
	}
	if was := r.states.RecordInSync(client.ObjectKeyFromObject(mg), c, r.now()); !was.IsZero() {
		r.metrics.Lifecycle.Drift.WithLabelValues(r.kind.GVK.String()).Observe(r.now().Sub(was).Seconds())
	}
}

func (r *reconciler[T]) since(t metav1.Time) float64 { return r.now().Sub(t.Time).Seconds() }
