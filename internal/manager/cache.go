package manager

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/customresourcesgate"

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
			&apiextensionsv1.CustomResourceDefinition{}: {Transform: customresourcesgate.TransformStripCRDSchema},
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
