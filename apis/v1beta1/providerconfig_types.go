package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// Sources of credentials.
const (
	CredentialsSourceNone        xpv2.CredentialsSource = "None"
	CredentialsSourceSecret      xpv2.CredentialsSource = "Secret"
	CredentialsSourceIRSA        xpv2.CredentialsSource = "IRSA"
	CredentialsSourcePodIdentity xpv2.CredentialsSource = "PodIdentity"
	CredentialsSourceWebIdentity xpv2.CredentialsSource = "WebIdentity"
	CredentialsSourceEnvironment xpv2.CredentialsSource = "Environment"
	CredentialsSourceFilesystem  xpv2.CredentialsSource = "Filesystem"
)

// A ProviderConfigSpec configures the access to AWS of resources in the same namespace.
//
// +kubebuilder:validation:XValidation:rule="self.credentials.source != 'None' || has(self.endpoint)",message="credentials.source None sends placeholder keys, which AWS rejects: set endpoint, or choose another source"
type ProviderConfigSpec struct {
	// Credentials that sign the calls to AWS, or that assume the first role of assumeRoleChain.
	Credentials ProviderCredentials `json:"credentials"`

	ConnectionSpec `json:",inline"`
}

// A ClusterProviderConfigSpec configures the access to AWS of resources of any namespace that it allows.
//
// +kubebuilder:validation:XValidation:rule="self.credentials.source != 'None' || has(self.endpoint)",message="credentials.source None sends placeholder keys, which AWS rejects: set endpoint, or choose another source"
type ClusterProviderConfigSpec struct {
	// Credentials that sign the calls to AWS, or that assume the first role of assumeRoleChain.
	Credentials ClusterProviderCredentials `json:"credentials"`

	// AllowedNamespaces are the namespaces whose resources may use this config. If it
	// is absent, every namespace may. If it is an empty list, none may.
	// +optional
	AllowedNamespaces *AllowedNamespaces `json:"allowedNamespaces,omitempty"`

	// NamespaceIsolation is Enforced or None. With Enforced, a resource may act on what a resource of another namespace
	// owns only if that resource, or its namespace, allows it by the annotation
	// lambda.aws.m.crossplane.io/allowed-namespaces. With None, the namespaces that use this config trust each other:
	// no annotation is needed between two resources that both use it. Even then, a resource never takes over what an
	// existing resource owns.
	// +optional
	// +kubebuilder:default=Enforced
	// +kubebuilder:validation:Enum=Enforced;None
	NamespaceIsolation NamespaceIsolation `json:"namespaceIsolation,omitempty"`

	// FunctionNames restrict which functions the resources of a namespace may manage, by the prefix of the function's
	// name. If it is absent, any name is allowed. Otherwise, a namespace may use the names that its rules allow, and a
	// namespace without a rule may use none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=200
	FunctionNames []FunctionNameRule `json:"functionNames,omitempty"`

	ConnectionSpec `json:",inline"`
}

// NamespaceIsolation sets whether namespaces that share a config are kept apart.
type NamespaceIsolation string

// Values of NamespaceIsolation.
const (
	NamespaceIsolationEnforced NamespaceIsolation = "Enforced"
	NamespaceIsolationNone     NamespaceIsolation = "None"
)

// NamespacePlaceholder stands for the name of the resource's namespace in a FunctionNamePrefix.
const NamespacePlaceholder = "{namespace}"

// A FunctionNameRule sets which function names the resources of a namespace may use.
type FunctionNameRule struct {
	// Namespaces that the rule applies to. If it is absent, the rule applies to all.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	Namespaces []string `json:"namespaces,omitempty"`

	// Prefixes are the allowed prefixes. A name must start with one of them. {namespace} stands for the name of the
	// resource's namespace. Such a name has hyphens and no underscores, so "{namespace}_" tells shop from shop-eu, and
	// "{namespace}-" does not. An empty prefix allows every name.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	Prefixes []FunctionNamePrefix `json:"prefixes"`
}

// FunctionNamePrefix is the prefix of a function's name.
//
// +kubebuilder:validation:MaxLength=64
// +kubebuilder:validation:XValidation:rule="self.replace('{namespace}', 'n').matches('^[a-zA-Z0-9_-]*$')",message="a prefix must have only letters, digits, hyphens and underscores, and may contain {namespace} for the name of the namespace"
type FunctionNamePrefix string

