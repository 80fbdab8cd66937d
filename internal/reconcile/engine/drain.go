package engine

import (
	"context"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// drain confirms that this shard has stopped working on a resource, so that the sharder assigns it
// to another one. A resource is never reconciled concurrently, so no call is in flight.
func (r *reconciler) drain(ctx context.Context, mg reconcile.Managed) ctrl.Result {
	key := client.ObjectKeyFromObject(mg)
	err := r.kube.WriteDeferred(ctx, key) // Otherwise it could overwrite what the other shard writes.
	if err == nil {
		err = r.kube.Relabel(ctx, mg, r.Shard.Drained())
	}
	switch {
	case kerrors.IsConflict(err):
		return r.waitingResult(reconcile.AtOnce)
	case client.IgnoreNotFound(err) != nil:
		return r.failedResult(ctx, key, failed{err: errors.Wrap(err, "cannot hand the resource over to another shard")})
	}
	endSpan(ctx, outcomeGone)
	return ctrl.Result{}
}
