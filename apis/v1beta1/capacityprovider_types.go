package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reference"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// CapacityProviderSettings are the settings of a capacity provider that can be changed (UpdateCapacityProvider).
type CapacityProviderSettings struct {
	// CapacityProviderScalingConfig is the scaling configuration of the instances. When this block is
	// removed, the scaling mode returns to Auto, which is AWS's default.
	// +optional
	CapacityProviderScalingConfig *CapacityProviderScalingConfig `json:"capacityProviderScalingConfig,omitempty"`

	// PropagateTags sets the tags that instances and other managed resources get at launch. When this block is removed,
	// they get none.
	// +optional
	PropagateTags *PropagateTags `json:"propagateTags,omitempty"`

	// TelemetryConfig is the logging configuration of the capacity provider. When this block is
	// removed, it logs to /aws/lambda/capacity-provider/<name> again, at level INFO.
	// +optional
	TelemetryConfig *CapacityProviderTelemetryConfig `json:"telemetryConfig,omitempty"`

	// Tags of the capacity provider, at most 44 (AWS allows 50, of which the provider uses up to six). A tag that is
	// not listed here is removed, except aws:* and those that the provider config ignores.
	// +optional
	// +kubebuilder:validation:MaxProperties=44
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) >= 1 && size(k) <= 128)",message="a tag key must have 1 to 128 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(self[k]) <= 256)",message="a tag value must have at most 256 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.lowerAscii().startsWith('aws:'))",message="tag keys that start with aws: are reserved by AWS: remove them"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.startsWith('crossplane-'))",message="tag keys that start with crossplane- are reserved by the provider: remove them"
	Tags map[string]string `json:"tags,omitempty"`
}

// CapacityProviderScalingConfig is the scaling configuration of the instances.
type CapacityProviderScalingConfig struct {
	// MaxVCPUCount is the number of vCPUs that all instances may have in total: 2 to 15000. If it
	// is not set, it keeps its value in AWS.
	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=15000
	MaxVCPUCount *int32 `json:"maxVCpuCount,omitempty"`

	// ScalingMode is Auto, where AWS selects how to scale, or Manual, where
	// scalingPolicies define it. AWS's default is Auto.
	// +optional
	// +kubebuilder:validation:Enum=Auto;Manual
	ScalingMode *string `json:"scalingMode,omitempty"`

	// ScalingPolicies are the metrics that scaling keeps at a value, 1 to 10.
	// +optional
	// +listType=map
	// +listMapKey=predefinedMetricType
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	ScalingPolicies []TargetTrackingScalingPolicy `json:"scalingPolicies,omitempty"`
}

// TargetTrackingScalingPolicy keeps a metric at a value.
type TargetTrackingScalingPolicy struct {
	// PredefinedMetricType is the metric: LambdaCapacityProviderAverageCPUUtilization.
	// +kubebuilder:validation:Enum=LambdaCapacityProviderAverageCPUUtilization
	PredefinedMetricType string `json:"predefinedMetricType"`

	// TargetValue of the metric, in percent: a decimal number from 0 to 100, as a string.
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?$') && double(self) <= 100.0",message="targetValue must be a decimal number from 0 to 100, in quotes"
	TargetValue string `json:"targetValue"`
}

// PropagateTags sets the tags that managed resources get at launch.
//
// +kubebuilder:validation:XValidation:rule="has(self.explicitTags) == (self.mode == 'Explicit')",message="explicitTags and mode Explicit must be set together: set both, or use mode None without explicitTags"
type PropagateTags struct {
	// Mode is Explicit, for the tags of explicitTags, or None.
	// +kubebuilder:validation:Enum=Explicit;None
	Mode string `json:"mode"`

	// ExplicitTags are the tags, 1 to 40.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=40
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) >= 1 && size(k) <= 128)",message="a tag key must have 1 to 128 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(self[k]) <= 256)",message="a tag value must have at most 256 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.lowerAscii().startsWith('aws:'))",message="tag keys that start with aws: are reserved by AWS: remove them"
	ExplicitTags map[string]string `json:"explicitTags,omitempty"`
}