// ConnectionSpec is the part of the spec that both kinds of config share.
type ConnectionSpec struct {
	// AssumeRoleChain are the IAM roles to assume, one after the other. The first is assumed with the credentials
	// above, each later one with the role before it. Calls are made as the last.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	AssumeRoleChain []AssumeRoleOptions `json:"assumeRoleChain,omitempty"`

	// Endpoint overrides where calls are sent and how they are signed.
	// +optional
	Endpoint *EndpointConfig `json:"endpoint,omitempty"`

	// CABundle holds PEM certificates of authorities to trust besides the
	// system's, for example that of a proxy that inspects traffic.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:XValidation:rule="self.contains('-----BEGIN CERTIFICATE-----')",message="caBundle must contain at least one PEM block of type CERTIFICATE"
	CABundle *string `json:"caBundle,omitempty"`

	// Regions are regions that resources may name besides those of AWS that the provider
	// knows: newer ones, or those of an emulator.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=20
	Regions []Region `json:"regions,omitempty"`

	// UseFIPSEndpoint sends calls to AWS's FIPS 140 validated endpoints.
	// +optional
	UseFIPSEndpoint bool `json:"useFIPSEndpoint,omitempty"`

	// UseDualStackEndpoint sends calls to AWS's endpoints that answer on IPv6 and IPv4.
	// +optional
	UseDualStackEndpoint bool `json:"useDualStackEndpoint,omitempty"`

	// Tags are set on every taggable AWS resource that uses this config. A resource's
	// own tag with the same key takes precedence.
	// +optional
	// +kubebuilder:validation:MaxProperties=50
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) > 0 && size(k) <= 128 && !k.lowerAscii().startsWith('aws:'))",message="a tag key must have 1 to 128 characters and must not start with aws:, which AWS reserves"
	Tags map[string]TagValue `json:"tags,omitempty"`

	// IgnoreTags names tags that other tools set: they are neither removed nor reported as drift.
	// +optional
	IgnoreTags *IgnoreTags `json:"ignoreTags,omitempty"`

	// Code restricts the code that resources with this config deploy, and says how.
	// +optional
	Code *CodePolicy `json:"code,omitempty"`

	// DriftEvents detects changes made in AWS by events, instead of by polls alone.
	// +optional
	DriftEvents *DriftEvents `json:"driftEvents,omitempty"`

	// SkipCredentialsValidation keeps the provider from checking the credentials with
	// STS GetCallerIdentity before they are used. For endpoints without STS.
	// +optional
	SkipCredentialsValidation bool `json:"skip_credentials_validation,omitempty"`

	// SkipRegionValidation lets a resource name any region. It has an effect only in a
	// ClusterProviderConfig. In a ProviderConfig, list the regions in regions instead.
	// +optional
	SkipRegionValidation bool `json:"skip_region_validation,omitempty"`

	// SkipMetadataAPICheck keeps the IRSA and PodIdentity sources from asking
	// the EC2 instance metadata service for credentials.
	// +optional
	SkipMetadataAPICheck bool `json:"skip_metadata_api_check,omitempty"`

	// SkipRequestingAccountID keeps the provider from asking STS for the account id. If
	// there is a chain of roles, the account ID is read from the ARN of the last role.
	// +optional
	SkipRequestingAccountID bool `json:"skip_requesting_account_id,omitempty"`

	// S3UsePathStyle addresses buckets as https://host/bucket/key.
	// +optional
	S3UsePathStyle bool `json:"s3_use_path_style,omitempty"`
}

// Region is the name of a region, such as eu-central-1.
//
// +kubebuilder:validation:MaxLength=64
// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]{2,}(-[a-z]+)+-[0-9]+$')",message="this is not the name of a region: use one such as eu-central-1"
// +kubebuilder:validation:XValidation:rule="!self.matches('(^|-)(fips|dualstack)(-|$)')",message="this names an endpoint, not a region: use the region itself, such as eu-central-1, and set useFIPSEndpoint or useDualStackEndpoint"
type Region string

// TagValue is the value of an AWS tag: at most 256 characters.
//
// +kubebuilder:validation:MaxLength=256
type TagValue string

// IgnoreTags names tags that the provider does not manage.
type IgnoreTags struct {
	// Keys are whole tag keys.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=128
	Keys []string `json:"keys,omitempty"`

	// KeyPrefixes are prefixes of tag keys, such as "kubernetes.io/".
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=128
	KeyPrefixes []string `json:"keyPrefixes,omitempty"`
}

// AllowedNamespaces names the namespaces that may use a ClusterProviderConfig.
// A namespace may if its name is listed or its labels match the selector.
type AllowedNamespaces struct {
	// Names of namespaces.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=1000
	Names []string `json:"names,omitempty"`

	// Selector matches the labels of namespaces. If it is absent, it matches no
	// namespace. If it is empty, it matches every namespace.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
}

