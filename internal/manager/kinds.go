package manager

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/alias"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/capacityprovider"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/codesigningconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/eventsourcemapping"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/function"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/functioneventinvokeconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/functionurl"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/invocation"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/layerversion"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/layerversionpermission"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/permission"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/provisionedconcurrencyconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/resourcepolicy"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/runtimemanagementconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/version"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
)

// kinds maps the managed kinds to the functions that set up their controllers.
var kinds = map[schema.GroupVersionKind]func(ctrl.Manager, reconciler.Options) error{
	v1beta1.AliasGroupVersionKind:                        alias.Setup,
	v1beta1.CapacityProviderGroupVersionKind:             capacityprovider.Setup,
	v1beta1.CodeSigningConfigGroupVersionKind:            codesigningconfig.Setup,
	v1beta1.EventSourceMappingGroupVersionKind:           eventsourcemapping.Setup,
	v1beta1.FunctionEventInvokeConfigGroupVersionKind:    functioneventinvokeconfig.Setup,
	v1beta1.FunctionGroupVersionKind:                     function.Setup,
	v1beta1.FunctionURLGroupVersionKind:                  functionurl.Setup,
	v1beta1.InvocationGroupVersionKind:                   invocation.Setup,
	v1beta1.LayerVersionGroupVersionKind:                 layerversion.Setup,
	v1beta1.LayerVersionPermissionGroupVersionKind:       layerversionpermission.Setup,
	v1beta1.PermissionGroupVersionKind:                   permission.Setup,
	v1beta1.ProvisionedConcurrencyConfigGroupVersionKind: provisionedconcurrencyconfig.Setup,
	v1beta1.ResourcePolicyGroupVersionKind:               resourcepolicy.Setup,
	v1beta1.RuntimeManagementConfigGroupVersionKind:      runtimemanagementconfig.Setup,
	v1beta1.VersionGroupVersionKind:                      version.Setup,
}

// setupKinds adds the controllers of all kinds to a manager.
func setupKinds(mgr ctrl.Manager, o reconciler.Options) error {
	for gvk, setup := range kinds {
		if err := setup(mgr, o); err != nil {
			return errors.Wrapf(err, "cannot set up the controller of %s", gvk.Kind)
		}
	}
	return nil
}

// setupKindsGated adds the controller of each kind as soon as the cluster has the kind and
// the ProviderConfig kinds that it refers to.
func setupKindsGated(mgr ctrl.Manager, o reconciler.Options) error {
	for gvk, setup := range kinds {
		o.Gate.Register(func() {
			if err := setup(mgr, o); err != nil {
				reconciler.Stop(mgr, errors.Wrapf(err, "cannot set up the controller of %s", gvk.Kind))
			}
		}, gvk, v1beta1.ProviderConfigGroupVersionKind, v1beta1.ClusterProviderConfigGroupVersionKind, v1beta1.ProviderConfigUsageGroupVersionKind)
	}
	return nil
}
