package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// AliasSettings are the settings of an alias, as CreateAlias and UpdateAlias accept them.
//
// +kubebuilder:validation:XValidation:rule="!has(self.routingConfig) || !has(self.functionVersion) || !(self.functionVersion in self.routingConfig.additionalVersionWeights)",fieldPath=".routingConfig.additionalVersionWeights",reason="FieldValueForbidden",message="the additional version is the same as functionVersion: choose another version, or remove routingConfig"
// +kubebuilder:validation:XValidation:rule="!has(self.routingConfig) || !has(self.functionVersion) || !self.functionVersion.startsWith('$LATEST')",fieldPath=".routingConfig",reason="FieldValueForbidden",message="an alias of $LATEST can't route invocations to another version: set functionVersion to a published version, or remove routingConfig"
type AliasSettings struct {
	// FunctionVersion is the version that the alias invokes: its number, or $LATEST. If it, functionVersionRef and
	// functionVersionSelector are not set, and functionNameRef or functionNameSelector is, the alias follows the latest
	// version that this Function published. See publish of Function.
	// +optional
	// +crossplane:generate:reference:type=Version
	// +crossplane:generate:reference:extractor=PreparedVersion()
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^([$]LATEST([.]PUBLISHED)?|[0-9]+)$')",message="functionVersion must be a version number such as '3', or $LATEST"
	FunctionVersion *string `json:"functionVersion,omitempty"`

	// FunctionVersionRef names the Version that the alias invokes. When the Version
	// publishes a new version, the alias moves to it.
	// +optional
	FunctionVersionRef *xpv2.NamespacedReference `json:"functionVersionRef,omitempty" refersTo:"Version"`

	// FunctionVersionSelector selects the Version that the alias invokes.
	// +optional
	FunctionVersionSelector *xpv2.NamespacedSelector `json:"functionVersionSelector,omitempty"`

	// Description of the alias, at most 256 characters; an empty string clears it.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Description *string `json:"description,omitempty"`

	// RoutingConfig routes a part of the invocations to another version. When this
	// block is removed, all invocations go to functionVersion.
	// +optional
	RoutingConfig *AliasRoutingConfig `json:"routingConfig,omitempty"`
}

// AliasRoutingConfig routes a part of an alias's invocations to another version.
type AliasRoutingConfig struct {
	// AdditionalVersionWeights maps the number of the other version to the part of the invocations that it receives: at
	// least 0 and less than 1, such as "0.25". AWS accepts one version. It must have the same execution role and dead
	// letter queue as functionVersion.
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=1
	// +kubebuilder:validation:XValidation:rule="self.all(v, v.matches('^[0-9]+$'))",message="an additional version must be a version number such as '2', not $LATEST or an alias"
	// +kubebuilder:validation:XValidation:rule="self.all(v, self[v].matches('^0([.][0-9]+)?$'))",message="a weight must be at least 0 and less than 1, such as '0.25': to route all invocations to one version, set functionVersion"
	AdditionalVersionWeights map[string]AliasWeight `json:"additionalVersionWeights"`
}

// An AliasWeight is a part of an alias's invocations: at least 0 and less than 1.
//
// +kubebuilder:validation:MaxLength=20
type AliasWeight string

// AliasParameters are the desired settings of an alias and where it lives.
type AliasParameters struct {
	ConfiguredFunction `json:",inline"`

	AliasSettings `json:",inline"`
}

// AliasSpec is the desired state of an alias.
//
// +kubebuilder:validation:XValidation:rule="!has(self.rollout) || !has(self.forProvider.routingConfig) && (!has(self.initProvider) || !has(self.initProvider.routingConfig))",fieldPath=".forProvider.routingConfig",reason="FieldValueForbidden",message="the rollout sets routingConfig: remove routingConfig or rollout"
// +kubebuilder:validation:XValidation:rule="!has(self.rollout) || !has(self.forProvider.functionVersion) || !self.forProvider.functionVersion.startsWith('$LATEST')",fieldPath=".forProvider.functionVersion",reason="FieldValueForbidden",message="$LATEST can't be rolled out: set functionVersion to a published version, or functionNameRef to a Function with publish"
// +kubebuilder:validation:XValidation:rule="!has(self.rollout) || !has(self.initProvider) || !has(self.initProvider.functionVersion) && !has(self.initProvider.functionVersionRef) && !has(self.initProvider.functionVersionSelector)",fieldPath=".initProvider.functionVersion",reason="FieldValueForbidden",message="a rollout needs the version in forProvider: move functionVersion to forProvider, or remove rollout"
// +kubebuilder:validation:XValidation:rule="has(self.forProvider.functionName) || has(self.forProvider.functionNameRef) || has(self.forProvider.functionNameSelector)",fieldPath=".forProvider.functionName",reason="FieldValueRequired",message="set functionName to the function's name in AWS, or set functionNameRef or functionNameSelector to a Function"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.functionVersion) || has(self.forProvider.functionVersionRef) || has(self.forProvider.functionVersionSelector) || has(self.initProvider) && (has(self.initProvider.functionVersion) || has(self.initProvider.functionVersionRef) || has(self.initProvider.functionVersionSelector)) || !has(self.forProvider.functionName)",fieldPath=".forProvider.functionVersion",reason="FieldValueRequired",message="set functionVersion, or set functionVersionRef to a Version; to follow the version that a Function published last, set functionNameRef instead of functionName"
type AliasSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider is the desired state of the alias.
	ForProvider AliasParameters `json:"forProvider"`

	// InitProvider has the settings that are applied only at creation. Afterwards, the provider ignores the fields that
	// are set here and not in forProvider, so that another tool, such as CodeDeploy, may shift the alias.
	// +optional
	InitProvider *AliasSettings `json:"initProvider,omitempty"`

	// Rollout moves the alias to another version in steps, and back if that version fails.
	// Without it, the alias moves at once.
	// +optional
	Rollout *AliasRollout `json:"rollout,omitempty"`
}

