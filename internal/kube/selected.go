package kube

import (
	"context"
	"reflect"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

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

// empty sets an object to its zero value, because decoding into an object keeps fields that the answer lacks.
func empty(obj client.Object) { reflect.ValueOf(obj).Elem().SetZero() }
