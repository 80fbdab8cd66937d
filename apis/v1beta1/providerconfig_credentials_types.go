package v1beta1

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// ProviderCredentials are the credentials of a namespaced ProviderConfig. They name nothing outside its namespace.
//
// +kubebuilder:validation:XValidation:rule="self.source != 'Secret' || has(self.secretRef)",message="source Secret needs secretRef: set the name of a Secret in this namespace"
// +kubebuilder:validation:XValidation:rule="self.source != 'WebIdentity' || has(self.webIdentity)",message="source WebIdentity needs webIdentity: set it, with the ARN of the role to assume in roleARN"
// +kubebuilder:validation:XValidation:rule="self.source == 'Secret' || !has(self.secretRef)",message="secretRef is used only with source Secret: remove it, or set source to Secret"
// +kubebuilder:validation:XValidation:rule="self.source == 'WebIdentity' || !has(self.webIdentity)",message="webIdentity is used only with source WebIdentity: remove it, or set source to WebIdentity"
// +kubebuilder:validation:XValidation:rule="self.source == 'Secret' || !has(self.profile)",message="profile selects a section of an INI file, which only source Secret reads: remove it, or set source to Secret"
type ProviderCredentials struct {
	// Source of the credentials. None signs with placeholder keys, for an endpoint that checks none. Secret reads keys
	// from a Secret. WebIdentity assumes a role with a token. IRSA and PodIdentity are the provider's own identity:
	// rejected in a namespaced config unless the provider's operator allows it.
	// +kubebuilder:validation:Enum=None;Secret;IRSA;PodIdentity;WebIdentity
	Source xpv2.CredentialsSource `json:"source"`

	// SecretRef names the Secret that holds the keys.
	// +optional
	SecretRef *LocalCredentialsSecretSelector `json:"secretRef,omitempty"`

	// Profile is the section of the INI file to read. The default is "default".
	// +optional
	// +kubebuilder:validation:MinLength=1
	Profile *string `json:"profile,omitempty"`

	// WebIdentity assumes a role with a token of an OpenID Connect issuer.
	// +optional
	WebIdentity *WebIdentityOptions `json:"webIdentity,omitempty"`
}

// ClusterProviderCredentials are the credentials of a ClusterProviderConfig.
//
// +kubebuilder:validation:XValidation:rule="self.source != 'Secret' || has(self.secretRef)",message="source Secret needs secretRef: set the name and namespace of a Secret"
// +kubebuilder:validation:XValidation:rule="self.source != 'WebIdentity' || has(self.webIdentity)",message="source WebIdentity needs webIdentity: set it, with the ARN of the role to assume in roleARN"
// +kubebuilder:validation:XValidation:rule="self.source != 'Filesystem' || has(self.fs)",message="source Filesystem needs fs.path: set it to the path of an INI file in the provider's pod"
// +kubebuilder:validation:XValidation:rule="self.source == 'Secret' || !has(self.secretRef)",message="secretRef is used only with source Secret: remove it, or set source to Secret"
// +kubebuilder:validation:XValidation:rule="self.source == 'WebIdentity' || !has(self.webIdentity)",message="webIdentity is used only with source WebIdentity: remove it, or set source to WebIdentity"
// +kubebuilder:validation:XValidation:rule="self.source == 'Filesystem' || !has(self.fs)",message="fs is used only with source Filesystem: remove it, or set source to Filesystem"
// +kubebuilder:validation:XValidation:rule="self.source == 'Environment' || !has(self.env)",message="env is used only with source Environment: remove it, or set source to Environment"
// +kubebuilder:validation:XValidation:rule="!has(self.profile) || self.source == 'Secret' || self.source == 'Filesystem' || (self.source == 'Environment' && has(self.env))",message="profile selects a section of an INI file, which only the sources Secret, Filesystem, and Environment with env read: remove it, or set one of these sources"
type ClusterProviderCredentials struct {
	// Source of the credentials. None signs with placeholder keys, for an endpoint that checks none. Secret reads keys
	// from a Secret. IRSA and PodIdentity use the provider pod's own identity through AWS's default credential chain,
	// which also finds a node's role. WebIdentity assumes a role with a token. Environment reads the provider's
	// environment, Filesystem a file in its pod.
	// +kubebuilder:validation:Enum=None;Secret;IRSA;PodIdentity;WebIdentity;Environment;Filesystem
	Source xpv2.CredentialsSource `json:"source"`

	// SecretRef names the Secret that holds the keys.
	// +optional
	SecretRef *CredentialsSecretSelector `json:"secretRef,omitempty"`

	// Env names an environment variable of the provider that holds an INI file. If it is absent, source Environment
	// reads AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.
	// +optional
	Env *xpv2.EnvSelector `json:"env,omitempty"`

	// Fs is the path of an INI file in the provider's pod. It is read again when it changes.
	// +optional
	Fs *xpv2.FsSelector `json:"fs,omitempty"`

	// Profile is the section of the INI file to read. The default is "default".
	// +optional
	// +kubebuilder:validation:MinLength=1
	Profile *string `json:"profile,omitempty"`

	// WebIdentity assumes a role with a token of an OpenID Connect issuer.
	// +optional
	WebIdentity *ClusterWebIdentityOptions `json:"webIdentity,omitempty"`
}

