package awsdouble

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// checkSource rejects a creation with an invalid source.
func (in *mappingInput) checkSource(m *mapping) {
	k, at := m.source(), in.StartingPosition == types.EventSourcePositionAtTimestamp
	switch {
	case k == sourceUnknown || k == sourceKafka && m.EventSourceArn != nil:
		panic(invalidParameter("Unrecognized event source."))
	case k == sourceKafka && in.SourceAccessConfigurations == nil:
		panic(invalidParameter("Required 'sourceAccessConfigurations' parameter is missing."))
	case k != sourceSQS && k != sourceMQ && k != sourceKafka && in.StartingPosition == "":
		panic(invalidParameter(
			"1 validation error detected: Value null at 'startingPosition' failed to satisfy constraint: %s.",
			notNull.text))
	case k == sourceDynamoDB && at:
		panic(invalidParameter("Unsupported starting position for given event source mapping type."))
	case at != (in.StartingPositionTimestamp != nil):
		panic(invalidParameter("StartingPositionTimestamp must be set if, and only if, StartingPosition is " +
			"AT_TIMESTAMP."))
	}
}

// sourcesOf are the kinds of sources that support a setting, for those that not all do, in the order in which they are
// checked.
var sourcesOf = []struct {
	setting string
	of      []sourceKind
}{
	{"DestinationConfig", streams},
	{"BisectBatchOnFunctionError", streams},
	{"MaximumRecordAgeInSeconds", streams},
	{"MaximumRetryAttempts", streams},
	{"FunctionResponseTypes", append([]sourceKind{sourceSQS}, streams...)},
	{"ParallelizationFactor", streams[:2]},
	{"TumblingWindowInSeconds", streams[:2]},
	{"ScalingConfig", []sourceKind{sourceSQS}},
	{"ProvisionedPollerConfig", append([]sourceKind{sourceSQS}, streams[2:]...)},
	{"LoggingConfig", streams[2:]},
	{"StartingPosition", append([]sourceKind{sourceDocumentDB}, streams...)},
	{"Topics", streams[2:]},
	{"Queues", []sourceKind{sourceMQ}},
	{"SourceAccessConfigurations", append([]sourceKind{sourceMQ, sourceDocumentDB}, streams[2:]...)},
	{"AmazonManagedKafkaEventSourceConfig", []sourceKind{sourceMSK}},
	{"SelfManagedKafkaEventSourceConfig", []sourceKind{sourceKafka}},
	{"DocumentDBEventSourceConfig", []sourceKind{sourceDocumentDB}},
}

// streams are the kinds of streams, of which the first two are of AWS's own and the others of Kafka.
var streams = []sourceKind{sourceKinesis, sourceDynamoDB, sourceMSK, sourceKafka}

// check rejects settings that the source does not support. m is the mapping with these settings.
func (in *mappingInput) check(m *mapping) {
	settings := reflect.ValueOf(in.CreateEventSourceMappingInput)
	for _, s := range sourcesOf {
		sent := settings.FieldByName(s.setting)
		empty := sent.Kind() == reflect.Slice && sent.Len() == 0 && s.setting != "Topics" && s.setting != "Queues"
		if !unset(sent) && !empty && !slices.Contains(s.of, m.source()) {
			panic(invalidParameter("Unsupported %s parameter for given event source mapping type.", s.setting))
		}
	}
	if in.DestinationConfig != nil && in.DestinationConfig.OnSuccess != nil {
		panic(invalidParameter("Unsupported DestinationConfig parameter for given event source mapping type."))
	}
	in.checkBatch(m)
	if in.FilterCriteria == nil {
		return
	}
	if m.source() == sourceDocumentDB && len(in.FilterCriteria.Filters) > 0 {
		panic(invalidParameter("Unsupported FilterCriteria parameter for given event source mapping type."))
	}
	for _, f := range in.FilterCriteria.Filters {
		if !validPattern(aws.ToString(f.Pattern)) {
			panic(invalidParameter("Invalid filter pattern definition."))
		}
	}
}

// checkOnFailure rejects a destination without a name. An empty name means none.
func (in *mappingInput) checkOnFailure() {
	if d := in.DestinationConfig; d != nil && d.OnFailure != nil && d.OnFailure.Destination == nil {
		panic(invalidParameter("The Destination field is required for an OnFailure configuration."))
	}
}

// checkBatch checks the limits of the batches of queues, and that a mapping uses only one of the two kinds of scaling.
func (in *mappingInput) checkBatch(m *mapping) {
	window, size, age := aws.ToInt32(m.MaximumBatchingWindowInSeconds), aws.ToInt32(
		m.BatchSize), in.MaximumRecordAgeInSeconds
	queue, onDemand := m.source() == sourceSQS, m.ProvisionedPollerConfig == nil
	fifo := queue && strings.HasSuffix(*m.EventSourceArn, ".fifo")
	managed, own := m.AmazonManagedKafkaEventSourceConfig, m.SelfManagedKafkaEventSourceConfig
	registry := managed != nil && managed.SchemaRegistryConfig != nil || own != nil && own.SchemaRegistryConfig != nil
	switch {
	case fifo && window > 0:
		panic(invalidParameter("Batching window is not supported for FIFO queues"))
	case fifo && size > 10:
		panic(invalidParameter("Maximum batch size must not be greater than 10 for FIFO queues"))
	case queue && size > 10 && window < 1:
		panic(invalidParameter(
			"Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10"))
	case m.ScalingConfig != nil && !onDemand:
		panic(invalidParameter("MaximumConcurrency and ProvisionedPollerConfig are mutually exclusive."))
	case m.LoggingConfig != nil && onDemand:
		panic(invalidParameter("LoggingConfig is only available in provisioned mode."))
	case registry && onDemand:
		panic(invalidParameter("SchemaRegistryConfig is only available in provisioned mode."))
	case age != nil && *age > -1 && *age < 60:
		panic(invalidParameter("MaximumRecordAgeInSeconds must be -1 or at least 60."))
	}
}

// checkFixed rejects changes of what is fixed at creation.
func (in *mappingInput) checkFixed(m *mapping) {
	for _, a := range in.SourceAccessConfigurations {
		if a.Type == types.SourceAccessTypeVirtualHost {
			panic(invalidParameter("VIRTUAL_HOST cannot be specified in an UpdateEventSourceMapping API call."))
		}
	}
	if d := in.DocumentDBEventSourceConfig; d != nil && (d.DatabaseName != nil || d.CollectionName != nil) {
		panic(invalidParameter("Invalid parameters: collectionName, databaseName"))
	}
	if c, old := in.AmazonManagedKafkaEventSourceConfig, m.AmazonManagedKafkaEventSourceConfig; c != nil && old != nil {
		fixed("ConsumerGroupId", aws.ToString(c.ConsumerGroupId), aws.ToString(old.ConsumerGroupId))
	}
	if c, old := in.SelfManagedKafkaEventSourceConfig, m.SelfManagedKafkaEventSourceConfig; c != nil && old != nil {
		fixed("ConsumerGroupId", aws.ToString(c.ConsumerGroupId), aws.ToString(old.ConsumerGroupId))
		fixed("ConsumptionMode", string(c.ConsumptionMode), string(old.ConsumptionMode))
	}
}

func fixed(name, sent, old string) {
	if sent != "" && sent != old {
		panic(invalidParameter("%s cannot be updated.", name))
	}
}

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
