package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// FunctionSettings are all the settings of a Lambda function, as CreateFunction,
// UpdateFunctionConfiguration and UpdateFunctionCode take them, with those that
// Lambda keeps beside a function: tags, reserved concurrency, code signing,
// recursive loop detection and scaling.
//
// A scalar that is not set is left to AWS: it is neither compared nor sent. A
// list, map or block is exact: what is not named here is not wanted in AWS.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.role) && has(self.roleFrom))",fieldPath=".roleFrom",reason="FieldValueForbidden",message="role is set too: keep one of role and roleFrom"
// +kubebuilder:validation:XValidation:rule="!(has(self.kmsKeyArn) && has(self.kmsKeyArnFrom))",fieldPath=".kmsKeyArnFrom",reason="FieldValueForbidden",message="kmsKeyArn is set too: keep one of kmsKeyArn and kmsKeyArnFrom"
// +kubebuilder:validation:XValidation:rule="(has(self.layers) ? size(self.layers) : 0) + (has(self.layerRefs) ? size(self.layerRefs) : 0) <= 5",fieldPath=".layerRefs",message="layers and layerRefs name more than five layers: AWS takes five in all"
type FunctionSettings struct {
	// Code is the function's deployment package: exactly one source.
	// Required, here or in initProvider.
	// +optional
	Code *FunctionCode `json:"code,omitempty"`

	// PackageType is Zip for a .zip archive or Image for a container image.
	// AWS's default is Zip. It can't be changed after creation.
	// +optional
	// +kubebuilder:validation:Enum=Zip;Image
	PackageType *string `json:"packageType,omitempty"`

	// Runtime is the identifier of the function's runtime, such as python3.13,
	// nodejs22.x or provided.al2023. Required with packageType Zip. AWS adds
	// runtimes every few months, so any of a known family is taken here and
	// AWS has the last word.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(nodejs([0-9]+[.][0-9x]+(-edge)?)?|python[0-9][.][0-9]+|java[0-9]+([.]al[0-9]+)?|dotnet(core)?[0-9]+([.][0-9]+)?|ruby[0-9]+[.][0-9]+|go1[.]x|provided([.]al[0-9]+)?)$')",message="runtime is no Lambda runtime identifier: use one such as nodejs22.x, python3.13, java21, dotnet8, ruby3.4 or provided.al2023"
	// +kubebuilder:validation:MaxLength=64
	Runtime *string `json:"runtime,omitempty"`

	// Handler is the method within the code that Lambda calls, such as
	// index.handler. Required with packageType Zip. At most 128 characters,
	// no white space.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^ \\\\t\\\\n\\\\r]+$')",message="handler is empty or has white space: use the form file.function, such as index.handler"
	Handler *string `json:"handler,omitempty"`

	// Role is the ARN of the function's execution role. Required, unless
	// roleFrom is set.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z-]*:iam::[0-9]{12}:role/?[a-zA-Z_0-9+=,.@/-]+$')",message="role is no IAM role ARN: use the form arn:aws:iam::123456789012:role/name"
	Role *string `json:"role,omitempty"`

	// RoleFrom reads the role's ARN from a field of another object of this
	// namespace, such as status.atProvider.arn of a Role of the IAM provider.
	// +optional
	RoleFrom *FieldSelector `json:"roleFrom,omitempty"`

	// Architectures is the instruction set: x86_64 or arm64, one of them. AWS's
	// default is x86_64. Not set, it is left as it is in AWS, as a scalar is.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1
	// +kubebuilder:validation:items:Enum=x86_64;arm64
	Architectures []string `json:"architectures,omitempty"`

	// Description of the function. At most 256 characters; an empty string
	// clears it.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Description *string `json:"description,omitempty"`

	// MemorySize is the memory that the function may use, in MB: 128 to 10240
	// (32768 on Lambda Managed Instances). AWS's default is 128. CPU grows
	// with it.
	// +optional
	// +kubebuilder:validation:Minimum=128
	// +kubebuilder:validation:Maximum=32768
	MemorySize *int32 `json:"memorySize,omitempty"`

	// Timeout is how long an invocation may run, in seconds: 1 to 900 (5400
	// on Lambda Managed Instances). AWS's default is 3.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5400
	Timeout *int32 `json:"timeout,omitempty"`

	// KMSKeyArn is the ARN of the KMS key that encrypts the environment, SnapStart
	// snapshots and code. An empty string goes back to AWS's own key.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^arn:aws[a-zA-Z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/.+$')",message="kmsKeyArn is no KMS key ARN: use the form arn:aws:kms:region:123456789012:key/id, or an empty string for AWS's own key"
	KMSKeyArn *string `json:"kmsKeyArn,omitempty"`

	// KMSKeyArnFrom reads the KMS key's ARN from a field of another object of
	// this namespace.
	// +optional
	KMSKeyArnFrom *FieldSelector `json:"kmsKeyArnFrom,omitempty"`

	// Environment are the function's environment variables, at most 4 KB in
	// all. A variable that is not named here is removed from AWS.
	// +optional
	Environment *Environment `json:"environment,omitempty"`

	// Layers are the ARNs of layer versions, at most five, in the order in
	// which they are unpacked.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5
	// +kubebuilder:validation:items:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.all(l, l.matches('^arn:aws[a-zA-Z-]*:lambda:([a-z0-9-]+:[0-9]{12}:layer:[a-zA-Z0-9_-]+:[0-9]+|::awslayer:[a-zA-Z0-9_-]+)$'))",message="a layer is no ARN of a layer version: use the form arn:aws:lambda:region:123456789012:layer:name:version"
	// +kubebuilder:validation:XValidation:rule="self.map(l, l.find('^.*layer:[^:]+')).all(n, self.exists_one(l, l.find('^.*layer:[^:]+') == n))",message="a layer is named twice: keep one version of it"
	Layers []string `json:"layers,omitempty"`

	// LayerRefs name LayerVersions, whose layers are unpacked after those of layers, in
	// this order. The function moves along when one of them publishes a new version. At
	// most five in all.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5
	LayerRefs []xpv2.NamespacedReference `json:"layerRefs,omitempty"`

	// LayerSelector selects LayerVersions, whose layers are unpacked after those of
	// layers, in the order of their ARNs. It is not used where layerRefs is set.
	// +optional
	LayerSelector *xpv2.NamespacedSelector `json:"layerSelector,omitempty"`

	// ReferredLayers are the ARNs that layerRefs or layerSelector have been resolved to,
	// in memory.
	// +crossplane:generate:reference:type=LayerVersion
	// +crossplane:generate:reference:refFieldName=LayerRefs
	// +crossplane:generate:reference:selectorFieldName=LayerSelector
	ReferredLayers []string `json:"-"`

	// VPCConfig connects the function to a VPC.
	// +optional
	VPCConfig *VPCConfig `json:"vpcConfig,omitempty"`

	// DeadLetterConfig names the queue or topic for events that could not be
	// processed asynchronously.
	// +optional
	DeadLetterConfig *DeadLetterConfig `json:"deadLetterConfig,omitempty"`

	// EphemeralStorage is the function's /tmp. AWS's default is 512 MB, to
	// which it returns when this block is removed.
	// +optional
	EphemeralStorage *EphemeralStorage `json:"ephemeralStorage,omitempty"`

	// FileSystemConfigs mount Amazon EFS or Amazon S3 file systems.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5
	FileSystemConfigs []FileSystemConfig `json:"fileSystemConfigs,omitempty"`

	// ImageConfig overrides values of a container image.
	// +optional
	ImageConfig *ImageConfig `json:"imageConfig,omitempty"`

	// LoggingConfig is how the function logs to CloudWatch. When this block is
	// removed, the function returns to text logs in /aws/lambda/<name>, on Lambda
	// Managed Instances to JSON logs there.
	// +optional
	LoggingConfig *LoggingConfig `json:"loggingConfig,omitempty"`

	// TracingConfig is the X-Ray tracing mode. When this block is removed, it
	// returns to PassThrough.
	// +optional
	TracingConfig *TracingConfig `json:"tracingConfig,omitempty"`

	// SnapStart makes snapshots of published versions for a quicker start. When
	// this block is removed, it returns to None.
	// +optional
	SnapStart *SnapStart `json:"snapStart,omitempty"`

	// DurableConfig makes the function a durable one. It can be given at
	// creation only; its values can be changed later.
	// +optional
	DurableConfig *DurableConfig `json:"durableConfig,omitempty"`

	// TenancyConfig isolates the tenants of one function from each other. It
	// can't be changed after creation.
	// +optional
	TenancyConfig *TenancyConfig `json:"tenancyConfig,omitempty"`

	// CapacityProviderConfig runs the function on Lambda Managed Instances. It
	// can be given at creation only; its values can be changed later.
	// +optional
	CapacityProviderConfig *CapacityProviderConfig `json:"capacityProviderConfig,omitempty"`

	// Publish publishes a version at creation and after each change of the code or of
	// the configuration, whoever made it. In initProvider, at creation only. Aliases
	// that name this Function and no version follow it. AWS's default is false.
	// +optional
	Publish *bool `json:"publish,omitempty"`

	// PublishTo is where versions are published to: LATEST_PUBLISHED, for functions on
	// Lambda Managed Instances, publishes $LATEST.PUBLISHED anew instead of a version
	// with a number of its own.
	// +optional
	// +kubebuilder:validation:Enum=LATEST_PUBLISHED
	PublishTo *string `json:"publishTo,omitempty"`

	// ReservedConcurrentExecutions is how many concurrent executions are kept
	// for this function, which is also its limit. 0 stops all invocations; -1
	// removes the reservation.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	ReservedConcurrentExecutions *int32 `json:"reservedConcurrentExecutions,omitempty"`

	// CodeSigningConfigArn is the ARN of the code signing configuration. An
	// empty string removes it. Reading it costs a call of its own in each
	// reconcile (GetFunctionCodeSigningConfig), so it is read only when set.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^arn:aws[a-zA-Z-]*:lambda:[a-z0-9-]+:[0-9]{12}:code-signing-config:csc-[a-z0-9]{17}$')",message="codeSigningConfigArn is no code signing config ARN: use the form arn:aws:lambda:region:123456789012:code-signing-config:csc-0123456789abcdef0, or an empty string for none"
	CodeSigningConfigArn *string `json:"codeSigningConfigArn,omitempty"`

	// CodeSigningConfigArnRef names the CodeSigningConfig of the function.
	// +optional
	CodeSigningConfigArnRef *xpv2.NamespacedReference `json:"codeSigningConfigArnRef,omitempty"`

	// CodeSigningConfigArnSelector selects the CodeSigningConfig of the function.
	// +optional
	CodeSigningConfigArnSelector *xpv2.NamespacedSelector `json:"codeSigningConfigArnSelector,omitempty"`

	// ReferredCodeSigningConfigArn is the ARN that codeSigningConfigArnRef or
	// codeSigningConfigArnSelector has been resolved to, in memory. It is apart from
	// codeSigningConfigArn, where an empty string and none are not the same.
	// +crossplane:generate:reference:type=CodeSigningConfig
	// +crossplane:generate:reference:refFieldName=CodeSigningConfigArnRef
	// +crossplane:generate:reference:selectorFieldName=CodeSigningConfigArnSelector
	ReferredCodeSigningConfigArn *string `json:"-"`

	// RecursiveLoop is what Lambda does when it finds the function calling
	// itself: Allow or Terminate. AWS's default is Terminate. Read only when
	// set (GetFunctionRecursionConfig).
	// +optional
	// +kubebuilder:validation:Enum=Allow;Terminate
	RecursiveLoop *string `json:"recursiveLoop,omitempty"`

	// FunctionScalingConfig bounds the execution environments of a function on
	// Lambda Managed Instances. Read only when set (GetFunctionScalingConfig).
	// +optional
	FunctionScalingConfig *FunctionScalingConfig `json:"functionScalingConfig,omitempty"`

	// Tags of the function, at most 44 (AWS takes 50, of which this provider uses
	// up to six). A tag that is not named here is removed, except aws:* and
	// those that the provider config ignores.
	// +optional
	// +kubebuilder:validation:MaxProperties=44
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) >= 1 && size(k) <= 128)",message="a tag's key has 1 to 128 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(self[k]) <= 256)",message="a tag's value has at most 256 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.lowerAscii().startsWith('aws:'))",message="tags that start with aws: are AWS's own: remove them"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.startsWith('crossplane-'))",message="tags that start with crossplane- are the provider's own: remove them"
	Tags map[string]string `json:"tags,omitempty"`
}

