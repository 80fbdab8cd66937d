package kube

import (
	"context"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type readingKey struct{}

// WithRead returns a context in which every Get of this object returns a copy of it. One reconcile thus uses the same
// object from its first decision to its last, and its status is compared with this object before it is written.
func WithRead(ctx context.Context, obj client.Object) context.Context {
	return context.WithValue(ctx, readingKey{}, obj)
}

// reading returns the object with that key in the context, or nil.
func reading(ctx context.Context, key types.NamespacedName) client.Object {
	obj, ok := ctx.Value(readingKey{}).(client.Object)
	if !ok || client.ObjectKeyFromObject(obj) != key {
		return nil
	}
	return obj
}

// Read returns the object with that key in the context, as it was read, or nil if there is
// none. It must not be changed.
func Read(ctx context.Context, key types.NamespacedName) client.Object { return reading(ctx, key) }

// assign sets *to = *from. Both are pointers to the same type of struct.
func assign(to client.Object, from runtime.Object) {
	reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from).Elem())
}

// empty sets an object to its zero value, because decoding into an object keeps fields that the answer lacks.
func empty(obj client.Object) { reflect.ValueOf(obj).Elem().SetZero() }

// takeMetadata copies the metadata that the API server returned, and leaves spec and status as they are in memory.
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
