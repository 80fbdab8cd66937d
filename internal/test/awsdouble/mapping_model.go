package awsdouble

// A Mapping is an event source mapping's configuration as Lambda returns it. Tests can read and edit it. Members that
// Lambda omits when unset are pointers, or are empty.
type Mapping struct {
	AmazonManagedKafkaEventSourceConfig *KafkaSource      `json:",omitempty"`
	BatchSize                           int32             `json:""`
	BisectBatchOnFunctionError          *bool             `json:",omitempty"`
	DestinationConfig                   *Destinations     `json:",omitempty"`
	DocumentDBEventSourceConfig         *DocumentDBSource `json:",omitempty"`
	EventSourceArn                      string            `json:",omitempty"`
	EventSourceMappingArn               string            `json:""`
	FilterCriteria                      *Filters          `json:",omitempty"`
	FunctionArn                         string            `json:""`
	FunctionResponseTypes               []string          `json:",omitzero"`
	KMSKeyArn                           string            `json:",omitempty"`
	LastModified                        float64           `json:""`
	LastProcessingResult                string            `json:",omitempty"`
	LoggingConfig                       *MappingLogging   `json:",omitempty"`
	MaximumBatchingWindowInSeconds      *int32            `json:",omitempty"`
	MaximumRecordAgeInSeconds           *int32            `json:",omitempty"`
	MaximumRetryAttempts                *int32            `json:",omitempty"`
	MetricsConfig                       *MappingMetrics   `json:",omitempty"`
	ParallelizationFactor               *int32            `json:",omitempty"`
	ProvisionedPollerConfig             *Pollers          `json:",omitempty"`
	Queues                              []string          `json:",omitempty"`
	ScalingConfig                       *MappingScaling   `json:",omitempty"`
	SelfManagedEventSource              *SelfManaged      `json:",omitempty"`
	SelfManagedKafkaEventSourceConfig   *KafkaSource      `json:",omitempty"`
	SourceAccessConfigurations          []SourceAccess    `json:",omitempty"`
	StartingPosition                    string            `json:",omitempty"`
	StartingPositionTimestamp           *float64          `json:",omitempty"`
	State                               string            `json:""`
	StateTransitionReason               string            `json:""`
	Topics                              []string          `json:",omitempty"`
	TumblingWindowInSeconds             *int32            `json:",omitempty"`
	UUID                                string            `json:""`

	// Tags are the mapping's tags, which its responses do not show.
	Tags map[string]string `json:"-"`
}

// bootstrapServers is the only kind of endpoint.
const bootstrapServers = "KAFKA_BOOTSTRAP_SERVERS"

// KafkaSource configures how a Kafka cluster is read.
type KafkaSource struct {
	ConsumerGroupId      string          `json:",omitempty"` //nolint:revive // Lambda's spelling
	ConsumptionMode      string          `json:",omitempty"`
	SchemaRegistryConfig *SchemaRegistry `json:",omitempty"`
}

// A SchemaRegistry holds the schemas of records.
type SchemaRegistry struct {
	AccessConfigs           []SourceAccess      `json:",omitempty"`
	EventRecordFormat       string              `json:",omitempty"`
	SchemaRegistryURI       string              `json:",omitempty"`
	SchemaValidationConfigs []map[string]string `json:",omitempty"`
}

// Destinations are the destinations of records that could not be processed. There is none for processed records.
type Destinations struct {
	OnFailure *Destination
	OnSuccess *Destination `json:",omitempty"`
}

// A Destination is the ARN or the topic of a destination.
type Destination struct {
	Destination string `json:",omitempty"`
}

// DocumentDBSource selects what is read of a DocumentDB cluster.
type DocumentDBSource struct {
	CollectionName string `json:",omitempty"`
	DatabaseName   string `json:",omitempty"`
	FullDocument   string `json:",omitempty"`
}

// Filters select the records that a function receives.
type Filters struct {
	Filters []Filter `json:",omitempty"`
}

// A Filter is a pattern in JSON.
type Filter struct{ Pattern string }

// MappingLogging is the log level of a mapping itself.
type MappingLogging struct {
	SystemLogLevel string `json:",omitempty"`
}

// MappingMetrics are the metrics that a mapping sends.
type MappingMetrics struct {
	Metrics []string `json:",omitempty"`
}

// Pollers limit a mapping's event pollers.
type Pollers struct {
	MaximumPollers  *int32 `json:",omitempty"`
	MinimumPollers  *int32 `json:",omitempty"`
	PollerGroupName string `json:",omitempty"`
}

// MappingScaling limits the concurrency of a queue's invocations.
type MappingScaling struct {
	MaximumConcurrency *int32 `json:",omitempty"`
}

// SelfManaged is a Kafka cluster outside of AWS.
type SelfManaged struct{ Endpoints map[string][]string }

// SourceAccess is a secret, a part of a network or a virtual host.
type SourceAccess struct {
	Type string
	URI  string `json:",omitempty"`
}
