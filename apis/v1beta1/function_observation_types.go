package v1beta1

// FunctionObservation is the observed state of a function (GetFunction), without
// anything secret: names of environment variables, never their values.
type FunctionObservation struct {
	// FunctionName in AWS.
	FunctionName *string `json:"functionName,omitempty"`
	// FunctionArn is the unqualified ARN.
	FunctionArn *string `json:"functionArn,omitempty"`
	// InvokeArn is the ARN that an API Gateway integration uses to invoke the function.
	InvokeArn *string `json:"invokeArn,omitempty"`
	// State is Pending, Active, Inactive, Failed, Deactivating, Deactivated, ActiveNonInvocable or Deleting.
	State *string `json:"state,omitempty"`
	// StateReason is AWS's reason for State.
	StateReason *string `json:"stateReason,omitempty"`
	// StateReasonCode is AWS's code for StateReason, such as Creating.
	StateReasonCode *string `json:"stateReasonCode,omitempty"`
	// LastUpdateStatus is Successful, Failed or InProgress.
	LastUpdateStatus *string `json:"lastUpdateStatus,omitempty"`
	// LastUpdateStatusReason is AWS's reason for LastUpdateStatus.
	LastUpdateStatusReason *string `json:"lastUpdateStatusReason,omitempty"`
	// LastUpdateStatusReasonCode is AWS's code for LastUpdateStatusReason.
	LastUpdateStatusReasonCode *string `json:"lastUpdateStatusReasonCode,omitempty"`
	// LastModified is the time at which the function was last updated.
	LastModified *string `json:"lastModified,omitempty"`
	// Version that GetFunction returned: $LATEST.
	Version *string `json:"version,omitempty"`
	// RevisionID of the last update.
	RevisionID *string `json:"revisionId,omitempty"`
	// CodeSHA256 of the deployment package: base64 for .zip archives, the image's digest for images.
	CodeSHA256 *string `json:"codeSha256,omitempty"`
	// CodeSize of the deployment package, in bytes.
	CodeSize *int64 `json:"codeSize,omitempty"`
	// ImageURI is the image that was deployed.
	ImageURI *string `json:"imageUri,omitempty"`
	// ResolvedImageURI is that image by digest.
	ResolvedImageURI *string `json:"resolvedImageUri,omitempty"`
	// DeployedCode identifies the code that the provider last deployed from a source whose content AWS doesn't report.
	DeployedCode *DeployedCode `json:"deployedCode,omitempty"`
	// PackageType is Zip or Image.
	PackageType *string `json:"packageType,omitempty"`
	// Runtime of the function.
	Runtime *string `json:"runtime,omitempty"`
	// RuntimeConfig of the function, with runtime custom.
	RuntimeConfig *RuntimeConfig `json:"runtimeConfig,omitempty"`
	// RuntimeVersionArn is the ARN of the runtime's version.
	RuntimeVersionArn *string `json:"runtimeVersionArn,omitempty"`
	// Handler of the function.
	Handler *string `json:"handler,omitempty"`
	// Role is the ARN of the execution role.
	Role *string `json:"role,omitempty"`
	// Architectures of the function.
	// +listType=atomic
	Architectures []string `json:"architectures,omitempty"`
	// MemorySize in MB.
	MemorySize *int32 `json:"memorySize,omitempty"`
	// Timeout in seconds.
	Timeout *int32 `json:"timeout,omitempty"`
	// EphemeralStorageSize in MB.
	EphemeralStorageSize *int32 `json:"ephemeralStorageSize,omitempty"`
	// KMSKeyArn is the ARN of the KMS key.
	KMSKeyArn *string `json:"kmsKeyArn,omitempty"`
	// EnvironmentVariableNames are the names of the environment variables.
	// +listType=atomic
	EnvironmentVariableNames []string `json:"environmentVariableNames,omitempty"`
	// Layers are the ARNs of the layer versions.
	// +listType=atomic
	Layers []string `json:"layers,omitempty"`
	// Description of the function.
	Description *string `json:"description,omitempty"`
	// VPCConfig of the function.
	VPCConfig *VPCConfigObservation `json:"vpcConfig,omitempty"`
	// VPCID is the ID of the VPC.
	VPCID *string `json:"vpcId,omitempty"`
	// DeadLetterConfig of the function.
	DeadLetterConfig *DeadLetterConfigObservation `json:"deadLetterConfig,omitempty"`
	// FileSystemConfigs of the function.
	// +listType=atomic
	FileSystemConfigs []FileSystemConfig `json:"fileSystemConfigs,omitempty"`
	// ImageConfig of the function.
	ImageConfig *ImageConfig `json:"imageConfig,omitempty"`
	// LoggingConfig of the function.
	LoggingConfig *LoggingConfig `json:"loggingConfig,omitempty"`
	// TracingConfig of the function.
	TracingConfig *TracingConfig `json:"tracingConfig,omitempty"`
	// SnapStart of the function.
	SnapStart *SnapStart `json:"snapStart,omitempty"`
	// DurableConfig of the function.
	DurableConfig *DurableConfig `json:"durableConfig,omitempty"`
	// TenancyConfig of the function.
	TenancyConfig *TenancyConfig `json:"tenancyConfig,omitempty"`
	// CapacityProviderConfig of the function.
	CapacityProviderConfig *CapacityProviderConfigObservation `json:"capacityProviderConfig,omitempty"`
	// CodeSigningConfigArn is the code signing configuration, if the spec names one.
	CodeSigningConfigArn *string `json:"codeSigningConfigArn,omitempty"`
	// RecursiveLoop is Allow or Terminate, if the spec names it.
	RecursiveLoop *string `json:"recursiveLoop,omitempty"`
	// SourceKMSKeyArn is the KMS key that encrypts the .zip archive.
	SourceKMSKeyArn *string `json:"sourceKmsKeyArn,omitempty"`
	// TagKeys are the keys of the tags in AWS.
	// +listType=atomic
	TagKeys []string `json:"tagKeys,omitempty"`
	// LogGroup is the CloudWatch log group.
	LogGroup *string `json:"logGroup,omitempty"`
	// SnapStartOptimizationStatus is On or Off.
	SnapStartOptimizationStatus *string `json:"snapStartOptimizationStatus,omitempty"`
	// SigningJobArn is the ARN of the signing job.
	SigningJobArn *string `json:"signingJobArn,omitempty"`
	// SigningProfileVersionArn is the ARN of the signing profile's version.
	SigningProfileVersionArn *string `json:"signingProfileVersionArn,omitempty"`
	// MasterArn is the main function's ARN, for Lambda@Edge.
	MasterArn *string `json:"masterArn,omitempty"`
	// ReservedConcurrentExecutions of the function, if any are reserved.
	ReservedConcurrentExecutions *int32 `json:"reservedConcurrentExecutions,omitempty"`
	// FunctionScalingConfig that the provider applied.
	FunctionScalingConfig *FunctionScalingConfig `json:"functionScalingConfig,omitempty"`
	// Fingerprint is a hash of the code and configuration of $LATEST, if publish is true.
	Fingerprint *string `json:"fingerprint,omitempty"`
	// LatestPublishedVersion is the latest version that the provider published and that
	// AWS has prepared: a number, or $LATEST.PUBLISHED.
	LatestPublishedVersion *string `json:"latestPublishedVersion,omitempty"`
	// PublishingVersion is a version that AWS is preparing, or failed to prepare.
	PublishingVersion *string `json:"publishingVersion,omitempty"`
	// PublishedFingerprint is the hash of the code and configuration that were published last.
	PublishedFingerprint *string `json:"publishedFingerprint,omitempty"`
	// PublishedSpecFingerprint is a hash of spec, and of what it refers to, when that was published.
	PublishedSpecFingerprint *string `json:"publishedSpecFingerprint,omitempty"`
	// PublishedCode are the versions whose code has a revision, the newest first, at most 20.
	// +listType=atomic
	PublishedCode []PublishedCode `json:"publishedCode,omitempty"`
	// VPCReleaseAttempts is the number of times that the provider tried, before the deletion, to
	// replace the function's security groups or to remove it from its VPC.
	VPCReleaseAttempts int32 `json:"vpcReleaseAttempts,omitempty"`

	VersionHistory `json:",inline"`

	// Initialized is true once all of initProvider was applied. The provider ignores these settings from then on.
	Initialized bool `json:"initialized,omitempty"`
	// Activated is true once AWS has reported the function Active. It tells a later failure from a failed creation.
	Activated bool `json:"activated,omitempty"`
}

