package kube

import (
	"context"
	"reflect"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A View is a Client in one reconcile of an object.
type View struct {
	*Client

	read client.Object
	hook StatusHook

	// stored is the status that the API server has, unless another process has written it.
	stored any
}

// View returns a client in which every Get of the object that was read returns a copy of it: one reconcile uses the
// same object from its first decision to its last. The status is completed by the hook, and compared with that object
// before it is written. The object must not be changed.
func (c *Client) View(read client.Object, hook StatusHook) *View {
	return &View{Client: c, read: read, hook: hook, stored: c.storedStatus(read)}
}

// Get gets the object that was read, or another one as Client does.
func (v *View) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if !v.ours(obj) || key != client.ObjectKeyFromObject(v.read) {
		return v.Client.Get(ctx, key, obj, opts...)
	}
	assign(obj, v.read.DeepCopyObject())
	return nil
}

// Status returns a writer of the status subresource.
func (v *View) Status() client.SubResourceWriter {
	return &statusWriter{SubResourceWriter: v.Client.Status(), view: v}
}

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

// Selected reads only the objects that a label selector selects. It is for objects that are read
// live where a cache with the same selector does not have them: an object that has left the
// selection does not exist for this process. A nil selector selects all.
type Selected struct {
	client.Reader

	selector labels.Selector
}

// Get gets an object. It returns an error like that for an object that does not exist if the
// selector does not select it.
func (s Selected) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if err := s.Reader.Get(ctx, key, obj, opts...); err != nil {
		return err
	}
	if s.selector == nil || s.selector.Matches(labels.Set(obj.GetLabels())) {
		return nil
	}
	empty(obj)
	return kerrors.NewNotFound(schema.GroupResource{}, key.Name)
}

// List lists the objects that the selector selects.
func (s Selected) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if s.selector != nil {
		opts = append(opts, client.MatchingLabelsSelector{Selector: s.selector})
	}
	return s.Reader.List(ctx, list, opts...)
}
