package kube

import (
	"context"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type readingKey struct{}

// WithRead has every Get of this object, within the context, return a copy of it.
// One reconcile so sees one and the same object from its first decision to its
// last, and its status is compared with this one before it is written.
func WithRead(ctx context.Context, obj client.Object) context.Context {
	return context.WithValue(ctx, readingKey{}, obj)
}

// reading is the object of that name that the context carries, or nil.
func reading(ctx context.Context, key types.NamespacedName) client.Object {
	obj, ok := ctx.Value(readingKey{}).(client.Object)
	if !ok || client.ObjectKeyFromObject(obj) != key {
		return nil
	}
	return obj
}

// Read is the object of that name that the context carries, as it was read. It is nil
// where there is none, and not to be changed.
func Read(ctx context.Context, key types.NamespacedName) client.Object { return reading(ctx, key) }

// assign sets *to = *from. Both are pointers to the same type of struct.
func assign(to client.Object, from runtime.Object) {
	reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from).Elem())
}

// empty an object: what is decoded into one leaves in it what it does not have itself.
func empty(obj client.Object) { reflect.ValueOf(obj).Elem().SetZero() }

// takeMetadata takes over what the API server says of an object's metadata, and
// leaves spec and status as they are in memory.
func takeMetadata(to, from client.Object) {
	to.SetResourceVersion(from.GetResourceVersion())
	to.SetGeneration(from.GetGeneration())
	to.SetAnnotations(from.GetAnnotations())
	to.SetLabels(from.GetLabels())
	to.SetFinalizers(from.GetFinalizers())
	to.SetOwnerReferences(from.GetOwnerReferences())
	to.SetDeletionTimestamp(from.GetDeletionTimestamp())
	to.SetManagedFields(from.GetManagedFields())
}
