package manager

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/customresourcesgate"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/config"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/objects"
)

// cacheOptions keep in memory what the controllers look at, and no more. Of Secrets
// and ConfigMaps that is their names and versions: a cluster may have many of them.
func (o *Options) cacheOptions() cache.Options {
	out := cache.Options{
		DefaultTransform: cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{
			&apiextensionsv1.CustomResourceDefinition{}: {Transform: customresourcesgate.TransformStripCRDSchema},
			&corev1.Secret{}:    {Transform: nameAndVersion},
			&corev1.ConfigMap{}: {Transform: nameAndVersion},
		},
	}
	if o.SyncPeriod > 0 {
		out.SyncPeriod = ptr.To(o.SyncPeriod)
	}
	for _, ns := range o.Namespaces {
		if out.DefaultNamespaces == nil {
			out.DefaultNamespaces = map[string]cache.Config{}
		}
		out.DefaultNamespaces[ns] = cache.Config{}
	}
	return out
}

// nameAndVersion is all that stays of an object of which only the metadata is watched.
func nameAndVersion(in any) (any, error) {
	if m, ok := in.(*metav1.PartialObjectMetadata); ok {
		m.ObjectMeta = metav1.ObjectMeta{Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion}
	}
	return in, nil
}

// secretsOf reads Secrets with credentials as it does those that specs refer to: from
// the API server when they have changed, so that a reconcile costs no request. Those
// outside of the namespaces that are watched, such as a ClusterProviderConfig's, are
// read each time.
func (o *Options) secretsOf(r *objects.Reader, live client.Reader) config.Secrets {
	unwatched := config.LiveSecrets(live)
	return config.SecretsFunc(func(ctx context.Context, name types.NamespacedName) (map[string][]byte, error) {
		if len(o.Namespaces) > 0 && !slices.Contains(o.Namespaces, name.Namespace) {
			return unwatched.Secret(ctx, name)
		}
		d, err := r.Get(ctx, objects.Ref{Kind: objects.Secret, Namespace: name.Namespace, Name: name.Name})
		if objects.IsMissing(err) {
			return nil, kerrors.NewNotFound(corev1.Resource("secrets"), name.Name)
		}
		return d, err
	})
}