// A ProviderConfigStatus is the observed state of either kind of config.
type ProviderConfigStatus struct {
	xpv2.ProviderConfigStatus `json:",inline"`

	// ObservedGeneration is the generation of the spec that this status is of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// AccountID is the AWS account that the config reaches.
	// +optional
	AccountID string `json:"accountId,omitempty"`

	// IdentityARN is the identity of the config in AWS: the ARN of a user or of an assumed role. It is empty if the
	// check is skipped or if the identity depends on the resource.
	// +optional
	IdentityARN string `json:"identityArn,omitempty"`

	// AccountUsage is the account's Lambda quotas and their use, by region. It lists the regions in which resources of
	// this config were observed during the last two hours, at most 20. It is read about every ten minutes.
	// +optional
	// +listType=map
	// +listMapKey=region
	// +kubebuilder:validation:MaxItems=20
	AccountUsage []AccountUsage `json:"accountUsage,omitempty"`
}

// A ProviderConfig configures the access to AWS of resources of its own namespace.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,providerconfig,aws}
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SOURCE",type="string",JSONPath=".spec.credentials.source"
// +kubebuilder:printcolumn:name="ACCOUNT",type="string",JSONPath=".status.accountId"
// +kubebuilder:printcolumn:name="IDENTITY",type="string",JSONPath=".status.identityArn",priority=1
// +kubebuilder:printcolumn:name="USERS",type="integer",JSONPath=".status.users"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type ProviderConfig struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ProviderConfigSpec   `json:"spec"`
	Status ProviderConfigStatus `json:"status,omitempty"`
}

// A ProviderConfigList is a list of ProviderConfigs.
//
// +kubebuilder:object:root=true
type ProviderConfigList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ProviderConfig `json:"items"`
}

// A ClusterProviderConfig configures the access to AWS of resources of every namespace that it allows.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:resource:scope=Cluster,categories={crossplane,providerconfig,aws}
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SOURCE",type="string",JSONPath=".spec.credentials.source"
// +kubebuilder:printcolumn:name="ACCOUNT",type="string",JSONPath=".status.accountId"
// +kubebuilder:printcolumn:name="IDENTITY",type="string",JSONPath=".status.identityArn",priority=1
// +kubebuilder:printcolumn:name="USERS",type="integer",JSONPath=".status.users"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type ClusterProviderConfig struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ClusterProviderConfigSpec `json:"spec"`
	Status ProviderConfigStatus      `json:"status,omitempty"`
}

// A ClusterProviderConfigList is a list of ClusterProviderConfigs.
//
// +kubebuilder:object:root=true
type ClusterProviderConfigList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterProviderConfig `json:"items"`
}

// A ProviderConfigUsage records that a resource uses a config of either kind. It lies in the resource's namespace.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,providerconfig,aws}
// +kubebuilder:printcolumn:name="CONFIG-KIND",type="string",JSONPath=".providerConfigRef.kind"
// +kubebuilder:printcolumn:name="CONFIG-NAME",type="string",JSONPath=".providerConfigRef.name"
// +kubebuilder:printcolumn:name="RESOURCE-KIND",type="string",JSONPath=".resourceRef.kind"
// +kubebuilder:printcolumn:name="RESOURCE-NAME",type="string",JSONPath=".resourceRef.name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type ProviderConfigUsage struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	xpv2.TypedProviderConfigUsage `json:",inline"`
}

// A ProviderConfigUsageList is a list of ProviderConfigUsages.
//
// +kubebuilder:object:root=true
type ProviderConfigUsageList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ProviderConfigUsage `json:"items"`
}

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

// Ways to find the URL of an endpoint.
const (
	EndpointURLTypeStatic  = "Static"
	EndpointURLTypeDynamic = "Dynamic"
	EndpointURLTypeAuto    = "Auto"
)

// An EndpointConfig overrides where calls are sent and how they are signed.
type EndpointConfig struct {
	// URL of the endpoint.
	URL URLConfig `json:"url"`

	// Services are the services that the endpoint is for, as AWS's CLI spells them:
	// lambda, s3, sts. The default is all services.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=50
	// +kubebuilder:validation:items:MinLength=1
	Services []string `json:"services,omitempty"`

	// HostnameImmutable keeps the host of the URL as it is: S3's bucket names then go into the path. The default is
	// true for a static URL whose host is an IP address or localhost.
	// +optional
	HostnameImmutable *bool `json:"hostnameImmutable,omitempty"`

	// PartitionID is the AWS partition, such as aws, aws-cn or aws-us-gov. The
	// default is that of the resource's region.
	// +optional
	// +kubebuilder:validation:Pattern=`^aws[a-z-]*$`
	PartitionID *string `json:"partitionId,omitempty"`

	// SigningName is the service name that calls are signed for. The default is the service's own.
	// +optional
	// +kubebuilder:validation:MinLength=1
	SigningName *string `json:"signingName,omitempty"`

	// SigningRegion is the region that calls are signed for. The default is the resource's region.
	// +optional
	// +kubebuilder:validation:MinLength=1
	SigningRegion *string `json:"signingRegion,omitempty"`

	// SigningMethod is v4, AWS's Signature Version 4.
	// +optional
	// +kubebuilder:validation:Enum=v4
	SigningMethod *string `json:"signingMethod,omitempty"`

	// Source is accepted for configs that come from other providers, and has no effect.
	// +optional
	// +kubebuilder:validation:Enum=ServiceMetadata;Custom
	Source *string `json:"source,omitempty"`
}

