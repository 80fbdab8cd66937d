package eventsourcemapping

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// createInput returns the input that creates the whole mapping in one call. function is the name or ARN in spec.
func createInput(function string, s settings) *lambda.CreateEventSourceMappingInput {
	in := &lambda.CreateEventSourceMappingInput{FunctionName: ptr.To(function)}
	for _, list := range []*diff.Set{
		&s.FunctionResponseTypes, &s.FilterCriteria, &s.MetricsConfig, &s.SourceAccessConfigurations,
		&s.SelfManagedEventSource,
	} {
		if len(*list) == 0 {
			*list = nil // An empty list is not sent.
		}
	}
	settingsToCreate.Copy(in, &s)
	return in
}

// updateInput returns an update with only the fields that changed, each of them complete. AWS may reject the names of a
// database and its collection, so that they are sent only if one of them changed.
func updateInput(uuid, function string, t settings, changes diff.Changes) *lambda.UpdateEventSourceMappingInput {
	in := &lambda.UpdateEventSourceMappingInput{UUID: ptr.To(uuid)}
	if changes.Any("functionName") {
		in.FunctionName = ptr.To(function)
	}
	if !changes.Any("documentDBEventSourceConfig.databaseName", "documentDBEventSourceConfig.collectionName") {
		d := &t.DocumentDBEventSourceConfig
		d.DatabaseName, d.CollectionName = nil, nil
	}
	settingsToUpdate.CopyIf(in, &t, func(path string) bool { return changes.Any(path) })
	return in
}

func enums[T ~string](in diff.Set) []T {
	out := make([]T, 0, len(in))
	for _, v := range in {
		out = append(out, T(v))
	}
	return out
}

func filterInput(in diff.Set) *types.FilterCriteria {
	out := &types.FilterCriteria{}
	for _, p := range in {
		out.Filters = append(out.Filters, types.Filter{Pattern: ptr.To(p)})
	}
	return out
}

// destinationInput returns the destination. An empty one, for nil, removes it.
func destinationInput(in *destinationConfig) *types.DestinationConfig {
	to := ""
	if in != nil {
		to = in.OnFailure.Destination
	}
	return &types.DestinationConfig{OnFailure: &types.OnFailure{Destination: ptr.To(to)}}
}

func scalingInput(in *v1beta1.EventSourceMappingScalingConfig) *types.ScalingConfig {
	if in == nil {
		return &types.ScalingConfig{}
	}
	return &types.ScalingConfig{MaximumConcurrency: ptr.To(in.MaximumConcurrency)}
}

func pollersInput(in *v1beta1.ProvisionedPollerConfig) *types.ProvisionedPollerConfig {
	if in == nil {
		return &types.ProvisionedPollerConfig{}
	}
	return &types.ProvisionedPollerConfig{
		MinimumPollers: in.MinimumPollers, MaximumPollers: in.MaximumPollers,
		PollerGroupName: in.PollerGroupName,
	}
}

func metricsInput(in diff.Set) *types.EventSourceMappingMetricsConfig {
	return &types.EventSourceMappingMetricsConfig{Metrics: enums[types.EventSourceMappingMetric](in)}
}

func loggingInput(in *v1beta1.EventSourceMappingLoggingConfig) *types.EventSourceMappingLoggingConfig {
	if in == nil {
		return &types.EventSourceMappingLoggingConfig{}
	}
	return &types.EventSourceMappingLoggingConfig{
		SystemLogLevel: types.EventSourceMappingSystemLogLevel(in.SystemLogLevel),
	}
}

func accessInput(in diff.Set) []types.SourceAccessConfiguration {
	out := make([]types.SourceAccessConfiguration, 0, len(in))
	for _, a := range in {
		k, uri := accessOf(a)
		out = append(out, types.SourceAccessConfiguration{
			Type: types.SourceAccessType(k),
			URI:  lambdaapi.NonEmpty(ptr.To(uri)),
		})
	}
	return out
}

// changedAccess returns the access configurations without the virtual host, which an update must not include.
func changedAccess(in diff.Set) []types.SourceAccessConfiguration {
	others, _ := split(in)
	return accessInput(others)
}

func documentDBInput(in documentDBConfig) *types.DocumentDBEventSourceConfig {
	return &types.DocumentDBEventSourceConfig{
		DatabaseName: in.DatabaseName, CollectionName: in.CollectionName,
		FullDocument: types.FullDocument(ptr.Deref(in.FullDocument, "")),
	}
}

// managedRegistryInput returns an update of the schema registry, the only part that can be changed.
func managedRegistryInput(in kafkaConfig) *types.AmazonManagedKafkaEventSourceConfig {
	return &types.AmazonManagedKafkaEventSourceConfig{SchemaRegistryConfig: registryInput(in.SchemaRegistryConfig)}
}

func selfManagedRegistryInput(in kafkaConfig) *types.SelfManagedKafkaEventSourceConfig {
	return &types.SelfManagedKafkaEventSourceConfig{SchemaRegistryConfig: registryInput(in.SchemaRegistryConfig)}
}

// registryInput returns the schema registry. An empty one, for nil, removes it.
func registryInput(in *schemaRegistry) *types.KafkaSchemaRegistryConfig {
	if in == nil {
		return &types.KafkaSchemaRegistryConfig{}
	}
	out := &types.KafkaSchemaRegistryConfig{
		SchemaRegistryURI: ptr.To(in.SchemaRegistryURI),
		EventRecordFormat: types.SchemaRegistryEventRecordFormat(in.EventRecordFormat),
	}
	for _, a := range in.AccessConfigs {
		k, uri := accessOf(a)
		out.AccessConfigs = append(out.AccessConfigs,
			types.KafkaSchemaRegistryAccessConfig{Type: types.KafkaSchemaRegistryAuthType(k), URI: ptr.To(uri)})
	}
	for _, v := range in.SchemaValidationConfigs {
		out.SchemaValidationConfigs = append(out.SchemaValidationConfigs,
			types.KafkaSchemaValidationConfig{Attribute: types.KafkaSchemaValidationAttribute(v)})
	}
	return out
}
