package engine

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// StatusDelay is the default of Options.StatusDelay. Most creations in AWS take less.
const StatusDelay = 5 * time.Second

// mayDefer reports whether a status may be deferred: it only says that the resource is being created, or what it waits
// for, and the stored one does not say more.
func (p *pass[T]) mayDefer(mg reconcile.Managed, f reconcile.Input, d reconcile.Decision) bool {
	if f.Deleted || f.Paused || d.Ready.Reason != xpv2.ReasonCreating || p.storesNow() {
		return false
	}
	if f.Failure != reconcile.Succeeded && f.Failure != reconcile.Awaited ||
		mg.GetCondition(v1beta1.TypeStalled).Status == corev1.ConditionTrue {
		return false
	}
	return reconcile.NotCreated(p.read)
}

// boundDeferral bounds the time for which a status is deferred: it writes the status if it has been deferred long
// enough, and requeues the resource no later than that. If it cannot be written, the resource is requeued ever later,
// because each reconcile may call AWS.
func (r *reconciler[T]) boundDeferral(ctx context.Context, key client.ObjectKey, res ctrl.Result) ctrl.Result {
	since, ok := r.kube.DeferredSince(key, r.Now())
	if !ok {
		return res
	}
	passed := r.Now().Sub(since)
	left := r.StatusDelay - passed
	if left <= 0 {
		left = reconcile.WokenDelay(passed)
		err := r.kube.WriteDeferred(ctx, key)
		if err == nil {
			return res
		}
		r.log.Info("Cannot write the status", "name", key, "error", err)
	}
	if res.RequeueAfter == 0 || res.RequeueAfter > left {
		res.RequeueAfter = max(left, reconcile.AtOnce)
	}
	return res
}
