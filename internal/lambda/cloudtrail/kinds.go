package cloudtrail

import (
	"slices"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// concerned has the kinds of managed resources that an operation may change. An operation that is not listed may
// change all: the deletion of a function deletes what belongs to it.
var concerned = map[string][]string{
	"UpdateFunctionCode":              {v1beta1.FunctionKind, v1beta1.VersionKind},
	"UpdateFunctionConfiguration":     {v1beta1.FunctionKind, v1beta1.VersionKind},
	"PutFunctionConcurrency":          {v1beta1.FunctionKind},
	"DeleteFunctionConcurrency":       {v1beta1.FunctionKind},
	"PutFunctionCodeSigningConfig":    {v1beta1.FunctionKind},
	"DeleteFunctionCodeSigningConfig": {v1beta1.FunctionKind},
	"PutFunctionRecursionConfig":      {v1beta1.FunctionKind},
	"PutFunctionScalingConfig":        {v1beta1.FunctionKind},
	"PublishVersion":                  {v1beta1.FunctionKind, v1beta1.VersionKind},

	"TagResource": {
		v1beta1.FunctionKind, v1beta1.EventSourceMappingKind, v1beta1.CodeSigningConfigKind,
		v1beta1.CapacityProviderKind,
	},
	"UntagResource": {
		v1beta1.FunctionKind, v1beta1.EventSourceMappingKind, v1beta1.CodeSigningConfigKind,
		v1beta1.CapacityProviderKind,
	},

	"CreateAlias": {v1beta1.AliasKind},
	"UpdateAlias": {v1beta1.AliasKind},

	"AddPermission":        {v1beta1.PermissionKind, v1beta1.ResourcePolicyKind},
	"RemovePermission":     {v1beta1.PermissionKind, v1beta1.ResourcePolicyKind},
	"PutResourcePolicy":    {v1beta1.PermissionKind, v1beta1.ResourcePolicyKind},
	"DeleteResourcePolicy": {v1beta1.PermissionKind, v1beta1.ResourcePolicyKind},

	"CreateFunctionUrlConfig": {v1beta1.FunctionURLKind},
	"UpdateFunctionUrlConfig": {v1beta1.FunctionURLKind},
	"DeleteFunctionUrlConfig": {v1beta1.FunctionURLKind},

	"PutFunctionEventInvokeConfig":    {v1beta1.FunctionEventInvokeConfigKind},
	"UpdateFunctionEventInvokeConfig": {v1beta1.FunctionEventInvokeConfigKind},
	"DeleteFunctionEventInvokeConfig": {v1beta1.FunctionEventInvokeConfigKind},

	"PutProvisionedConcurrencyConfig":    {v1beta1.ProvisionedConcurrencyConfigKind},
	"DeleteProvisionedConcurrencyConfig": {v1beta1.ProvisionedConcurrencyConfigKind},

	"PutRuntimeManagementConfig": {v1beta1.RuntimeManagementConfigKind},

	"CreateEventSourceMapping": {v1beta1.EventSourceMappingKind},
	"UpdateEventSourceMapping": {v1beta1.EventSourceMappingKind},
	"DeleteEventSourceMapping": {v1beta1.EventSourceMappingKind},

	"PublishLayerVersion": {v1beta1.LayerVersionKind},

	"AddLayerVersionPermission":    {v1beta1.LayerVersionPermissionKind},
	"RemoveLayerVersionPermission": {v1beta1.LayerVersionPermissionKind},

	"UpdateCodeSigningConfig": {v1beta1.CodeSigningConfigKind},
	"UpdateCapacityProvider":  {v1beta1.CapacityProviderKind},
}

// Concerns reports whether an operation may change what a kind of managed resource manages.
func Concerns(operation, kind string) bool {
	kinds, known := concerned[operation]
	return !known || slices.Contains(kinds, kind)
}
