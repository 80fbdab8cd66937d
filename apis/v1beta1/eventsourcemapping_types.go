package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// EventSourceMappingSettings are the settings of an event source mapping that can be
// changed (UpdateEventSourceMapping).
//
// A scalar that is not set keeps its value in AWS: the provider neither compares nor sends it. A list, map or block is
// exact: the provider removes from AWS what is not listed here.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.kmsKeyArn) && has(self.kmsKeyArnFrom))",fieldPath=".kmsKeyArnFrom",reason="FieldValueForbidden",message="kmsKeyArn is also set: set only one of kmsKeyArn and kmsKeyArnFrom"
type EventSourceMappingSettings struct {
	// Enabled sets whether Lambda reads the source and invokes the function. AWS's default is true. If it is not set, a
	// mapping that a user or AWS disables stays disabled and is not Ready.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`

	// BatchSize is the maximum number of records of one invocation: 1 to 10000, and at most 10 for FIFO queues. AWS's
	// default is 10 for SQS queues and 100 for other sources.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	BatchSize *int32 `json:"batchSize,omitempty"`

	// MaximumBatchingWindowInSeconds is the time for which records are gathered before an invocation, in seconds: 0 to
	// 300. AWS's default is 0 for SQS, Kinesis and DynamoDB, and 500 milliseconds for other sources, to which it can't
	// be set back. Queues with a batchSize above 10 need at least 1; FIFO queues have none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=300
	MaximumBatchingWindowInSeconds *int32 `json:"maximumBatchingWindowInSeconds,omitempty"`

	// FilterCriteria select the records that the function receives. Without them, it receives all records. Lambda does
	// not filter the events of DocumentDB.
	// +optional
	FilterCriteria *FilterCriteria `json:"filterCriteria,omitempty"`

	// KMSKeyArn is the ARN of the KMS key that encrypts the filter criteria. An empty
	// string removes the key. The provider needs kms:Decrypt on it.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^arn:aws[a-zA-Z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/.+$')",message="kmsKeyArn is not a KMS key ARN: use the form arn:aws:kms:region:123456789012:key/id, or an empty string for none"
	KMSKeyArn *string `json:"kmsKeyArn,omitempty"`

	// KMSKeyArnFrom reads the KMS key's ARN from a field of another object in this namespace.
	// +optional
	KMSKeyArnFrom *FieldSelector `json:"kmsKeyArnFrom,omitempty"`

	// FunctionResponseTypes is ReportBatchItemFailures if the function reports which records of a batch failed, so that
	// only these are retried. SQS, Kinesis, DynamoDB and Kafka only.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1
	// +kubebuilder:validation:items:Enum=ReportBatchItemFailures
	FunctionResponseTypes []string `json:"functionResponseTypes,omitempty"`

	// BisectBatchOnFunctionError splits a batch that failed in two before it is
	// retried. AWS's default is false. Kinesis, DynamoDB and Kafka only.
	// +optional
	BisectBatchOnFunctionError *bool `json:"bisectBatchOnFunctionError,omitempty"`

	// MaximumRecordAgeInSeconds is the maximum age of a record that is still processed, in seconds: 60 to 604800, or -1
	// for no limit, which is AWS's default. Kinesis, DynamoDB and Kafka only.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=604800
	// +kubebuilder:validation:XValidation:rule="self == -1 || self >= 60",message="maximumRecordAgeInSeconds must be at least 60, or -1 for no limit"
	MaximumRecordAgeInSeconds *int32 `json:"maximumRecordAgeInSeconds,omitempty"`

	// MaximumRetryAttempts is the number of times that a batch that failed is retried: 0 to 10000, or -1 for as long as
	// its records last, which is AWS's default. Kinesis, DynamoDB and Kafka only.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=10000
	MaximumRetryAttempts *int32 `json:"maximumRetryAttempts,omitempty"`

	// DestinationConfig is the destination of batches that could not be processed. Kinesis, DynamoDB and Kafka only.
	// +optional
	DestinationConfig *EventSourceMappingDestinationConfig `json:"destinationConfig,omitempty"`

	// ParallelizationFactor is the number of batches of each shard that are processed at once: 1
	// to 10. AWS's default is 1. Kinesis and DynamoDB only.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	ParallelizationFactor *int32 `json:"parallelizationFactor,omitempty"`

	// TumblingWindowInSeconds is the length of an aggregation's window, in seconds: 0
	// to 900. 0, which is AWS's default, is no window. Kinesis and DynamoDB only.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=900
	TumblingWindowInSeconds *int32 `json:"tumblingWindowInSeconds,omitempty"`

	// ScalingConfig bounds how many instances of the function a queue may invoke at
	// once. SQS only, and not together with provisionedPollerConfig.
	// +optional
	ScalingConfig *EventSourceMappingScalingConfig `json:"scalingConfig,omitempty"`

	// ProvisionedPollerConfig reads the source in provisioned mode, with a number of event pollers. SQS and Kafka only.
	// When this block is removed, the mapping returns to on-demand mode.
	// +optional
	ProvisionedPollerConfig *ProvisionedPollerConfig `json:"provisionedPollerConfig,omitempty"`

	// MetricsConfig selects the CloudWatch metrics that the mapping sends.
	// +optional
	MetricsConfig *EventSourceMappingMetricsConfig `json:"metricsConfig,omitempty"`

	// LoggingConfig sets the log level of the event pollers. Kafka in provisioned mode only.
	// +optional
	LoggingConfig *EventSourceMappingLoggingConfig `json:"loggingConfig,omitempty"`

	// SourceAccessConfigurations are the secrets, parts of a network and virtual host by which Lambda reaches the
	// source. Kafka, Amazon MQ and DocumentDB only. Their order does not matter.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=22
	// +kubebuilder:validation:XValidation:rule="!self.exists(a, a.type in ['OAUTHBEARER_SCOPE', 'OAUTHBEARER_LOGICAL_CLUSTER', 'OAUTHBEARER_IDENTITY_POOL']) || self.exists(a, a.type == 'OAUTHBEARER_AUTH')",message="OAUTHBEARER_SCOPE, OAUTHBEARER_LOGICAL_CLUSTER and OAUTHBEARER_IDENTITY_POOL need OAUTHBEARER_AUTH: add it"
	// +kubebuilder:validation:XValidation:rule="!self.exists(a, a.type == 'OAUTHBEARER_AUDIENCE') || self.exists(a, a.type in ['OAUTHBEARER_AUTH', 'IAM_OAUTHBEARER_AUTH'])",message="OAUTHBEARER_AUDIENCE needs OAUTHBEARER_AUTH or IAM_OAUTHBEARER_AUTH: add one of them"
	// +kubebuilder:validation:XValidation:rule="!self.exists(a, a.type == 'IAM_OAUTHBEARER_AUTH') || self.exists(a, a.type == 'OAUTHBEARER_AUDIENCE') && !self.exists(a, a.type.startsWith('OAUTHBEARER_') && a.type != 'OAUTHBEARER_AUDIENCE')",message="IAM_OAUTHBEARER_AUTH needs OAUTHBEARER_AUDIENCE and no other OAUTHBEARER type: add OAUTHBEARER_AUDIENCE, and remove the others"
	SourceAccessConfigurations []SourceAccessConfiguration `json:"sourceAccessConfigurations,omitempty"`

	// AmazonManagedKafkaEventSourceConfig configures reading from a cluster of Amazon MSK.
	// +optional
	AmazonManagedKafkaEventSourceConfig *AmazonManagedKafkaEventSourceConfig `json:"amazonManagedKafkaEventSourceConfig,omitempty"`

	// SelfManagedKafkaEventSourceConfig configures reading from a self-managed Kafka cluster.
	// +optional
	SelfManagedKafkaEventSourceConfig *SelfManagedKafkaEventSourceConfig `json:"selfManagedKafkaEventSourceConfig,omitempty"`

	// DocumentDBEventSourceConfig configures reading from a DocumentDB cluster.
	// +optional
	DocumentDBEventSourceConfig *DocumentDBEventSourceConfig `json:"documentDBEventSourceConfig,omitempty"`

	// Tags of the mapping, at most 44 (AWS allows 50, of which the provider uses up to six). A tag that is not listed
	// here is removed, except aws:* and those that the provider config ignores. They are compared when spec changed,
	// when the provider starts, and about once an hour, since reading them takes an additional call.
	// +optional
	// +kubebuilder:validation:MaxProperties=44
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) >= 1 && size(k) <= 128)",message="a tag key must have 1 to 128 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(self[k]) <= 256)",message="a tag value must have at most 256 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.lowerAscii().startsWith('aws:'))",message="tag keys that start with aws: are reserved by AWS: remove them"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.startsWith('crossplane-'))",message="tag keys that start with crossplane- are reserved by the provider: remove them"
	Tags map[string]string `json:"tags,omitempty"`
}