// A URLConfig determines the URL of an endpoint.
//
// +kubebuilder:validation:XValidation:rule="self.type != 'Static' || has(self.static)",message="type Static needs static: set it to the URL of the endpoint"
// +kubebuilder:validation:XValidation:rule="self.type != 'Dynamic' || has(self.dynamic)",message="type Dynamic needs dynamic: set it, with the host that follows the service and the region in the URL"
type URLConfig struct {
	// Type is Static for one URL, Dynamic for one made of service, region and host, and Auto for AWS's own.
	// +kubebuilder:validation:Enum=Static;Dynamic;Auto
	Type string `json:"type"`

	// Static is the URL of the endpoint, whatever the service and region.
	// +optional
	// +kubebuilder:validation:Pattern=`^https?://[^\s/@?#]+(/[^\s?#]*)?$`
	Static *string `json:"static,omitempty"`

	// Dynamic makes the URL https://<service>.<region>.<host>.
	// +optional
	Dynamic *DynamicURLConfig `json:"dynamic,omitempty"`
}

// A DynamicURLConfig makes a URL for each service and region.
type DynamicURLConfig struct {
	// Protocol of the URL.
	// +kubebuilder:validation:Enum=http;https
	Protocol string `json:"protocol"`

	// Host that follows the service and the region in the URL, such as amazonaws.com.
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$`
	Host string `json:"host"`
}

// DriftEvents names a queue of Amazon SQS to which EventBridge delivers CloudTrail's events about
// calls to Lambda. A message about a resource reconciles it at once, and names who made the call.
type DriftEvents struct {
	// QueueARN is the ARN of a standard queue. Its messages are deleted as they are read, so
	// the queue must have no other reader. The identity of the config needs sqs:GetQueueUrl,
	// sqs:ReceiveMessage and sqs:DeleteMessage. Several ClusterProviderConfigs may name the
	// same queue. An event is for the resources of all of them, by account and region.
	//
	// +kubebuilder:validation:MaxLength=170
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-z-]*:sqs:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,80}$')",message="queueARN must be the ARN of a standard queue, such as arn:aws:sqs:eu-central-1:123456789012:drift"
	QueueARN string `json:"queueARN"`

	// ShowSourceIP also names the IP address from which the call was made.
	// +optional
	ShowSourceIP bool `json:"showSourceIP,omitempty"`
}

// AccountUsage is an account's Lambda quotas in a region and their use by everything in
// the account (GetAccountSettings).
type AccountUsage struct {
	// Region such as eu-central-1.
	Region string `json:"region"`

	// Unknown is the reason why the rest is not known, such as that the config's identity lacks
	// lambda:GetAccountSettings.
	// +optional
	Unknown string `json:"unknown,omitempty"`

	// ConcurrentExecutions is the number of executions that may run at a time.
	// +optional
	ConcurrentExecutions *int32 `json:"concurrentExecutions,omitempty"`

	// ReservedConcurrentExecutions is the number of these that are reserved for functions.
	// +optional
	ReservedConcurrentExecutions *int32 `json:"reservedConcurrentExecutions,omitempty"`

	// UnreservedConcurrentExecutions is the number of these that are not reserved. AWS does not allow
	// some of them, usually 100, to be reserved.
	// +optional
	UnreservedConcurrentExecutions *int32 `json:"unreservedConcurrentExecutions,omitempty"`

	// CodeStorageLimit is the limit of the stored code of functions, their versions and layers, in bytes.
	// +optional
	CodeStorageLimit *int64 `json:"codeStorageLimit,omitempty"`

	// CodeStorageUsed is the size of the stored code, in bytes.
	// +optional
	CodeStorageUsed *int64 `json:"codeStorageUsed,omitempty"`

	// CodeStorageLeft is the size of the code that may still be stored, in bytes.
	// +optional
	CodeStorageLeft *int64 `json:"codeStorageLeft,omitempty"`

	// FunctionCount is the number of functions.
	// +optional
	FunctionCount *int64 `json:"functionCount,omitempty"`
}

// GetConfigStatus returns the status, for code that handles both kinds of config.
func (c *ProviderConfig) GetConfigStatus() *ProviderConfigStatus { return &c.Status }

// GetConfigStatus returns the status, for code that handles both kinds of config.
func (c *ClusterProviderConfig) GetConfigStatus() *ProviderConfigStatus { return &c.Status }
