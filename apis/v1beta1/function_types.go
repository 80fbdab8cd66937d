package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reference"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

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
	Regional `json:",inline"`

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

// FunctionSettings are all the settings of a Lambda function, as CreateFunction, UpdateFunctionConfiguration and
// UpdateFunctionCode accept them, and the settings that Lambda keeps separately: tags, reserved concurrency, code
// signing, recursive loop detection and scaling.
//
// A scalar that is not set keeps its value in AWS: the provider neither compares nor sends it. A list, map or block is
// exact: the provider removes from AWS what is not listed here.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.role) && has(self.roleFrom))",fieldPath=".roleFrom",reason="FieldValueForbidden",message="role is also set: set only one of role and roleFrom"
// +kubebuilder:validation:XValidation:rule="!(has(self.kmsKeyArn) && has(self.kmsKeyArnFrom))",fieldPath=".kmsKeyArnFrom",reason="FieldValueForbidden",message="kmsKeyArn is also set: set only one of kmsKeyArn and kmsKeyArnFrom"
// +kubebuilder:validation:XValidation:rule="(has(self.layers) ? size(self.layers) : 0) + (has(self.layerRefs) ? size(self.layerRefs) : 0) <= 5",fieldPath=".layerRefs",message="layers and layerRefs have more than five layers in total: remove some, since AWS accepts at most five"
type FunctionSettings struct {
	// Code is the function's deployment package: exactly one source. Required, here or in initProvider.
	// +optional
	Code *FunctionCode `json:"code,omitempty"`

	// PackageType is Zip for a .zip archive or Image for a container image.
	// AWS's default is Zip. It can't be changed after creation.
	// +optional
	// +kubebuilder:validation:Enum=Zip;Image
	PackageType *string `json:"packageType,omitempty"`

	// Runtime is the identifier of the function's runtime, such as python3.13, nodejs22.x or provided.al2023. Required
	// with packageType Zip. AWS adds runtimes every few months. The provider accepts every identifier of a known
	// family, and AWS decides whether it is valid. With custom, runtimeConfig names a customer-managed runtime.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(nodejs([0-9]+[.][0-9x]+(-edge)?)?|python[0-9][.][0-9]+|java[0-9]+([.]al[0-9]+)?|dotnet(core)?[0-9]+([.][0-9]+)?|ruby[0-9]+[.][0-9]+|go1[.]x|provided([.]al[0-9]+)?|custom)$')",message="runtime is not a Lambda runtime identifier: use one such as nodejs22.x, python3.13, java21, dotnet8, ruby3.4 or provided.al2023, or custom with runtimeConfig"
	// +kubebuilder:validation:MaxLength=64
	Runtime *string `json:"runtime,omitempty"`

	// RuntimeConfig names a customer-managed runtime. Required with runtime custom, and only valid with it.
	// +optional
	RuntimeConfig *RuntimeConfig `json:"runtimeConfig,omitempty"`

	// Handler is the method within the code that Lambda calls, such as index.handler. Required with packageType Zip. At
	// most 128 characters, no white space.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^ \\\\t\\\\n\\\\r]+$')",message="handler must not be empty or contain white space: use the form file.function, such as index.handler"
	Handler *string `json:"handler,omitempty"`

	// Role is the ARN of the function's execution role. Required, unless roleFrom is set.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z-]*:iam::[0-9]{12}:role/?[a-zA-Z_0-9+=,.@/-]+$')",message="role is not an IAM role ARN: use the form arn:aws:iam::123456789012:role/name"
	Role *string `json:"role,omitempty"`

	// RoleFrom reads the role's ARN from a field of another object in this namespace,
	// such as status.atProvider.arn of a Role of the IAM provider.
	// +optional
	RoleFrom *FieldSelector `json:"roleFrom,omitempty"`

	// Architectures is the instruction set: exactly one of x86_64 and arm64. AWS's
	// default is x86_64. If it is not set, it keeps its value in AWS.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1
	// +kubebuilder:validation:items:Enum=x86_64;arm64
	Architectures []string `json:"architectures,omitempty"`

	// Description of the function. At most 256 characters; an empty string clears it.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Description *string `json:"description,omitempty"`

	// MemorySize is the memory that the function may use, in MB: 128 to 10240 (32768 on Lambda Managed Instances).
	// AWS's default is 128. CPU grows with it.
	// +optional
	// +kubebuilder:validation:Minimum=128
	// +kubebuilder:validation:Maximum=32768
	MemorySize *int32 `json:"memorySize,omitempty"`

	// Timeout is the time that an invocation may take, in seconds: 1 to 900 (5400
	// on Lambda Managed Instances). AWS's default is 3.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5400
	Timeout *int32 `json:"timeout,omitempty"`

	// KMSKeyArn is the ARN of the KMS key that encrypts the environment, SnapStart
	// snapshots and code. An empty string selects AWS's own key.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^arn:aws[a-zA-Z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/.+$')",message="kmsKeyArn is not a KMS key ARN: use the form arn:aws:kms:region:123456789012:key/id, or an empty string for AWS's own key"
	KMSKeyArn *string `json:"kmsKeyArn,omitempty"`

	// KMSKeyArnFrom reads the KMS key's ARN from a field of another object in this namespace.
	// +optional
	KMSKeyArnFrom *FieldSelector `json:"kmsKeyArnFrom,omitempty"`

	// Environment are the function's environment variables, at most 4 KB in total. A
	// variable that is not listed here is removed from AWS.
	// +optional
	Environment *Environment `json:"environment,omitempty"`

	// Layers are the ARNs of layer versions, at most five, in the order in which they are unpacked.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5
	// +kubebuilder:validation:items:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.all(l, l.matches('^arn:aws[a-zA-Z-]*:lambda:([a-z0-9-]+:[0-9]{12}:layer:[a-zA-Z0-9_-]+:[0-9]+|::awslayer:[a-zA-Z0-9_-]+)$'))",message="a layer must be the ARN of a layer version: use the form arn:aws:lambda:region:123456789012:layer:name:version"
	// +kubebuilder:validation:XValidation:rule="self.map(l, l.find('^.*layer:[^:]+')).all(n, self.exists_one(l, l.find('^.*layer:[^:]+') == n))",message="a layer is listed twice: remove all but one version of it"
	Layers []string `json:"layers,omitempty"`

	// LayerRefs name LayerVersions, whose layers are unpacked after those of layers, in this order. When one of them
	// publishes a new version, the provider updates the function. At most five in total.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5
	LayerRefs []xpv2.NamespacedReference `json:"layerRefs,omitempty" refersTo:"LayerVersion"`

	// LayerSelector selects LayerVersions, whose layers are unpacked after those of
	// layers, in the order of their ARNs. It is not used where layerRefs is set.
	// +optional
	LayerSelector *xpv2.NamespacedSelector `json:"layerSelector,omitempty"`

	// ResolvedLayers are the ARNs that layerRefs or layerSelector have been resolved to, in memory.
	// +crossplane:generate:reference:type=LayerVersion
	// +crossplane:generate:reference:refFieldName=LayerRefs
	// +crossplane:generate:reference:selectorFieldName=LayerSelector
	ResolvedLayers []string `json:"-"`

	// VPCConfig connects the function to a VPC.
	// +optional
	VPCConfig *VPCConfig `json:"vpcConfig,omitempty"`

	// DeadLetterConfig names the queue or topic for events that could not be processed asynchronously.
	// +optional
	DeadLetterConfig *DeadLetterConfig `json:"deadLetterConfig,omitempty"`

	// EphemeralStorage is the function's /tmp. AWS's default is 512 MB, to which it returns when this block is removed.
	// +optional
	EphemeralStorage *EphemeralStorage `json:"ephemeralStorage,omitempty"`

	// FileSystemConfigs mount file systems, of Amazon EFS or of Amazon S3 Files, but not of both.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5
	// +kubebuilder:validation:XValidation:rule="self.all(f, f.arn.contains(':s3files:')) || self.all(f, !f.arn.contains(':s3files:'))",message="a function can't mount both Amazon EFS and Amazon S3 Files: remove the access points of one of them"
	FileSystemConfigs []FileSystemConfig `json:"fileSystemConfigs,omitempty"`

	// ImageConfig overrides values of a container image.
	// +optional
	ImageConfig *ImageConfig `json:"imageConfig,omitempty"`

	// LoggingConfig is the CloudWatch logging configuration of the function. When this block is removed, the function
	// returns to text logs in /aws/lambda/<name>, on Lambda Managed Instances to JSON logs there.
	// +optional
	LoggingConfig *LoggingConfig `json:"loggingConfig,omitempty"`

	// TracingConfig is the X-Ray tracing mode. When this block is removed, it returns to PassThrough.
	// +optional
	TracingConfig *TracingConfig `json:"tracingConfig,omitempty"`

	// SnapStart makes snapshots of published versions for a quicker start. When
	// this block is removed, it returns to None.
	// +optional
	SnapStart *SnapStart `json:"snapStart,omitempty"`

	// DurableConfig makes the function a durable function. It can only be set at
	// creation. Its values can be changed later.
	// +optional
	DurableConfig *DurableConfig `json:"durableConfig,omitempty"`

	// TenancyConfig isolates the tenants of one function from each other. It can't be changed after creation.
	// +optional
	TenancyConfig *TenancyConfig `json:"tenancyConfig,omitempty"`

	// CapacityProviderConfig runs the function on Lambda Managed Instances. It can only
	// be set at creation. Its values can be changed later.
	// +optional
	CapacityProviderConfig *CapacityProviderConfig `json:"capacityProviderConfig,omitempty"`

	// Publish publishes a version at creation and after each change that publishOn selects. In initProvider, it
	// publishes a version at creation only. Aliases that refer to this Function and set no version follow the latest
	// version. The default is false.
	// +optional
	Publish *bool `json:"publish,omitempty"`

	// PublishTo is the target of published versions: LATEST_PUBLISHED, for functions on Lambda Managed Instances,
	// publishes $LATEST.PUBLISHED again instead of a version with a new number.
	// +optional
	// +kubebuilder:validation:Enum=LATEST_PUBLISHED
	PublishTo *string `json:"publishTo,omitempty"`

	// ReservedConcurrentExecutions is the number of concurrent executions that are reserved for this function. It is
	// also the function's limit. 0 stops all invocations, and -1 removes the reservation.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	ReservedConcurrentExecutions *int32 `json:"reservedConcurrentExecutions,omitempty"`

	// CodeSigningConfigArn is the ARN of the code signing configuration. An empty
	// string removes it. Reading it takes an additional call in each reconcile
	// (GetFunctionCodeSigningConfig), so the provider reads it only when it is set.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^arn:aws[a-zA-Z-]*:lambda:[a-z0-9-]+:[0-9]{12}:code-signing-config:csc-[a-z0-9]{17}$')",message="codeSigningConfigArn is not a code signing config ARN: use the form arn:aws:lambda:region:123456789012:code-signing-config:csc-0123456789abcdef0, or an empty string for none"
	CodeSigningConfigArn *string `json:"codeSigningConfigArn,omitempty"`

	// CodeSigningConfigArnRef names the CodeSigningConfig of the function.
	// +optional
	CodeSigningConfigArnRef *xpv2.NamespacedReference `json:"codeSigningConfigArnRef,omitempty" refersTo:"CodeSigningConfig"`

	// CodeSigningConfigArnSelector selects the CodeSigningConfig of the function.
	// +optional
	CodeSigningConfigArnSelector *xpv2.NamespacedSelector `json:"codeSigningConfigArnSelector,omitempty"`

	// ResolvedCodeSigningConfigArn is the ARN that codeSigningConfigArnRef or codeSigningConfigArnSelector has been
	// resolved to, in memory. It is apart from codeSigningConfigArn, where an empty string and none are not the same.
	// +crossplane:generate:reference:type=CodeSigningConfig
	// +crossplane:generate:reference:refFieldName=CodeSigningConfigArnRef
	// +crossplane:generate:reference:selectorFieldName=CodeSigningConfigArnSelector
	ResolvedCodeSigningConfigArn *string `json:"-"`

	// RecursiveLoop is Lambda's reaction to a function that calls itself: Allow or Terminate. AWS's default is
	// Terminate. Read only when set (GetFunctionRecursionConfig).
	// +optional
	// +kubebuilder:validation:Enum=Allow;Terminate
	RecursiveLoop *string `json:"recursiveLoop,omitempty"`

	// FunctionScalingConfig bounds the execution environments of a function on
	// Lambda Managed Instances. Read only when set (GetFunctionScalingConfig).
	// +optional
	FunctionScalingConfig *FunctionScalingConfig `json:"functionScalingConfig,omitempty"`

	// Tags of the function, at most 44 (AWS allows 50, of which the provider uses up to six). A tag that is not listed
	// here is removed, except aws:* and those that the provider config ignores.
	// +optional
	// +kubebuilder:validation:MaxProperties=44
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) >= 1 && size(k) <= 128)",message="a tag key must have 1 to 128 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(self[k]) <= 256)",message="a tag value must have at most 256 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.lowerAscii().startsWith('aws:'))",message="tag keys that start with aws: are reserved by AWS: remove them"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.startsWith('crossplane-'))",message="tag keys that start with crossplane- are reserved by the provider: remove them"
	Tags map[string]string `json:"tags,omitempty"`
}

