package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// FunctionParameters are the desired settings of a function and where it lives.
//
// +kubebuilder:validation:XValidation:rule="!has(self.historyLimit) || has(self.publish) && self.publish",fieldPath=".historyLimit",reason="FieldValueForbidden",message="historyLimit needs publish: set publish to true, or remove historyLimit"
// +kubebuilder:validation:XValidation:rule="!has(self.publishRevision) || !self.publishRevision || has(self.publish) && self.publish",fieldPath=".publishRevision",reason="FieldValueForbidden",message="publishRevision needs publish: set publish to true, or remove publishRevision"
// +kubebuilder:validation:XValidation:rule="!(has(self.publishTo) && has(self.historyLimit))",fieldPath=".historyLimit",reason="FieldValueForbidden",message="publishTo publishes the same version again and leaves no earlier ones to delete: remove historyLimit"
// +kubebuilder:validation:XValidation:rule="!(has(self.replacementSecurityGroupIds) && has(self.replacementSecurityGroupIdsFrom))",fieldPath=".replacementSecurityGroupIdsFrom",reason="FieldValueForbidden",message="replacementSecurityGroupIds is also set: set only one of replacementSecurityGroupIds and replacementSecurityGroupIdsFrom"
// +kubebuilder:validation:XValidation:rule="!has(self.replaceSecurityGroupsOnDestroy) || !self.replaceSecurityGroupsOnDestroy || has(self.replacementSecurityGroupIds) || has(self.replacementSecurityGroupIdsFrom)",fieldPath=".replacementSecurityGroupIds",reason="FieldValueRequired",message="replaceSecurityGroupsOnDestroy needs replacement security groups: set replacementSecurityGroupIds, for example to the VPC's default security group, or set replacementSecurityGroupIdsFrom"
// +kubebuilder:validation:XValidation:rule="has(self.replaceSecurityGroupsOnDestroy) || !(has(self.replacementSecurityGroupIds) || has(self.replacementSecurityGroupIdsFrom))",fieldPath=".replaceSecurityGroupsOnDestroy",reason="FieldValueRequired",message="set replaceSecurityGroupsOnDestroy to true: otherwise, the replacement security groups are not used"
// +kubebuilder:validation:XValidation:rule="!(has(self.detachFromVpcOnDestroy) && self.detachFromVpcOnDestroy && has(self.replaceSecurityGroupsOnDestroy) && self.replaceSecurityGroupsOnDestroy)",fieldPath=".detachFromVpcOnDestroy",reason="FieldValueForbidden",message="replaceSecurityGroupsOnDestroy is also true: set only one of them, since a function without a VPC has no security groups to replace"
type FunctionParameters struct {
	// Region is the AWS region of the function, such as eu-central-1. It can't be changed.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]{2,}(-[a-z]+)+-[0-9]+$')",message="region is not an AWS region name: use one such as eu-central-1"
	// +kubebuilder:validation:XValidation:rule="!self.matches('(^|-)(fips|dualstack)(-|$)')",message="region names an endpoint, not a region: use the region itself, such as eu-central-1, and set useFIPSEndpoint or useDualStackEndpoint in the provider config"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",reason="FieldValueForbidden",message="region can't be changed: create a new Function in the other region"
	Region string `json:"region"`

	// PublishOn selects the changes that publish publishes. Spec selects changes of this resource and of what it refers
	// to, such as a Secret or an S3 object. AnyChange also selects changes that someone else made in AWS to fields that
	// this resource does not set. Such changes are part of the next version in either case. The default is Spec.
	// +optional
	// +kubebuilder:validation:Enum=Spec;AnyChange
	PublishOn *string `json:"publishOn,omitempty"`

	// PublishRevision sets the description of each published version to the revision of its code, such as
	// main@sha1:c5d4e9, if the code's source has one: sourceRef, or oci. It needs publish. The default is false: a
	// version has the description of the function.
	// +optional
	PublishRevision *bool `json:"publishRevision,omitempty"`

	// HistoryLimit is the number of earlier versions of this resource to keep, 0 to 100, in addition to the latest one.
	// Older versions are deleted, unless something in Lambda uses them, such as an alias or an event source mapping. It
	// needs publish. If it is not set, all versions are kept.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	HistoryLimit *int32 `json:"historyLimit,omitempty"`

	// ReplaceSecurityGroupsOnDestroy replaces the security groups of vpcConfig with the replacement security groups
	// before the function is deleted. Lambda keeps the function's network interfaces for a while, which would block the
	// deletion of their security groups. The function is deleted when AWS has completed or rejected the change. It
	// needs the management policy Update. The default is false.
	// +optional
	ReplaceSecurityGroupsOnDestroy *bool `json:"replaceSecurityGroupsOnDestroy,omitempty"`

	// ReplacementSecurityGroupIDs are the security groups to put in place of the
	// function's before it is deleted, 1 to 5, in any order. They must be in the same
	// VPC, and must exist until AWS has removed the function's network interfaces.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=5
	// +kubebuilder:validation:items:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.all(s, s.matches('^sg-[0-9a-zA-Z]+$'))",message="a security group must be an ID: use the form sg-0123456789abcdef0"
	ReplacementSecurityGroupIDs []string `json:"replacementSecurityGroupIds,omitempty"`

	// ReplacementSecurityGroupIDsFrom reads the replacement security groups' IDs from fields of other objects in this
	// namespace, when the function is deleted. Objects that no longer exist by then are ignored.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=5
	ReplacementSecurityGroupIDsFrom []FieldSelector `json:"replacementSecurityGroupIdsFrom,omitempty"`

	// DetachFromVPCOnDestroy removes the function from its VPC before the function is deleted, so that AWS can remove
	// its network interfaces while the function and its role still exist. The function is deleted when AWS has
	// completed or rejected the change. It needs the management policy Update. The default is false.
	// +optional
	DetachFromVPCOnDestroy *bool `json:"detachFromVpcOnDestroy,omitempty"`

	FunctionSettings `json:",inline"`
}

