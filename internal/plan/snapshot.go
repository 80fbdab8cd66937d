package plan

import (
	"context"
	"fmt"
	"reflect"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// snapshot reads each object and each list of the cluster once: a plan reconciles a resource many times, and each of
// them finds the cluster as it was at first.
type snapshot struct {
	cluster client.Reader
	read    map[string]answer
}

// An answer is an object or a list of the cluster, or the error that there is none.
type answer struct {
	object runtime.Object
	err    error
}

// Get reads an object.
func (s *snapshot) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	return s.once(fmt.Sprint(key), obj, func() error { return s.cluster.Get(ctx, key, obj, opts...) })
}

// List lists the objects that options select.
func (s *snapshot) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	by := client.ListOptions{}
	by.ApplyOptions(opts)
	key := fmt.Sprint(by.Namespace, "?", by.LabelSelector, "?", by.FieldSelector)
	return s.once(key, list, func() error { return s.cluster.List(ctx, list, opts...) })
}

// once reads into an object or a list, or copies what was read before into it. Errors after which another read may
// succeed are not kept.
func (s *snapshot) once(key string, into runtime.Object, read func() error) error {
	key = fmt.Sprintf("%T %s %s", into, into.GetObjectKind().GroupVersionKind(), key)
	kept, known := s.read[key]
	if !known {
		kept.err = read()
		kept.object = into.DeepCopyObject()
		if kept.err == nil || kerrors.IsNotFound(kept.err) {
			s.read[key] = kept
		}
		return kept.err
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(kept.object.DeepCopyObject()).Elem())
	return kept.err
}
