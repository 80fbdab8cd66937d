package managed

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/crossplane-contrib/provider-lambda/internal/managed/fields"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/objects"
)

// watchFields has a resource reconciled when a field of another object that it
// refers to changes, where the provider may watch that.
func watchFields[T Managed](k Kind[T], r *fields.Reader, b *builder.TypedBuilder[reconcile.Request], markChanged func(name client.ObjectKey, by string)) {
	b.WatchesRawSource(source.Func(func(_ context.Context, q queue) error {
		r.Subscribe(k.GVK.Kind, func(name types.NamespacedName, by string) {
			markChanged(name, by)
			q.Add(reconcile.Request{NamespacedName: name})
		})
		return nil
	}))
}

// objectsOf are the Secrets and ConfigMaps that the spec of a resource refers to, by fields of
// their own or by selectors of fields.
func objectsOf[T Managed](k Kind[T], mg T) []objects.Ref {
	var all []objects.Ref
	if k.Refs != nil {
		all = k.Refs(mg)
	}
	if k.Fields != nil {
		all = append(slices.Clone(all), fields.Refs(mg.GetNamespace(), k.Fields(mg))...)
	}
	return all
}

// kindsOf are the kinds of those objects.
func kindsOf[T Managed](k Kind[T]) []objects.Kind {
	if k.Refs == nil {
		return []objects.Kind{objects.ConfigMap}
	}
	return []objects.Kind{objects.Secret, objects.ConfigMap}
}

// registerFields tells the reader of fields what a resource refers to, since only that is
// watched, and for whom fields are read in this reconcile.
func (r *reconciler[T]) registerFields(ctx context.Context, mg T) context.Context {
	if r.kind.Fields == nil {
		return ctx
	}
	u := r.user(client.ObjectKeyFromObject(mg))
	r.fields.Refer(u, r.kind.Fields(mg))
	return fields.WithUser(ctx, u)
}

func (r *reconciler[T]) user(name types.NamespacedName) fields.User {
	return fields.User{Kind: r.kind.GVK.Kind, NamespacedName: name}
}