// EventSourceMappingParameters are the desired settings of an event source mapping,
// with the source, the function and the region.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.eventSourceArn) && has(self.eventSourceArnFrom))",fieldPath=".eventSourceArnFrom",reason="FieldValueForbidden",message="eventSourceArn is also set: set only one of eventSourceArn and eventSourceArnFrom"
// +kubebuilder:validation:XValidation:rule="!has(self.selfManagedEventSource) || !has(self.eventSourceArn) && !has(self.eventSourceArnFrom)",fieldPath=".selfManagedEventSource",reason="FieldValueForbidden",message="selfManagedEventSource can't be used with eventSourceArn or eventSourceArnFrom, since a self-managed Kafka cluster has no ARN: remove one of them"
// +kubebuilder:validation:XValidation:rule="!(has(self.qualifier) || has(self.qualifierRef) || has(self.qualifierSelector)) || !has(self.functionName) || !self.functionName.matches(':function:[^:]+:[^:]+$')",fieldPath=".qualifier",reason="FieldValueForbidden",message="functionName already has a qualifier: remove qualifier, or remove it from functionName"
// +kubebuilder:validation:XValidation:rule="!has(self.topics) || !has(self.eventSourceArn) || self.eventSourceArn.matches('^arn:[^:]+:(kafka):')",fieldPath=".topics",reason="FieldValueForbidden",message="topics is for Kafka only: remove it"
// +kubebuilder:validation:XValidation:rule="!has(self.queues) || !has(self.selfManagedEventSource) && (!has(self.eventSourceArn) || self.eventSourceArn.matches('^arn:[^:]+:(mq):'))",fieldPath=".queues",reason="FieldValueForbidden",message="queues is for Amazon MQ only: remove it"
// +kubebuilder:validation:XValidation:rule="!has(self.startingPosition) || !has(self.eventSourceArn) || self.eventSourceArn.matches('^arn:[^:]+:(kinesis|dynamodb|kafka|rds):')",fieldPath=".startingPosition",reason="FieldValueForbidden",message="startingPosition is for Kinesis, DynamoDB, Kafka and DocumentDB only: remove it"
// +kubebuilder:validation:XValidation:rule="!has(self.startingPosition) || self.startingPosition != 'AT_TIMESTAMP' || !has(self.eventSourceArn) || !self.eventSourceArn.matches('^arn:[^:]+:dynamodb:')",fieldPath=".startingPosition",message="a DynamoDB stream can't be read from a point in time: use TRIM_HORIZON or LATEST"
// +kubebuilder:validation:XValidation:rule="(has(self.startingPosition) && self.startingPosition == 'AT_TIMESTAMP') == has(self.startingPositionTimestamp)",fieldPath=".startingPositionTimestamp",message="startingPosition AT_TIMESTAMP and startingPositionTimestamp must be set together: set both, or neither"
// +kubebuilder:validation:XValidation:rule="!has(self.selfManagedKafkaEventSourceConfig) || !has(self.selfManagedKafkaEventSourceConfig.consumptionMode) || self.selfManagedKafkaEventSourceConfig.consumptionMode != 'Queue' || !has(self.startingPosition) && !has(self.maximumBatchingWindowInSeconds)",fieldPath=".selfManagedKafkaEventSourceConfig",message="startingPosition and maximumBatchingWindowInSeconds can't be used with consumptionMode Queue: remove them"
// +kubebuilder:validation:XValidation:rule="!has(self.batchSize) || self.batchSize <= 10 || !(has(self.eventSourceArn) && self.eventSourceArn.matches('^arn:[^:]+:sqs:.*[.]fifo$'))",fieldPath=".batchSize",message="a batchSize for a FIFO queue must be at most 10: set 10 or less"
// +kubebuilder:validation:XValidation:rule="!has(self.maximumBatchingWindowInSeconds) || self.maximumBatchingWindowInSeconds == 0 || !(has(self.eventSourceArn) && self.eventSourceArn.matches('^arn:[^:]+:sqs:.*[.]fifo$'))",fieldPath=".maximumBatchingWindowInSeconds",reason="FieldValueForbidden",message="a FIFO queue can't have a batching window: remove maximumBatchingWindowInSeconds"
// +kubebuilder:validation:XValidation:rule="!has(self.provisionedPollerConfig) || !(has(self.eventSourceArn) && self.eventSourceArn.matches('^arn:[^:]+:(sqs):')) || (!has(self.provisionedPollerConfig.minimumPollers) || self.provisionedPollerConfig.minimumPollers >= 2) && (!has(self.provisionedPollerConfig.maximumPollers) || self.provisionedPollerConfig.maximumPollers >= 2) && !has(self.provisionedPollerConfig.pollerGroupName)",fieldPath=".provisionedPollerConfig",message="a queue needs at least 2 pollers and no pollerGroupName: set 2 or more, and remove pollerGroupName"
// +kubebuilder:validation:XValidation:rule="!has(self.provisionedPollerConfig) || !has(self.provisionedPollerConfig.maximumPollers) || self.provisionedPollerConfig.maximumPollers <= 2000 || has(self.eventSourceArn) && self.eventSourceArn.matches('^arn:[^:]+:(sqs):')",fieldPath=".provisionedPollerConfig",message="a Kafka source can have at most 2000 pollers: set 2000 or fewer"
// +kubebuilder:validation:XValidation:rule="!has(self.metricsConfig) || !has(self.metricsConfig.metrics) || !has(self.eventSourceArn) || self.eventSourceArn.matches('^arn:[^:]+:kafka:') || self.metricsConfig.metrics.all(m, m == 'EventCount')",fieldPath=".metricsConfig",message="ErrorCount and KafkaMetrics are for Kafka only: remove them"
// +kubebuilder:validation:XValidation:rule="!has(self.sourceAccessConfigurations) || !(has(self.eventSourceArn) && self.eventSourceArn.matches('^arn:[^:]+:(mq):')) || self.sourceAccessConfigurations.all(a, a.type in ['BASIC_AUTH', 'VIRTUAL_HOST'])",fieldPath=".sourceAccessConfigurations",message="Amazon MQ accepts BASIC_AUTH and VIRTUAL_HOST only: remove the others"
// +kubebuilder:validation:XValidation:rule="!has(self.sourceAccessConfigurations) || !(has(self.eventSourceArn) && self.eventSourceArn.matches('^arn:[^:]+:(rds):')) || self.sourceAccessConfigurations.all(a, a.type == 'BASIC_AUTH')",fieldPath=".sourceAccessConfigurations",message="DocumentDB accepts BASIC_AUTH only: remove the others"
// +kubebuilder:validation:XValidation:rule="!has(self.sourceAccessConfigurations) || !(has(self.eventSourceArn) && self.eventSourceArn.matches('^arn:[^:]+:(kafka):')) || self.sourceAccessConfigurations.all(a, a.type in ['SASL_SCRAM_512_AUTH', 'CLIENT_CERTIFICATE_TLS_AUTH'])",fieldPath=".sourceAccessConfigurations",message="Amazon MSK accepts SASL_SCRAM_512_AUTH and CLIENT_CERTIFICATE_TLS_AUTH only: remove the others"
// +kubebuilder:validation:XValidation:rule="!has(self.sourceAccessConfigurations) || !has(self.selfManagedEventSource) || self.sourceAccessConfigurations.all(a, a.type != 'VIRTUAL_HOST')",fieldPath=".sourceAccessConfigurations",message="VIRTUAL_HOST is for RabbitMQ only: remove it"
type EventSourceMappingParameters struct {
	Regional `json:",inline"`

	// FunctionName is the name of the function to invoke, its ARN, or its ARN from the account on, such as
	// 123456789012:function:my-function. It can be changed. The mapping then continues at its position with the other
	// function.
	// +optional
	// +crossplane:generate:reference:type=Function
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^((arn:aws[a-zA-Z-]*:lambda:[a-z0-9-]+:)?[0-9]{12}:function:[a-zA-Z0-9_-]+(:([$]LATEST([.]PUBLISHED)?|[a-zA-Z0-9_-]+))?|[a-zA-Z0-9_-]+)$')",message="functionName is not the name or ARN of a function: use the form my-function or arn:aws:lambda:region:123456789012:function:my-function, and set a version or alias in qualifier"
	FunctionName *string `json:"functionName,omitempty"`

	// FunctionNameRef names the Function to invoke.
	// +optional
	FunctionNameRef *xpv2.NamespacedReference `json:"functionNameRef,omitempty" refersTo:"Function"`

	// FunctionNameSelector selects the Function to invoke.
	// +optional
	FunctionNameSelector *xpv2.NamespacedSelector `json:"functionNameSelector,omitempty"`

	// Qualifier is the version or alias of the function to invoke. If it is not set,
	// the function itself ($LATEST) is invoked. It can be changed.
	// +optional
	// +crossplane:generate:reference:type=Alias
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^([$]LATEST([.]PUBLISHED)?|[a-zA-Z0-9_-]+)$')",message="qualifier is not a version or an alias: use a version number or the name of an alias"
	Qualifier *string `json:"qualifier,omitempty"`

	// QualifierRef names the Alias to invoke.
	// +optional
	QualifierRef *xpv2.NamespacedReference `json:"qualifierRef,omitempty" refersTo:"Alias"`

	// QualifierSelector selects the Alias to invoke.
	// +optional
	QualifierSelector *xpv2.NamespacedSelector `json:"qualifierSelector,omitempty"`

	// EventSourceArn is the ARN of the source: an SQS queue, a Kinesis data stream or
	// stream consumer, a DynamoDB stream, an Amazon MSK cluster or VPC connection, an
	// Amazon MQ broker, or a DocumentDB cluster. It can't be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-zA-Z0-9-]*:(sqs|kinesis|dynamodb|kafka|mq|rds):[a-z0-9-]+:[0-9]{12}:.+$')",message="eventSourceArn is not the ARN of an event source: use one of SQS, Kinesis, DynamoDB Streams, Amazon MSK, Amazon MQ or DocumentDB, such as arn:aws:sqs:region:123456789012:my-queue"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^arn:[^:]+:dynamodb:') || self.matches(':table/[^/]+/stream/')",message="eventSourceArn is the ARN of a DynamoDB table: use the ARN of its stream, such as arn:aws:dynamodb:region:123456789012:table/my-table/stream/2026-01-02T03:04:05.678"
	EventSourceArn *string `json:"eventSourceArn,omitempty"`

	// EventSourceArnFrom reads the source's ARN from a field of another object in this
	// namespace, such as status.atProvider.arn of a Queue of the SQS provider.
	// +optional
	EventSourceArnFrom *FieldSelector `json:"eventSourceArnFrom,omitempty"`

	// SelfManagedEventSource is the self-managed Kafka cluster to read from. It can't be changed after creation.
	// +optional
	SelfManagedEventSource *SelfManagedEventSource `json:"selfManagedEventSource,omitempty"`

	// StartingPosition is the position at which reading a stream begins: TRIM_HORIZON at the oldest record, LATEST at
	// the newest, AT_TIMESTAMP at startingPositionTimestamp. Needed for Kinesis, DynamoDB (which has no AT_TIMESTAMP),
	// Amazon MSK and DocumentDB; self-managed Kafka starts with TRIM_HORIZON if it is not set. It can't be changed
	// after creation.
	// +optional
	// +kubebuilder:validation:Enum=TRIM_HORIZON;LATEST;AT_TIMESTAMP
	StartingPosition *string `json:"startingPosition,omitempty"`

	// StartingPositionTimestamp is the time from which to read, with startingPosition
	// AT_TIMESTAMP. It can't be in the future, and it can't be changed after creation.
	// +optional
	StartingPositionTimestamp *metav1.Time `json:"startingPositionTimestamp,omitempty"`

	// Topics has the name of exactly one Kafka topic to read. It can't be changed after creation.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=249
	// +kubebuilder:validation:items:Pattern=`^[^.]([a-zA-Z0-9_.-]+)$`
	Topics []string `json:"topics,omitempty"`

	// Queues has the name of exactly one queue of the Amazon MQ broker to read. It can't be changed after creation.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1000
	Queues []string `json:"queues,omitempty"`

	EventSourceMappingSettings `json:",inline"`
}

