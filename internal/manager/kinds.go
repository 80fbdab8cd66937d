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

// setupKinds adds the controller of each kind: if there is a gate, as soon as the cluster has the kind and the
// ProviderConfig kinds that it refers to.
func setupKinds(mgr ctrl.Manager, o engine.Options) error {
	for gvk, setup := range kinds {
		add := func() error {
			return errors.Wrapf(setup(mgr, o), "cannot set up the controller of %s", gvk.Kind)
		}
		if o.Gate == nil {
			if err := add(); err != nil {
				return err
			}
			continue
		}
		o.Gate.Register(func() {
			if err := add(); err != nil {
				watch.Stop(mgr, err)
			}
		}, gvk, v1beta1.ProviderConfigGroupVersionKind, v1beta1.ClusterProviderConfigGroupVersionKind,
			v1beta1.ProviderConfigUsageGroupVersionKind)
	}
	return nil
}
