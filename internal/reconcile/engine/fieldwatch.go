package engine

import (
	"context"
	"slices"

	ctrl "sigs.k8s.io/controller-runtime"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// watchFields enqueues a resource when a field of another object that it refers to changes, if
// the provider may watch that object.
func watchFields[T reconcile.Managed](k reconcile.Kind[T], r *refs.FieldReader, b *builder.TypedBuilder[ctrl.Request], markChanged func(name client.ObjectKey, by string)) {
	b.WatchesRawSource(source.Func(func(_ context.Context, q queue) error {
		r.Subscribe(k.GVK.Kind, func(name types.NamespacedName, by string) {
			markChanged(name, by)
			q.Add(ctrl.Request{NamespacedName: name})
		})
		return nil
	}))
}

// objectsOf returns the Secrets and ConfigMaps that the spec of a resource refers to, by
// dedicated fields or by field selectors.
func objectsOf[T reconcile.Managed](k reconcile.Kind[T], mg T) []refs.ObjectRef {
	var all []refs.ObjectRef
	if k.Refs != nil {
		all = k.Refs(mg)
	}
	if k.Fields != nil {
		all = append(slices.Clone(all), refs.Refs(mg.GetNamespace(), k.Fields(mg))...)
	}
	return all
}

// kindsOf returns the kinds of the objects that resources of a kind may refer to.
func kindsOf[T reconcile.Managed](k reconcile.Kind[T]) []refs.ObjectKind {
	if k.Refs == nil {
		return []refs.ObjectKind{refs.ConfigMap}
	}
	return []refs.ObjectKind{refs.Secret, refs.ConfigMap}
}

// registerFields registers the fields that a resource refers to with the field reader, which
// only watches those. It returns a context in which fields are read for this resource.
func (r *reconciler[T]) registerFields(ctx context.Context, mg T) context.Context {
	if r.kind.Fields == nil {
		return ctx
	}
	u := r.user(client.ObjectKeyFromObject(mg))
	r.fields.Refer(u, r.kind.Fields(mg))
	return refs.WithUser(ctx, u)
}

func (r *reconciler[T]) user(name types.NamespacedName) refs.User {
	return refs.User{Kind: r.kind.GVK.Kind, NamespacedName: name}
}