// EventSourceMappingSpec is the desired state of an event source mapping.
//
// To create one, the provider needs the function, the source, and the fields that its kind of source requires. If
// managementPolicies contain neither * nor Create, only region is required.
//
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.functionName) || has(self.forProvider.functionNameRef) || has(self.forProvider.functionNameSelector)",fieldPath=".forProvider.functionName",reason="FieldValueRequired",message="set functionName to the function's name or ARN, or set functionNameRef or functionNameSelector to a Function"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.eventSourceArn) || has(self.forProvider.eventSourceArnFrom) || has(self.forProvider.selfManagedEventSource)",fieldPath=".forProvider.eventSourceArn",reason="FieldValueRequired",message="set eventSourceArn to the ARN of the queue, stream, cluster or broker to read from, or set eventSourceArnFrom or selfManagedEventSource"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || !has(self.forProvider.eventSourceArn) || !self.forProvider.eventSourceArn.matches('^arn:[^:]+:(kinesis|dynamodb|kafka|rds):') || has(self.forProvider.startingPosition)",fieldPath=".forProvider.startingPosition",reason="FieldValueRequired",message="a stream needs a starting position: set startingPosition to TRIM_HORIZON or LATEST (or to AT_TIMESTAMP, except with DynamoDB)"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || !has(self.forProvider.eventSourceArn) || !self.forProvider.eventSourceArn.matches('^arn:[^:]+:(kafka):') || has(self.forProvider.topics)",fieldPath=".forProvider.topics",reason="FieldValueRequired",message="set topics to exactly one topic"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || !has(self.forProvider.selfManagedEventSource) || has(self.forProvider.topics)",fieldPath=".forProvider.topics",reason="FieldValueRequired",message="set topics to exactly one topic"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || !has(self.forProvider.eventSourceArn) || !self.forProvider.eventSourceArn.matches('^arn:[^:]+:(mq):') || has(self.forProvider.queues)",fieldPath=".forProvider.queues",reason="FieldValueRequired",message="set queues to exactly one queue of the broker"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || !has(self.forProvider.eventSourceArn) || !self.forProvider.eventSourceArn.matches('^arn:[^:]+:rds:') || has(self.forProvider.documentDBEventSourceConfig) || has(self.initProvider) && has(self.initProvider.documentDBEventSourceConfig)",fieldPath=".forProvider.documentDBEventSourceConfig",reason="FieldValueRequired",message="set documentDBEventSourceConfig with the databaseName to read"
// +kubebuilder:validation:XValidation:rule="!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || !has(self.forProvider.selfManagedEventSource) || has(self.forProvider.sourceAccessConfigurations) || has(self.initProvider) && has(self.initProvider.sourceAccessConfigurations)",fieldPath=".forProvider.sourceAccessConfigurations",reason="FieldValueRequired",message="set sourceAccessConfigurations to the cluster's secret, or to its subnets and security group"
// +kubebuilder:validation:XValidation:rule="!has(self.forProvider.loggingConfig) || (has(self.forProvider.provisionedPollerConfig) || has(self.initProvider) && has(self.initProvider.provisionedPollerConfig))",fieldPath=".forProvider.loggingConfig",message="loggingConfig is used only in provisioned mode: set provisionedPollerConfig, or remove loggingConfig"
// +kubebuilder:validation:XValidation:rule="!has(self.forProvider.amazonManagedKafkaEventSourceConfig) || !has(self.forProvider.amazonManagedKafkaEventSourceConfig.schemaRegistryConfig) || (has(self.forProvider.provisionedPollerConfig) || has(self.initProvider) && has(self.initProvider.provisionedPollerConfig))",fieldPath=".forProvider.amazonManagedKafkaEventSourceConfig",message="a schema registry is used only in provisioned mode: set provisionedPollerConfig, or remove schemaRegistryConfig"
// +kubebuilder:validation:XValidation:rule="!has(self.forProvider.selfManagedKafkaEventSourceConfig) || !has(self.forProvider.selfManagedKafkaEventSourceConfig.schemaRegistryConfig) || (has(self.forProvider.provisionedPollerConfig) || has(self.initProvider) && has(self.initProvider.provisionedPollerConfig))",fieldPath=".forProvider.selfManagedKafkaEventSourceConfig",message="a schema registry is used only in provisioned mode: set provisionedPollerConfig, or remove schemaRegistryConfig"
// +kubebuilder:validation:XValidation:rule="!has(self.forProvider.batchSize) || self.forProvider.batchSize <= 10 || !(has(self.forProvider.eventSourceArn) && self.forProvider.eventSourceArn.matches('^arn:[^:]+:(sqs):')) || (has(self.forProvider.maximumBatchingWindowInSeconds) ? self.forProvider.maximumBatchingWindowInSeconds >= 1 : has(self.initProvider) && has(self.initProvider.maximumBatchingWindowInSeconds) && self.initProvider.maximumBatchingWindowInSeconds >= 1)",fieldPath=".forProvider.batchSize",message="a batchSize above 10 for a queue needs a batching window: set maximumBatchingWindowInSeconds to 1 or more"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.destinationConfig) || has(self.initProvider) && has(self.initProvider.destinationConfig)) || !has(self.forProvider.eventSourceArn) || self.forProvider.eventSourceArn.matches('^arn:[^:]+:(kinesis|dynamodb|kafka):')",fieldPath=".forProvider.destinationConfig",reason="FieldValueForbidden",message="destinationConfig is for Kinesis, DynamoDB and Kafka only: remove it"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.bisectBatchOnFunctionError) || has(self.initProvider) && has(self.initProvider.bisectBatchOnFunctionError)) || !has(self.forProvider.eventSourceArn) || self.forProvider.eventSourceArn.matches('^arn:[^:]+:(kinesis|dynamodb|kafka):')",fieldPath=".forProvider.bisectBatchOnFunctionError",reason="FieldValueForbidden",message="bisectBatchOnFunctionError is for Kinesis, DynamoDB and Kafka only: remove it"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.maximumRecordAgeInSeconds) || has(self.initProvider) && has(self.initProvider.maximumRecordAgeInSeconds)) || !has(self.forProvider.eventSourceArn) || self.forProvider.eventSourceArn.matches('^arn:[^:]+:(kinesis|dynamodb|kafka):')",fieldPath=".forProvider.maximumRecordAgeInSeconds",reason="FieldValueForbidden",message="maximumRecordAgeInSeconds is for Kinesis, DynamoDB and Kafka only: remove it"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.maximumRetryAttempts) || has(self.initProvider) && has(self.initProvider.maximumRetryAttempts)) || !has(self.forProvider.eventSourceArn) || self.forProvider.eventSourceArn.matches('^arn:[^:]+:(kinesis|dynamodb|kafka):')",fieldPath=".forProvider.maximumRetryAttempts",reason="FieldValueForbidden",message="maximumRetryAttempts is for Kinesis, DynamoDB and Kafka only: remove it"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.functionResponseTypes) || has(self.initProvider) && has(self.initProvider.functionResponseTypes)) || !has(self.forProvider.eventSourceArn) || self.forProvider.eventSourceArn.matches('^arn:[^:]+:(kinesis|dynamodb|kafka|sqs):')",fieldPath=".forProvider.functionResponseTypes",reason="FieldValueForbidden",message="functionResponseTypes is for SQS, Kinesis, DynamoDB and Kafka only: remove it"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.parallelizationFactor) || has(self.initProvider) && has(self.initProvider.parallelizationFactor)) || !has(self.forProvider.selfManagedEventSource) && (!has(self.forProvider.eventSourceArn) || self.forProvider.eventSourceArn.matches('^arn:[^:]+:(kinesis|dynamodb):'))",fieldPath=".forProvider.parallelizationFactor",reason="FieldValueForbidden",message="parallelizationFactor is for Kinesis and DynamoDB only: remove it"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.tumblingWindowInSeconds) || has(self.initProvider) && has(self.initProvider.tumblingWindowInSeconds)) || !has(self.forProvider.selfManagedEventSource) && (!has(self.forProvider.eventSourceArn) || self.forProvider.eventSourceArn.matches('^arn:[^:]+:(kinesis|dynamodb):'))",fieldPath=".forProvider.tumblingWindowInSeconds",reason="FieldValueForbidden",message="tumblingWindowInSeconds is for Kinesis and DynamoDB only: remove it"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.scalingConfig) || has(self.initProvider) && has(self.initProvider.scalingConfig)) || !has(self.forProvider.selfManagedEventSource) && (!has(self.forProvider.eventSourceArn) || self.forProvider.eventSourceArn.matches('^arn:[^:]+:(sqs):'))",fieldPath=".forProvider.scalingConfig",reason="FieldValueForbidden",message="scalingConfig is for SQS only: remove it"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.provisionedPollerConfig) || has(self.initProvider) && has(self.initProvider.provisionedPollerConfig)) || !has(self.forProvider.eventSourceArn) || self.forProvider.eventSourceArn.matches('^arn:[^:]+:(sqs|kafka):')",fieldPath=".forProvider.provisionedPollerConfig",reason="FieldValueForbidden",message="provisionedPollerConfig is for SQS and Kafka only: remove it"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.loggingConfig) || has(self.initProvider) && has(self.initProvider.loggingConfig)) || !has(self.forProvider.eventSourceArn) || self.forProvider.eventSourceArn.matches('^arn:[^:]+:(kafka):')",fieldPath=".forProvider.loggingConfig",reason="FieldValueForbidden",message="loggingConfig is for Kafka only: remove it"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.sourceAccessConfigurations) || has(self.initProvider) && has(self.initProvider.sourceAccessConfigurations)) || !has(self.forProvider.eventSourceArn) || self.forProvider.eventSourceArn.matches('^arn:[^:]+:(kafka|mq|rds):')",fieldPath=".forProvider.sourceAccessConfigurations",reason="FieldValueForbidden",message="sourceAccessConfigurations is for Kafka, Amazon MQ and DocumentDB only: remove it"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.amazonManagedKafkaEventSourceConfig) || has(self.initProvider) && has(self.initProvider.amazonManagedKafkaEventSourceConfig)) || !has(self.forProvider.selfManagedEventSource) && (!has(self.forProvider.eventSourceArn) || self.forProvider.eventSourceArn.matches('^arn:[^:]+:(kafka):'))",fieldPath=".forProvider.amazonManagedKafkaEventSourceConfig",reason="FieldValueForbidden",message="amazonManagedKafkaEventSourceConfig is for Amazon MSK only: remove it"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.selfManagedKafkaEventSourceConfig) || has(self.initProvider) && has(self.initProvider.selfManagedKafkaEventSourceConfig)) || !has(self.forProvider.eventSourceArn) && !has(self.forProvider.eventSourceArnFrom)",fieldPath=".forProvider.selfManagedKafkaEventSourceConfig",reason="FieldValueForbidden",message="selfManagedKafkaEventSourceConfig is for self-managed Kafka only: remove it"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.documentDBEventSourceConfig) || has(self.initProvider) && has(self.initProvider.documentDBEventSourceConfig)) || !has(self.forProvider.selfManagedEventSource) && (!has(self.forProvider.eventSourceArn) || self.forProvider.eventSourceArn.matches('^arn:[^:]+:(rds):'))",fieldPath=".forProvider.documentDBEventSourceConfig",reason="FieldValueForbidden",message="documentDBEventSourceConfig is for DocumentDB only: remove it"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.scalingConfig) || has(self.initProvider) && has(self.initProvider.scalingConfig)) || !(has(self.forProvider.provisionedPollerConfig) || has(self.initProvider) && has(self.initProvider.provisionedPollerConfig))",fieldPath=".forProvider.scalingConfig",reason="FieldValueForbidden",message="scalingConfig and provisionedPollerConfig can't be used together: remove one of them"
// +kubebuilder:validation:XValidation:rule="!(has(self.forProvider.provisionedPollerConfig) || has(self.initProvider) && has(self.initProvider.provisionedPollerConfig)) || has(self.forProvider.provisionedPollerConfig) && (has(self.forProvider.provisionedPollerConfig.minimumPollers) || has(self.forProvider.provisionedPollerConfig.maximumPollers)) || has(self.initProvider) && has(self.initProvider.provisionedPollerConfig) && (has(self.initProvider.provisionedPollerConfig.minimumPollers) || has(self.initProvider.provisionedPollerConfig.maximumPollers))",fieldPath=".forProvider.provisionedPollerConfig",message="set minimumPollers, maximumPollers or both, or remove provisionedPollerConfig for on-demand mode"
type EventSourceMappingSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	// ForProvider is the desired state of the mapping.
	ForProvider EventSourceMappingParameters `json:"forProvider"`

	// InitProvider has the settings that are applied only at creation, such as enabled where operators pause mappings.
	// A field that is also set in forProvider has the value that is set there.
	// +optional
	InitProvider *EventSourceMappingSettings `json:"initProvider,omitempty"`
}