// FunctionCode is the source of a function's deployment package.
//
// +kubebuilder:validation:XValidation:rule="(has(self.s3Bucket) || has(self.s3Key) ? 1 : 0) + (has(self.imageUri) ? 1 : 0) + (has(self.inline) ? 1 : 0) + (has(self.configMapRef) ? 1 : 0) + (has(self.zipFileFrom) ? 1 : 0) + (has(self.sourceRef) ? 1 : 0) + (has(self.oci) ? 1 : 0) >= 1",message="code has no source: set exactly one of s3Bucket and s3Key, imageUri, inline, configMapRef, zipFileFrom, sourceRef or oci"
// +kubebuilder:validation:XValidation:rule="(has(self.s3Bucket) || has(self.s3Key) ? 1 : 0) + (has(self.imageUri) ? 1 : 0) + (has(self.inline) ? 1 : 0) + (has(self.configMapRef) ? 1 : 0) + (has(self.zipFileFrom) ? 1 : 0) + (has(self.sourceRef) ? 1 : 0) + (has(self.oci) ? 1 : 0) <= 1",message="code has more than one source: set exactly one of s3Bucket and s3Key, imageUri, inline, configMapRef, zipFileFrom, sourceRef or oci"
// +kubebuilder:validation:XValidation:rule="has(self.s3Bucket) == has(self.s3Key)",message="s3Bucket and s3Key must be set together: set both"
// +kubebuilder:validation:XValidation:rule="!has(self.s3ObjectVersion) || has(self.s3Key)",message="s3ObjectVersion needs s3Bucket and s3Key: set them, or remove s3ObjectVersion"
// +kubebuilder:validation:XValidation:rule="!has(self.s3ObjectStorageMode) || has(self.s3Key)",message="s3ObjectStorageMode needs s3Bucket and s3Key: set them, or remove s3ObjectStorageMode"
// +kubebuilder:validation:XValidation:rule="!has(self.trackImageTag) || has(self.imageUri)",message="trackImageTag needs imageUri: set it, or remove trackImageTag"
// +kubebuilder:validation:XValidation:rule="!has(self.sha256) || !has(self.imageUri)",message="sha256 is for .zip archives only: pin an image by its digest, as in repository@sha256:..."
// +kubebuilder:validation:XValidation:rule="!has(self.sourceKmsKeyArn) || !has(self.imageUri)",message="sourceKmsKeyArn is for .zip archives only: remove it, since an image is encrypted in its repository"
// +kubebuilder:validation:XValidation:rule="!has(self.sha256) || !has(self.sourceRef) && !has(self.oci)",message="sha256 is not for sourceRef and oci, whose artifacts have a digest: remove sha256, and pin the commit or the digest in the source"
// +kubebuilder:validation:XValidation:rule="!has(self.staging) || has(self.sourceRef) || has(self.oci)",message="staging is for code from sourceRef or oci only: remove it"
type FunctionCode struct {
	// S3Bucket is the bucket of the .zip archive, in the function's region.
	// +optional
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9A-Za-z._-]*[0-9A-Za-z_-]$')",message="s3Bucket is not a bucket name: use the name alone, without s3:// and without a path"
	S3Bucket *string `json:"s3Bucket,omitempty"`

	// S3Key is the key of the .zip archive. If the provider is allowed s3:GetObject on
	// it (HeadObject), it detects and deploys a new object under the same key.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	S3Key *string `json:"s3Key,omitempty"`

	// S3ObjectVersion is the version of the object, in a versioned bucket.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	S3ObjectVersion *string `json:"s3ObjectVersion,omitempty"`

	// S3ObjectStorageMode is COPY (AWS's default), where Lambda keeps a copy of the
	// archive, or REFERENCE, where Lambda uses the object in the bucket.
	// +optional
	// +kubebuilder:validation:Enum=COPY;REFERENCE
	S3ObjectStorageMode *string `json:"s3ObjectStorageMode,omitempty"`

	// SourceKMSKeyArn is the ARN of the KMS key that encrypts the .zip archive.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/.+$')",message="sourceKmsKeyArn is not a KMS key ARN: use the form arn:aws:kms:region:123456789012:key/id"
	SourceKMSKeyArn *string `json:"sourceKmsKeyArn,omitempty"`

	// ImageURI is a container image in Amazon ECR, by tag or digest.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]{12}[.]dkr[.-]ecr(-fips)?[.][a-z0-9-]+[.][a-z0-9.-]+(:[0-9]+)?/[a-z0-9]+([._/-]+[a-z0-9]+)*(:[a-zA-Z0-9_][a-zA-Z0-9._-]*)?(@sha256:[0-9a-f]{64})?$')",message="imageUri is not an image in Amazon ECR: use the form 123456789012.dkr.ecr.region.amazonaws.com/repository:tag"
	ImageURI *string `json:"imageUri,omitempty"`

	// TrackImageTag asks the registry for the digest of imageUri's tag (one ecr:BatchGetImage call a reconcile) and
	// deploys the image again when the tag moves. If the tag names an image index, it deploys the index's image of the
	// function's architecture. The default is false: AWS resolves a tag only when it is deployed, and rejects an index.
	// +optional
	TrackImageTag *bool `json:"trackImageTag,omitempty"`

	// Inline is a map of file names to their contents, zipped by the provider. At most
	// 1 MB in total, since it is part of this object. Above about 200 KB, use kubectl
	// apply --server-side, since client-side apply keeps a copy in an annotation.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=100
	// +kubebuilder:validation:XValidation:rule="self.all(f, f.matches('^[.]?[a-zA-Z0-9_@+-][a-zA-Z0-9._@+-]*(/[.]?[a-zA-Z0-9_@+-][a-zA-Z0-9._@+-]*)*$'))",message="a file name in inline must be a relative path such as index.py or lib/util.js",messageExpression="self.filter(f, !f.matches('^[.]?[a-zA-Z0-9_@+-][a-zA-Z0-9._@+-]*(/[.]?[a-zA-Z0-9_@+-][a-zA-Z0-9._@+-]*)*$'))[0] + ' is not a relative path of a file: use one such as index.py or lib/util.js, of letters, digits and . _ @ + -'"
	// +kubebuilder:validation:XValidation:rule="self.map(f, size(self[f])).sum() <= 1048576",message="inline must have at most 1 MB in total: put larger code in S3 or in an image"
	Inline map[string]string `json:"inline,omitempty"`

	// ConfigMapRef names a ConfigMap in this namespace, each key of which is a file of
	// the package. A change of its content is deployed immediately.
	// +optional
	ConfigMapRef *LocalObjectReference `json:"configMapRef,omitempty"`

	// ZipFileFrom is a key of a Secret or ConfigMap (binaryData) in this namespace that
	// holds a .zip archive. A change of its content is deployed immediately.
	// +optional
	ZipFileFrom *ZipFileSource `json:"zipFileFrom,omitempty"`

	// SourceRef names a Flux source in this namespace, whose artifact has the code. A new
	// artifact is deployed immediately.
	// +optional
	SourceRef *SourceReference `json:"sourceRef,omitempty"`

	// OCI is an artifact in a registry whose one layer has the code.
	// +optional
	OCI *OCISource `json:"oci,omitempty"`

	// Staging is the place in S3 through which archives of more than 50 MB are deployed,
	// which AWS does not accept directly. It overrides that of the provider config.
	// +optional
	Staging *Staging `json:"staging,omitempty"`

	// SHA256 is the checksum of the .zip archive. An archive with another checksum is not deployed. Use hexadecimal
	// digits, as sha256sum prints them, or base64, as AWS's CodeSha256.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=)$')",message="sha256 is not a SHA-256: use 64 hexadecimal digits, as sha256sum prints them, or base64 of 44 characters"
	SHA256 *string `json:"sha256,omitempty"`
}

