package refs

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// ObjectIndex is the name of the field index from a resource to the objects that its spec refers to.
const ObjectIndex = "spec.objectRefs"

// ObjectKeys returns the index keys of a resource that refers to these objects.
func ObjectKeys(refs []ObjectRef) []string {
	keys := make([]string, 0, len(refs))
	for _, r := range refs {
		keys = append(keys, r.String())
	}
	return keys
}

// Changed selects objects that are created, changed or deleted. It drops resyncs, and the objects that exist when the
// watch starts, because every resource is reconciled at the start anyway.
func Changed() predicate.Predicate {
	return predicate.And(NotInitial(), predicate.ResourceVersionChangedPredicate{})
}

// NotInitial drops the objects that exist when the watch starts.
func NotInitial() predicate.Predicate {
	return predicate.Funcs{CreateFunc: func(e event.CreateEvent) bool { return !e.IsInInitialList }}
}

// Dependents finds the resources that depend on an object, because they refer to it, by a field index.
type Dependents struct {
	// Resources lists the resources.
	Resources client.Reader

	// NewList returns an empty list of the resources.
	NewList func() client.ObjectList

	// Index is the name of the field index.
	Index string

	// Changed is called with each resource found, and with what has changed, such as "Secret db".
	Changed func(name types.NamespacedName, by string)
}

// Requests returns a request for each resource that has one of the keys in the field index and for which only returns
// true. A nil only selects all. It logs an error if it cannot list resources: their next poll reads the object.
func (d Dependents) Requests(ctx context.Context, by string, only func(client.Object) bool,
	keys ...string,
) []reconcile.Request {
	var requests []reconcile.Request
	for _, key := range keys {
		list := d.NewList()
		if err := d.Resources.List(ctx, list, client.MatchingFields{d.Index: key},
			client.UnsafeDisableDeepCopy); err != nil {
			log.FromContext(ctx).Error(err, "cannot list the resources that refer to an object", "object", key)
			continue
		}
		// The function returns no error, so neither does the loop.
		_ = meta.EachListItem(list, func(o runtime.Object) error {
			if obj, ok := o.(client.Object); ok && (only == nil || only(obj)) {
				name := client.ObjectKeyFromObject(obj)
				d.Changed(name, by)
				requests = append(requests, reconcile.Request{NamespacedName: name})
			}
			return nil
		})
	}
	return requests
}

// RequestsFor maps an object of a kind to the resources that refer to it, by Index.
// It calls forget first, so that the object is read again.
func (d Dependents) RequestsFor(kind ObjectKind, forget func(ObjectRef)) handler.MapFunc {
	return func(ctx context.Context, o client.Object) []reconcile.Request {
		ref := ObjectRef{Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName()}
		forget(ref)
		return d.Requests(ctx, fmt.Sprintf("%s %s", kind, o.GetName()), nil, ref.String())
	}
}
