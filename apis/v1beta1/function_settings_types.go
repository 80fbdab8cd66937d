package v1beta1

import xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

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
	LayerRefs []xpv2.NamespacedReference `json:"layerRefs,omitempty"`

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
	CodeSigningConfigArnRef *xpv2.NamespacedReference `json:"codeSigningConfigArnRef,omitempty"`

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
