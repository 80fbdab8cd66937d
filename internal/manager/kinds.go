package manager

import (
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/watch"
)

// kinds are the kinds whose controllers are set up.
var kinds = controller.Kinds

func setupKinds(mgr ctrl.Manager, o engine.Options) error {
	for gvk, setup := range kinds {
		if err := setup(mgr, o); err != nil {
			return errors.Wrapf(err, "cannot set up the controller of %s", gvk.Kind)
		}
	}
	return nil
}

// setupKindsGated adds the controller of each kind as soon as the cluster has the kind and
// the ProviderConfig kinds that it refers to.
func setupKindsGated(mgr ctrl.Manager, o engine.Options) error {
	for gvk, setup := range kinds {
		o.Gate.Register(func() {
			if err := setup(mgr, o); err != nil {
				watch.Stop(mgr, errors.Wrapf(err, "cannot set up the controller of %s", gvk.Kind))
			}
		}, gvk, v1beta1.ProviderConfigGroupVersionKind, v1beta1.ClusterProviderConfigGroupVersionKind,
			v1beta1.ProviderConfigUsageGroupVersionKind)
	}
	return nil
}
