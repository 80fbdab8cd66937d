package refs

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// Refs returns the ConfigMaps among the selected objects of a namespace. They are not watched
// here, because that would transfer all ConfigMaps of the cluster: the existing watch of their
// metadata reports changes, and their data is read one by one.
func Refs(namespace string, selectors []v1beta1.FieldSelector) []ObjectRef {
	var refs []ObjectRef
	for _, s := range selectors {
		// Get rejects other spellings.
		if gv, err := schema.ParseGroupVersion(s.APIVersion); err == nil && gv.Group == "" &&
			s.Kind == string(ConfigMap) {
			refs = append(refs, ObjectRef{Kind: ConfigMap, Namespace: namespace, Name: s.Name})
		}
	}
	return refs
}

// unwatched reports whether objects of a kind are read one by one even if the provider may
// watch them: Kubernetes' core objects are too many.
func unwatched(kind schema.GroupVersionKind) bool { return kind.Group == "" }

func (r *FieldReader) configMap(ctx context.Context, obj Object, path string) (string, error) {
	data, err := r.o.ConfigMaps.Get(ctx, ObjectRef{Kind: ConfigMap, Namespace: obj.Namespace, Name: obj.Name})
	if IsMissing(err) {
		return given(value{}, obj, path)
	}
	if err != nil {
		return "", errors.Wrapf(err, "cannot read %s", obj)
	}
	texts := make(map[string]any, len(data))
	for k, v := range data {
		texts[k] = string(v)
	}
	u := &unstructured.Unstructured{Object: map[string]any{"data": texts}}
	return given(value{exists: true, text: text(u, path)}, obj, path)
}
