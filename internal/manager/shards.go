package manager

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
)

// selectShard limits a cache to the shard's managed resources. All other kinds are cached as without shards.
func (o *Options) selectShard(s *runtime.Scheme, to *cache.Options) {
	if o.Shard.IsAll() {
		return
	}
	for gvk := range kinds {
		mg := resource.MustCreateObject(gvk, s).(client.Object) //nolint:forcetypeassert // All kinds are.
		to.ByObject[mg] = cache.ByObject{Label: o.Shard.Selector()}
	}
}

// newManager returns a manager with a client that reads nothing from the cache that is older than the API server's
// state when the manager began to lead.
func (o *Options) newManager(cfg *rest.Config, mo ctrl.Options) (ctrl.Manager, error) {
	var reader *kube.CatchUp
	mo.NewClient = o.catchingUp(o.Shard, &reader)
	mgr, err := ctrl.NewManager(cfg, mo)
	if err != nil {
		return nil, err
	}
	reader.From(mgr.Elected())
	return recording(mgr)
}

// catchingUp returns a function that makes a client, which reads the managed resources of a shard from the cache by
// way of a CatchUp.
func (o *Options) catchingUp(shard sharding.Shard, reader **kube.CatchUp) client.NewClientFunc {
	return func(cfg *rest.Config, co client.Options) (client.Client, error) {
		live, err := client.New(cfg, client.Options{HTTPClient: co.HTTPClient, Scheme: co.Scheme, Mapper: co.Mapper})
		if err != nil {
			return nil, err
		}
		*reader = kube.NewCatchUp(co.Cache.Reader, live, co.Scheme, o.Namespaces, decisive(co.Scheme)...)
		(*reader).Select(shard.Selector(), slices.Collect(maps.Keys(kinds))...)
		cached := *co.Cache
		cached.Reader, co.Cache = *reader, &cached
		return client.New(cfg, co)
	}
}

// addAllShards adds caches with the managed resources of all shards, reduced to what references to them and decisions
// about owners depend on. Each is filled when it is first read. It returns nil if this process has all resources.
func (o *Options) addAllShards(mgr ctrl.Manager) (cluster.Cluster, error) {
	if o.Shard.IsAll() {
		return nil, nil //nolint:nilnil // There is no other shard.
	}
	var reader *kube.CatchUp
	all, err := cluster.New(mgr.GetConfig(), func(co *cluster.Options) {
		co.Scheme, co.Logger, co.HTTPClient = mgr.GetScheme(), o.Log, mgr.GetHTTPClient()
		co.Cache = cache.Options{DefaultTransform: reduced, DefaultNamespaces: o.cachedNamespaces()}
		co.Client = client.Options{Cache: &client.CacheOptions{DisableFor: uncached()}}
		co.NewClient = o.catchingUp(sharding.Shard{}, &reader)
	})
	if err != nil {
		return nil, errors.Wrap(err, "cannot make the caches with the resources of other shards")
	}
	reader.From(mgr.Elected())
	return all, errors.Wrap(mgr.Add(all), "cannot add the caches with the resources of other shards")
}

// uncached returns the kinds that are always read live.
func uncached() []client.Object {
	return []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}, &corev1.Namespace{}}
}

// reduced compacts a resource, and drops from it what neither references to it nor decisions about owners depend on.
func reduced(in any) (any, error) {
	in, err := compact(in)
	switch r := in.(type) {
	case *v1beta1.Function:
		if i := r.Spec.InitProvider; i != nil {
			r.Spec.InitProvider = &v1beta1.FunctionSettings{Publish: i.Publish}
		}
		fp, at := r.Spec.ForProvider, r.Status.AtProvider
		r.Spec.ForProvider = v1beta1.FunctionParameters{Regional: fp.Regional}
		r.Spec.ForProvider.Publish = fp.Publish
		r.Status.AtProvider = v1beta1.FunctionObservation{
			FunctionArn:            at.FunctionArn,
			LatestPublishedVersion: at.LatestPublishedVersion,
			DeployedCode:           at.DeployedCode,
			PublishedCode:          at.PublishedCode,
			Initialized:            at.Initialized,
		}
	case *v1beta1.LayerVersion:
		fp := r.Spec.ForProvider
		r.Spec.ForProvider = v1beta1.LayerVersionParameters{Regional: fp.Regional, LayerName: fp.LayerName}
		r.Status.AtProvider = v1beta1.LayerVersionObservation{LayerVersionArn: r.Status.AtProvider.LayerVersionArn}
	}
	return in, err
}
