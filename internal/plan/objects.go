package plan

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// objects are the objects of a plan before those of the cluster, as a client that only reads. Everything else fails
// with a nil pointer.
type objects struct {
	client.Client

	scheme  *runtime.Scheme
	cluster client.Reader // Nil if there is none.
	byKey   map[objectKey]client.Object

	// planned are the objects after the plan, if these are those before it.
	planned *objects
}

type objectKey struct {
	kind schema.GroupKind
	name types.NamespacedName
}

func newObjects(scheme *runtime.Scheme, cluster client.Reader) *objects {
	return &objects{scheme: scheme, cluster: cluster, byKey: map[objectKey]client.Object{}}
}

// Scheme returns the scheme of all objects.
func (o *objects) Scheme() *runtime.Scheme { return o.scheme }

func (o *objects) put(obj client.Object) {
	gvk, err := apiutil.GVKForObject(obj, o.scheme)
	if err != nil {
		return // It is of a kind that nothing reads.
	}
	o.byKey[objectKey{gvk.GroupKind(), client.ObjectKeyFromObject(obj)}] = obj
}

func (o *objects) has(kind schema.GroupKind, name types.NamespacedName) bool {
	return o.byKey[objectKey{kind, name}] != nil
}

// Get reads an object of the plan, or else of the cluster.
func (o *objects) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	gvk, err := apiutil.GVKForObject(obj, o.scheme)
	if err != nil {
		return err
	}
	if planned := o.byKey[objectKey{gvk.GroupKind(), key}]; planned != nil {
		return assign(obj, planned)
	}
	absent := kerrors.NewNotFound(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, key.String())
	if o.cluster == nil {
		return absent
	}
	err = o.cluster.Get(ctx, key, obj, opts...)
	_, field := obj.(*unstructured.Unstructured)
	if field && kerrors.IsForbidden(err) && o.planned != nil && o.planned.has(gvk.GroupKind(), key) {
		return absent // What its fields were is not known.
	}
	return err
}

// List lists the objects of the plan, and those of the cluster that are not part of it.
func (o *objects) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	gvk, err := apiutil.GVKForObject(list, o.scheme)
	if err != nil {
		return err
	}
	kind := schema.GroupKind{Group: gvk.Group, Kind: gvk.Kind[:len(gvk.Kind)-len("List")]}
	var all []runtime.Object
	if o.cluster != nil {
		if err := o.cluster.List(ctx, list, opts...); err != nil && !kmeta.IsNoMatchError(err) {
			return err
		}
		items, err := kmeta.ExtractList(list)
		if err != nil {
			return err
		}
		for _, item := range items {
			if obj, ok := item.(client.Object); ok && !o.has(kind, client.ObjectKeyFromObject(obj)) {
				all = append(all, obj)
			}
		}
	}
	return kmeta.SetList(list, append(all, o.selected(kind, opts)...))
}

// selected returns copies of the objects of a kind that options select, in order.
func (o *objects) selected(kind schema.GroupKind, opts []client.ListOption) []runtime.Object {
	by := client.ListOptions{}
	by.ApplyOptions(opts)
	var out []runtime.Object
	byName := func(a, b objectKey) int {
		return cmp.Or(cmp.Compare(a.name.Namespace, b.name.Namespace), cmp.Compare(a.name.Name, b.name.Name))
	}
	for _, k := range slices.SortedFunc(maps.Keys(o.byKey), byName) {
		obj := o.byKey[k]
		if k.kind == kind && (by.Namespace == "" || by.Namespace == k.name.Namespace) &&
			(by.LabelSelector == nil || by.LabelSelector.Matches(labels.Set(obj.GetLabels()))) {
			out = append(out, obj.DeepCopyObject())
		}
	}
	return out
}

// assign copies an object into another one of the same type, or its metadata.
func assign(to, from client.Object) error {
	switch out := to.(type) {
	case *metav1.PartialObjectMetadata:
		copied, err := kmeta.Accessor(from.DeepCopyObject())
		if err != nil {
			return err
		}
		out.ObjectMeta = kmeta.AsPartialObjectMetadata(copied).ObjectMeta
		if out.ResourceVersion == "" {
			out.ResourceVersion = "planned" // What is read is cached by it.
		}
		return nil
	case *unstructured.Unstructured:
		m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(from.DeepCopyObject())
		gvk := out.GroupVersionKind()
		out.Object = m
		out.SetGroupVersionKind(gvk)
		return err
	}
	if u, ok := from.(*unstructured.Unstructured); ok {
		return runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, to)
	}
	reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from.DeepCopyObject()).Elem())
	return nil
}

// withData returns a Secret whose stringData is part of its data, as the API server does it.
func withData(obj client.Object) client.Object {
	s, ok := obj.(*corev1.Secret)
	if !ok || len(s.StringData) == 0 {
		return obj
	}
	s = s.DeepCopy()
	if s.Data == nil {
		s.Data = map[string][]byte{}
	}
	for k, v := range s.StringData {
		s.Data[k] = []byte(v)
	}
	s.StringData = nil
	return s
}

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
