package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// CodeSigningConfigSettings are the settings of a code signing configuration, as
// CreateCodeSigningConfig and UpdateCodeSigningConfig accept it.
type CodeSigningConfigSettings struct {
	// AllowedPublishers are the publishers that may sign code. Required, here or in initProvider.
	// +optional
	AllowedPublishers *AllowedPublishers `json:"allowedPublishers,omitempty"`

	// CodeSigningPolicies set how code that fails the check is handled. When this block
	// is removed, the policy returns to AWS's default, which is Warn.
	// +optional
	CodeSigningPolicies *CodeSigningPolicies `json:"codeSigningPolicies,omitempty"`

	// Description of the configuration, at most 256 characters; an empty string clears it.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Description *string `json:"description,omitempty"`

	// Tags of the configuration, at most 44 (AWS allows 50, of which the provider uses up to six). A tag that is not
	// listed here is removed, except aws:* and those that the provider config ignores.
	// +optional
	// +kubebuilder:validation:MaxProperties=44
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) >= 1 && size(k) <= 128)",message="a tag key must have 1 to 128 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(self[k]) <= 256)",message="a tag value must have at most 256 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.lowerAscii().startsWith('aws:'))",message="tag keys that start with aws: are reserved by AWS: remove them"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.startsWith('crossplane-'))",message="tag keys that start with crossplane- are reserved by the provider: remove them"
	Tags map[string]string `json:"tags,omitempty"`
}

// AllowedPublishers are the publishers that may sign code.
//
// +kubebuilder:validation:XValidation:rule="has(self.signingProfileVersionArns) != has(self.signingProfileVersionArnsFrom)",message="set exactly one of signingProfileVersionArns and signingProfileVersionArnsFrom"
type AllowedPublishers struct {
	// SigningProfileVersionArns are the ARNs of versions of AWS Signer's signing
	// profiles: 1 to 20, in any order. Each is a trusted publisher.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.all(a, a.matches('^arn:aws[a-zA-Z0-9-]*:signer:[a-z0-9-]+:[0-9]{12}:/signing-profiles/[^/]+/[^/]+$'))",message="a signing profile version must be an ARN that includes the version: use the form arn:aws:signer:region:123456789012:/signing-profiles/name/version"
	// +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, a == b))",message="a signing profile version is listed twice: remove one of the two entries"
	SigningProfileVersionArns []string `json:"signingProfileVersionArns,omitempty"`

	// SigningProfileVersionArnsFrom reads the ARNs from fields of other objects in this
	// namespace, such as status.atProvider.versionArn of a SigningProfile.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	SigningProfileVersionArnsFrom []FieldSelector `json:"signingProfileVersionArnsFrom,omitempty"`
}

// CodeSigningPolicies set how code that fails the check is handled.
type CodeSigningPolicies struct {
	// UntrustedArtifactOnDeployment is Warn, to deploy it and log a warning, or
	// Enforce, to reject it. AWS's default is Warn.
	// +optional
	// +kubebuilder:validation:Enum=Warn;Enforce
	UntrustedArtifactOnDeployment *string `json:"untrustedArtifactOnDeployment,omitempty"`
}

// CodeSigningConfigParameters are the desired settings of a code signing configuration and where it lives.
type CodeSigningConfigParameters struct {
	Regional `json:",inline"`

	CodeSigningConfigSettings `json:",inline"`
}

// CodeSigningConfigSpec is the desired state of a code signing configuration.
//
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || (has(self.forProvider.allowedPublishers) || has(self.initProvider) && has(self.initProvider.allowedPublishers))",fieldPath=".forProvider.allowedPublishers",reason="FieldValueRequired",message="set signingProfileVersionArns to the signing profile versions that may sign code (set it in spec.initProvider if another tool manages it later)"
type CodeSigningConfigSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider is the desired state of the configuration.
	ForProvider CodeSigningConfigParameters `json:"forProvider"`

	// InitProvider has the settings that are applied only at creation. Afterwards, the provider ignores the fields that
	// are set here and not in forProvider, so that another tool may change them.
	// +optional
	InitProvider *CodeSigningConfigSettings `json:"initProvider,omitempty"`
}

// CodeSigningConfigObservation is the observed state of a code signing configuration (GetCodeSigningConfig).
type CodeSigningConfigObservation struct {
	// CodeSigningConfigArn is the configuration's ARN.
	CodeSigningConfigArn *string `json:"codeSigningConfigArn,omitempty"`
	// CodeSigningConfigID is the configuration's unique identifier.
	CodeSigningConfigID *string `json:"codeSigningConfigId,omitempty"`
	// SigningProfileVersionArns are the versions of signing profiles that may sign code.
	// +listType=atomic
	SigningProfileVersionArns []string `json:"signingProfileVersionArns,omitempty"`
	// UntrustedArtifactOnDeployment is Warn or Enforce.
	UntrustedArtifactOnDeployment *string `json:"untrustedArtifactOnDeployment,omitempty"`
	// Description of the configuration.
	Description *string `json:"description,omitempty"`
	// LastModified is the time at which the configuration was last changed.
	LastModified *string `json:"lastModified,omitempty"`
	// TagKeys are the keys of the tags in AWS, where they may be read.
	// +listType=atomic
	TagKeys []string `json:"tagKeys,omitempty"`
}

// CodeSigningConfigStatus is the observed state of a code signing configuration.
type CodeSigningConfigStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is the state of the resource in AWS, as last observed.
	// +optional
	AtProvider CodeSigningConfigObservation `json:"atProvider,omitempty"`
}

// A CodeSigningConfig is an AWS Lambda code signing configuration: who may sign the
// code of the functions that name it, and how other code is handled.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdacsc
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="POLICY",type="string",JSONPath=".status.atProvider.untrustedArtifactOnDeployment"
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.message",priority=1
// +kubebuilder:printcolumn:name="EXTERNAL-NAME",type="string",JSONPath=".metadata.annotations.crossplane\\.io/external-name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type CodeSigningConfig struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec CodeSigningConfigSpec `json:"spec"`

	// Status begins with a generation that was never observed, so that tools which
	// read kstatus see a new code signing configuration as in progress rather than as in order.
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending"}
	Status CodeSigningConfigStatus `json:"status,omitempty"`
}

// CodeSigningConfigList is a list of code signing configurations.
//
// +kubebuilder:object:root=true
type CodeSigningConfigList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []CodeSigningConfig `json:"items"`
}
