package watch

import (
	"context"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
)

// WatchLag is the maximum time that the watch of another shard takes to show that a resource has left it.
const WatchLag = 15 * time.Second

// A Handover delays the first reconcile of a resource that another shard may still work on. Labels
// change at once, so that the other shard may be in the middle of a reconcile when the resource
// arrives here. It ends within the time limit of a reconcile. A nil Handover delays nothing.
type Handover struct {
	lasts time.Duration
	now   func() time.Time

	mu sync.Mutex
	// arrived is the time at which each resource arrived. It is zero for one that nobody else works on.
	arrived map[types.NamespacedName]time.Time
}

// NewHandover returns the handover of a shard with a selector. It returns nil if there is no other shard, and for a
// ring, whose sharder waits until a shard has drained a resource or has lost its lease.
func NewHandover(s sharding.Shard, timeout time.Duration, now func() time.Time) *Handover {
	if s.IsAll() || s.Ring != "" {
		return nil
	}
	return &Handover{lasts: timeout + WatchLag, now: now, arrived: map[types.NamespacedName]time.Time{}}
}

// Watch records resources that arrive before the controller watches them: while another replica is the leader, and
// while there is none of the kind, so that the controller has not started. When it starts, the cache shows them as if
// they had existed from the beginning.
func (h *Handover) Watch(ctx context.Context, informers cache.Informers, example client.Object) error {
	if h == nil {
		return nil
	}
	informer, err := informers.GetInformer(ctx, example, cache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerDetailedFuncs{AddFunc: func(obj any,
		initial bool,
	) {
		h.record(obj.(client.Object), initial) //nolint:forcetypeassert // An informer has objects alone.
	}})
	return err
}

// Arrivals returns a predicate that selects all events, and records resources that arrive from another shard.
func (h *Handover) Arrivals() predicate.Predicate {
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
func (h *Handover) record(o client.Object, initial bool) {
	if !initial && meta.FinalizerExists(o, managed.FinalizerName) {
		h.begin(client.ObjectKeyFromObject(o), h.now())
	}
}

// begin records a resource that arrives, and drops those of which the handover is over.
func (h *Handover) begin(key types.NamespacedName, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.DeleteFunc(h.arrived, func(_ types.NamespacedName, earlier time.Time) bool {
		return !earlier.IsZero() && !at.Before(earlier.Add(h.lasts))
	})
	h.arrived[key] = at
}

// Delay returns how long not to reconcile a resource. A resource with a creation that this process
// has not begun counts as arrived when it is first seen, since whoever began it may still call AWS.
func (h *Handover) Delay(o client.Object) time.Duration {
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

// Forget removes a resource that is gone, unless it has arrived again since.
func (h *Handover) Forget(key types.NamespacedName) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if at := h.arrived[key]; at.IsZero() || !h.now().Before(at.Add(h.lasts)) {
		delete(h.arrived, key)
	}
}
