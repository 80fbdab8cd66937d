package v1beta1

import xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

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
	CapacityProviderArnRef *xpv2.NamespacedReference `json:"capacityProviderArnRef,omitempty"`

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
