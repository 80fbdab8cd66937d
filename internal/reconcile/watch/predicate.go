package watch

import (
	"context"
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
)

// DesiredStateChanged selects updates of what the user or another controller has changed: the spec, labels,
// annotations, and, if the resource is being deleted, the finalizers that it waits for. It ignores what the provider
// itself writes, which is status and the annotations that record what it created, and annotations of other tools, which
// decide nothing and may change many times a second.
func DesiredStateChanged() predicate.Predicate {
	return predicate.Or(
		predicate.GenerationChangedPredicate{},
		predicate.LabelChangedPredicate{},
		predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
			return deletionProceeds(e) ||
				!maps.Equal(memory.DesiredAnnotations(e.ObjectOld), memory.DesiredAnnotations(e.ObjectNew))
		}},
	)
}

// objectChanged selects objects that are created, changed or deleted. It drops resyncs, and the objects that exist when
// the watch starts, because every resource is reconciled at the start anyway.
func objectChanged() predicate.Predicate {
	return predicate.And(notInitial(), predicate.ResourceVersionChangedPredicate{})
}

// notInitial drops the objects that exist when the watch starts.
func notInitial() predicate.Predicate {
	return predicate.Funcs{CreateFunc: func(e event.CreateEvent) bool { return !e.IsInInitialList }}
}

// deletionProceeds reports whether a resource was deleted, or lost or gained a finalizer while it is being deleted.
func deletionProceeds(e event.UpdateEvent) bool {
	return meta.WasDeleted(e.ObjectNew) && (!meta.WasDeleted(e.ObjectOld) ||
		len(e.ObjectOld.GetFinalizers()) != len(e.ObjectNew.GetFinalizers()))
}

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
