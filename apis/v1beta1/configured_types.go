package v1beta1

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// A ConfiguredFunction is the function that a resource configures, and where it lives.
type ConfiguredFunction struct {
	// Region is the AWS region of the function, such as eu-central-1. It can't be changed.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]{2,}(-[a-z]+)+-[0-9]+$')",message="region is not an AWS region name: use one such as eu-central-1"
	// +kubebuilder:validation:XValidation:rule="!self.matches('(^|-)(fips|dualstack)(-|$)')",message="region names an endpoint, not a region: use the region itself, such as eu-central-1, and set useFIPSEndpoint or useDualStackEndpoint in the provider config"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",reason="FieldValueForbidden",message="region can't be changed: create another resource in the other region"
	Region string `json:"region"`

	// FunctionName is the name of the function, 1 to 64 characters, without account, region or version. It can't be
	// changed. Required, unless functionNameRef or functionNameSelector is set.
	// +optional
	// +crossplane:generate:reference:type=Function
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9_-]+$')",message="functionName must be the plain name of a function: use letters, digits, hyphens and underscores, without an ARN or a version"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",reason="FieldValueForbidden",message="functionName can't be changed: create another resource for the other function"
	FunctionName *string `json:"functionName,omitempty"`

	// FunctionNameRef names the Function.
	// +optional
	FunctionNameRef *xpv2.NamespacedReference `json:"functionNameRef,omitempty"`

	// FunctionNameSelector selects the Function.
	// +optional
	FunctionNameSelector *xpv2.NamespacedSelector `json:"functionNameSelector,omitempty"`
}