// EventSourceMappingStatus is the observed state of an event source mapping.
type EventSourceMappingStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`
	Summary                    `json:",inline"`

	// AtProvider is the state of the resource in AWS, as last observed.
	// +optional
	AtProvider EventSourceMappingObservation `json:"atProvider,omitempty"`
}

// An EventSourceMapping makes Lambda read a queue, a stream, a Kafka topic, a broker or a database's changes, and
// invoke a function with the records. Its external name is the UUID that AWS gives it.
// ---
// What is fixed at creation is held as for a Function.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,aws,lambda},shortName=lambdaesm
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="FUNCTION",type="string",JSONPath=".status.atProvider.functionName"
// +kubebuilder:printcolumn:name="RESULT",type="string",JSONPath=".status.atProvider.lastProcessingResult",priority=1
// +kubebuilder:printcolumn:name="MESSAGE",type="string",JSONPath=".status.message",priority=1
// +kubebuilder:printcolumn:name="EXTERNAL-NAME",type="string",JSONPath=".metadata.annotations.crossplane\\.io/external-name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.uuid) || !(('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) && ('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies)) || !has(self.spec.forProvider.eventSourceArn) || !has(oldSelf.spec.forProvider.eventSourceArn) || self.spec.forProvider.eventSourceArn == oldSelf.spec.forProvider.eventSourceArn",fieldPath=".spec.forProvider.eventSourceArn",reason="FieldValueForbidden",message="eventSourceArn can't be changed after creation: create a new EventSourceMapping"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.uuid) || !(('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) && ('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies)) || has(self.spec.forProvider.selfManagedEventSource) == has(oldSelf.spec.forProvider.selfManagedEventSource) && (!has(self.spec.forProvider.selfManagedEventSource) || self.spec.forProvider.selfManagedEventSource == oldSelf.spec.forProvider.selfManagedEventSource)",fieldPath=".spec.forProvider.selfManagedEventSource",reason="FieldValueForbidden",message="selfManagedEventSource can't be changed after creation: create a new EventSourceMapping"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.uuid) || !(('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) && ('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies)) || has(self.spec.forProvider.startingPosition) == has(oldSelf.spec.forProvider.startingPosition) && (!has(self.spec.forProvider.startingPosition) || self.spec.forProvider.startingPosition == oldSelf.spec.forProvider.startingPosition)",fieldPath=".spec.forProvider.startingPosition",reason="FieldValueForbidden",message="startingPosition can't be changed after creation: create a new EventSourceMapping, which reads the source from its own starting position"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.uuid) || !(('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) && ('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies)) || has(self.spec.forProvider.startingPositionTimestamp) == has(oldSelf.spec.forProvider.startingPositionTimestamp) && (!has(self.spec.forProvider.startingPositionTimestamp) || self.spec.forProvider.startingPositionTimestamp == oldSelf.spec.forProvider.startingPositionTimestamp)",fieldPath=".spec.forProvider.startingPositionTimestamp",reason="FieldValueForbidden",message="startingPositionTimestamp can't be changed after creation: create a new EventSourceMapping"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.uuid) || !(('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) && ('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies)) || has(self.spec.forProvider.topics) == has(oldSelf.spec.forProvider.topics) && (!has(self.spec.forProvider.topics) || self.spec.forProvider.topics == oldSelf.spec.forProvider.topics)",fieldPath=".spec.forProvider.topics",reason="FieldValueForbidden",message="topics can't be changed after creation: create a new EventSourceMapping"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.uuid) || !(('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) && ('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies)) || has(self.spec.forProvider.queues) == has(oldSelf.spec.forProvider.queues) && (!has(self.spec.forProvider.queues) || self.spec.forProvider.queues == oldSelf.spec.forProvider.queues)",fieldPath=".spec.forProvider.queues",reason="FieldValueForbidden",message="queues can't be changed after creation: create a new EventSourceMapping"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.uuid) || !(('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) && ('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies)) || !has(self.spec.forProvider.sourceAccessConfigurations) || !has(oldSelf.spec.forProvider.sourceAccessConfigurations) || self.spec.forProvider.sourceAccessConfigurations.filter(a, a.type == 'VIRTUAL_HOST') == oldSelf.spec.forProvider.sourceAccessConfigurations.filter(a, a.type == 'VIRTUAL_HOST')",fieldPath=".spec.forProvider.sourceAccessConfigurations",reason="FieldValueForbidden",message="VIRTUAL_HOST can't be changed after creation: create a new EventSourceMapping"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.uuid) || !(('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) && ('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies)) || !has(oldSelf.spec.forProvider.amazonManagedKafkaEventSourceConfig) || !has(oldSelf.spec.forProvider.amazonManagedKafkaEventSourceConfig.consumerGroupId) || !has(self.spec.forProvider.amazonManagedKafkaEventSourceConfig) || !has(self.spec.forProvider.amazonManagedKafkaEventSourceConfig.consumerGroupId) || self.spec.forProvider.amazonManagedKafkaEventSourceConfig.consumerGroupId == oldSelf.spec.forProvider.amazonManagedKafkaEventSourceConfig.consumerGroupId",fieldPath=".spec.forProvider.amazonManagedKafkaEventSourceConfig.consumerGroupId",reason="FieldValueForbidden",message="consumerGroupId can't be changed after creation: create a new EventSourceMapping"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.uuid) || !(('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) && ('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies)) || !has(oldSelf.spec.forProvider.selfManagedKafkaEventSourceConfig) || !has(oldSelf.spec.forProvider.selfManagedKafkaEventSourceConfig.consumerGroupId) || !has(self.spec.forProvider.selfManagedKafkaEventSourceConfig) || !has(self.spec.forProvider.selfManagedKafkaEventSourceConfig.consumerGroupId) || self.spec.forProvider.selfManagedKafkaEventSourceConfig.consumerGroupId == oldSelf.spec.forProvider.selfManagedKafkaEventSourceConfig.consumerGroupId",fieldPath=".spec.forProvider.selfManagedKafkaEventSourceConfig.consumerGroupId",reason="FieldValueForbidden",message="consumerGroupId can't be changed after creation: create a new EventSourceMapping"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.atProvider) || !has(self.status.atProvider.uuid) || !(('*' in self.spec.managementPolicies || 'Create' in self.spec.managementPolicies) && ('*' in oldSelf.spec.managementPolicies || 'Create' in oldSelf.spec.managementPolicies)) || !has(oldSelf.spec.forProvider.selfManagedKafkaEventSourceConfig) || !has(oldSelf.spec.forProvider.selfManagedKafkaEventSourceConfig.consumptionMode) || !has(self.spec.forProvider.selfManagedKafkaEventSourceConfig) || !has(self.spec.forProvider.selfManagedKafkaEventSourceConfig.consumptionMode) || self.spec.forProvider.selfManagedKafkaEventSourceConfig.consumptionMode == oldSelf.spec.forProvider.selfManagedKafkaEventSourceConfig.consumptionMode",fieldPath=".spec.forProvider.selfManagedKafkaEventSourceConfig.consumptionMode",reason="FieldValueForbidden",message="consumptionMode can't be changed after creation: create a new EventSourceMapping"
type EventSourceMapping struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec EventSourceMappingSpec `json:"spec"`

	// Status begins with a generation that was never observed, so that tools which
	// read kstatus see a new mapping as in progress rather than as in order.
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending"}
	Status EventSourceMappingStatus `json:"status,omitempty"`
}

// EventSourceMappingList is a list of event source mappings.
//
// +kubebuilder:object:root=true
type EventSourceMappingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []EventSourceMapping `json:"items"`
}

// FilterCriteria choose records by patterns. A record that matches any of them is processed.
type FilterCriteria struct {
	// Filters are the patterns, at most 20 (AWS's default quota is 5). Their order does not matter.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	Filters []Filter `json:"filters,omitempty"`
}

// Filter is a pattern of records.
type Filter struct {
	// Pattern is a JSON object in the syntax of event filtering, such as {"body": {"kind": ["order"]}}. At most 4096
	// characters. White space and the order of keys do not matter.
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=4096
	// +kubebuilder:validation:XValidation:rule="self.matches('^\\\\s*[{](.|\\\\s)*[}]\\\\s*$')",message="pattern is not a JSON object: use the form {\"body\": {\"kind\": [\"order\"]}}"
	Pattern string `json:"pattern"`
}

// EventSourceMappingDestinationConfig is the destination of records that were not processed.
type EventSourceMappingDestinationConfig struct {
	// OnFailure is the destination of records that could not be processed.
	OnFailure EventSourceMappingOnFailure `json:"onFailure"`
}

// EventSourceMappingOnFailure names a destination: one of destination and destinationFrom.
//
// +kubebuilder:validation:XValidation:rule="has(self.destination) != has(self.destinationFrom)",message="set exactly one of destination and destinationFrom"
type EventSourceMappingOnFailure struct {
	// Destination is the ARN of an SQS queue, an SNS topic or an S3 bucket, or, for
	// Kafka sources, a topic of the form kafka://my-topic.
	// +optional
	// +kubebuilder:validation:MaxLength=350
	// +kubebuilder:validation:XValidation:rule="self.matches('^(arn:aws[a-zA-Z0-9-]*:(sqs|sns|s3):.+|kafka://[^.][a-zA-Z0-9_.-]*)$')",message="destination can't receive failed records: use the ARN of an SQS queue, SNS topic or S3 bucket, or kafka://my-topic"
	Destination *string `json:"destination,omitempty"`

	// DestinationFrom reads the destination's ARN from a field of another object in this namespace.
	// +optional
	DestinationFrom *FieldSelector `json:"destinationFrom,omitempty"`
}

// EventSourceMappingScalingConfig bounds a queue's concurrency.
type EventSourceMappingScalingConfig struct {
	// MaximumConcurrency is the number of instances of the function that the queue may invoke at once: 2 to 1000.
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=1000
	MaximumConcurrency int32 `json:"maximumConcurrency"`
}

// ProvisionedPollerConfig is the provisioned mode of a mapping.
//
// +kubebuilder:validation:XValidation:rule="!has(self.minimumPollers) || !has(self.maximumPollers) || self.minimumPollers <= self.maximumPollers",message="minimumPollers must not be greater than maximumPollers: lower minimumPollers, or raise maximumPollers"
type ProvisionedPollerConfig struct {
	// MinimumPollers is the minimum number of event pollers: 1 to 200, and at least 2
	// for queues. AWS's default is 1, for queues 2.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=200
	MinimumPollers *int32 `json:"minimumPollers,omitempty"`

	// MaximumPollers is the maximum number of event pollers: 1 to 2000 for Kafka, 2 to
	// 10000 for queues. AWS's default is 200.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	MaximumPollers *int32 `json:"maximumPollers,omitempty"`

	// PollerGroupName is the name of a group of mappings of one VPC that share the
	// capacity of their pollers. Kafka only. At most 128 characters.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9_-]*$`
	PollerGroupName *string `json:"pollerGroupName,omitempty"`
}

