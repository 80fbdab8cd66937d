package v1beta1

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
