package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// ResourcePolicyParameters are the desired policy of a function, version or alias, as
// PutResourcePolicy accepts it, and where it is.
//
// +kubebuilder:validation:XValidation:rule="has(self.resourceArn) || has(self.resourceArnRef) || has(self.resourceArnSelector) || has(self.resourceArnFrom)",fieldPath=".resourceArn",reason="FieldValueRequired",message="set resourceArn to the ARN of a function, version or alias, or set resourceArnRef or resourceArnSelector to a Function, or resourceArnFrom to a field that contains the ARN"
// +kubebuilder:validation:XValidation:rule="!has(self.resourceArnFrom) || !has(self.resourceArn) && !has(self.resourceArnRef) && !has(self.resourceArnSelector)",fieldPath=".resourceArnFrom",reason="FieldValueForbidden",message="the ARN is set twice: set either resourceArnFrom, or one of resourceArn, resourceArnRef and resourceArnSelector"
type ResourcePolicyParameters struct {
	Regional `json:",inline"`

	// ResourceArn is the ARN of the function, version or alias that the policy is of. It
	// is unqualified for the function itself. It can't be changed. Required, unless
	// resourceArnRef, resourceArnSelector or resourceArnFrom is set.
	// +optional
	// +crossplane:generate:reference:type=Function
	// +crossplane:generate:reference:extractor=FunctionARN()
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z-]*:lambda:[a-z0-9-]+:[0-9]{12}:function:[a-zA-Z0-9_-]+(:([$]LATEST[.]PUBLISHED|[a-zA-Z0-9_-]+))?$')",message="resourceArn is not the ARN of a function, version or alias: use the form arn:aws:lambda:region:123456789012:function:name, followed by :version or :alias if needed"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",reason="FieldValueForbidden",message="resourceArn can't be changed: create a new ResourcePolicy for the other resource"
	ResourceArn *string `json:"resourceArn,omitempty"`

	// ResourceArnRef names the Function that the policy is of.
	// +optional
	ResourceArnRef *xpv2.NamespacedReference `json:"resourceArnRef,omitempty" refersTo:"Function"`

	// ResourceArnSelector selects the Function that the policy is of.
	// +optional
	ResourceArnSelector *xpv2.NamespacedSelector `json:"resourceArnSelector,omitempty"`

	// ResourceArnFrom reads the ARN from a field of another object in this namespace,
	// such as status.atProvider.aliasArn of an Alias.
	// +optional
	ResourceArnFrom *FieldSelector `json:"resourceArnFrom,omitempty"`

	// Policy is the complete policy document in JSON, at most 20480 bytes without white space. It replaces the policy
	// that the resource has. Its layout does not matter: the provider ignores the order of statements, lists and
	// fields, and compares a list of one entry with that entry and an account with its ARN. Required.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	// +kubebuilder:validation:XValidation:rule="self.matches('^[ \\\\t\\\\n\\\\r]*[{]')",message="policy is not a policy document: use JSON that starts with a brace"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^[ \\\\t\\\\n\\\\r]*[{]') || self.matches('[}][ \\\\t\\\\n\\\\r]*$')",message="policy is incomplete: use JSON that ends with a brace"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^[ \\\\t\\\\n\\\\r]*[{]') || self.contains('\"Statement\"')",message="policy has no Statement: add one, or delete the ResourcePolicy to remove the policy"
	Policy *string `json:"policy,omitempty"`
}

// ResourcePolicySpec is the desired state of a resource's policy.
//
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies || 'Update' in self.managementPolicies) || has(self.forProvider.policy)",fieldPath=".forProvider.policy",reason="FieldValueRequired",message="set policy to the complete policy document in JSON"
type ResourcePolicySpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider is the desired state of the policy.
	ForProvider ResourcePolicyParameters `json:"forProvider"`
}

// ResourcePolicyObservation is the observed state of a resource's policy (GetResourcePolicy).
type ResourcePolicyObservation struct {
	// ResourceArn is the ARN of the function, version or alias.
	ResourceArn *string `json:"resourceArn,omitempty"`
	// Policy as AWS has it, in JSON.
	Policy *string `json:"policy,omitempty"`
	// StatementCount is the number of statements of the policy.
	StatementCount *int32 `json:"statementCount,omitempty"`
	// RevisionID of the policy.
	RevisionID *string `json:"revisionId,omitempty"`
}

// ResourcePolicyStatus is the observed state of a resource's policy.
type ResourcePolicyStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is the state of the resource in AWS, as last observed.
	// +optional
	AtProvider ResourcePolicyObservation `json:"atProvider,omitempty"`
}

// A ResourcePolicy is the complete resource-based policy of an AWS Lambda function,
// version or alias. To manage single statements of a policy, use Permission.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdapolicy
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="STATEMENTS",type="integer",JSONPath=".status.atProvider.statementCount"
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.message",priority=1
// +kubebuilder:printcolumn:name="EXTERNAL-NAME",type="string",JSONPath=".metadata.annotations.crossplane\\.io/external-name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type ResourcePolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ResourcePolicySpec `json:"spec"`

	// Status begins with a generation that was never observed, so that tools which
	// read kstatus see a new policy as in progress rather than as in order.
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending"}
	Status ResourcePolicyStatus `json:"status,omitempty"`
}

// ResourcePolicyList is a list of resources' policies.
//
// +kubebuilder:object:root=true
type ResourcePolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ResourcePolicy `json:"items"`
}
