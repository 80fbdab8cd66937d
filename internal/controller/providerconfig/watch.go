package providerconfig

import (
	"context"
	"maps"
	"time"

	kmeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
)

const (
	// countAfter is the time for which changes of usages are gathered before they are counted: thousands of resources
	// that begin to use a config cause few reconciles.
	countAfter = time.Second

	// pending is the maximum number of changes of breakers and queues that wait to be handled. Further ones are
	// dropped: the next poll of the config sees them.
	pending = 64
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// usageHandler returns a handler that enqueues the config of a kind that a usage refers to, or
// referred to. EnqueueRequestsFromMapFunc would do, but for the delay.
func usageHandler(kind string) handler.Funcs {
	enqueue := func(q queue, usages ...client.Object) {
		for _, obj := range usages {
			u, ok := obj.(*v1beta1.ProviderConfigUsage)
			if !ok || u.ProviderConfigReference.Kind != kind {
				continue
			}
			name := types.NamespacedName{Name: u.ProviderConfigReference.Name}
			if kind == v1beta1.ProviderConfigKind {
				name.Namespace = u.GetNamespace()
			}
			q.AddAfter(reconcile.Request{NamespacedName: name}, countAfter)
		}
	}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) { enqueue(q, e.Object) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) { enqueue(q, e.ObjectOld, e.ObjectNew) },
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) { enqueue(q, e.Object) },
	}
}

// usageChanged returns a predicate for updates of a usage that change which config counts it.
func usageChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, ok := e.ObjectOld.(*v1beta1.ProviderConfigUsage)
		after, also := e.ObjectNew.(*v1beta1.ProviderConfigUsage)
		return !ok || !also || before.ProviderConfigReference != after.ProviderConfigReference ||
			!maps.Equal(before.GetLabels(), after.GetLabels()) || meta.WasDeleted(before) != meta.WasDeleted(after)
	}}
}

// configChanged selects changes of spec, the end of a pause, which leaves the generation as it is, and, if there are
// other shards, changes of the labels by which configs are assigned to them.
func configChanged(s sharding.Shard) predicate.Predicate {
	resumed := predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return meta.IsPaused(e.ObjectOld) && !meta.IsPaused(e.ObjectNew)
	}}
	if s.IsAll() {
		return predicate.Or(predicate.GenerationChangedPredicate{}, resumed)
	}
	return predicate.Or(predicate.GenerationChangedPredicate{}, resumed, predicate.LabelChangedPredicate{})
}

// usersOfSecret returns the configs whose credentials are in a Secret.
func (r *Reconciler) usersOfSecret(ctx context.Context, secret client.Object) []reconcile.Request {
	users, err := session.UsersOf(ctx, r.kube, secret)
	if err != nil {
		r.log.Info("Cannot list the configs that use a Secret", "namespace", secret.GetNamespace(), "name",
			secret.GetName(), "error", err)
		return nil
	}
	requests := []reconcile.Request{}
	for _, c := range users {
		if c.Kind == r.kind.gvk.Kind {
			requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{
				Namespace: c.Namespace,
				Name:      c.Name,
			}})
		}
	}
	return requests
}

// stateChanges returns an event for each breaker that opens or closes, and for each queue of drift events that changes
// its state, with the UID of its config.
func (r *Reconciler) stateChanges() <-chan event.GenericEvent {
	changes := make(chan event.GenericEvent, pending)
	changed := func(uid types.UID) {
		obj := r.kind.new()
		obj.SetUID(uid)
		select {
		case changes <- event.GenericEvent{Object: obj}:
		default:
		}
	}
	r.breakers.Watch(func(k breaker.Key) { changed(k.Config) })
	r.events.Watch(changed)
	return changes
}

// withUID returns the config with the UID of an object, if it is of this kind.
func (r *Reconciler) withUID(ctx context.Context, obj client.Object) []reconcile.Request {
	configs := deepCopy(r.kind.list)
	if err := r.kube.List(ctx, configs, client.UnsafeDisableDeepCopy); err != nil {
		r.log.Info("Cannot list the configs to find the one whose circuit breaker has opened or closed", "error", err)
		return nil
	}
	var found []reconcile.Request
	_ = kmeta.EachListItem(configs, func(o runtime.Object) error { // The function returns no error.
		if c, ok := o.(client.Object); ok && c.GetUID() == obj.GetUID() {
			found = append(found, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(c)})
		}
		return nil
	})
	return found
}