// FunctionSpec is the desired state of a function.
//
// To create a function, the provider needs code, role and, for packageType Zip, handler
// and runtime, in forProvider or in initProvider. If managementPolicies contain neither
// * nor Create, only region is required.
//
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || (has(self.forProvider.code) || has(self.initProvider) && has(self.initProvider.code))",fieldPath=".forProvider.code",reason="FieldValueRequired",message="set exactly one source: s3Bucket and s3Key, imageUri, inline, configMapRef, zipFileFrom, sourceRef or oci (set it in spec.initProvider if another tool deploys code later)"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || (has(self.forProvider.role) || has(self.initProvider) && has(self.initProvider.role)) || (has(self.forProvider.roleFrom) || has(self.initProvider) && has(self.initProvider.roleFrom))",fieldPath=".forProvider.role",reason="FieldValueRequired",message="set role to the ARN of the function's execution role, or set roleFrom"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || (has(self.forProvider.packageType) ? self.forProvider.packageType == 'Image' : has(self.initProvider) && has(self.initProvider.packageType) && self.initProvider.packageType == 'Image') || (has(self.forProvider.handler) || has(self.initProvider) && has(self.initProvider.handler))",fieldPath=".forProvider.handler",reason="FieldValueRequired",message="packageType Zip, the default, needs a handler: set handler, for example to index.handler"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || (has(self.forProvider.packageType) ? self.forProvider.packageType == 'Image' : has(self.initProvider) && has(self.initProvider.packageType) && self.initProvider.packageType == 'Image') || (has(self.forProvider.runtime) || has(self.initProvider) && has(self.initProvider.runtime))",fieldPath=".forProvider.runtime",reason="FieldValueRequired",message="packageType Zip, the default, needs a runtime: set runtime, for example to python3.13"
// +kubebuilder:validation:XValidation:rule="(has(self.forProvider.runtime) ? self.forProvider.runtime == 'custom' : has(self.initProvider) && has(self.initProvider.runtime) && self.initProvider.runtime == 'custom') == (has(self.forProvider.runtimeConfig) || has(self.initProvider) && has(self.initProvider.runtimeConfig))",fieldPath=".forProvider.runtimeConfig",message="runtimeConfig names the runtime of a function with runtime custom: set both, or neither"
// +kubebuilder:validation:XValidation:rule="(has(self.forProvider.packageType) ? self.forProvider.packageType == 'Image' : has(self.initProvider) && has(self.initProvider.packageType) && self.initProvider.packageType == 'Image') || !(has(self.forProvider.code) && has(self.forProvider.code.imageUri) || has(self.initProvider) && has(self.initProvider.code) && has(self.initProvider.code.imageUri))",message="code.imageUri is for container images: set packageType: Image"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.packageType) ? self.forProvider.packageType == 'Image' : has(self.initProvider) && has(self.initProvider.packageType) && self.initProvider.packageType == 'Image') || (!has(self.forProvider.code) || has(self.forProvider.code.imageUri)) && (!has(self.initProvider) || !has(self.initProvider.code) || has(self.initProvider.code.imageUri))",message="packageType Image needs code.imageUri: set it, or set packageType: Zip"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.packageType) ? self.forProvider.packageType == 'Image' : has(self.initProvider) && has(self.initProvider.packageType) && self.initProvider.packageType == 'Image') || !((has(self.forProvider.handler) || has(self.initProvider) && has(self.initProvider.handler)) || (has(self.forProvider.runtime) || has(self.initProvider) && has(self.initProvider.runtime)) || (has(self.forProvider.layers) || has(self.initProvider) && has(self.initProvider.layers) || has(self.forProvider.layerRefs) || has(self.initProvider) && has(self.initProvider.layerRefs) || has(self.forProvider.layerSelector) || has(self.initProvider) && has(self.initProvider.layerSelector)))",message="handler, runtime and layers are for packageType Zip only: remove them, and use imageConfig to override the image's entry point"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.packageType) ? self.forProvider.packageType == 'Image' : has(self.initProvider) && has(self.initProvider.packageType) && self.initProvider.packageType == 'Image') || !(has(self.forProvider.codeSigningConfigArn) && size(self.forProvider.codeSigningConfigArn) > 0 || has(self.forProvider.codeSigningConfigArnRef) || has(self.forProvider.codeSigningConfigArnSelector) || has(self.initProvider) && (has(self.initProvider.codeSigningConfigArn) && size(self.initProvider.codeSigningConfigArn) > 0 || has(self.initProvider.codeSigningConfigArnRef) || has(self.initProvider.codeSigningConfigArnSelector)))",fieldPath=".forProvider.codeSigningConfigArn",reason="FieldValueForbidden",message="code signing is for .zip archives only: remove the code signing config, or set packageType: Zip"
// +kubebuilder:validation:XValidation:rule="(has(self.forProvider.packageType) ? self.forProvider.packageType == 'Image' : has(self.initProvider) && has(self.initProvider.packageType) && self.initProvider.packageType == 'Image') || !(has(self.forProvider.imageConfig) || has(self.initProvider) && has(self.initProvider.imageConfig))",message="imageConfig is for container images: remove it, or set packageType: Image"
// +kubebuilder:validation:XValidation:rule="(has(self.forProvider.capacityProviderConfig) || has(self.initProvider) && has(self.initProvider.capacityProviderConfig)) || (!has(self.forProvider.timeout) || self.forProvider.timeout <= 900) && (!has(self.initProvider) || !has(self.initProvider.timeout) || self.initProvider.timeout <= 900)",message="timeout must be at most 900 seconds (5400 with capacityProviderConfig)"
// +kubebuilder:validation:XValidation:rule="(has(self.forProvider.capacityProviderConfig) || has(self.initProvider) && has(self.initProvider.capacityProviderConfig)) || (!has(self.forProvider.memorySize) || self.forProvider.memorySize <= 10240) && (!has(self.initProvider) || !has(self.initProvider.memorySize) || self.initProvider.memorySize <= 10240)",message="memorySize must be at most 10240 MB (32768 with capacityProviderConfig)"
// +kubebuilder:validation:XValidation:rule="(has(self.forProvider.capacityProviderConfig) || has(self.initProvider) && has(self.initProvider.capacityProviderConfig)) || (has(self.forProvider.vpcConfig) || has(self.initProvider) && has(self.initProvider.vpcConfig)) || (!has(self.forProvider.fileSystemConfigs) || size(self.forProvider.fileSystemConfigs) == 0) && (!has(self.initProvider) || !has(self.initProvider.fileSystemConfigs) || size(self.initProvider.fileSystemConfigs) == 0)",message="fileSystemConfigs needs vpcConfig, since a file system is mounted from within a VPC: set vpcConfig"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.capacityProviderConfig) || has(self.initProvider) && has(self.initProvider.capacityProviderConfig)) || !(has(self.forProvider.loggingConfig) && has(self.forProvider.loggingConfig.logFormat) ? self.forProvider.loggingConfig.logFormat == 'Text' : has(self.initProvider) && has(self.initProvider.loggingConfig) && has(self.initProvider.loggingConfig.logFormat) && self.initProvider.loggingConfig.logFormat == 'Text')",fieldPath=".forProvider.loggingConfig",message="loggingConfig.logFormat must be JSON with capacityProviderConfig: set JSON, or remove logFormat"
// +kubebuilder:validation:XValidation:rule="(has(self.forProvider.capacityProviderConfig) || has(self.initProvider) && has(self.initProvider.capacityProviderConfig)) || !(has(self.forProvider.functionScalingConfig) || has(self.initProvider) && has(self.initProvider.functionScalingConfig))",message="functionScalingConfig is for functions on Lambda Managed Instances: remove it, or set capacityProviderConfig"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.publishTo) || has(self.initProvider) && has(self.initProvider.publishTo)) || has(self.forProvider.publish) && self.forProvider.publish || has(self.initProvider) && has(self.initProvider.publish) && self.initProvider.publish",fieldPath=".forProvider.publishTo",reason="FieldValueForbidden",message="publishTo needs publish: set publish to true, or remove publishTo"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.vpcConfig) || has(self.initProvider) && has(self.initProvider.vpcConfig)) || has(self.forProvider.vpcConfig) && (has(self.forProvider.vpcConfig.subnetIds) || has(self.forProvider.vpcConfig.subnetIdsFrom)) || has(self.initProvider) && has(self.initProvider.vpcConfig) && (has(self.initProvider.vpcConfig.subnetIds) || has(self.initProvider.vpcConfig.subnetIdsFrom))",fieldPath=".forProvider.vpcConfig",message="vpcConfig needs subnets: set subnetIds or subnetIdsFrom, or remove vpcConfig to take the function out of the VPC"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.vpcConfig) || has(self.initProvider) && has(self.initProvider.vpcConfig)) || has(self.forProvider.vpcConfig) && (has(self.forProvider.vpcConfig.securityGroupIds) || has(self.forProvider.vpcConfig.securityGroupIdsFrom)) || has(self.initProvider) && has(self.initProvider.vpcConfig) && (has(self.initProvider.vpcConfig.securityGroupIds) || has(self.initProvider.vpcConfig.securityGroupIdsFrom))",fieldPath=".forProvider.vpcConfig",message="vpcConfig needs security groups: set securityGroupIds or securityGroupIdsFrom, or remove vpcConfig to take the function out of the VPC"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.loggingConfig) && (has(self.forProvider.loggingConfig.applicationLogLevel) || has(self.forProvider.loggingConfig.systemLogLevel)) || has(self.initProvider) && has(self.initProvider.loggingConfig) && (has(self.initProvider.loggingConfig.applicationLogLevel) || has(self.initProvider.loggingConfig.systemLogLevel))) || has(self.forProvider.loggingConfig) && (has(self.forProvider.loggingConfig.logFormat) && self.forProvider.loggingConfig.logFormat == 'JSON') || has(self.initProvider) && has(self.initProvider.loggingConfig) && (has(self.initProvider.loggingConfig.logFormat) && self.initProvider.loggingConfig.logFormat == 'JSON')",fieldPath=".forProvider.loggingConfig",message="applicationLogLevel and systemLogLevel are for JSON logs only: set logFormat: JSON"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.capacityProviderConfig) || has(self.initProvider) && has(self.initProvider.capacityProviderConfig)) || has(self.forProvider.capacityProviderConfig) && (has(self.forProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.capacityProviderArn) || has(self.forProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.capacityProviderArnRef) || has(self.forProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.capacityProviderArnSelector)) || has(self.initProvider) && has(self.initProvider.capacityProviderConfig) && (has(self.initProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.capacityProviderArn) || has(self.initProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.capacityProviderArnRef) || has(self.initProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.capacityProviderArnSelector))",fieldPath=".forProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.capacityProviderArn",reason="FieldValueRequired",message="set capacityProviderArn, or set capacityProviderArnRef or capacityProviderArnSelector to a CapacityProvider"
type FunctionSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider is the desired state of the function.
	ForProvider FunctionParameters `json:"forProvider"`

	// InitProvider has the settings that are applied only at creation. Afterwards, the provider ignores the fields that
	// are set here and not in forProvider, so that another tool may change them.
	// +optional
	InitProvider *FunctionSettings `json:"initProvider,omitempty"`
}