// CapacityProviderTelemetryConfig sets the telemetry of a capacity provider.
type CapacityProviderTelemetryConfig struct {
	// LoggingConfig is the CloudWatch logging configuration.
	LoggingConfig CapacityProviderLoggingConfig `json:"loggingConfig"`
}

// CapacityProviderLoggingConfig is the CloudWatch logging configuration of a capacity provider.
type CapacityProviderLoggingConfig struct {
	// LogGroup is the CloudWatch log group. AWS's default is /aws/lambda/capacity-provider/<name>.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^[.#/_A-Za-z0-9-]+$')",message="logGroup must be the name of a log group: use 1 to 512 letters, digits and . # / _ -"
	LogGroup *string `json:"logGroup,omitempty"`

	// SystemLogLevel is the level of detail of system logs: DEBUG, INFO or WARN. AWS's default is INFO.
	// +optional
	// +kubebuilder:validation:Enum=DEBUG;INFO;WARN
	SystemLogLevel *string `json:"systemLogLevel,omitempty"`
}

// CapacityProviderVPCConfig is the VPC configuration of the instances.
//
// +kubebuilder:validation:XValidation:rule="has(self.subnetIds) != has(self.subnetIdsFrom)",message="vpcConfig needs subnets: set exactly one of subnetIds and subnetIdsFrom"
// +kubebuilder:validation:XValidation:rule="!(has(self.securityGroupIds) && has(self.securityGroupIdsFrom))",message="set only one of securityGroupIds and securityGroupIdsFrom"
type CapacityProviderVPCConfig struct {
	// SubnetIDs are the VPC's subnets, 1 to 16, in any order.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.all(s, s.matches('^subnet-[0-9a-z]+$'))",message="a subnet must be an ID: use the form subnet-0123456789abcdef0"
	SubnetIDs []string `json:"subnetIds,omitempty"`

	// SubnetIDsFrom reads the subnets' IDs from fields of other objects in this namespace.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	SubnetIDsFrom []FieldSelector `json:"subnetIdsFrom,omitempty"`

	// SecurityGroupIDs are the instances' security groups, at most 5, in any order.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=5
	// +kubebuilder:validation:items:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.all(s, s.matches('^sg-[0-9a-zA-Z]+$'))",message="a security group must be an ID: use the form sg-0123456789abcdef0"
	SecurityGroupIDs []string `json:"securityGroupIds,omitempty"`

	// SecurityGroupIDsFrom reads the security groups' IDs from fields of other objects in this namespace.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=5
	SecurityGroupIDsFrom []FieldSelector `json:"securityGroupIdsFrom,omitempty"`
}

// CapacityProviderPermissionsConfig names the role by which AWS acts for a capacity provider.
//
// +kubebuilder:validation:XValidation:rule="has(self.capacityProviderOperatorRoleArn) != has(self.capacityProviderOperatorRoleArnFrom)",message="permissionsConfig needs a role: set exactly one of capacityProviderOperatorRoleArn and capacityProviderOperatorRoleArnFrom"
type CapacityProviderPermissionsConfig struct {
	// CapacityProviderOperatorRoleArn is the ARN of the role with which AWS manages instances.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z-]*:iam::[0-9]{12}:role/?[a-zA-Z_0-9+=,.@/-]+$')",message="capacityProviderOperatorRoleArn is not an IAM role ARN: use the form arn:aws:iam::123456789012:role/name"
	CapacityProviderOperatorRoleArn *string `json:"capacityProviderOperatorRoleArn,omitempty"`

	// CapacityProviderOperatorRoleArnFrom reads the role's ARN from a field of another object in this namespace.
	// +optional
	CapacityProviderOperatorRoleArnFrom *FieldSelector `json:"capacityProviderOperatorRoleArnFrom,omitempty"`
}

