package watch

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// index adds a field index of the resources of a kind to the cache of a manager.
func index[T reconcile.Managed](mgr ctrl.Manager, k reconcile.Kind[T], name string, keys func(T) []string) error {
	return mgr.GetFieldIndexer().IndexField(context.Background(), k.New(), name, func(obj client.Object) []string {
		mg, ok := obj.(T)
		if !ok {
			return nil
		}
		return keys(mg)
	})
}

// dependents finds the resources of a kind that depend on an object, by a field index.
func dependents[T reconcile.Managed](
	resources client.Reader, k reconcile.Kind[T], index string, changed func(name client.ObjectKey, by string),
) refs.Dependents {
	return refs.Dependents{
		Resources: resources, NewList: func() client.ObjectList { return k.NewList() }, Index: index, Changed: changed,
	}
}