// FunctionParameters are the desired settings of a function and where it lives.
//
// +kubebuilder:validation:XValidation:rule="!has(self.historyLimit) || has(self.publish) && self.publish",fieldPath=".historyLimit",reason="FieldValueForbidden",message="historyLimit is for the versions that publish publishes: set publish to true, or remove historyLimit"
// +kubebuilder:validation:XValidation:rule="!(has(self.publishTo) && has(self.historyLimit))",fieldPath=".historyLimit",reason="FieldValueForbidden",message="with publishTo one version is published over and over, so that there is none to prune: remove historyLimit"
// +kubebuilder:validation:XValidation:rule="!(has(self.replacementSecurityGroupIds) && has(self.replacementSecurityGroupIdsFrom))",fieldPath=".replacementSecurityGroupIdsFrom",reason="FieldValueForbidden",message="replacementSecurityGroupIds is set too: keep one of the two"
// +kubebuilder:validation:XValidation:rule="!has(self.replaceSecurityGroupsOnDestroy) || !self.replaceSecurityGroupsOnDestroy || has(self.replacementSecurityGroupIds) || has(self.replacementSecurityGroupIdsFrom)",fieldPath=".replacementSecurityGroupIds",reason="FieldValueRequired",message="replaceSecurityGroupsOnDestroy needs the security groups to put in place of the function's: set it, for example to the VPC's default security group, or set replacementSecurityGroupIdsFrom"
// +kubebuilder:validation:XValidation:rule="has(self.replaceSecurityGroupsOnDestroy) || !(has(self.replacementSecurityGroupIds) || has(self.replacementSecurityGroupIdsFrom))",fieldPath=".replaceSecurityGroupsOnDestroy",reason="FieldValueRequired",message="set it to true: without it, the replacement security groups are not used"
// +kubebuilder:validation:XValidation:rule="!(has(self.detachFromVpcOnDestroy) && self.detachFromVpcOnDestroy && has(self.replaceSecurityGroupsOnDestroy) && self.replaceSecurityGroupsOnDestroy)",fieldPath=".detachFromVpcOnDestroy",reason="FieldValueForbidden",message="replaceSecurityGroupsOnDestroy is true too: a function that leaves its VPC has no security groups to replace; keep one of the two"
type FunctionParameters struct {
	// Region is the AWS region of the function, such as eu-central-1. It can't
	// be changed.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]{2,}(-[a-z]+)+-[0-9]+$')",message="region is no AWS region name: use one such as eu-central-1"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",reason="FieldValueForbidden",message="region can't be changed: create a new Function in the other region"
	Region string `json:"region"`

	// HistoryLimit is how many of the earlier versions that this resource published are
	// kept, 0 to 100, beside the one published last: older ones are deleted, unless
	// something in Lambda uses them, such as an alias or an event source mapping. It
	// needs publish. Not set, all are kept.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	HistoryLimit *int32 `json:"historyLimit,omitempty"`

	// ReplaceSecurityGroupsOnDestroy puts the replacement security groups in place of
	// those of vpcConfig before the function is deleted, so that the network interfaces
	// that Lambda leaves behind for a while do not hold back the deletion of the latter.
	// The function is deleted once AWS has settled the change, or has not taken it. It
	// needs the management policy Update. The default is false.
	// +optional
	ReplaceSecurityGroupsOnDestroy *bool `json:"replaceSecurityGroupsOnDestroy,omitempty"`

	// ReplacementSecurityGroupIDs are the security groups to put in place of the
	// function's before it is deleted, 1 to 5, in any order. They are of the same VPC,
	// and stay after the function.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=5
	// +kubebuilder:validation:items:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.all(s, s.matches('^sg-[0-9a-zA-Z]+$'))",message="a security group is given by its ID: use the form sg-0123456789abcdef0"
	ReplacementSecurityGroupIDs []string `json:"replacementSecurityGroupIds,omitempty"`

	// ReplacementSecurityGroupIDsFrom reads the replacement security groups' IDs from
	// fields of other objects of this namespace, when the function is deleted. What is
	// gone by then is left out.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=5
	ReplacementSecurityGroupIDsFrom []FieldSelector `json:"replacementSecurityGroupIdsFrom,omitempty"`

	// DetachFromVPCOnDestroy takes the function out of its VPC before it is deleted, so
	// that AWS begins to remove its network interfaces while there still is a function
	// and a role to remove them with. The function is deleted once AWS has settled the
	// change, or has not taken it. It needs the management policy Update. The default is
	// false.
	// +optional
	DetachFromVPCOnDestroy *bool `json:"detachFromVpcOnDestroy,omitempty"`

	FunctionSettings `json:",inline"`
}