// InstanceRequirements say which instances are launched.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.allowedInstanceTypes) && has(self.excludedInstanceTypes))",message="allowedInstanceTypes already excludes all other instance types: set only one of allowedInstanceTypes and excludedInstanceTypes"
type InstanceRequirements struct {
	// Architectures is the instruction set: exactly one of x86_64 and arm64.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1
	// +kubebuilder:validation:items:Enum=x86_64;arm64
	Architectures []string `json:"architectures,omitempty"`

	// AllowedInstanceTypes are the EC2 instance types that may be used, such as m7g.large, at most 400, in any order.
	// If it is not set, all suitable types are allowed.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=400
	// +kubebuilder:validation:items:MaxLength=30
	// +kubebuilder:validation:items:Pattern=`^[a-zA-Z0-9.-]+$`
	AllowedInstanceTypes []string `json:"allowedInstanceTypes,omitempty"`

	// ExcludedInstanceTypes are EC2 instance types that may not be used, at most 400, in any order.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=400
	// +kubebuilder:validation:items:MaxLength=30
	// +kubebuilder:validation:items:Pattern=`^[a-zA-Z0-9.-]+$`
	ExcludedInstanceTypes []string `json:"excludedInstanceTypes,omitempty"`
}

// CapacityProviderParameters are the desired settings of a capacity provider and where it lives.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.kmsKeyArn) && has(self.kmsKeyArnFrom))",fieldPath=".kmsKeyArnFrom",reason="FieldValueForbidden",message="kmsKeyArn is also set: set only one of kmsKeyArn and kmsKeyArnFrom"
type CapacityProviderParameters struct {
	Regional `json:",inline"`

	// VPCConfig is the VPC configuration of the instances. It can't be changed after creation.
	// +optional
	VPCConfig *CapacityProviderVPCConfig `json:"vpcConfig,omitempty"`

	// PermissionsConfig names the role by which AWS acts for the capacity provider. It can't be changed after creation.
	// +optional
	PermissionsConfig *CapacityProviderPermissionsConfig `json:"permissionsConfig,omitempty"`

	// InstanceRequirements select the instances that are launched. If they are not set,
	// AWS selects them. They can't be changed after creation.
	// +optional
	InstanceRequirements *InstanceRequirements `json:"instanceRequirements,omitempty"`

	// KMSKeyArn is the ARN of the KMS key that encrypts the capacity provider's
	// resources. It can't be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/.+$')",message="kmsKeyArn is not a KMS key ARN: use the form arn:aws:kms:region:123456789012:key/id"
	KMSKeyArn *string `json:"kmsKeyArn,omitempty"`

	// KMSKeyArnFrom reads the KMS key's ARN from a field of another object in this namespace.
	// +optional
	KMSKeyArnFrom *FieldSelector `json:"kmsKeyArnFrom,omitempty"`

	CapacityProviderSettings `json:",inline"`
}

