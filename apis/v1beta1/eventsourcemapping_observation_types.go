package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// EventSourceMappingObservation is the observed state of an event source mapping (GetEventSourceMapping).
type EventSourceMappingObservation struct {
	// UUID of the mapping.
	UUID *string `json:"uuid,omitempty"`
	// EventSourceMappingArn is the mapping's ARN.
	EventSourceMappingArn *string `json:"eventSourceMappingArn,omitempty"`
	// FunctionArn is the ARN of the function, version or alias that is invoked.
	FunctionArn *string `json:"functionArn,omitempty"`
	// FunctionName is the name of the function, without a version or alias.
	FunctionName *string `json:"functionName,omitempty"`
	// EventSourceArn is the ARN of the source.
	EventSourceArn *string `json:"eventSourceArn,omitempty"`
	// SelfManagedEventSource is the self-managed Kafka cluster that is read.
	SelfManagedEventSource *SelfManagedEventSource `json:"selfManagedEventSource,omitempty"`
	// State is Creating, Enabling, Enabled, Disabling, Disabled, Updating or Deleting.
	State *string `json:"state,omitempty"`
	// StateTransitionReason is the cause of State: a user, AWS, or an error's code such as EVENT_SOURCE_AUTHZ_ERROR.
	StateTransitionReason *string `json:"stateTransitionReason,omitempty"`
	// LastProcessingResult is the result of the last attempt to read and process, such
	// as OK, or PROBLEM with what is wrong.
	LastProcessingResult *string `json:"lastProcessingResult,omitempty"`
	// LastModified is the time at which the mapping was last updated or its state changed.
	LastModified *metav1.Time `json:"lastModified,omitempty"`
	// StartingPosition is the position from which the stream was read first.
	StartingPosition *string `json:"startingPosition,omitempty"`
	// StartingPositionTimestamp is the time from which on it is read.
	StartingPositionTimestamp *metav1.Time `json:"startingPositionTimestamp,omitempty"`
	// Topics has the Kafka topic.
	// +listType=atomic
	Topics []string `json:"topics,omitempty"`
	// Queues has the broker's queue.
	// +listType=atomic
	Queues []string `json:"queues,omitempty"`
	// BatchSize is the most records of an invocation.
	BatchSize *int32 `json:"batchSize,omitempty"`
	// MaximumBatchingWindowInSeconds is the time for which records are gathered, in seconds.
	MaximumBatchingWindowInSeconds *int32 `json:"maximumBatchingWindowInSeconds,omitempty"`
	// BisectBatchOnFunctionError reports whether a failed batch is split in two.
	BisectBatchOnFunctionError *bool `json:"bisectBatchOnFunctionError,omitempty"`
	// MaximumRecordAgeInSeconds is the maximum age of a processed record, in seconds; -1 for no limit.
	MaximumRecordAgeInSeconds *int32 `json:"maximumRecordAgeInSeconds,omitempty"`
	// MaximumRetryAttempts is the number of times that a failed batch is retried; -1 for no limit.
	MaximumRetryAttempts *int32 `json:"maximumRetryAttempts,omitempty"`
	// ParallelizationFactor is the number of batches of a shard that are processed at once.
	ParallelizationFactor *int32 `json:"parallelizationFactor,omitempty"`
	// TumblingWindowInSeconds is the length of an aggregation's window, in seconds.
	TumblingWindowInSeconds *int32 `json:"tumblingWindowInSeconds,omitempty"`
	// FunctionResponseTypes that the function uses.
	// +listType=atomic
	FunctionResponseTypes []string `json:"functionResponseTypes,omitempty"`
	// OnFailureDestination is the destination of failed records.
	OnFailureDestination *string `json:"onFailureDestination,omitempty"`
	// KMSKeyArn is the key that encrypts the filter criteria.
	KMSKeyArn *string `json:"kmsKeyArn,omitempty"`
	// FilterCriteria by which records are chosen.
	FilterCriteria *FilterCriteria `json:"filterCriteria,omitempty"`
	// FilterCriteriaError is the reason why AWS could not read or encrypt the filter criteria.
	FilterCriteriaError *FilterCriteriaError `json:"filterCriteriaError,omitempty"`
	// ScalingConfig of a queue.
	ScalingConfig *EventSourceMappingScalingConfig `json:"scalingConfig,omitempty"`
	// ProvisionedPollerConfig of the provisioned mode.
	ProvisionedPollerConfig *ProvisionedPollerConfig `json:"provisionedPollerConfig,omitempty"`
	// MetricsConfig has the metrics that are sent.
	MetricsConfig *EventSourceMappingMetricsConfig `json:"metricsConfig,omitempty"`
	// LoggingConfig has the level of the pollers' logs.
	LoggingConfig *EventSourceMappingLoggingConfig `json:"loggingConfig,omitempty"`
	// SourceAccessConfigurations by which the source is reached.
	// +listType=atomic
	SourceAccessConfigurations []SourceAccessConfigurationObservation `json:"sourceAccessConfigurations,omitempty"`
	// AmazonManagedKafkaEventSourceConfig configures reading from a cluster of Amazon MSK.
	AmazonManagedKafkaEventSourceConfig *KafkaEventSourceConfigObservation `json:"amazonManagedKafkaEventSourceConfig,omitempty"`
	// SelfManagedKafkaEventSourceConfig configures reading from a self-managed Kafka cluster.
	SelfManagedKafkaEventSourceConfig *KafkaEventSourceConfigObservation `json:"selfManagedKafkaEventSourceConfig,omitempty"`
	// DocumentDBEventSourceConfig configures reading from a DocumentDB cluster.
	DocumentDBEventSourceConfig *DocumentDBEventSourceConfig `json:"documentDBEventSourceConfig,omitempty"`
	// TagKeys are the keys of the tags in AWS, where they may be read.
	// +listType=atomic
	TagKeys []string `json:"tagKeys,omitempty"`
}

// FilterCriteriaError is an error of KMS.
type FilterCriteriaError struct {
	// ErrorCode of KMS.
	ErrorCode *string `json:"errorCode,omitempty"`
	// Message of KMS.
	Message *string `json:"message,omitempty"`
}

// SourceAccessConfigurationObservation is a secret, a part of a network or a value that
// Lambda uses to connect to a source.
type SourceAccessConfigurationObservation struct {
	// Type of the entry.
	Type string `json:"type"`
	// URI of the secret, the part of a network, or the value.
	URI *string `json:"uri,omitempty"`
}

// KafkaEventSourceConfigObservation is the observed configuration of reading from a Kafka cluster.
type KafkaEventSourceConfigObservation struct {
	// ConsumerGroupID is the consumer group.
	ConsumerGroupID *string `json:"consumerGroupId,omitempty"`
	// ConsumptionMode is Stream or Queue.
	ConsumptionMode *string `json:"consumptionMode,omitempty"`
	// SchemaRegistryConfig by which records are decoded.
	SchemaRegistryConfig *KafkaSchemaRegistryConfig `json:"schemaRegistryConfig,omitempty"`
}
