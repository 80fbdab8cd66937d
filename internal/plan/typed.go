package plan

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Typed returns an object as its own type, or as it is if the scheme does not have its kind. It returns an error if the
// object does not fit its type.
func Typed(scheme *runtime.Scheme, u *unstructured.Unstructured) (client.Object, error) {
	gvk := u.GroupVersionKind()
	if !scheme.Recognizes(gvk) {
		return u, nil
	}
	obj, err := scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	out, ok := obj.(client.Object)
	if !ok {
		return u, nil
	}
	return out, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, out)
}