// CapacityProviderSpec is the desired state of a capacity provider.
//
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.vpcConfig)",fieldPath=".forProvider.vpcConfig",reason="FieldValueRequired",message="set vpcConfig to the subnets and security groups of the instances"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.permissionsConfig)",fieldPath=".forProvider.permissionsConfig",reason="FieldValueRequired",message="set capacityProviderOperatorRoleArn to the role that AWS uses to manage instances"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.capacityProviderScalingConfig) && has(self.forProvider.capacityProviderScalingConfig.scalingPolicies) || has(self.initProvider) && has(self.initProvider.capacityProviderScalingConfig) && has(self.initProvider.capacityProviderScalingConfig.scalingPolicies)) || has(self.forProvider.capacityProviderScalingConfig) && has(self.forProvider.capacityProviderScalingConfig.scalingMode) && self.forProvider.capacityProviderScalingConfig.scalingMode == 'Manual' || has(self.initProvider) && has(self.initProvider.capacityProviderScalingConfig) && has(self.initProvider.capacityProviderScalingConfig.scalingMode) && self.initProvider.capacityProviderScalingConfig.scalingMode == 'Manual'",fieldPath=".forProvider.capacityProviderScalingConfig.scalingPolicies",reason="FieldValueForbidden",message="scalingPolicies need scalingMode Manual: set scalingMode to Manual, or remove scalingPolicies"
// +kubebuilder:validation:XValidation:rule="(has(self.forProvider.capacityProviderScalingConfig) && has(self.forProvider.capacityProviderScalingConfig.scalingMode) ? self.forProvider.capacityProviderScalingConfig.scalingMode != 'Manual' : !has(self.initProvider) || !has(self.initProvider.capacityProviderScalingConfig) || !has(self.initProvider.capacityProviderScalingConfig.scalingMode) || self.initProvider.capacityProviderScalingConfig.scalingMode != 'Manual') || has(self.forProvider.capacityProviderScalingConfig) && has(self.forProvider.capacityProviderScalingConfig.scalingPolicies) || has(self.initProvider) && has(self.initProvider.capacityProviderScalingConfig) && has(self.initProvider.capacityProviderScalingConfig.scalingPolicies)",fieldPath=".forProvider.capacityProviderScalingConfig.scalingPolicies",reason="FieldValueRequired",message="scalingMode Manual needs scalingPolicies: set at least one"
type CapacityProviderSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider is the desired state of the capacity provider.
	ForProvider CapacityProviderParameters `json:"forProvider"`

	// InitProvider has the settings that are applied only at creation. Afterwards, the provider ignores the fields that
	// are set here and not in forProvider, so that another tool may change them.
	// +optional
	InitProvider *CapacityProviderSettings `json:"initProvider,omitempty"`
}

// CapacityProviderObservation is the observed state of a capacity provider (GetCapacityProvider).
type CapacityProviderObservation struct {
	// CapacityProviderName in AWS.
	CapacityProviderName *string `json:"capacityProviderName,omitempty"`
	// CapacityProviderArn is the capacity provider's ARN.
	CapacityProviderArn *string `json:"capacityProviderArn,omitempty"`
	// State is Pending, Active, Failed or Deleting.
	State *string `json:"state,omitempty"`
	// SubnetIDs that instances are launched in.
	// +listType=atomic
	SubnetIDs []string `json:"subnetIds,omitempty"`
	// SecurityGroupIDs of the instances.
	// +listType=atomic
	SecurityGroupIDs []string `json:"securityGroupIds,omitempty"`
	// CapacityProviderOperatorRoleArn is the role with which AWS manages instances.
	CapacityProviderOperatorRoleArn *string `json:"capacityProviderOperatorRoleArn,omitempty"`
	// InstanceRequirements say which instances are launched.
	InstanceRequirements *InstanceRequirements `json:"instanceRequirements,omitempty"`
	// CapacityProviderScalingConfig is the scaling configuration of the instances.
	CapacityProviderScalingConfig *CapacityProviderScalingConfig `json:"capacityProviderScalingConfig,omitempty"`
	// KMSKeyArn is the ARN of the KMS key.
	KMSKeyArn *string `json:"kmsKeyArn,omitempty"`
	// PropagateTags are the tags that managed resources get.
	PropagateTags *PropagateTags `json:"propagateTags,omitempty"`
	// TelemetryConfig is the logging configuration of the capacity provider.
	TelemetryConfig *CapacityProviderTelemetryConfig `json:"telemetryConfig,omitempty"`
	// LastModified is the time at which the capacity provider was last changed.
	LastModified *string `json:"lastModified,omitempty"`
	// TagKeys are the keys of the tags in AWS, where they may be read.
	// +listType=atomic
	TagKeys []string `json:"tagKeys,omitempty"`
}

// CapacityProviderStatus is the observed state of a capacity provider.
type CapacityProviderStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is the state of the resource in AWS, as last observed.
	// +optional
	AtProvider CapacityProviderObservation `json:"atProvider,omitempty"`
}

