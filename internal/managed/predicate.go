package managed

import (
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
)

// desiredStateChanged lets through what the user or another controller has changed:
// the spec, labels, annotations, and, of a resource that is being deleted, the
// finalizers that it waits for. What the provider itself writes does not wake it:
// status, and the annotations by which it remembers what it created.
func desiredStateChanged() predicate.Predicate {
	return predicate.Or(
		predicate.GenerationChangedPredicate{},
		predicate.LabelChangedPredicate{},
		predicate.Funcs{UpdateFunc: annotationsChanged},
		predicate.Funcs{UpdateFunc: deletionProceeds},
	)
}

func annotationsChanged(e event.UpdateEvent) bool {
	return e.ObjectOld != nil && e.ObjectNew != nil &&
		!maps.Equal(desiredAnnotations(e.ObjectOld), desiredAnnotations(e.ObjectNew))
}

func deletionProceeds(e event.UpdateEvent) bool {
	if e.ObjectOld == nil || e.ObjectNew == nil || !meta.WasDeleted(e.ObjectNew) {
		return false
	}
	return !meta.WasDeleted(e.ObjectOld) || len(e.ObjectOld.GetFinalizers()) != len(e.ObjectNew.GetFinalizers())
}
