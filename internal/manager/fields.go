package manager

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/kube"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
)

func (o *Options) addFields(mgr ctrl.Manager, configMaps refs.Objects) (*refs.FieldReader, error) {
	d, err := dynamic.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a client of any kind")
	}
	r := refs.NewFieldReader(refs.FieldReaderOptions{
		Live:       mgr.GetAPIReader(),
		ConfigMaps: configMaps,
		Mapper:     mgr.GetRESTMapper(),
		Dynamic:    d,
		MayWatch: func(ctx context.Context, resource schema.GroupVersionResource, namespace string) (bool, error) {
			return kube.May(ctx, mgr.GetClient(), resource.GroupResource(), namespace, "list", "watch")
		},
		Namespaces: o.Namespaces,
		Clock:      clock.RealClock{},
		Log:        o.Logger,
	})
	return r, errors.Wrap(mgr.Add(r), "cannot add the watches of other providers' objects")
}