// ZipFileSource is a .zip archive in the cluster.
//
// +kubebuilder:validation:XValidation:rule="has(self.secretKeyRef) != has(self.configMapKeyRef)",message="set exactly one of secretKeyRef and configMapKeyRef in zipFileFrom"
type ZipFileSource struct {
	// SecretKeyRef is a key of a Secret.
	// +optional
	SecretKeyRef *KeySelector `json:"secretKeyRef,omitempty"`

	// ConfigMapKeyRef is a key of a ConfigMap.
	// +optional
	ConfigMapKeyRef *KeySelector `json:"configMapKeyRef,omitempty"`
}

// Environment are environment variables from three sources, as in a Pod. If two sources
// set the same variable, variables and variablesFrom take precedence over envFrom, and
// a later entry of envFrom takes precedence over an earlier one. At most 4 KB in total.
//
// +kubebuilder:validation:XValidation:rule="!has(self.variables) || !has(self.variablesFrom) || self.variablesFrom.all(v, !(v.name in self.variables))",message="a variable is set in both variables and variablesFrom: remove it from one of them"
type Environment struct {
	// Variables are plain names and values. For secrets, use variablesFrom or envFrom.
	// +optional
	// +kubebuilder:validation:MaxProperties=512
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.matches('^[a-zA-Z][a-zA-Z0-9_]+$'))",message="a variable name must have at least two letters, digits or underscores and start with a letter",messageExpression="self.filter(k, !k.matches('^[a-zA-Z][a-zA-Z0-9_]+$'))[0] + ' is not a valid variable name: use at least two letters, digits or underscores, starting with a letter'"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !(k in ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_EXECUTION_ENV', 'AWS_LAMBDA_FUNCTION_NAME', 'AWS_LAMBDA_FUNCTION_MEMORY_SIZE', 'AWS_LAMBDA_FUNCTION_VERSION', 'AWS_LAMBDA_INITIALIZATION_TYPE', 'AWS_LAMBDA_LOG_GROUP_NAME', 'AWS_LAMBDA_LOG_STREAM_NAME', 'AWS_ACCESS_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_LAMBDA_RUNTIME_API', 'LAMBDA_TASK_ROOT', 'LAMBDA_RUNTIME_DIR']))",message="the variable name is reserved by Lambda (AWS_REGION, AWS_ACCESS_KEY_ID, LAMBDA_TASK_ROOT and similar): choose another name"
	// +kubebuilder:validation:XValidation:rule="self.map(k, size(k) + size(self[k])).sum() <= 4096",message="the names and values have more than 4096 bytes in total: shorten them, or let the function read large values from elsewhere"
	Variables map[string]string `json:"variables,omitempty"`

	// VariablesFrom are single variables from Secrets and ConfigMaps in this namespace.
	// A change of the source is rolled out immediately.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=200
	VariablesFrom []EnvironmentVariable `json:"variablesFrom,omitempty"`

	// EnvFrom are whole Secrets and ConfigMaps in this namespace, each key of which is a variable.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	EnvFrom []EnvironmentSource `json:"envFrom,omitempty"`
}

