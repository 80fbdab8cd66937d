// Package controller has the kinds of managed resources.
package controller

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"

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
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// Kinds maps the managed kinds to the functions that define them.
var Kinds = map[schema.GroupVersionKind]func(ctrl.Manager, engine.Options) reconcile.UntypedKind{
	v1beta1.AliasGroupVersionKind:                        alias.Define,
	v1beta1.CapacityProviderGroupVersionKind:             capacityprovider.Define,
	v1beta1.CodeSigningConfigGroupVersionKind:            codesigningconfig.Define,
	v1beta1.EventSourceMappingGroupVersionKind:           eventsourcemapping.Define,
	v1beta1.FunctionEventInvokeConfigGroupVersionKind:    functioneventinvokeconfig.Define,
	v1beta1.FunctionGroupVersionKind:                     function.Define,
	v1beta1.FunctionURLGroupVersionKind:                  functionurl.Define,
	v1beta1.InvocationGroupVersionKind:                   invocation.Define,
	v1beta1.LayerVersionGroupVersionKind:                 layerversion.Define,
	v1beta1.LayerVersionPermissionGroupVersionKind:       layerversionpermission.Define,
	v1beta1.PermissionGroupVersionKind:                   permission.Define,
	v1beta1.ProvisionedConcurrencyConfigGroupVersionKind: provisionedconcurrencyconfig.Define,
	v1beta1.ResourcePolicyGroupVersionKind:               resourcepolicy.Define,
	v1beta1.RuntimeManagementConfigGroupVersionKind:      runtimemanagementconfig.Define,
	v1beta1.VersionGroupVersionKind:                      version.Define,
}