// A LocalCredentialsSecretSelector names a Secret of the config's own namespace.
type LocalCredentialsSecretSelector struct {
	// Name of the Secret.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// Key of the Secret that holds an INI file, as ~/.aws/credentials. If it is absent,
	// the Secret has one entry for each key instead: aws_access_key_id,
	// aws_secret_access_key and, if needed, aws_session_token, in lower or upper case.
	// +optional
	// +kubebuilder:validation:MinLength=1
	Key string `json:"key,omitempty"`
}

// A CredentialsSecretSelector names a Secret of any namespace.
type CredentialsSecretSelector struct {
	// Namespace of the Secret.
	// +kubebuilder:validation:MinLength=1
	Namespace string `json:"namespace"`

	LocalCredentialsSecretSelector `json:",inline"`
}

// WebIdentityOptions assume a role with a token (STS AssumeRoleWithWebIdentity).
type WebIdentityOptions struct {
	WebIdentityRole `json:",inline"`

	// TokenConfig is the source of the token. The default is the file that the provider's environment variable
	// AWS_WEB_IDENTITY_TOKEN_FILE names. A namespaced config may read it only if the provider's operator allows it.
	// +optional
	TokenConfig *WebIdentityTokenConfig `json:"tokenConfig,omitempty"`
}

// ClusterWebIdentityOptions assume a role with a token (STS AssumeRoleWithWebIdentity).
type ClusterWebIdentityOptions struct {
	WebIdentityRole `json:",inline"`

	// TokenConfig is the source of the token. The default is the file that the
	// provider's environment variable AWS_WEB_IDENTITY_TOKEN_FILE names.
	// +optional
	TokenConfig *ClusterWebIdentityTokenConfig `json:"tokenConfig,omitempty"`
}

// A WebIdentityRole is a role that trusts an OpenID Connect issuer.
type WebIdentityRole struct {
	// RoleARN is the role to assume. The default is the value of the provider's environment variable AWS_ROLE_ARN.
	// +optional
	// +kubebuilder:validation:Pattern=`^arn:[a-z0-9-]+:iam::[0-9]{12}:role/.+$`
	RoleARN *string `json:"roleARN,omitempty"`

	// RoleSessionName shows in CloudTrail. The default is "provider-lambda".
	// +optional
	// +kubebuilder:validation:Pattern=`^[\w+=,.@-]{2,64}$`
	RoleSessionName string `json:"roleSessionName,omitempty"`
}

// A WebIdentityTokenConfig is the source of a namespaced config's token.
//
// +kubebuilder:validation:XValidation:rule="self.source != 'Secret' || (has(self.secretRef) && has(self.secretRef.key))",message="source Secret needs secretRef: set the name of a Secret in this namespace and the key that holds the token"
// +kubebuilder:validation:XValidation:rule="self.source != 'Filesystem' || has(self.fs)",message="source Filesystem needs fs.path: set it to the path of the token in the provider's pod"
type WebIdentityTokenConfig struct {
	// Source of the token. Filesystem is a file in the provider's pod. It is rejected
	// in a namespaced config, unless the provider's operator allows it.
	// +kubebuilder:validation:Enum=Secret;Filesystem
	Source xpv2.CredentialsSource `json:"source"`

	// SecretRef names the Secret and the key that hold the token.
	// +optional
	SecretRef *LocalCredentialsSecretSelector `json:"secretRef,omitempty"`

	// Fs is the path of the token in the provider's pod.
	// +optional
	Fs *xpv2.FsSelector `json:"fs,omitempty"`
}