// EventSourceMappingMetricsConfig selects the metrics of a mapping.
type EventSourceMappingMetricsConfig struct {
	// Metrics are any of EventCount, ErrorCount and KafkaMetrics; the last two are for
	// Kafka only. Their order does not matter.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:items:Enum=EventCount;ErrorCount;KafkaMetrics
	Metrics []string `json:"metrics,omitempty"`
}

// EventSourceMappingLoggingConfig sets the log level of a mapping.
type EventSourceMappingLoggingConfig struct {
	// SystemLogLevel is the level of detail: DEBUG for the most, INFO, or WARN for the least.
	// +kubebuilder:validation:Enum=DEBUG;INFO;WARN
	SystemLogLevel string `json:"systemLogLevel"`
}

// SourceAccessConfiguration is a secret, a part of a network or a value that Lambda uses to connect to a source.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.uri) && has(self.uriFrom))",fieldPath=".uriFrom",reason="FieldValueForbidden",message="uri is also set: set only one of uri and uriFrom"
// +kubebuilder:validation:XValidation:rule="(self.type in ['IAM_AUTH', 'IAM_OAUTHBEARER_AUTH']) != (has(self.uri) || has(self.uriFrom))",message="set uri or uriFrom; with IAM_AUTH and IAM_OAUTHBEARER_AUTH, which use no secret, set neither"
type SourceAccessConfiguration struct {
	// Type of the entry. Secrets: BASIC_AUTH (Amazon MQ, DocumentDB, self-managed Kafka), SASL_SCRAM_512_AUTH and
	// CLIENT_CERTIFICATE_TLS_AUTH (Kafka), SASL_SCRAM_256_AUTH, SERVER_ROOT_CA_CERTIFICATE and OAUTHBEARER_AUTH
	// (self-managed Kafka). Network of self-managed Kafka: VPC_SUBNET and VPC_SECURITY_GROUP. RabbitMQ: VIRTUAL_HOST,
	// which can't be changed after creation. Values for a token: OAUTHBEARER_SCOPE, OAUTHBEARER_AUDIENCE,
	// OAUTHBEARER_LOGICAL_CLUSTER and OAUTHBEARER_IDENTITY_POOL. By the function's role: IAM_AUTH and
	// IAM_OAUTHBEARER_AUTH.
	// +kubebuilder:validation:Enum=BASIC_AUTH;VPC_SUBNET;VPC_SECURITY_GROUP;SASL_SCRAM_512_AUTH;SASL_SCRAM_256_AUTH;VIRTUAL_HOST;CLIENT_CERTIFICATE_TLS_AUTH;SERVER_ROOT_CA_CERTIFICATE;OAUTHBEARER_AUTH;OAUTHBEARER_SCOPE;OAUTHBEARER_AUDIENCE;OAUTHBEARER_LOGICAL_CLUSTER;OAUTHBEARER_IDENTITY_POOL;IAM_AUTH;IAM_OAUTHBEARER_AUTH
	Type string `json:"type"`

	// URI is the secret's ARN, subnet:subnet-id, security_group:sg-id, the virtual host
	// or the value. It is never a secret itself. At most 200 characters.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9-\/*:_+=.@-]*$`
	URI *string `json:"uri,omitempty"`

	// URIFrom reads it from a field of another object in this namespace, such as status.atProvider.arn of a Secret of
	// the Secrets Manager provider. For a subnet or security group, an ID without the prefix is given it.
	// +optional
	URIFrom *FieldSelector `json:"uriFrom,omitempty"`
}