// FunctionStatus is the observed state of a function.
type FunctionStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is the state of the resource in AWS, as last observed.
	// +optional
	AtProvider FunctionObservation `json:"atProvider,omitempty"`
}

// A Function is an AWS Lambda function.
// ---
// What is fixed at creation is held once the function exists in AWS, so that a creation that AWS refused can be
// corrected. It is held only while the policies let the provider create, so that a function can be observed with its
// region alone and taken over later with all that it turned out to be.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdafn
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="RUNTIME",type="string",JSONPath=".status.atProvider.runtime"
// +kubebuilder:printcolumn:name="MEMORY",type="integer",JSONPath=".status.atProvider.memorySize"
// +kubebuilder:printcolumn:name="VERSION",type="string",JSONPath=".status.atProvider.latestPublishedVersion"
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.message",priority=1
// +kubebuilder:printcolumn:name="EXTERNAL-NAME",type="string",JSONPath=".metadata.annotations.crossplane\\.io/external-name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 64",fieldPath=".metadata",message="metadata.name is the function's name in AWS, which has at most 64 characters: shorten it"
// +kubebuilder:validation:XValidation:rule="!self.metadata.name.contains('.')",fieldPath=".metadata",message="metadata.name is the function's name in AWS, which cannot contain dots: use hyphens"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.functionArn) || !('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) || !('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies) || (has(self.spec.forProvider.packageType) ? self.spec.forProvider.packageType == 'Image' : has(self.spec.initProvider) && has(self.spec.initProvider.packageType) && self.spec.initProvider.packageType == 'Image') == (has(oldSelf.spec.forProvider.packageType) ? oldSelf.spec.forProvider.packageType == 'Image' : has(oldSelf.spec.initProvider) && has(oldSelf.spec.initProvider.packageType) && oldSelf.spec.initProvider.packageType == 'Image')",fieldPath=".spec.forProvider.packageType",reason="FieldValueForbidden",message="packageType can't be changed after creation: create a new Function"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.functionArn) || !('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) || !('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies) || (has(self.spec.forProvider.tenancyConfig) || has(self.spec.initProvider) && has(self.spec.initProvider.tenancyConfig)) == (has(oldSelf.spec.forProvider.tenancyConfig) || has(oldSelf.spec.initProvider) && has(oldSelf.spec.initProvider.tenancyConfig))",fieldPath=".spec.forProvider.tenancyConfig",reason="FieldValueForbidden",message="tenancyConfig can't be set or removed after creation: create a new Function"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.functionArn) || !('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) || !('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies) || (has(self.spec.forProvider.durableConfig) || has(self.spec.initProvider) && has(self.spec.initProvider.durableConfig)) == (has(oldSelf.spec.forProvider.durableConfig) || has(oldSelf.spec.initProvider) && has(oldSelf.spec.initProvider.durableConfig))",fieldPath=".spec.forProvider.durableConfig",reason="FieldValueForbidden",message="durableConfig can't be set or removed after creation (its values can be changed): create a new Function"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.functionArn) || !('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) || !('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies) || (has(self.spec.forProvider.capacityProviderConfig) || has(self.spec.initProvider) && has(self.spec.initProvider.capacityProviderConfig)) == (has(oldSelf.spec.forProvider.capacityProviderConfig) || has(oldSelf.spec.initProvider) && has(oldSelf.spec.initProvider.capacityProviderConfig))",fieldPath=".spec.forProvider.capacityProviderConfig",reason="FieldValueForbidden",message="capacityProviderConfig can't be set or removed after creation (its values can be changed): create a new Function"
type Function struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec FunctionSpec `json:"spec"`

	// Status begins with a generation that was never observed, so that tools which
	// read kstatus see a new function as in progress rather than as in order.
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending"}
	Status FunctionStatus `json:"status,omitempty"`
}

// FunctionList is a list of functions.
//
// +kubebuilder:object:root=true
type FunctionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Function `json:"items"`
}

// Function's type metadata.
var (
	FunctionKind             = "Function"
	FunctionGroupVersionKind = SchemeGroupVersion.WithKind(FunctionKind)
)

func init() {
	SchemeBuilder.Register(&Function{}, &FunctionList{})
}
