package engine

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// panicked ends the reconcile of a resource that has panicked.
func (r *reconciler) panicked(ctx context.Context, key types.NamespacedName, err error) ctrl.Result {
	if known, ok := r.states.Get(key); ok && known.Requester != "" {
		r.Limiter.Release(known.Scope, known.Requester)
	}
	if err := r.report(ctx, key, err); err != nil {
		r.log.Info("Cannot record in status that a reconcile panicked", "name", key, "error", err)
	}
	return r.failedResult(ctx, key, failed{err: err})
}

// report reports an error that the runtime does not know of: in the condition Synced, and by an event.
func (r *reconciler) report(ctx context.Context, key types.NamespacedName, failure error) error {
	mg := r.kind.New()
	if err := r.kube.Get(ctx, key, mg); err != nil {
		return errors.Wrap(err, "cannot get managed resource")
	}
	r.recorder.Event(mg, event.Warning(v1beta1.EventProviderPanicked, failure))
	known, _ := r.states.Get(key)
	p := r.newPass(mg, known)
	p.err = failure
	updated := reconcile.CopyOf(mg)
	updated.SetConditions(xpv2.ReconcileError(failure).WithObservedGeneration(mg.GetGeneration()))
	return errors.Wrap(r.kube.View(mg, p.completeStatus).Status().Update(ctx, updated),
		"cannot update managed resource status")
}
