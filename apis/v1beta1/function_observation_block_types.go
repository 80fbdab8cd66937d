package v1beta1

// The blocks of a function as AWS shows them. They have the fields of those of spec, and
// none of their rules: whatever AWS says is shown.

// VPCConfigObservation is the observed VPC configuration of a function.
type VPCConfigObservation struct {
	// SubnetIDs that the function is attached to.
	// +listType=atomic
	SubnetIDs []string `json:"subnetIds,omitempty"`
	// SecurityGroupIDs of its network interfaces.
	// +listType=atomic
	SecurityGroupIDs []string `json:"securityGroupIds,omitempty"`
	// IPv6AllowedForDualStack reports whether it may use IPv6.
	IPv6AllowedForDualStack *bool `json:"ipv6AllowedForDualStack,omitempty"`
}

// DeadLetterConfigObservation is the observed destination of events that could not be processed.
type DeadLetterConfigObservation struct {
	// TargetArn of a queue or a topic.
	TargetArn *string `json:"targetArn,omitempty"`
}

// FileSystemConfigObservation is a file system that a function mounts.
type FileSystemConfigObservation struct {
	// Arn of the access point.
	Arn *string `json:"arn,omitempty"`
	// LocalMountPath where it is mounted.
	LocalMountPath *string `json:"localMountPath,omitempty"`
	// S3FilesConfig of an S3 file system.
	S3FilesConfig *S3FilesConfigObservation `json:"s3FilesConfig,omitempty"`
}

// S3FilesConfigObservation is the observed configuration of reads from an S3 file system.
type S3FilesConfigObservation struct {
	// DirectS3Read as AWS tells it.
	DirectS3Read *string `json:"directS3Read,omitempty"`
}

// ImageConfigObservation has the observed values that override those of a container image.
type ImageConfigObservation struct {
	// Command of the container.
	// +listType=atomic
	Command []string `json:"command,omitempty"`
	// EntryPoint of the container.
	// +listType=atomic
	EntryPoint []string `json:"entryPoint,omitempty"`
	// WorkingDirectory of the container.
	WorkingDirectory *string `json:"workingDirectory,omitempty"`
}

// LoggingConfigObservation is the observed logging configuration of a function.
type LoggingConfigObservation struct {
	// LogFormat is Text or JSON.
	LogFormat *string `json:"logFormat,omitempty"`
	// LogGroup is the CloudWatch log group.
	LogGroup *string `json:"logGroup,omitempty"`
	// ApplicationLogLevel of the function's own log lines.
	ApplicationLogLevel *string `json:"applicationLogLevel,omitempty"`
	// SystemLogLevel of Lambda's log lines.
	SystemLogLevel *string `json:"systemLogLevel,omitempty"`
}

// TracingConfigObservation is the observed tracing configuration of a function.
type TracingConfigObservation struct {
	// Mode is Active or PassThrough.
	Mode *string `json:"mode,omitempty"`
}

// SnapStartObservation is the observed SnapStart configuration.
type SnapStartObservation struct {
	// ApplyOn is PublishedVersions or None.
	ApplyOn *string `json:"applyOn,omitempty"`
}

// DurableConfigObservation is the observed configuration of durable executions.
type DurableConfigObservation struct {
	// ExecutionTimeout in seconds.
	ExecutionTimeout *int32 `json:"executionTimeout,omitempty"`
	// RetentionPeriodInDays of what is kept of an execution.
	RetentionPeriodInDays *int32 `json:"retentionPeriodInDays,omitempty"`
	// KMSKeyArn of the key that encrypts it.
	KMSKeyArn *string `json:"kmsKeyArn,omitempty"`
}

// RuntimeConfigObservation is the observed customer-managed runtime of a function or a version.
type RuntimeConfigObservation struct {
	// RuntimeArn of the runtime.
	RuntimeArn *string `json:"runtimeArn,omitempty"`
	// RuntimeAlias of the runtime.
	RuntimeAlias *string `json:"runtimeAlias,omitempty"`
}

// TenancyConfigObservation is the observed tenant isolation of a function.
type TenancyConfigObservation struct {
	// TenantIsolationMode as AWS tells it.
	TenantIsolationMode *string `json:"tenantIsolationMode,omitempty"`
}

// CapacityProviderConfigObservation is the observed capacity provider configuration of a function.
type CapacityProviderConfigObservation struct {
	// LambdaManagedInstancesCapacityProviderConfig of the function.
	LambdaManagedInstancesCapacityProviderConfig *LambdaManagedInstancesObservation `json:"lambdaManagedInstancesCapacityProviderConfig,omitempty"`
}

// LambdaManagedInstancesObservation is the observed use of a capacity provider by a function.
type LambdaManagedInstancesObservation struct {
	// CapacityProviderArn of the capacity provider.
	CapacityProviderArn *string `json:"capacityProviderArn,omitempty"`
	// ExecutionEnvironmentMemoryGiBPerVCPU is the memory for each vCPU.
	ExecutionEnvironmentMemoryGiBPerVCPU *string `json:"executionEnvironmentMemoryGiBPerVCpu,omitempty"`
	// PerExecutionEnvironmentMaxConcurrency is the number of invocations that one environment takes.
	PerExecutionEnvironmentMaxConcurrency *int32 `json:"perExecutionEnvironmentMaxConcurrency,omitempty"`
}