// EnvironmentVariable is a variable whose value comes from a Secret or ConfigMap.
type EnvironmentVariable struct {
	// Name of the variable.
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z][a-zA-Z0-9_]+$')",message="a variable name must have at least two letters, digits or underscores and start with a letter"
	// +kubebuilder:validation:XValidation:rule="!(self in ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_EXECUTION_ENV', 'AWS_LAMBDA_FUNCTION_NAME', 'AWS_LAMBDA_FUNCTION_MEMORY_SIZE', 'AWS_LAMBDA_FUNCTION_VERSION', 'AWS_LAMBDA_INITIALIZATION_TYPE', 'AWS_LAMBDA_LOG_GROUP_NAME', 'AWS_LAMBDA_LOG_STREAM_NAME', 'AWS_ACCESS_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_LAMBDA_RUNTIME_API', 'LAMBDA_TASK_ROOT', 'LAMBDA_RUNTIME_DIR'])",message="the variable name is reserved by Lambda (AWS_REGION, AWS_ACCESS_KEY_ID, LAMBDA_TASK_ROOT and similar): choose another name"
	Name string `json:"name"`

	// ValueFrom is the source of the value.
	ValueFrom ValueSource `json:"valueFrom"`
}

// ValueSource is a key of a Secret or of a ConfigMap.
//
// +kubebuilder:validation:XValidation:rule="has(self.secretKeyRef) != has(self.configMapKeyRef)",message="set exactly one of secretKeyRef and configMapKeyRef in valueFrom"
type ValueSource struct {
	// SecretKeyRef is a key of a Secret.
	// +optional
	SecretKeyRef *KeySelector `json:"secretKeyRef,omitempty"`

	// ConfigMapKeyRef is a key of a ConfigMap.
	// +optional
	ConfigMapKeyRef *KeySelector `json:"configMapKeyRef,omitempty"`
}