// FunctionSpec is the desired state of a function.
//
// To create a function, the provider needs code, role and, for packageType Zip,
// handler and runtime, in forProvider or in initProvider. Where
// managementPolicies have neither * nor Create, region alone is required.
// ---
// What is fixed at creation is held only while the policies let the provider
// create, so that a function can be observed with its region alone and taken over
// later with all that it turned out to be.
//
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || (has(self.forProvider.code) || has(self.initProvider) && has(self.initProvider.code))",fieldPath=".forProvider.code",reason="FieldValueRequired",message="set one of s3Bucket and s3Key, imageUri, inline, configMapRef or zipFileFrom (in spec.initProvider, if another tool deploys code later)"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || (has(self.forProvider.role) || has(self.initProvider) && has(self.initProvider.role)) || (has(self.forProvider.roleFrom) || has(self.initProvider) && has(self.initProvider.roleFrom))",fieldPath=".forProvider.role",reason="FieldValueRequired",message="set it to the ARN of the function's execution role, or set roleFrom"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || (has(self.forProvider.packageType) ? self.forProvider.packageType == 'Image' : has(self.initProvider) && has(self.initProvider.packageType) && self.initProvider.packageType == 'Image') || (has(self.forProvider.handler) || has(self.initProvider) && has(self.initProvider.handler))",fieldPath=".forProvider.handler",reason="FieldValueRequired",message="set it, for example to index.handler: packageType Zip, the default, needs it"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || (has(self.forProvider.packageType) ? self.forProvider.packageType == 'Image' : has(self.initProvider) && has(self.initProvider.packageType) && self.initProvider.packageType == 'Image') || (has(self.forProvider.runtime) || has(self.initProvider) && has(self.initProvider.runtime))",fieldPath=".forProvider.runtime",reason="FieldValueRequired",message="set it, for example to python3.13: packageType Zip, the default, needs it"
// +kubebuilder:validation:XValidation:rule="(has(self.forProvider.packageType) ? self.forProvider.packageType == 'Image' : has(self.initProvider) && has(self.initProvider.packageType) && self.initProvider.packageType == 'Image') || !(has(self.forProvider.code) && has(self.forProvider.code.imageUri) || has(self.initProvider) && has(self.initProvider.code) && has(self.initProvider.code.imageUri))",message="code.imageUri is for container images: set packageType: Image"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.packageType) ? self.forProvider.packageType == 'Image' : has(self.initProvider) && has(self.initProvider.packageType) && self.initProvider.packageType == 'Image') || (!has(self.forProvider.code) || has(self.forProvider.code.imageUri)) && (!has(self.initProvider) || !has(self.initProvider.code) || has(self.initProvider.code.imageUri))",message="packageType Image takes its code from code.imageUri: set that, or packageType: Zip"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.packageType) ? self.forProvider.packageType == 'Image' : has(self.initProvider) && has(self.initProvider.packageType) && self.initProvider.packageType == 'Image') || !((has(self.forProvider.handler) || has(self.initProvider) && has(self.initProvider.handler)) || (has(self.forProvider.runtime) || has(self.initProvider) && has(self.initProvider.runtime)) || (has(self.forProvider.layers) || has(self.initProvider) && has(self.initProvider.layers) || has(self.forProvider.layerRefs) || has(self.initProvider) && has(self.initProvider.layerRefs) || has(self.forProvider.layerSelector) || has(self.initProvider) && has(self.initProvider.layerSelector)))",message="packageType Image has no handler, runtime or layers, since they are in the image: remove them, and override the image's entry point with imageConfig"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.packageType) ? self.forProvider.packageType == 'Image' : has(self.initProvider) && has(self.initProvider.packageType) && self.initProvider.packageType == 'Image') || !(has(self.forProvider.codeSigningConfigArn) && size(self.forProvider.codeSigningConfigArn) > 0 || has(self.forProvider.codeSigningConfigArnRef) || has(self.forProvider.codeSigningConfigArnSelector) || has(self.initProvider) && (has(self.initProvider.codeSigningConfigArn) && size(self.initProvider.codeSigningConfigArn) > 0 || has(self.initProvider.codeSigningConfigArnRef) || has(self.initProvider.codeSigningConfigArnSelector)))",fieldPath=".forProvider.codeSigningConfigArn",reason="FieldValueForbidden",message="packageType Image takes no code signing config, since AWS signs .zip archives only: remove it"
// +kubebuilder:validation:XValidation:rule="(has(self.forProvider.packageType) ? self.forProvider.packageType == 'Image' : has(self.initProvider) && has(self.initProvider.packageType) && self.initProvider.packageType == 'Image') || !(has(self.forProvider.imageConfig) || has(self.initProvider) && has(self.initProvider.imageConfig))",message="imageConfig is for container images: remove it, or set packageType: Image"
// +kubebuilder:validation:XValidation:rule="(has(self.forProvider.capacityProviderConfig) || has(self.initProvider) && has(self.initProvider.capacityProviderConfig)) || (!has(self.forProvider.timeout) || self.forProvider.timeout <= 900) && (!has(self.initProvider) || !has(self.initProvider.timeout) || self.initProvider.timeout <= 900)",message="timeout is at most 900 seconds (5400 with capacityProviderConfig)"
// +kubebuilder:validation:XValidation:rule="(has(self.forProvider.capacityProviderConfig) || has(self.initProvider) && has(self.initProvider.capacityProviderConfig)) || (!has(self.forProvider.memorySize) || self.forProvider.memorySize <= 10240) && (!has(self.initProvider) || !has(self.initProvider.memorySize) || self.initProvider.memorySize <= 10240)",message="memorySize is at most 10240 MB (32768 with capacityProviderConfig)"
// +kubebuilder:validation:XValidation:rule="(has(self.forProvider.capacityProviderConfig) || has(self.initProvider) && has(self.initProvider.capacityProviderConfig)) || (has(self.forProvider.vpcConfig) || has(self.initProvider) && has(self.initProvider.vpcConfig)) || (!has(self.forProvider.fileSystemConfigs) || size(self.forProvider.fileSystemConfigs) == 0) && (!has(self.initProvider) || !has(self.initProvider.fileSystemConfigs) || size(self.initProvider.fileSystemConfigs) == 0)",message="fileSystemConfigs needs vpcConfig, since a file system is mounted from within a VPC: set it"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.capacityProviderConfig) || has(self.initProvider) && has(self.initProvider.capacityProviderConfig)) || !(has(self.forProvider.loggingConfig) && has(self.forProvider.loggingConfig.logFormat) ? self.forProvider.loggingConfig.logFormat == 'Text' : has(self.initProvider) && has(self.initProvider.loggingConfig) && has(self.initProvider.loggingConfig.logFormat) && self.initProvider.loggingConfig.logFormat == 'Text')",fieldPath=".forProvider.loggingConfig",message="loggingConfig.logFormat is JSON with capacityProviderConfig, since AWS takes no other on Lambda Managed Instances: remove Text"
// +kubebuilder:validation:XValidation:rule="(has(self.forProvider.capacityProviderConfig) || has(self.initProvider) && has(self.initProvider.capacityProviderConfig)) || !(has(self.forProvider.functionScalingConfig) || has(self.initProvider) && has(self.initProvider.functionScalingConfig))",message="functionScalingConfig is for functions on Lambda Managed Instances: remove it, or set capacityProviderConfig"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || !('*' in oldSelf.managementPolicies || 'Create' in oldSelf.managementPolicies) || (has(self.forProvider.packageType) ? self.forProvider.packageType == 'Image' : has(self.initProvider) && has(self.initProvider.packageType) && self.initProvider.packageType == 'Image') == (has(oldSelf.forProvider.packageType) ? oldSelf.forProvider.packageType == 'Image' : has(oldSelf.initProvider) && has(oldSelf.initProvider.packageType) && oldSelf.initProvider.packageType == 'Image')",fieldPath=".forProvider.packageType",reason="FieldValueForbidden",message="packageType can't be changed after creation: create a new Function"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || !('*' in oldSelf.managementPolicies || 'Create' in oldSelf.managementPolicies) || (has(self.forProvider.tenancyConfig) || has(self.initProvider) && has(self.initProvider.tenancyConfig)) == (has(oldSelf.forProvider.tenancyConfig) || has(oldSelf.initProvider) && has(oldSelf.initProvider.tenancyConfig))",fieldPath=".forProvider.tenancyConfig",reason="FieldValueForbidden",message="tenancyConfig can't be set or removed after creation: create a new Function"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || !('*' in oldSelf.managementPolicies || 'Create' in oldSelf.managementPolicies) || (has(self.forProvider.durableConfig) || has(self.initProvider) && has(self.initProvider.durableConfig)) == (has(oldSelf.forProvider.durableConfig) || has(oldSelf.initProvider) && has(oldSelf.initProvider.durableConfig))",fieldPath=".forProvider.durableConfig",reason="FieldValueForbidden",message="durableConfig can't be set or removed after creation, only its values can be changed: create a new Function"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || !('*' in oldSelf.managementPolicies || 'Create' in oldSelf.managementPolicies) || (has(self.forProvider.capacityProviderConfig) || has(self.initProvider) && has(self.initProvider.capacityProviderConfig)) == (has(oldSelf.forProvider.capacityProviderConfig) || has(oldSelf.initProvider) && has(oldSelf.initProvider.capacityProviderConfig))",fieldPath=".forProvider.capacityProviderConfig",reason="FieldValueForbidden",message="capacityProviderConfig can't be set or removed after creation, only its values can be changed: create a new Function"
type FunctionSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider is what the function shall be, always.
	ForProvider FunctionParameters `json:"forProvider"`

	// InitProvider is what the function shall be at creation only. What it names,
	// and forProvider doesn't, is set when the function is created and left
	// alone afterwards, so that another tool may change it.
	// +optional
	InitProvider *FunctionSettings `json:"initProvider,omitempty"`
}

// FunctionStatus is the observed state of a function.
type FunctionStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is what AWS says of the function.
	// +optional
	AtProvider FunctionObservation `json:"atProvider,omitempty"`
}

// A Function is an AWS Lambda function.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdafn
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="RUNTIME",type="string",JSONPath=".status.atProvider.runtime",priority=1
// +kubebuilder:printcolumn:name="EXTERNAL-NAME",type="string",JSONPath=".metadata.annotations.crossplane\\.io/external-name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 64",fieldPath=".metadata",message="metadata.name is the function's name in AWS and has at most 64 characters: shorten it"
// +kubebuilder:validation:XValidation:rule="!self.metadata.name.contains('.')",fieldPath=".metadata",message="metadata.name is the function's name in AWS and has no dots: use hyphens"
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
