package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// ProvisionedConcurrencyConfigSettings set how many execution environments are kept
// ready, as PutProvisionedConcurrencyConfig accepts them.
type ProvisionedConcurrencyConfigSettings struct {
	// ProvisionedConcurrentExecutions is the number of execution environments that AWS keeps ready, at least 1.
	// Required, here or in initProvider. Set it in initProvider if Application Auto Scaling changes it later.
	// +optional
	// +kubebuilder:validation:Minimum=1
	ProvisionedConcurrentExecutions *int32 `json:"provisionedConcurrentExecutions,omitempty"`
}

// ProvisionedConcurrencyConfigParameters are the desired settings of provisioned concurrency, and what it is for.
type ProvisionedConcurrencyConfigParameters struct {
	ConfiguredFunction `json:",inline"`

	// Qualifier is the name of the alias, or the number of the version, whose execution environments are kept ready. It
	// can't be changed. Required, unless qualifierRef or qualifierSelector is set.
	// +optional
	// +crossplane:generate:reference:type=Alias
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9_-]+$')",message="qualifier must be the name of an alias or a version number: $LATEST can't have provisioned concurrency, so publish a version"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",reason="FieldValueForbidden",message="qualifier can't be changed: create another resource for the other qualifier"
	Qualifier *string `json:"qualifier,omitempty"`

	// QualifierRef names the Alias whose execution environments are kept ready.
	// +optional
	QualifierRef *xpv2.NamespacedReference `json:"qualifierRef,omitempty" refersTo:"Alias"`

	// QualifierSelector selects the Alias whose execution environments are kept ready.
	// +optional
	QualifierSelector *xpv2.NamespacedSelector `json:"qualifierSelector,omitempty"`

	ProvisionedConcurrencyConfigSettings `json:",inline"`
}

// ProvisionedConcurrencyConfigSpec is the desired state of provisioned concurrency.
//
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.functionName) || has(self.forProvider.functionNameRef) || has(self.forProvider.functionNameSelector)",fieldPath=".forProvider.functionName",reason="FieldValueRequired",message="set functionName to the function's name in AWS, or set functionNameRef or functionNameSelector to a Function"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.qualifier) || has(self.forProvider.qualifierRef) || has(self.forProvider.qualifierSelector)",fieldPath=".forProvider.qualifier",reason="FieldValueRequired",message="set qualifier to an alias or a version, or set qualifierRef or qualifierSelector to an Alias: $LATEST can't have provisioned concurrency"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.provisionedConcurrentExecutions) || has(self.initProvider) && has(self.initProvider.provisionedConcurrentExecutions)",fieldPath=".forProvider.provisionedConcurrentExecutions",reason="FieldValueRequired",message="set provisionedConcurrentExecutions to the number of execution environments that AWS keeps ready"
type ProvisionedConcurrencyConfigSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider is the desired state.
	ForProvider ProvisionedConcurrencyConfigParameters `json:"forProvider"`

	// InitProvider has the settings that are applied only at creation. Afterwards, the provider ignores the fields that
	// are set here and not in forProvider, so that Application Auto Scaling or another tool may change them.
	// +optional
	InitProvider *ProvisionedConcurrencyConfigSettings `json:"initProvider,omitempty"`
}

// ProvisionedConcurrencyConfigObservation is the observed state of a provisioned concurrency configuration
// (GetProvisionedConcurrencyConfig).
type ProvisionedConcurrencyConfigObservation struct {
	// FunctionName of the function.
	FunctionName *string `json:"functionName,omitempty"`
	// Qualifier that it is for.
	Qualifier *string `json:"qualifier,omitempty"`
	// FunctionArn is the ARN of the version or alias.
	FunctionArn *string `json:"functionArn,omitempty"`
	// Status is IN_PROGRESS, READY or FAILED.
	Status *string `json:"status,omitempty"`
	// StatusReason is the reason why AWS could not allocate the requested number.
	StatusReason *string `json:"statusReason,omitempty"`
	// RequestedProvisionedConcurrentExecutions is the number of execution environments that were requested.
	RequestedProvisionedConcurrentExecutions *int32 `json:"requestedProvisionedConcurrentExecutions,omitempty"`
	// AllocatedProvisionedConcurrentExecutions is the number that AWS has allocated so far.
	AllocatedProvisionedConcurrentExecutions *int32 `json:"allocatedProvisionedConcurrentExecutions,omitempty"`
	// AvailableProvisionedConcurrentExecutions is the number available for invocations.
	AvailableProvisionedConcurrentExecutions *int32 `json:"availableProvisionedConcurrentExecutions,omitempty"`
	// LastModified is the time at which a user last changed it.
	LastModified *string `json:"lastModified,omitempty"`
}

// ProvisionedConcurrencyConfigStatus is the observed state of provisioned concurrency.
type ProvisionedConcurrencyConfigStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is the state of the resource in AWS, as last observed.
	// +optional
	AtProvider ProvisionedConcurrencyConfigObservation `json:"atProvider,omitempty"`
}

// A ProvisionedConcurrencyConfig keeps execution environments of an alias or a version of an AWS Lambda function ready.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdapc
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="REQUESTED",type="integer",JSONPath=".status.atProvider.requestedProvisionedConcurrentExecutions"
// +kubebuilder:printcolumn:name="AVAILABLE",type="integer",JSONPath=".status.atProvider.availableProvisionedConcurrentExecutions"
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.message",priority=1
// +kubebuilder:printcolumn:name="EXTERNAL-NAME",type="string",JSONPath=".metadata.annotations.crossplane\\.io/external-name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type ProvisionedConcurrencyConfig struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ProvisionedConcurrencyConfigSpec `json:"spec"`

	// Status begins with a generation that was never observed, so that tools which
	// read kstatus see a new object as in progress rather than as in order.
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending"}
	Status ProvisionedConcurrencyConfigStatus `json:"status,omitempty"`
}

// ProvisionedConcurrencyConfigList is a list of ProvisionedConcurrencyConfigs.
//
// +kubebuilder:object:root=true
type ProvisionedConcurrencyConfigList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ProvisionedConcurrencyConfig `json:"items"`
}