// A ClusterWebIdentityTokenConfig is the source of the token.
//
// +kubebuilder:validation:XValidation:rule="self.source != 'Secret' || (has(self.secretRef) && has(self.secretRef.key))",message="source Secret needs secretRef: set the name and namespace of a Secret and the key that holds the token"
// +kubebuilder:validation:XValidation:rule="self.source != 'Filesystem' || has(self.fs)",message="source Filesystem needs fs.path: set it to the path of the token in the provider's pod"
type ClusterWebIdentityTokenConfig struct {
	// Source of the token.
	// +kubebuilder:validation:Enum=Secret;Filesystem
	Source xpv2.CredentialsSource `json:"source"`

	// SecretRef names the Secret and the key that hold the token.
	// +optional
	SecretRef *CredentialsSecretSelector `json:"secretRef,omitempty"`

	// Fs is the path of the token in the provider's pod, such as that of a
	// projected ServiceAccount token. It is read again when it changes.
	// +optional
	Fs *xpv2.FsSelector `json:"fs,omitempty"`
}

// AssumeRoleOptions assume a role (STS AssumeRole).
//
// +kubebuilder:validation:XValidation:rule="!has(self.transitiveTagKeys) || self.transitiveTagKeys.all(k, k.startsWith('crossplane-') || (has(self.tags) && self.tags.exists(t, t.key == k)))",message="each entry of transitiveTagKeys must be the key of a tag in tags, or of a tag that resourceTags adds"
type AssumeRoleOptions struct {
	// RoleARN is the role to assume.
	// +kubebuilder:validation:Pattern=`^arn:[a-z0-9-]+:iam::[0-9]{12}:role/.+$`
	RoleARN *string `json:"roleARN"`

	// ExternalID is the external ID that the role's trust policy requires.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=1224
	ExternalID *string `json:"externalID,omitempty"`

	// Tags are session tags.
	// +optional
	// +listType=map
	// +listMapKey=key
	// +kubebuilder:validation:MaxItems=50
	Tags []SessionTag `json:"tags,omitempty"`

	// TransitiveTagKeys are the keys of tags that are passed on to later roles of the chain.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=50
	// +kubebuilder:validation:items:MaxLength=128
	TransitiveTagKeys []string `json:"transitiveTagKeys,omitempty"`

	// ResourceTags are session tags that say which resource a call is made for, so that a role's policies can tell
	// tenants apart. Namespace adds crossplane-namespace, Kind adds crossplane-kind and Name adds crossplane-name. The
	// role is then assumed once for each different value.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:items:Enum=Namespace;Kind;Name
	ResourceTags []string `json:"resourceTags,omitempty"`

	// RoleSessionName shows in CloudTrail. The default is "provider-lambda".
	// +optional
	// +kubebuilder:validation:Pattern=`^[\w+=,.@-]{2,64}$`
	RoleSessionName *string `json:"roleSessionName,omitempty"`

	// DurationSeconds is the lifetime of the role's credentials. The default is
	// 3600, which is also AWS's limit for a role that another role assumes.
	// +optional
	// +kubebuilder:validation:Minimum=900
	// +kubebuilder:validation:Maximum=43200
	DurationSeconds *int32 `json:"durationSeconds,omitempty"`

	// Policy is an IAM policy document in JSON that limits the session further.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	Policy *string `json:"policy,omitempty"`

	// PolicyARNs are managed policies that limit the session further.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=10
	PolicyARNs []string `json:"policyARNs,omitempty"`
}

// Kinds of ResourceTags, and the session tags that they add.
const (
	ResourceTagNamespace = "Namespace"
	ResourceTagKind      = "Kind"
	ResourceTagName      = "Name"

	SessionTagKeyNamespace = "crossplane-namespace"
	SessionTagKeyKind      = "crossplane-kind"
	SessionTagKeyName      = "crossplane-name"
)

// A SessionTag is a tag of an assumed role's session.
type SessionTag struct {
	// Key of the tag.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Key string `json:"key"`

	// Value of the tag.
	// +kubebuilder:validation:MaxLength=256
	Value string `json:"value"`
}