// AliasObservation is the observed state of an alias (ListAliases).
type AliasObservation struct {
	// Name of the alias.
	Name *string `json:"name,omitempty"`
	// AliasArn is the alias's ARN.
	AliasArn *string `json:"aliasArn,omitempty"`
	// InvokeArn is the ARN that an API Gateway integration uses to invoke the alias.
	InvokeArn *string `json:"invokeArn,omitempty"`
	// FunctionName that the alias is of.
	FunctionName *string `json:"functionName,omitempty"`
	// FunctionVersion that the alias invokes.
	FunctionVersion *string `json:"functionVersion,omitempty"`
	// Description of the alias.
	Description *string `json:"description,omitempty"`
	// RoutingConfig as it is in AWS. While provisioned concurrency moves to another
	// version, AWS itself shows the old one with all calls here.
	RoutingConfig *AliasRoutingConfig `json:"routingConfig,omitempty"`
	// Weights is the share of the invocations that each additional version receives, such as 2=10%.
	Weights *string `json:"weights,omitempty"`
	// RevisionID of the last update.
	RevisionID *string `json:"revisionId,omitempty"`
	// ServedCode is the code of the versions that the alias invokes, functionVersion first. A version is absent unless
	// the Function or the Version that the alias refers to has published it, and its code has a revision.
	// +listType=atomic
	ServedCode []PublishedCode `json:"servedCode,omitempty"`
}

// AliasStatus is the observed state of an alias.
type AliasStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is the state of the resource in AWS, as last observed.
	// +optional
	AtProvider AliasObservation `json:"atProvider,omitempty"`

	// Rollout is the state of spec.rollout.
	// +optional
	Rollout *AliasRolloutStatus `json:"rollout,omitempty"`
}

// An Alias is a name for a version of an AWS Lambda function, which can be moved to another version.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdaalias
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="FUNCTION",type="string",JSONPath=".status.atProvider.functionName"
// +kubebuilder:printcolumn:name="VERSION",type="string",JSONPath=".status.atProvider.functionVersion"
// +kubebuilder:printcolumn:name="WEIGHTS",type="string",JSONPath=".status.atProvider.weights"
// +kubebuilder:printcolumn:name="ROLLOUT",type="string",JSONPath=".status.rollout.phase"
// +kubebuilder:printcolumn:name="STEP",type="string",JSONPath=".status.rollout.step"
// +kubebuilder:printcolumn:name="WEIGHT",type="integer",JSONPath=".status.rollout.observedWeight",priority=1
// +kubebuilder:printcolumn:name="STABLE",type="string",JSONPath=".status.rollout.stable.functionVersion",priority=1
// +kubebuilder:printcolumn:name="TARGET",type="string",JSONPath=".status.rollout.target.functionVersion",priority=1
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.message",priority=1
// +kubebuilder:printcolumn:name="EXTERNAL-NAME",type="string",JSONPath=".metadata.annotations.crossplane\\.io/external-name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 128",fieldPath=".metadata",message="metadata.name is the alias's name in AWS, which has at most 128 characters: shorten it"
// +kubebuilder:validation:XValidation:rule="!self.metadata.name.contains('.')",fieldPath=".metadata",message="metadata.name is the alias's name in AWS, which cannot contain dots: use hyphens"
// +kubebuilder:validation:XValidation:rule="!self.metadata.name.matches('^[0-9]+$')",fieldPath=".metadata",message="metadata.name is the alias's name in AWS, which cannot consist of digits only, since that is a version: add a letter"
type Alias struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec AliasSpec `json:"spec"`

	// Status begins with a generation that was never observed, so that tools which
	// read kstatus see a new alias as in progress rather than as in order.
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending"}
	Status AliasStatus `json:"status,omitempty"`
}

// AliasList is a list of aliases.
//
// +kubebuilder:object:root=true
type AliasList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Alias `json:"items"`
}