// EnvironmentSource is a whole Secret or ConfigMap.
//
// +kubebuilder:validation:XValidation:rule="has(self.secretRef) != has(self.configMapRef)",message="set exactly one of secretRef and configMapRef in each entry of envFrom"
type EnvironmentSource struct {
	// Prefix is put before each key.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^[a-zA-Z][a-zA-Z0-9_]*$')",message="prefix must start with a letter and have only letters, digits and underscores"
	Prefix *string `json:"prefix,omitempty"`

	// SecretRef names a Secret.
	// +optional
	SecretRef *EnvironmentSourceReference `json:"secretRef,omitempty"`

	// ConfigMapRef names a ConfigMap.
	// +optional
	ConfigMapRef *EnvironmentSourceReference `json:"configMapRef,omitempty"`
}

// EnvironmentSourceReference names a Secret or ConfigMap in the same namespace.
type EnvironmentSourceReference struct {
	// Name of the Secret or ConfigMap.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// Optional says that the object may be missing. Default: false.
	// +optional
	Optional *bool `json:"optional,omitempty"`
}

// VPCConfig connects a function to a VPC.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.subnetIds) && has(self.subnetIdsFrom))",message="set only one of subnetIds and subnetIdsFrom"
// +kubebuilder:validation:XValidation:rule="!(has(self.securityGroupIds) && has(self.securityGroupIdsFrom))",message="set only one of securityGroupIds and securityGroupIdsFrom"
type VPCConfig struct {
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

	// SecurityGroupIDs are the VPC's security groups, 1 to 5, in any order.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
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

	// IPv6AllowedForDualStack allows outbound IPv6 traffic in dual-stack subnets. AWS's default is false.
	// +optional
	IPv6AllowedForDualStack *bool `json:"ipv6AllowedForDualStack,omitempty"`
}

