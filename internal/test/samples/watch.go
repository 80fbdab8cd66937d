package samples

import (
	"context"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Enqueued returns the names of the resources that a watch enqueues for an event: an event.CreateEvent, an
// event.UpdateEvent or an event.DeleteEvent.
func Enqueued(ctx context.Context, p predicate.Predicate, h handler.EventHandler, e any) []string {
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	switch e := e.(type) {
	case event.CreateEvent:
		if p.Create(e) {
			h.Create(ctx, e, q)
		}
	case event.UpdateEvent:
		if p.Update(e) {
			h.Update(ctx, e, q)
		}
	case event.DeleteEvent:
		if p.Delete(e) {
			h.Delete(ctx, e, q)
		}
	}
	var names []string
	for q.Len() > 0 {
		item, _ := q.Get()
		names = append(names, item.Name)
	}
	return names
}
