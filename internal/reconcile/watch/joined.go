package watch

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// A filtered handler handles the events that its predicate selects.
type filtered struct {
	predicate.Predicate

	handler handler.EventHandler
}

// joined handles each event with every handler whose predicate selects it. It takes one watch,
// whereas each watch of its own costs a buffer of 16 KiB and two goroutines.
type joined []filtered

// Create handles the creation of an object.
func (j joined) Create(ctx context.Context, e event.CreateEvent, q Queue) {
	for _, f := range j {
		if f.Predicate.Create(e) {
			f.handler.Create(ctx, e, q)
		}
	}
}

// Update handles the update of an object.
func (j joined) Update(ctx context.Context, e event.UpdateEvent, q Queue) {
	for _, f := range j {
		if f.Predicate.Update(e) {
			f.handler.Update(ctx, e, q)
		}
	}
}

// Delete handles the deletion of an object.
func (j joined) Delete(ctx context.Context, e event.DeleteEvent, q Queue) {
	for _, f := range j {
		if f.Predicate.Delete(e) {
			f.handler.Delete(ctx, e, q)
		}
	}
}

// Generic does nothing: a watch has no other events.
func (joined) Generic(context.Context, event.GenericEvent, Queue) {}
