package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

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

// Kinds of this file, as they are spelled in a reference.
const (
	ProviderConfigKind        = "ProviderConfig"
	ClusterProviderConfigKind = "ClusterProviderConfig"
	ProviderConfigUsageKind   = "ProviderConfigUsage"
)

// The same with their group and version.
var (
	ProviderConfigGroupVersionKind          = SchemeGroupVersion.WithKind(ProviderConfigKind)
	ClusterProviderConfigGroupVersionKind   = SchemeGroupVersion.WithKind(ClusterProviderConfigKind)
	ProviderConfigUsageGroupVersionKind     = SchemeGroupVersion.WithKind(ProviderConfigUsageKind)
	ProviderConfigUsageListGroupVersionKind = schema.GroupVersionKind{
		Group: Group, Version: APIVersion, Kind: ProviderConfigUsageKind + "List",
	}
)

func init() {
	SchemeBuilder.Register(
		&ProviderConfig{}, &ProviderConfigList{},
		&ClusterProviderConfig{}, &ClusterProviderConfigList{},
		&ProviderConfigUsage{}, &ProviderConfigUsageList{},
	)
}