// DeadLetterConfig names a dead letter queue or topic.
//
// +kubebuilder:validation:XValidation:rule="has(self.targetArn) != has(self.targetArnFrom)",message="set exactly one of targetArn and targetArnFrom in deadLetterConfig"
type DeadLetterConfig struct {
	// TargetArn is the ARN of a standard SQS queue or a standard SNS topic.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z-]*:(sqs|sns):[a-z0-9-]+:[0-9]{12}:.+$')",message="deadLetterConfig.targetArn must be the ARN of an SQS queue or SNS topic: use the form arn:aws:sqs:region:123456789012:queue"
	TargetArn *string `json:"targetArn,omitempty"`

	// TargetArnFrom reads the ARN from a field of another object in this namespace.
	// +optional
	TargetArnFrom *FieldSelector `json:"targetArnFrom,omitempty"`
}

// EphemeralStorage is the size of a function's /tmp.
type EphemeralStorage struct {
	// Size in MB: 512 to 10240.
	// +kubebuilder:validation:Minimum=512
	// +kubebuilder:validation:Maximum=10240
	Size int32 `json:"size"`
}

// FileSystemConfig mounts a file system.
//
// +kubebuilder:validation:XValidation:rule="!has(self.s3FilesConfig) || self.arn.contains(':s3files:')",fieldPath=".s3FilesConfig",reason="FieldValueForbidden",message="s3FilesConfig is for access points of Amazon S3 Files only: remove it"
type FileSystemConfig struct {
	// Arn of the Amazon EFS or Amazon S3 Files access point.
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z-]*:(elasticfilesystem:[a-z0-9-]+:[0-9]{12}|s3files:[a-z0-9-]+:[0-9]{12}:file-system/fs-[0-9a-f]+)[:/]access-point/fsap-[0-9a-f]+$')",message="arn is not the ARN of an access point: use the form arn:aws:elasticfilesystem:region:123456789012:access-point/fsap-0123456789abcdef0, or for S3 Files arn:aws:s3files:region:123456789012:file-system/fs-0123456789abcdef0/access-point/fsap-0123456789abcdef0"
	Arn string `json:"arn"`

	// LocalMountPath is the path where it is mounted: /mnt/ followed by a name.
	// +kubebuilder:validation:MaxLength=160
	// +kubebuilder:validation:XValidation:rule="self.matches('^/mnt/[a-zA-Z0-9._-]+$')",message="localMountPath must have the form /mnt/name: use letters, digits and . _ - for the name"
	LocalMountPath string `json:"localMountPath"`

	// S3FilesConfig is for Amazon S3 Files access points only.
	// +optional
	S3FilesConfig *S3FilesConfig `json:"s3FilesConfig,omitempty"`
}