// A CapacityProvider is an AWS Lambda capacity provider: EC2 instances of your account
// that Lambda manages, and runs the functions on that name it.
// ---
// What is fixed at creation is held as for a Function.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdacp
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.message",priority=1
// +kubebuilder:printcolumn:name="EXTERNAL-NAME",type="string",JSONPath=".metadata.annotations.crossplane\\.io/external-name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 140",fieldPath=".metadata",message="metadata.name is the capacity provider's name in AWS, which has at most 140 characters: shorten it"
// +kubebuilder:validation:XValidation:rule="!self.metadata.name.contains('.')",fieldPath=".metadata",message="metadata.name is the capacity provider's name in AWS, which cannot contain dots: use hyphens"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.capacityProviderArn) || !('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) || !('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies) || has(self.spec.forProvider.vpcConfig) == has(oldSelf.spec.forProvider.vpcConfig) && (!has(self.spec.forProvider.vpcConfig) || self.spec.forProvider.vpcConfig == oldSelf.spec.forProvider.vpcConfig)",fieldPath=".spec.forProvider.vpcConfig",reason="FieldValueForbidden",message="vpcConfig can't be changed after creation: create a new CapacityProvider"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.capacityProviderArn) || !('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) || !('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies) || has(self.spec.forProvider.permissionsConfig) == has(oldSelf.spec.forProvider.permissionsConfig) && (!has(self.spec.forProvider.permissionsConfig) || self.spec.forProvider.permissionsConfig == oldSelf.spec.forProvider.permissionsConfig)",fieldPath=".spec.forProvider.permissionsConfig",reason="FieldValueForbidden",message="permissionsConfig can't be changed after creation: create a new CapacityProvider"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.capacityProviderArn) || !('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) || !('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies) || has(self.spec.forProvider.instanceRequirements) == has(oldSelf.spec.forProvider.instanceRequirements) && (!has(self.spec.forProvider.instanceRequirements) || self.spec.forProvider.instanceRequirements == oldSelf.spec.forProvider.instanceRequirements)",fieldPath=".spec.forProvider.instanceRequirements",reason="FieldValueForbidden",message="instanceRequirements can't be changed after creation: create a new CapacityProvider"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.capacityProviderArn) || !('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) || !('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies) || has(self.spec.forProvider.kmsKeyArn) == has(oldSelf.spec.forProvider.kmsKeyArn) && (!has(self.spec.forProvider.kmsKeyArn) || self.spec.forProvider.kmsKeyArn == oldSelf.spec.forProvider.kmsKeyArn)",fieldPath=".spec.forProvider.kmsKeyArn",reason="FieldValueForbidden",message="kmsKeyArn can't be changed after creation: create a new CapacityProvider"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.capacityProviderArn) || !('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) || !('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies) || has(self.spec.forProvider.kmsKeyArnFrom) == has(oldSelf.spec.forProvider.kmsKeyArnFrom) && (!has(self.spec.forProvider.kmsKeyArnFrom) || self.spec.forProvider.kmsKeyArnFrom == oldSelf.spec.forProvider.kmsKeyArnFrom)",fieldPath=".spec.forProvider.kmsKeyArnFrom",reason="FieldValueForbidden",message="kmsKeyArnFrom can't be changed after creation: create a new CapacityProvider"
type CapacityProvider struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec CapacityProviderSpec `json:"spec"`

	// Status begins with a generation that was never observed, so that tools which
	// read kstatus see a new capacity provider as in progress rather than as in order.
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending"}
	Status CapacityProviderStatus `json:"status,omitempty"`
}

// CapacityProviderList is a list of capacity providers.
//
// +kubebuilder:object:root=true
type CapacityProviderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []CapacityProvider `json:"items"`
}

// CapacityProviderARN returns an extractor of the ARN in a capacity provider's status.
func CapacityProviderARN() reference.ExtractValueFn {
	return func(mg resource.Managed) string {
		c, ok := any(mg).(*CapacityProvider)
		if !ok {
			return ""
		}
		return ptr.Deref(c.Status.AtProvider.CapacityProviderArn, "")
	}
}

// ReferenceValues returns the values to which references to a capacity provider can resolve.
func (c *CapacityProvider) ReferenceValues() []string {
	return []string{ptr.Deref(c.Status.AtProvider.CapacityProviderArn, "")}
}
