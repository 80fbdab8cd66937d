package watch

import (
	"context"
	"fmt"

	kmeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// index adds a field index of the resources of a kind to the cache of a manager.
func index(mgr ctrl.Manager, k reconcile.UntypedKind, name string, keys func(reconcile.Managed) []string) error {
	return mgr.GetFieldIndexer().IndexField(context.Background(), k.New(), name, func(obj client.Object) []string {
		return keys(obj.(reconcile.Managed)) //nolint:forcetypeassert // An index has objects of its kind alone.
	})
}

// each calls a function with each object of a list that has a key in an index. The function must not change it.
func each(
	ctx context.Context, from client.Reader, list client.ObjectList, index, key string, do func(client.Object),
) error {
	if err := from.List(ctx, list, client.MatchingFields{index: key}, client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	return kmeta.EachListItem(list, func(o runtime.Object) error {
		do(o.(client.Object)) //nolint:forcetypeassert // The items of a list of objects are objects.
		return nil
	})
}

// Dependents finds the resources of a kind that depend on an object, because they refer to it, by a field index.
type Dependents struct {
	// Resources lists the resources.
	Resources client.Reader

	// NewList returns an empty list of the resources.
	NewList func() client.ObjectList

	// Index is the name of the field index.
	Index string

	// Changed is called with each resource found, and with what has changed, such as "Secret db".
	Changed func(name client.ObjectKey, by string)
}

func dependents(
	resources client.Reader, k reconcile.UntypedKind, index string, changed func(name client.ObjectKey, by string),
) Dependents {
	return Dependents{
		Resources: resources, NewList: func() client.ObjectList { return k.NewList() }, Index: index, Changed: changed,
	}
}

// requests returns a request for each resource that has one of the keys in the field index and for which only returns
// true. A nil only selects all. It logs an error if it cannot list resources: their next poll reads the object.
func (d Dependents) requests(
	ctx context.Context, by string, only func(client.Object) bool, keys ...string,
) []ctrl.Request {
	var requests []ctrl.Request
	for _, key := range keys {
		if err := each(ctx, d.Resources, d.NewList(), d.Index, key, func(o client.Object) {
			if only == nil || only(o) {
				name := client.ObjectKeyFromObject(o)
				d.Changed(name, by)
				requests = append(requests, ctrl.Request{NamespacedName: name})
			}
		}); err != nil {
			log.FromContext(ctx).Error(err, "cannot list the resources that refer to an object", "object", key)
		}
	}
	return requests
}

// objectRequests maps a Secret or a ConfigMap to the resources that refer to it. It calls forget first, so that the
// object is read again.
func objectRequests(users Dependents, kind refs.ObjectKind, forget func(refs.ObjectRef)) handler.MapFunc {
	return func(ctx context.Context, o client.Object) []ctrl.Request {
		ref := refs.ObjectRef{Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName()}
		forget(ref)
		return users.requests(ctx, fmt.Sprintf("%s %s", kind, o.GetName()), nil, ref.String())
	}
}
