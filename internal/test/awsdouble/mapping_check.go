package awsdouble

import (
	"encoding/json"
	"slices"
	"strings"
)

// check rejects a creation with invalid settings.
func (in *mappingInput) check(m *Mapping) {
	k := m.source()
	switch {
	case k == sourceUnknown || k == sourceKafka && m.EventSourceArn != "":
		panic(invalidParameter("Unrecognized event source."))
	case k == sourceKafka && in.SourceAccessConfigurations == nil:
		panic(invalidParameter("Required 'sourceAccessConfigurations' parameter is missing."))
	case k != sourceSQS && k != sourceMQ && k != sourceKafka && in.StartingPosition == "":
		panic(invalidParameter("1 validation error detected: Value null at 'startingPosition' failed to satisfy constraint: Member must not be null."))
	case k == sourceDynamoDB && in.StartingPosition == "AT_TIMESTAMP":
		panic(invalidParameter("Unsupported starting position for given event source mapping type."))
	case (in.StartingPosition == "AT_TIMESTAMP") != (in.StartingPositionTimestamp != nil):
		panic(invalidParameter("StartingPositionTimestamp must be set if, and only if, StartingPosition is AT_TIMESTAMP."))
	}
	settings := *m
	in.apply(&settings)
	in.checkSettings(&settings)
}

// checkSettings rejects settings that the source does not support. m is the mapping with these settings.
func (in *mappingInput) checkSettings(m *Mapping) {
	if name := in.unsupported(m.source()); name != "" {
		panic(invalidParameter("Unsupported %s parameter for given event source mapping type.", name))
	}
	if in.DestinationConfig != nil && in.DestinationConfig.OnSuccess != nil {
		panic(invalidParameter("Unsupported DestinationConfig parameter for given event source mapping type."))
	}
	in.checkBatch(m)
	if in.FilterCriteria == nil {
		return
	}
	for _, f := range in.FilterCriteria.Filters {
		if !validPattern(f.Pattern) {
			panic(invalidParameter("Invalid filter pattern definition."))
		}
	}
}

// checkOnFailure rejects a destination without a name. An empty name means none.
func checkOnFailure(r *request) {
	var in struct {
		DestinationConfig struct {
			OnFailure *struct{ Destination *string }
		}
	}
	r.decode(&in)
	if to := in.DestinationConfig.OnFailure; to != nil && to.Destination == nil {
		panic(invalidParameter("The Destination field is required for an OnFailure configuration."))
	}
}

// unsupported returns the first setting that a source does not support.
func (in *mappingInput) unsupported(k sourceKind) string {
	streams := k.stream() || k.kafka()
	for _, p := range []struct {
		name     string
		sent, ok bool
	}{
		{"DestinationConfig", in.DestinationConfig != nil, streams},
		{"BisectBatchOnFunctionError", in.BisectBatchOnFunctionError != nil, streams},
		{"MaximumRecordAgeInSeconds", in.MaximumRecordAgeInSeconds != nil, streams},
		{"MaximumRetryAttempts", in.MaximumRetryAttempts != nil, streams},
		{"FunctionResponseTypes", len(in.FunctionResponseTypes) > 0, streams || k == sourceSQS},
		{"ParallelizationFactor", in.ParallelizationFactor != nil, k.stream()},
		{"TumblingWindowInSeconds", in.TumblingWindowInSeconds != nil, k.stream()},
		{"ScalingConfig", in.ScalingConfig != nil, k == sourceSQS},
		{"ProvisionedPollerConfig", in.ProvisionedPollerConfig != nil, k == sourceSQS || k.kafka()},
		{"LoggingConfig", in.LoggingConfig != nil, k.kafka()},
		{"StartingPosition", in.StartingPosition != "", streams || k == sourceDocumentDB},
		{"Topics", in.Topics != nil, k.kafka()},
		{"Queues", in.Queues != nil, k == sourceMQ},
		{"SourceAccessConfigurations", len(in.SourceAccessConfigurations) > 0, k.kafka() || k == sourceMQ || k == sourceDocumentDB},
		{"AmazonManagedKafkaEventSourceConfig", in.AmazonManagedKafkaEventSourceConfig != nil, k == sourceMSK},
		{"SelfManagedKafkaEventSourceConfig", in.SelfManagedKafkaEventSourceConfig != nil, k == sourceKafka},
		{"DocumentDBEventSourceConfig", in.DocumentDBEventSourceConfig != nil, k == sourceDocumentDB},
	} {
		if p.sent && !p.ok {
			return p.name
		}
	}
	return ""
}

// checkBatch checks the limits of the batches of queues, and that a mapping uses only one of the two kinds of
// scaling.
func (in *mappingInput) checkBatch(m *Mapping) {
	window := int32(0)
	if m.MaximumBatchingWindowInSeconds != nil {
		window = *m.MaximumBatchingWindowInSeconds
	}
	fifo := strings.HasSuffix(m.EventSourceArn, ".fifo")
	switch {
	case m.source() == sourceSQS && fifo && window > 0:
		panic(invalidParameter("Batching window is not supported for FIFO queues"))
	case m.source() == sourceSQS && fifo && m.BatchSize > 10:
		panic(invalidParameter("Maximum batch size must not be greater than 10 for FIFO queues"))
	case m.source() == sourceSQS && m.BatchSize > 10 && window < 1:
		panic(invalidParameter("Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10"))
	case m.ScalingConfig != nil && m.ProvisionedPollerConfig != nil:
		panic(invalidParameter("MaximumConcurrency and ProvisionedPollerConfig are mutually exclusive."))
	case m.LoggingConfig != nil && m.ProvisionedPollerConfig == nil:
		panic(invalidParameter("LoggingConfig is only available in provisioned mode."))
	case (m.AmazonManagedKafkaEventSourceConfig.registered() || m.SelfManagedKafkaEventSourceConfig.registered()) && m.ProvisionedPollerConfig == nil:
		panic(invalidParameter("SchemaRegistryConfig is only available in provisioned mode."))
	case in.MaximumRecordAgeInSeconds != nil && *in.MaximumRecordAgeInSeconds > -1 && *in.MaximumRecordAgeInSeconds < 60:
		panic(invalidParameter("MaximumRecordAgeInSeconds must be -1 or at least 60."))
	}
}

func (c *KafkaSource) registered() bool { return c != nil && c.SchemaRegistryConfig != nil }

// validPattern reports whether a filter's pattern is valid: an object with lists of what may match as leaves.
func validPattern(pattern string) bool {
	var object map[string]any
	return json.Unmarshal([]byte(pattern), &object) == nil && object != nil && validNode(object)
}

func validNode(object map[string]any) bool {
	for key, v := range object {
		switch v := v.(type) {
		case map[string]any:
			if !validNode(v) {
				return false
			}
		case []any:
			alternatives := key == "$or" && slices.ContainsFunc(v, func(e any) bool {
				o, isObject := e.(map[string]any)
				return !isObject || !validNode(o)
			})
			if len(v) == 0 || alternatives {
				return false
			}
		default:
			return false
		}
	}
	return true
}