// SelfManagedEventSource is a Kafka cluster that is not of Amazon MSK.
type SelfManagedEventSource struct {
	// Endpoints are the cluster's servers: KAFKA_BOOTSTRAP_SERVERS with 1 to 10 of them, each as host:port.
	// +kubebuilder:validation:MaxProperties=2
	// +kubebuilder:validation:XValidation:rule="size(self) == 1 && 'KAFKA_BOOTSTRAP_SERVERS' in self && size(self['KAFKA_BOOTSTRAP_SERVERS']) >= 1 && size(self['KAFKA_BOOTSTRAP_SERVERS']) <= 10",message="set KAFKA_BOOTSTRAP_SERVERS to a list of 1 to 10 servers, and set no other key"
	// +kubebuilder:validation:XValidation:rule="self.all(k, self[k].all(s, size(s) <= 300 && s.matches('^[A-Za-z0-9.-]+:[0-9]{1,5}$')))",message="a server must have the form host:port, with at most 300 characters"
	Endpoints map[string]KafkaServers `json:"endpoints"`
}

// KafkaServers are servers of a Kafka cluster, each as host:port.
//
// +listType=atomic
// +kubebuilder:validation:MaxItems=10
// +kubebuilder:validation:items:MaxLength=300
type KafkaServers []string

