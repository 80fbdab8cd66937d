package watch

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// objectIndex is the field index from a resource to the Secrets and ConfigMaps that its spec refers to.
const objectIndex = "spec.objectRefs"

// Fields enqueues a resource when a field of another object that it refers to changes, if
// the provider may watch that object.
func Fields(
	k reconcile.UntypedKind, r *refs.FieldReader, b *builder.TypedBuilder[ctrl.Request],
	markChanged func(name client.ObjectKey, by string),
) {
	b.WatchesRawSource(source.Func(func(_ context.Context, q Queue) error {
		r.Subscribe(k.GVK.Kind, func(name types.NamespacedName, by string) {
			markChanged(name, by)
			q.Add(ctrl.Request{NamespacedName: name})
		})
		return nil
	}))
}

// objectsOf returns the Secrets and ConfigMaps that the spec of a resource refers to, by
// dedicated fields or by field selectors.
func objectsOf(k reconcile.UntypedKind, mg reconcile.Managed) []refs.ObjectRef {
	return slices.Concat(reconcile.Values(k.Refs, mg), refs.Refs(mg.GetNamespace(), reconcile.Values(k.Fields, mg)))
}

// kindsOf returns the kinds of the objects that resources of a kind may refer to.
func kindsOf(k reconcile.UntypedKind) []refs.ObjectKind {
	if k.Refs == nil {
		return []refs.ObjectKind{refs.ConfigMap}
	}
	return []refs.ObjectKind{refs.Secret, refs.ConfigMap}
}

// Objects enqueues a resource when a Secret or ConfigMap that it refers to changes. It only
// watches the metadata of Secrets and ConfigMaps.
func Objects(
	mgr ctrl.Manager, objects *refs.ObjectReader, k reconcile.UntypedKind, b *builder.TypedBuilder[ctrl.Request],
	markChanged func(name client.ObjectKey, by string),
) error {
	if err := index(mgr, k, objectIndex, func(mg reconcile.Managed) (keys []string) {
		for _, ref := range objectsOf(k, mg) {
			keys = append(keys, ref.String())
		}
		return keys
	}); err != nil {
		return err
	}
	users := dependents(mgr.GetCache(), k, objectIndex, markChanged)
	for _, kind := range kindsOf(k) {
		b.WatchesMetadata(refs.Metadata(kind), handler.EnqueueRequestsFromMapFunc(objectRequests(users, kind,
			objects.Forget)), builder.WithPredicates(objectChanged()))
	}
	return nil
}
