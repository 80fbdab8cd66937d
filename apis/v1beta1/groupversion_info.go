// Package v1beta1 holds the API of provider-lambda: the config kinds, which configure access to AWS, and a managed
// resource for each kind of AWS Lambda resource.
//
// +kubebuilder:object:generate=true
// +groupName=lambda.aws.m.crossplane.io
// +versionName=v1beta1
package v1beta1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

// The group and version of every kind in this package.
const (
	Group      = "lambda.aws.m.crossplane.io"
	APIVersion = "v1beta1"
)

// The kinds of this package: managed resources, and configs.
const (
	AliasKind                        = "Alias"
	CapacityProviderKind             = "CapacityProvider"
	CodeSigningConfigKind            = "CodeSigningConfig"
	EventSourceMappingKind           = "EventSourceMapping"
	FunctionKind                     = "Function"
	FunctionEventInvokeConfigKind    = "FunctionEventInvokeConfig"
	FunctionURLKind                  = "FunctionURL"
	InvocationKind                   = "Invocation"
	LayerVersionKind                 = "LayerVersion"
	LayerVersionPermissionKind       = "LayerVersionPermission"
	PermissionKind                   = "Permission"
	ProvisionedConcurrencyConfigKind = "ProvisionedConcurrencyConfig"
	ResourcePolicyKind               = "ResourcePolicy"
	RuntimeManagementConfigKind      = "RuntimeManagementConfig"
	VersionKind                      = "Version"

	ProviderConfigKind        = "ProviderConfig"
	ClusterProviderConfigKind = "ClusterProviderConfig"
	ProviderConfigUsageKind   = "ProviderConfigUsage"
)

// The same with their group and version.
var (
	AliasGroupVersionKind                        = SchemeGroupVersion.WithKind(AliasKind)
	CapacityProviderGroupVersionKind             = SchemeGroupVersion.WithKind(CapacityProviderKind)
	CodeSigningConfigGroupVersionKind            = SchemeGroupVersion.WithKind(CodeSigningConfigKind)
	EventSourceMappingGroupVersionKind           = SchemeGroupVersion.WithKind(EventSourceMappingKind)
	FunctionGroupVersionKind                     = SchemeGroupVersion.WithKind(FunctionKind)
	FunctionEventInvokeConfigGroupVersionKind    = SchemeGroupVersion.WithKind(FunctionEventInvokeConfigKind)
	FunctionURLGroupVersionKind                  = SchemeGroupVersion.WithKind(FunctionURLKind)
	InvocationGroupVersionKind                   = SchemeGroupVersion.WithKind(InvocationKind)
	LayerVersionGroupVersionKind                 = SchemeGroupVersion.WithKind(LayerVersionKind)
	LayerVersionPermissionGroupVersionKind       = SchemeGroupVersion.WithKind(LayerVersionPermissionKind)
	PermissionGroupVersionKind                   = SchemeGroupVersion.WithKind(PermissionKind)
	ProvisionedConcurrencyConfigGroupVersionKind = SchemeGroupVersion.WithKind(ProvisionedConcurrencyConfigKind)
	ResourcePolicyGroupVersionKind               = SchemeGroupVersion.WithKind(ResourcePolicyKind)
	RuntimeManagementConfigGroupVersionKind      = SchemeGroupVersion.WithKind(RuntimeManagementConfigKind)
	VersionGroupVersionKind                      = SchemeGroupVersion.WithKind(VersionKind)

	ProviderConfigGroupVersionKind        = SchemeGroupVersion.WithKind(ProviderConfigKind)
	ClusterProviderConfigGroupVersionKind = SchemeGroupVersion.WithKind(ClusterProviderConfigKind)
	ProviderConfigUsageGroupVersionKind   = SchemeGroupVersion.WithKind(ProviderConfigUsageKind)
)

var (
	// SchemeGroupVersion is the group and version of every kind in this package.
	SchemeGroupVersion = schema.GroupVersion{Group: Group, Version: APIVersion}

	// SchemeBuilder has the kinds of this package.
	SchemeBuilder = &scheme.Builder{GroupVersion: SchemeGroupVersion}

	// AddToScheme adds every kind of this package to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)

func init() {
	SchemeBuilder.Register(
		&Alias{}, &AliasList{},
		&CapacityProvider{}, &CapacityProviderList{},
		&CodeSigningConfig{}, &CodeSigningConfigList{},
		&EventSourceMapping{}, &EventSourceMappingList{},
		&Function{}, &FunctionList{},
		&FunctionEventInvokeConfig{}, &FunctionEventInvokeConfigList{},
		&FunctionURL{}, &FunctionURLList{},
		&Invocation{}, &InvocationList{},
		&LayerVersion{}, &LayerVersionList{},
		&LayerVersionPermission{}, &LayerVersionPermissionList{},
		&Permission{}, &PermissionList{},
		&ProvisionedConcurrencyConfig{}, &ProvisionedConcurrencyConfigList{},
		&ResourcePolicy{}, &ResourcePolicyList{},
		&RuntimeManagementConfig{}, &RuntimeManagementConfigList{},
		&Version{}, &VersionList{},
		&ProviderConfig{}, &ProviderConfigList{},
		&ClusterProviderConfig{}, &ClusterProviderConfigList{},
		&ProviderConfigUsage{}, &ProviderConfigUsageList{},
	)
}