// S3FilesConfig configures the reads of a function from an Amazon S3 file system.
type S3FilesConfig struct {
	// DirectS3Read is AUTO (AWS's default: direct reads from 512 MB of memory), ENABLED or DISABLED.
	// +optional
	// +kubebuilder:validation:Enum=AUTO;ENABLED;DISABLED
	DirectS3Read *string `json:"directS3Read,omitempty"`
}

// ImageConfig overrides values of a container image.
type ImageConfig struct {
	// Command is passed as CMD.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1500
	Command []string `json:"command,omitempty"`

	// EntryPoint is passed as ENTRYPOINT.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1500
	EntryPoint []string `json:"entryPoint,omitempty"`

	// WorkingDirectory in the image.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	WorkingDirectory *string `json:"workingDirectory,omitempty"`
}

// LoggingConfig is the CloudWatch logging configuration of a function.
type LoggingConfig struct {
	// LogFormat is Text (AWS's default) or JSON. On Lambda Managed Instances it is always JSON.
	// +optional
	// +kubebuilder:validation:Enum=Text;JSON
	LogFormat *string `json:"logFormat,omitempty"`

	// LogGroup is the CloudWatch log group. AWS's default is /aws/lambda/<function name>.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^[.#/_A-Za-z0-9-]+$')",message="logGroup must be the name of a log group: use 1 to 512 letters, digits and . # / _ -"
	LogGroup *string `json:"logGroup,omitempty"`

	// ApplicationLogLevel is the lowest level of the function's own logs that is kept:
	// TRACE, DEBUG, INFO, WARN, ERROR or FATAL. JSON only, where AWS's default is INFO.
	// +optional
	// +kubebuilder:validation:Enum=TRACE;DEBUG;INFO;WARN;ERROR;FATAL
	ApplicationLogLevel *string `json:"applicationLogLevel,omitempty"`

	// SystemLogLevel is the lowest level of Lambda's logs that is kept: DEBUG, INFO or
	// WARN. JSON only, where AWS's default is INFO.
	// +optional
	// +kubebuilder:validation:Enum=DEBUG;INFO;WARN
	SystemLogLevel *string `json:"systemLogLevel,omitempty"`
}

// TracingConfig is the X-Ray tracing mode.
type TracingConfig struct {
	// Mode is Active, to sample and trace incoming requests, or PassThrough.
	// +kubebuilder:validation:Enum=Active;PassThrough
	Mode string `json:"mode"`
}

// SnapStart is the SnapStart setting.
type SnapStart struct {
	// ApplyOn is PublishedVersions or None.
	// +kubebuilder:validation:Enum=PublishedVersions;None
	ApplyOn string `json:"applyOn"`
}

// DurableConfig is for durable functions.
type DurableConfig struct {
	// ExecutionTimeout is the time for which a whole durable execution may run, in seconds: 1 to 31622400 (366 days).
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=31622400
	ExecutionTimeout *int32 `json:"executionTimeout,omitempty"`

	// RetentionPeriodInDays is the time for which the history of an execution is kept: 1 to 90 days.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=90
	RetentionPeriodInDays *int32 `json:"retentionPeriodInDays,omitempty"`

	// KMSKeyArn is the ARN of the KMS key that encrypts the payloads.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/.+$')",message="durableConfig.kmsKeyArn is not a KMS key ARN: use the form arn:aws:kms:region:123456789012:key/id"
	KMSKeyArn *string `json:"kmsKeyArn,omitempty"`
}

// RuntimeConfig names a customer-managed runtime.
type RuntimeConfig struct {
	// RuntimeArn is the ARN of the runtime, in this account or in one that shares it.
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z-]*:lambda:[a-z0-9-]+:[0-9]{12}:runtime/[^/]+$')",message="runtimeConfig.runtimeArn is not the ARN of a customer-managed runtime: use the form arn:aws:lambda:region:123456789012:runtime/name, and name the alias in runtimeAlias"
	RuntimeArn string `json:"runtimeArn"`

	// RuntimeAlias is the name of the runtime's alias, such as prod. The publisher of the runtime selects the version
	// that it points to, and a RuntimeManagementConfig the time at which the function takes it over.
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:MinLength=1
	RuntimeAlias string `json:"runtimeAlias"`
}