// DeployedCode remembers what was deployed, for sources whose content AWS doesn't
// report: an S3 object, an image's tag or an artifact of a Flux source.
type DeployedCode struct {
	// Source is the origin of the code, with the ETag, version or digest that it had, such as s3://bucket/key#"etag".
	Source string `json:"source"`
	// CodeSHA256 that AWS answered for it.
	CodeSHA256 string `json:"codeSha256"`
	// Revision of the source, such as main@sha1:c5d4e9, which names the commit.
	Revision string `json:"revision,omitempty"`
	// Verified is the signer of the artifact, or the message of the source's condition SourceVerified. It is absent if
	// nothing was verified.
	Verified string `json:"verified,omitempty"`
	// VerificationPolicy is a hash of who had to have signed the artifact in a registry when that was checked last.
	VerificationPolicy string `json:"verificationPolicy,omitempty"`
}

// PublishedCode is the code of a version that the provider published.
type PublishedCode struct {
	// Version is its number.
	Version string `json:"version"`
	// Revision of the code's source when the version was published, such as main@sha1:c5d4e9.
	Revision string `json:"revision"`
	// Verified is the signer of the code, as in deployedCode.
	Verified string `json:"verified,omitempty"`
}

// The blocks of a function as AWS shows them, if those of spec have references besides. Whatever AWS says is shown:
// schemas.go removes the rules of spec from status.

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
