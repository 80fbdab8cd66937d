package engine

import (
	"context"
	"sync"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
)

// watchLag is how long the watch of another shard may take to show that a resource has left it.
const watchLag = 15 * time.Second

// A handover delays the first reconcile of a resource that another shard may still work on. Labels
// change at once, so that the other shard may be in the middle of a reconcile when the resource
// arrives here. It ends within the time limit of a reconcile. A nil handover delays nothing.
type handover struct {
	lasts time.Duration
	now   func() time.Time

	mu sync.Mutex
	// arrived is when each resource arrived. It is zero for one that nobody else works on.
	arrived map[types.NamespacedName]time.Time
}

// newHandover returns the handover of a shard with a selector. It returns nil if there is no other shard, and for a
// ring, whose sharder waits until a shard has drained a resource or has lost its lease.
func newHandover(o Options) *handover {
	if o.Shard.IsAll() || o.Shard.Ring != "" {
		return nil
	}
	return &handover{lasts: o.timeout() + watchLag, now: o.Now, arrived: map[types.NamespacedName]time.Time{}}
}

// watch records resources that arrive before the controller watches them: while another replica is the leader, and
// while there is none of the kind, so that the controller has not started. When it starts, the cache shows them as if
// they had existed from the beginning.
func (h *handover) watch(ctx context.Context, informers cache.Informers, example client.Object) error {
	if h == nil {
		return nil
	}
	informer, err := informers.GetInformer(ctx, example, cache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerDetailedFuncs{AddFunc: func(obj any, initial bool) {
		if o, ok := obj.(client.Object); ok {
			h.record(o, initial)
		}
	}})
	return err
}

// arrivals returns a predicate that selects all events, and records resources that arrive from another shard.
func (h *handover) arrivals() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			if h != nil {
				h.record(e.Object, e.IsInInitialList)
			}
			return true
		},
	}
}

// record records a resource that appears, if it arrives from another shard: it has had a finalizer of the provider
// before. What exists when the watch starts has been in this shard before.
func (h *handover) record(o client.Object, initial bool) {
	if !initial && meta.FinalizerExists(o, managed.FinalizerName) {
		h.begin(client.ObjectKeyFromObject(o), h.now())
	}
}

func (h *handover) begin(key types.NamespacedName, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.arrived[key] = at
}

// delay returns how long not to reconcile a resource. A resource with a creation that this process
// has not begun counts as arrived when it is first seen, since whoever began it may still call AWS.
func (h *handover) delay(o client.Object) time.Duration {
	if h == nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	key, now := client.ObjectKeyFromObject(o), h.now()
	at, seen := h.arrived[key]
	if !seen && meta.ExternalCreateIncomplete(o) {
		at = now
	}
	left := at.Add(h.lasts).Sub(now)
	if at.IsZero() || left <= 0 {
		at, left = time.Time{}, 0
	}
	h.arrived[key] = at
	return left
}

// forget removes a resource that is gone, unless it has arrived again since.
func (h *handover) forget(key types.NamespacedName) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if at := h.arrived[key]; at.IsZero() || !h.now().Before(at.Add(h.lasts)) {
		delete(h.arrived, key)
	}
}

// drain confirms that this shard has stopped working on a resource, so that the sharder assigns it
// to another one. A resource is never reconciled concurrently, so no call is in flight.
func (r *reconciler[T]) drain(ctx context.Context, mg T) ctrl.Result {
	key := client.ObjectKeyFromObject(mg)
	err := r.kube.WriteDeferred(ctx, key) // Otherwise it could overwrite what the other shard writes.
	if err == nil {
		err = r.kube.Relabel(ctx, mg, r.shard.Drained())
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
