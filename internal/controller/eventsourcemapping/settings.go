package eventsourcemapping

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// settings has everything that can differ between the desired and the observed mapping in one value. Both states are
// expressed in it, and package diff compares them. JSON names are the users' field names.
//
// The blocks of Kafka and DocumentDB exist in every mapping of these sources, so they are
// values: fields that are not set in them are left to AWS.
type settings struct {
	// FunctionName is the plain name, with the qualifier if there is one.
	FunctionName                        *string                                  `json:"functionName"`
	Enabled                             *bool                                    `json:"enabled"`
	BatchSize                           *int32                                   `json:"batchSize"`
	MaximumBatchingWindowInSeconds      *int32                                   `json:"maximumBatchingWindowInSeconds"`
	FilterCriteria                      diff.Set                                 `json:"filterCriteria"`
	KMSKeyArn                           *string                                  `json:"kmsKeyArn"`
	FunctionResponseTypes               diff.Set                                 `json:"functionResponseTypes"`
	BisectBatchOnFunctionError          *bool                                    `json:"bisectBatchOnFunctionError"`
	MaximumRecordAgeInSeconds           *int32                                   `json:"maximumRecordAgeInSeconds"`
	MaximumRetryAttempts                *int32                                   `json:"maximumRetryAttempts"`
	DestinationConfig                   *destinationConfig                       `json:"destinationConfig"`
	ParallelizationFactor               *int32                                   `json:"parallelizationFactor"`
	TumblingWindowInSeconds             *int32                                   `json:"tumblingWindowInSeconds"`
	ScalingConfig                       *v1beta1.EventSourceMappingScalingConfig `json:"scalingConfig"`
	ProvisionedPollerConfig             *v1beta1.ProvisionedPollerConfig         `json:"provisionedPollerConfig"`
	MetricsConfig                       diff.Set                                 `json:"metricsConfig"`
	LoggingConfig                       *v1beta1.EventSourceMappingLoggingConfig `json:"loggingConfig"`
	SourceAccessConfigurations          diff.Set                                 `json:"sourceAccessConfigurations"`
	AmazonManagedKafkaEventSourceConfig kafkaConfig                              `json:"amazonManagedKafkaEventSourceConfig"`
	SelfManagedKafkaEventSourceConfig   kafkaConfig                              `json:"selfManagedKafkaEventSourceConfig"`
	DocumentDBEventSourceConfig         documentDBConfig                         `json:"documentDBEventSourceConfig"`
	Tags                                map[string]string                        `json:"tags"`

	// AWS accepts these only at creation.
	EventSourceArn            *string  `json:"eventSourceArn"`
	SelfManagedEventSource    diff.Set `json:"selfManagedEventSource"`
	StartingPosition          *string  `json:"startingPosition"`
	StartingPositionTimestamp *int64   `json:"startingPositionTimestamp"`
	Topics                    diff.Set `json:"topics"`
	Queues                    diff.Set `json:"queues"`
}

type destinationConfig struct {
	OnFailure onFailure `json:"onFailure"`
}

type onFailure struct {
	Destination string `json:"destination"`
}

type kafkaConfig struct {
	ConsumerGroupID      *string         `json:"consumerGroupId"`
	ConsumptionMode      *string         `json:"consumptionMode"`
	SchemaRegistryConfig *schemaRegistry `json:"schemaRegistryConfig"`
}

type schemaRegistry struct {
	SchemaRegistryURI       string   `json:"schemaRegistryURI"`
	EventRecordFormat       string   `json:"eventRecordFormat"`
	AccessConfigs           diff.Set `json:"accessConfigs"`
	SchemaValidationConfigs diff.Set `json:"schemaValidationConfigs"`
}

type documentDBConfig struct {
	DatabaseName   *string `json:"databaseName"`
	CollectionName *string `json:"collectionName"`
	FullDocument   *string `json:"fullDocument"`
}

// bootstrapServers is the only kind of endpoint.
const bootstrapServers = "KAFKA_BOOTSTRAP_SERVERS"

// canonical returns JSON without white space and with sorted keys. It returns invalid JSON
// unchanged, for AWS to reject.
func canonical(pattern string) string {
	d := json.NewDecoder(strings.NewReader(pattern))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || !json.Valid([]byte(pattern)) {
		return pattern
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return pattern
	}
	return strings.TrimSpace(b.String())
}

// access returns an access configuration as one string: the type and the URI, if any.
func access(kind, uri string) string { return strings.TrimSpace(kind + " " + uri) }

// accessOf splits the result of access.
func accessOf(s string) (kind, uri string) {
	kind, uri, _ = strings.Cut(s, " ")
	return kind, uri
}

// virtualHost is the only access type that can't be changed.
const virtualHost = "VIRTUAL_HOST"

// split separates virtual hosts from the other access configurations.
func split(in diff.Set) (others, hosts diff.Set) {
	for _, a := range in {
		if k, _ := accessOf(a); k == virtualHost {
			hosts = append(hosts, a)
			continue
		}
		others = append(others, a)
	}
	slices.Sort(hosts)
	return others, hosts
}

// functionName returns the function as AWS expects it: its name or ARN, with the qualifier.
func functionName(p v1beta1.EventSourceMappingParameters) string {
	return functionname.Name{Function: ptr.Deref(p.FunctionName, ""), Qualifier: ptr.Deref(p.Qualifier, "")}.String()
}

// plainFunction returns the name of a function with its qualifier, unless that is $LATEST,
// which stands for the function itself.
func plainFunction(name string) string {
	if _, after, isArn := strings.Cut(name, ":function:"); isArn {
		name = after
	}
	return strings.TrimSuffix(name, ":"+functionname.Latest)
}