// AmazonManagedKafkaEventSourceConfig configures reading from a cluster of Amazon MSK.
type AmazonManagedKafkaEventSourceConfig struct {
	// ConsumerGroupID is the Kafka consumer group to join, which no other source may use. If it is not set, AWS
	// generates one. It can't be changed after creation. At most 200 characters.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9-\/*:_+=.@-]*$`
	ConsumerGroupID *string `json:"consumerGroupId,omitempty"`

	// SchemaRegistryConfig checks and decodes records by their schemas. Provisioned mode only.
	// +optional
	SchemaRegistryConfig *KafkaSchemaRegistryConfig `json:"schemaRegistryConfig,omitempty"`
}

// SelfManagedKafkaEventSourceConfig configures reading from a self-managed Kafka cluster.
type SelfManagedKafkaEventSourceConfig struct {
	// ConsumerGroupID is the Kafka consumer group to join, which no other source may use. If it is not set, AWS
	// generates one. It can't be changed after creation. At most 200 characters.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9-\/*:_+=.@-]*$`
	ConsumerGroupID *string `json:"consumerGroupId,omitempty"`

	// ConsumptionMode is Stream, where the order of each partition is kept, or Queue, where several consumers share a
	// partition (Kafka 4.2 or later). AWS's default is Stream. It can't be changed after creation.
	// +optional
	// +kubebuilder:validation:Enum=Stream;Queue
	ConsumptionMode *string `json:"consumptionMode,omitempty"`

	// SchemaRegistryConfig checks and decodes records by their schemas. Provisioned mode only.
	// +optional
	SchemaRegistryConfig *KafkaSchemaRegistryConfig `json:"schemaRegistryConfig,omitempty"`
}

