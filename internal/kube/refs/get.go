package refs

import (
	"context"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
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

// Get returns the string at the selected field of an object in the namespace. An error says
// what is missing: the kind, the object, the field, or the permission to read it.
func (r *FieldReader) Get(ctx context.Context, namespace string, s v1beta1.FieldSelector) (string, error) {
	obj, err := parse(namespace, s)
	if err != nil {
		return "", err
	}
	m, sure, err := r.mapping(ctx, obj.Kind)
	if err == nil && m.Resource.GroupResource() == configMapResource && r.o.ConfigMaps != nil {
		return r.configMap(ctx, obj, s.FieldPath)
	}
	user := userOf(ctx)
	if v, known := r.observe(user, obj, s.FieldPath, nil); known {
		return given(v, obj, s.FieldPath)
	}
	v := value{}
	if err == nil {
		v, sure, err = r.read(ctx, obj, m.Resource, s.FieldPath)
	}
	err = errors.Wrapf(err, "cannot read %s", obj)
	if !sure {
		return "", err
	}
	// A watch that has synced meanwhile is newer than what was read.
	if now, known := r.observe(user, obj, s.FieldPath, &v); known {
		return given(now, obj, s.FieldPath)
	}
	if err != nil {
		return "", err
	}
	if r.o.Missing != nil && (v.text == "" || s.FieldPath == flux.View && !flux.HasArtifact(v.text)) {
		if text, ok := r.o.Missing(obj, s.FieldPath); ok {
			return text, nil
		}
	}
	return given(v, obj, s.FieldPath)
}

// parse returns the selected object, or an error if the selector is invalid.
func parse(namespace string, s v1beta1.FieldSelector) (Object, error) {
	gv, err := schema.ParseGroupVersion(s.APIVersion)
	if err != nil {
		return Object{}, errors.Errorf("apiVersion %q is not valid: use one such as iam.aws.m.upbound.io/v1beta1",
			s.APIVersion)
	}
	if _, err := fieldpath.Parse(s.FieldPath); err != nil && s.FieldPath != flux.View {
		return Object{}, errors.Wrapf(err, "fieldPath %q is not valid: use one such as status.atProvider.arn",
			s.FieldPath)
	}
	return Object{Kind: gv.WithKind(s.Kind), Namespace: namespace, Name: s.Name}, nil
}

// observe records the value of a field that a resource uses: the watched one, or else the one
// that was read, if any. It returns the watched value, if there is one. If the object is not
// watched, it enqueues the other users of the field that have another value.
func (r *FieldReader) observe(user User, obj Object, path string, read *value) (value, bool) {
	r.mu.Lock()
	v, known := r.current(obj, path)
	var stale map[User]bool
	switch {
	case known:
		r.uses.notify(user, obj, path, v)
	case read != nil:
		r.uses.notify(user, obj, path, *read)
		stale = r.uses.outdated(obj, func(p string) (value, bool) { return *read, p == path })
	}
	r.mu.Unlock()
	r.enqueueAll(stale, obj.cause())
	return v, known
}

// read reads a field from the API server. sure is false if the error may be temporary. A
// missing object is not an error.
func (r *FieldReader) read(ctx context.Context, obj Object, resource schema.GroupVersionResource, path string) (
	v value, sure bool, err error,
) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(obj.Kind)
	err = r.o.Live.Get(ctx, client.ObjectKey{Namespace: obj.Namespace, Name: obj.Name}, u)
	switch {
	case kerrors.IsNotFound(err):
		return value{}, true, nil
	case kerrors.IsForbidden(err):
		return value{}, true, errors.Errorf("grant the provider's ServiceAccount get, list and watch on %s of API "+
			"group %q", resource.Resource, resource.Group)
	case err != nil:
		return value{}, false, err
	}
	return value{exists: true, text: text(u, path)}, true, nil
}
