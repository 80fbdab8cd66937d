package manager

import (
	"context"
	"slices"
	"unique"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/customresourcesgate"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
)

// cacheOptions returns the options of a cache that holds only what the controllers read. Secrets and ConfigMaps are
// cached by name and version alone: a cluster may have many of them.
func (o *Options) cacheOptions() cache.Options {
	out := cache.Options{
		DefaultTransform: compact,
		ByObject: map[client.Object]cache.ByObject{
			&apiextensionsv1.CustomResourceDefinition{}: {Transform: withoutDeletion},
			&corev1.Secret{}:    {Transform: nameAndVersion},
			&corev1.ConfigMap{}: {Transform: nameAndVersion},
		},
	}
	if o.SyncPeriod > 0 {
		out.SyncPeriod = ptr.To(o.SyncPeriod)
	}
	out.DefaultNamespaces = o.cachedNamespaces()
	return out
}

// withoutDeletion strips a CustomResourceDefinition. One that is being deleted waits for its resources, which only
// their controller can delete, but the gate would start no controller for it. So the gate does not see the deletion.
func withoutDeletion(obj any) (any, error) {
	if d, ok := obj.(*apiextensionsv1.CustomResourceDefinition); ok {
		d.DeletionTimestamp = nil
	}
	return customresourcesgate.TransformStripCRDSchema(obj)
}

// cachedNamespaces returns the namespaces of a cache. It returns nil for all.
func (o *Options) cachedNamespaces() map[string]cache.Config {
	if len(o.Namespaces) == 0 {
		return nil
	}
	out := map[string]cache.Config{}
	for _, ns := range o.Namespaces {
		out[ns] = cache.Config{}
	}
	return out
}

// decisive returns the kinds that determine what is called in AWS: all of this provider's kinds except
// ProviderConfigUsages.
func decisive(s *runtime.Scheme) []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for gvk := range s.AllKnownTypes() {
		obj, err := s.New(gvk)
		if _, ok := obj.(client.Object); err == nil && ok && gvk.GroupVersion() == v1beta1.SchemeGroupVersion &&
			gvk.Kind != v1beta1.ProviderConfigUsageKind {
			kinds = append(kinds, gvk)
		}
	}
	return kinds
}

// secretsOf returns a reader of Secrets with credentials that reads from the API server only when they have changed,
// so that a reconcile costs no request. Secrets outside of the watched namespaces, such as a ClusterProviderConfig's,
// are read each time.
func (o *Options) secretsOf(r *refs.ObjectReader, live client.Reader) session.Secrets {
	unwatched := session.LiveSecrets(live)
	return func(ctx context.Context, name types.NamespacedName) (map[string][]byte, error) {
		if len(o.Namespaces) > 0 && !slices.Contains(o.Namespaces, name.Namespace) {
			return unwatched(ctx, name)
		}
		d, err := r.Get(ctx, refs.ObjectRef{Kind: refs.Secret, Namespace: name.Namespace, Name: name.Name})
		if refs.IsMissing(err) {
			return nil, kerrors.NewNotFound(corev1.Resource("secrets"), name.Name)
		}
		return d, err
	}
}

// nameAndVersion strips an object of which only the metadata is watched.
func nameAndVersion(in any) (any, error) {
	if m, ok := in.(*metav1.PartialObjectMetadata); ok {
		m.ObjectMeta = metav1.ObjectMeta{
			Namespace: m.Namespace, Name: m.Name, UID: m.UID,
			ResourceVersion: m.ResourceVersion,
		}
	}
	return in, nil
}

// compact strips an object of its managed fields, and a managed resource of kubectl's copy of its manifest as well.
// Nothing is lost: of a managed resource, the provider only patches the annotations that it sets. What most objects
// have in common is in memory only once.
func compact(in any) (any, error) {
	obj, ok := in.(client.Object)
	if !ok {
		return in, nil // It says that an object was deleted.
	}
	obj.SetManagedFields(nil)
	if _, ok := in.(resource.Managed); ok {
		a := obj.GetAnnotations()
		delete(a, corev1.LastAppliedConfigAnnotation)
		obj.SetAnnotations(a)
	}
	shareMetadata(obj)
	if u, ok := in.(*v1beta1.ProviderConfigUsage); ok {
		shareUsage(u)
	}
	return in, nil
}

// intern returns a string that is equal to s, and the same for all equal ones.
func intern(s string) string { return unique.Make(s).Value() }

// shareMetadata shares the parts of an object's metadata that many objects have.
func shareMetadata(obj client.Object) {
	obj.SetNamespace(intern(obj.GetNamespace()))
	obj.SetLabels(sharedMap(obj.GetLabels(), intern))
	obj.SetAnnotations(sharedMap(obj.GetAnnotations(), func(s string) string { return s }))
	finalizers := obj.GetFinalizers()
	for i := range finalizers {
		finalizers[i] = intern(finalizers[i])
	}
	owners := obj.GetOwnerReferences()
	for i := range owners {
		owners[i].APIVersion, owners[i].Kind = intern(owners[i].APIVersion), intern(owners[i].Kind)
	}
}

// sharedMap returns a map with shared keys, and values as the function returns them.
func sharedMap(m map[string]string, value func(string) string) map[string]string {
	if m == nil {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[intern(k)] = value(v)
	}
	return out
}

// shareUsage shares what a usage has in common with others, and what it repeats of its owner: there are as many usages
// as managed resources.
func shareUsage(u *v1beta1.ProviderConfigUsage) {
	c, r := &u.ProviderConfigReference, &u.ResourceReference
	c.Kind, c.Name = intern(c.Kind), intern(c.Name)
	r.APIVersion, r.Kind = intern(r.APIVersion), intern(r.Kind)
	for i := range u.OwnerReferences {
		o := &u.OwnerReferences[i]
		if o.Name == r.Name {
			o.Name = r.Name
		}
		if string(o.UID) == u.Name {
			o.UID = types.UID(u.Name)
		}
	}
}