// KafkaSchemaRegistryConfig configures the registry of the records' schemas.
type KafkaSchemaRegistryConfig struct {
	// SchemaRegistryURI is the ARN of a Glue registry, or the URL of a Confluent one. At most 10000 characters.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=10000
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9-\/*:_+=.@-]*$`
	SchemaRegistryURI string `json:"schemaRegistryURI"`

	// EventRecordFormat is the format in which the function receives records: JSON, or
	// SOURCE for their original format.
	// +kubebuilder:validation:Enum=JSON;SOURCE
	EventRecordFormat string `json:"eventRecordFormat"`

	// AccessConfigs are the secrets for a Confluent registry. Their order does not matter.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	AccessConfigs []KafkaSchemaRegistryAccessConfig `json:"accessConfigs,omitempty"`

	// SchemaValidationConfigs say which parts of records are checked. Their order does not matter.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	SchemaValidationConfigs []KafkaSchemaValidationConfig `json:"schemaValidationConfigs,omitempty"`
}

// KafkaSchemaRegistryAccessConfig is a secret for a schema registry.
type KafkaSchemaRegistryAccessConfig struct {
	// Type of the secret: BASIC_AUTH, CLIENT_CERTIFICATE_TLS_AUTH, SERVER_ROOT_CA_CERTIFICATE or OAUTHBEARER_AUTH.
	// +kubebuilder:validation:Enum=BASIC_AUTH;CLIENT_CERTIFICATE_TLS_AUTH;SERVER_ROOT_CA_CERTIFICATE;OAUTHBEARER_AUTH
	Type string `json:"type"`

	// URI is the ARN of the Secrets Manager secret.
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^arn:aws[a-zA-Z0-9-]*:secretsmanager:.+$`
	URI string `json:"uri"`
}

// KafkaSchemaValidationConfig is a part of records that is checked.
type KafkaSchemaValidationConfig struct {
	// Attribute is the part: KEY or VALUE.
	// +kubebuilder:validation:Enum=KEY;VALUE
	Attribute string `json:"attribute"`
}

// DocumentDBEventSourceConfig configures reading from a DocumentDB cluster.
type DocumentDBEventSourceConfig struct {
	// DatabaseName is the database to read. 1 to 63 characters.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[^ /.$"]*$`
	DatabaseName string `json:"databaseName"`

	// CollectionName is the collection to read, at most 57 characters. If it is not set at creation, all collections
	// are read. Once it is set, AWS cannot return to all collections.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=57
	// +kubebuilder:validation:XValidation:rule="self.matches('^[_a-zA-Z0-9][^$]*$') && !self.startsWith('system.')",message="collectionName is not a collection name: start it with a letter, digit or underscore, but not with system., and use no $"
	CollectionName *string `json:"collectionName,omitempty"`

	// FullDocument is the content of the record of an update: Default for the changes only, or UpdateLookup for the
	// changes and the whole document. AWS's default is Default.
	// +optional
	// +kubebuilder:validation:Enum=UpdateLookup;Default
	FullDocument *string `json:"fullDocument,omitempty"`
}

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