// TenancyConfig isolates tenants.
type TenancyConfig struct {
	// TenantIsolationMode is PER_TENANT.
	// +kubebuilder:validation:Enum=PER_TENANT
	TenantIsolationMode string `json:"tenantIsolationMode"`
}

// CapacityProviderConfig runs a function on Lambda Managed Instances.
type CapacityProviderConfig struct {
	// LambdaManagedInstancesCapacityProviderConfig sets the capacity provider. It is
	// the only kind of capacity provider.
	LambdaManagedInstancesCapacityProviderConfig LambdaManagedInstancesCapacityProviderConfig `json:"lambdaManagedInstancesCapacityProviderConfig"`
}

// LambdaManagedInstancesCapacityProviderConfig configures the use of a capacity provider by a function.
type LambdaManagedInstancesCapacityProviderConfig struct {
	// CapacityProviderArn is the ARN of the capacity provider. Required, unless
	// capacityProviderArnRef or capacityProviderArnSelector is set.
	// +optional
	// +crossplane:generate:reference:type=CapacityProvider
	// +crossplane:generate:reference:extractor=CapacityProviderARN()
	// +kubebuilder:validation:MaxLength=140
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z-]*:lambda:[a-z0-9-]+:[0-9]{12}:capacity-provider:[a-zA-Z0-9_-]+$')",message="capacityProviderArn is not a capacity provider ARN: use the form arn:aws:lambda:region:123456789012:capacity-provider:name"
	CapacityProviderArn *string `json:"capacityProviderArn,omitempty"`

	// CapacityProviderArnRef names the CapacityProvider.
	// +optional
	CapacityProviderArnRef *xpv2.NamespacedReference `json:"capacityProviderArnRef,omitempty" refersTo:"CapacityProvider"`

	// CapacityProviderArnSelector selects the CapacityProvider.
	// +optional
	CapacityProviderArnSelector *xpv2.NamespacedSelector `json:"capacityProviderArnSelector,omitempty"`

	// ExecutionEnvironmentMemoryGiBPerVCPU is the memory for each vCPU, in GiB: a
	// decimal number from 2 to 8, as a string.
	// +optional
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?$') && double(self) >= 2.0 && double(self) <= 8.0",message="executionEnvironmentMemoryGiBPerVCpu must be a decimal number from 2 to 8, in quotes"
	ExecutionEnvironmentMemoryGiBPerVCPU *string `json:"executionEnvironmentMemoryGiBPerVCpu,omitempty"`

	// PerExecutionEnvironmentMaxConcurrency is the number of invocations that one
	// execution environment handles at a time: 1 to 1600.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1600
	PerExecutionEnvironmentMaxConcurrency *int32 `json:"perExecutionEnvironmentMaxConcurrency,omitempty"`
}

// FunctionScalingConfig bounds the execution environments of a function's published version $LATEST.PUBLISHED.
//
// +kubebuilder:validation:XValidation:rule="!has(self.minExecutionEnvironments) || !has(self.maxExecutionEnvironments) || self.minExecutionEnvironments <= self.maxExecutionEnvironments",message="minExecutionEnvironments must not be greater than maxExecutionEnvironments: lower minExecutionEnvironments, or raise maxExecutionEnvironments"
type FunctionScalingConfig struct {
	// MinExecutionEnvironments to keep: 0 to 15000.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=15000
	MinExecutionEnvironments *int32 `json:"minExecutionEnvironments,omitempty"`

	// MaxExecutionEnvironments to provision: 0 to 15000.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=15000
	MaxExecutionEnvironments *int32 `json:"maxExecutionEnvironments,omitempty"`
}

// FunctionARN returns an extractor of the ARN of a Function, for fields that require one. The value is empty until
// AWS has returned the ARN.
func FunctionARN() reference.ExtractValueFn {
	return func(mg resource.Managed) string {
		// An interface, since this must compile before Function's methods are generated.
		f, ok := mg.(interface{ arn() string })
		if !ok {
			return ""
		}
		return f.arn()
	}
}

func (f *Function) arn() string {
	if f.Status.AtProvider.FunctionArn == nil {
		return ""
	}
	return *f.Status.AtProvider.FunctionArn
}

// ReferenceValues returns the values to which references to a Function can resolve, besides its external name: its ARN,
// and the version that it published last.
func (f *Function) ReferenceValues() []string { return []string{f.arn(), f.latestPublished()} }

func (f *Function) latestPublished() string {
	if f.Status.AtProvider.LatestPublishedVersion == nil {
		return ""
	}
	return *f.Status.AtProvider.LatestPublishedVersion
}
