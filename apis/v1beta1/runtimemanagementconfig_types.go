package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// RuntimeManagementConfigSettings set when the runtime of a function is updated, as
// PutRuntimeManagementConfig accepts them.
type RuntimeManagementConfigSettings struct {
	// UpdateRuntimeOn sets when AWS moves the function to a newer version of its
	// runtime: Auto when there is a newer version, FunctionUpdate when the function is
	// updated, Manual never. AWS's default is Auto. Required, here or in initProvider.
	// +optional
	// +kubebuilder:validation:Enum=Auto;FunctionUpdate;Manual
	UpdateRuntimeOn *string `json:"updateRuntimeOn,omitempty"`

	// RuntimeVersionArn is the version of the runtime that the function uses. It is required with updateRuntimeOn
	// Manual, and must not be set otherwise. The function's log shows the ARN of the version in use at the start of
	// each execution environment.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z-]*:lambda:[a-z0-9-]+:(:runtime:.+|[0-9]{12}:runtime/.+/version/.+)$')",message="runtimeVersionArn is not the ARN of a runtime version: use the form arn:aws:lambda:eu-central-1::runtime:0123abcd, or arn:aws:lambda:eu-central-1:123456789012:runtime/name/version/v1 for a customer-managed runtime"
	RuntimeVersionArn *string `json:"runtimeVersionArn,omitempty"`
}

// RuntimeManagementConfigParameters are the desired settings of the management of a runtime, and what it is for.
type RuntimeManagementConfigParameters struct {
	ConfiguredFunction `json:",inline"`

	// Qualifier is the number of the version whose runtime is managed. The default is $LATEST. It can't be changed.
	// +optional
	// +crossplane:generate:reference:type=Version
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^([$]LATEST|[0-9]+)$')",message="qualifier must be a version number such as '3', or $LATEST: an alias has no runtime settings"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",reason="FieldValueForbidden",message="qualifier can't be changed: create another resource for the other qualifier"
	Qualifier *string `json:"qualifier,omitempty"`

	// QualifierRef names the Version whose runtime is managed.
	// +optional
	QualifierRef *xpv2.NamespacedReference `json:"qualifierRef,omitempty" refersTo:"Version"`

	// QualifierSelector selects the Version whose runtime is managed.
	// +optional
	QualifierSelector *xpv2.NamespacedSelector `json:"qualifierSelector,omitempty"`

	RuntimeManagementConfigSettings `json:",inline"`
}

// RuntimeManagementConfigSpec is the desired state of the management of a runtime.
//
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.functionName) || has(self.forProvider.functionNameRef) || has(self.forProvider.functionNameSelector)",fieldPath=".forProvider.functionName",reason="FieldValueRequired",message="set functionName to the function's name in AWS, or set functionNameRef or functionNameSelector to a Function"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.updateRuntimeOn) || has(self.initProvider) && has(self.initProvider.updateRuntimeOn)",fieldPath=".forProvider.updateRuntimeOn",reason="FieldValueRequired",message="set updateRuntimeOn to Auto, FunctionUpdate or Manual"
// +kubebuilder:validation:XValidation:rule="(has(self.forProvider.updateRuntimeOn) ? self.forProvider.updateRuntimeOn != 'Manual' : !has(self.initProvider) || !has(self.initProvider.updateRuntimeOn) || self.initProvider.updateRuntimeOn != 'Manual') || (has(self.forProvider.runtimeVersionArn) || has(self.initProvider) && has(self.initProvider.runtimeVersionArn))",fieldPath=".forProvider.runtimeVersionArn",reason="FieldValueRequired",message="updateRuntimeOn Manual needs a runtime version: set runtimeVersionArn to its ARN"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.runtimeVersionArn) || has(self.initProvider) && has(self.initProvider.runtimeVersionArn)) || has(self.forProvider.updateRuntimeOn) && self.forProvider.updateRuntimeOn == 'Manual' || has(self.initProvider) && has(self.initProvider.updateRuntimeOn) && self.initProvider.updateRuntimeOn == 'Manual'",fieldPath=".forProvider.runtimeVersionArn",reason="FieldValueForbidden",message="runtimeVersionArn is used only with updateRuntimeOn Manual: set updateRuntimeOn to Manual, or remove runtimeVersionArn"
type RuntimeManagementConfigSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider is the desired state.
	ForProvider RuntimeManagementConfigParameters `json:"forProvider"`

	// InitProvider has the settings that are applied only at creation. Afterwards, the provider ignores the fields that
	// are set here and not in forProvider, so that another tool may change them.
	// +optional
	InitProvider *RuntimeManagementConfigSettings `json:"initProvider,omitempty"`
}

// RuntimeManagementConfigObservation is the observed state of a runtime management configuration
// (GetRuntimeManagementConfig).
type RuntimeManagementConfigObservation struct {
	// FunctionName of the function.
	FunctionName *string `json:"functionName,omitempty"`
	// Qualifier that it is for.
	Qualifier *string `json:"qualifier,omitempty"`
	// FunctionArn is the ARN of the function or its version.
	FunctionArn *string `json:"functionArn,omitempty"`
	// UpdateRuntimeOn is Auto, FunctionUpdate or Manual.
	UpdateRuntimeOn *string `json:"updateRuntimeOn,omitempty"`
	// RuntimeVersionArn is the version of the runtime that the function uses, with updateRuntimeOn Manual.
	RuntimeVersionArn *string `json:"runtimeVersionArn,omitempty"`
}

// RuntimeManagementConfigStatus is the observed state of the management of a runtime.
type RuntimeManagementConfigStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is the state of the resource in AWS, as last observed.
	// +optional
	AtProvider RuntimeManagementConfigObservation `json:"atProvider,omitempty"`
}

// A RuntimeManagementConfig sets when AWS updates the runtime of an AWS Lambda function or of a version of it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdaruntime
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="FUNCTION",type="string",JSONPath=".status.atProvider.functionName"
// +kubebuilder:printcolumn:name="UPDATE",type="string",JSONPath=".status.atProvider.updateRuntimeOn"
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.message",priority=1
// +kubebuilder:printcolumn:name="EXTERNAL-NAME",type="string",JSONPath=".metadata.annotations.crossplane\\.io/external-name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type RuntimeManagementConfig struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec RuntimeManagementConfigSpec `json:"spec"`

	// Status begins with a generation that was never observed, so that tools which
	// read kstatus see a new object as in progress rather than as in order.
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending"}
	Status RuntimeManagementConfigStatus `json:"status,omitempty"`
}

// RuntimeManagementConfigList is a list of RuntimeManagementConfigs.
//
// +kubebuilder:object:root=true
type RuntimeManagementConfigList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []RuntimeManagementConfig `json:"items"`
}
