package eventsourcemapping

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// createInput returns the input that creates the whole mapping in one call. function is the name or ARN in spec.
func createInput(function string, s settings) *lambda.CreateEventSourceMappingInput {
	in := &lambda.CreateEventSourceMappingInput{
		FunctionName:                        ptr.To(function),
		Enabled:                             s.Enabled,
		BatchSize:                           s.BatchSize,
		MaximumBatchingWindowInSeconds:      s.MaximumBatchingWindowInSeconds,
		KMSKeyArn:                           lambdaapi.NonEmpty(s.KMSKeyArn),
		BisectBatchOnFunctionError:          s.BisectBatchOnFunctionError,
		MaximumRecordAgeInSeconds:           s.MaximumRecordAgeInSeconds,
		MaximumRetryAttempts:                s.MaximumRetryAttempts,
		ParallelizationFactor:               s.ParallelizationFactor,
		TumblingWindowInSeconds:             s.TumblingWindowInSeconds,
		EventSourceArn:                      s.EventSourceArn,
		StartingPosition:                    types.EventSourcePosition(ptr.Deref(s.StartingPosition, "")),
		Topics:                              s.Topics,
		Queues:                              s.Queues,
		Tags:                                s.Tags,
		AmazonManagedKafkaEventSourceConfig: managedKafkaInput(s.AmazonManagedKafkaEventSourceConfig),
		SelfManagedKafkaEventSourceConfig:   selfManagedKafkaInput(s.SelfManagedKafkaEventSourceConfig),
	}
	if len(s.FunctionResponseTypes) > 0 {
		in.FunctionResponseTypes = enums[types.FunctionResponseType](s.FunctionResponseTypes)
	}
	if len(s.FilterCriteria) > 0 {
		in.FilterCriteria = filterInput(s.FilterCriteria)
	}
	if s.DestinationConfig != nil {
		in.DestinationConfig = destinationInput(s.DestinationConfig)
	}
	if s.ScalingConfig != nil {
		in.ScalingConfig = scalingInput(s)
	}
	if s.ProvisionedPollerConfig != nil {
		in.ProvisionedPollerConfig = pollersInput(s)
	}
	if len(s.MetricsConfig) > 0 {
		in.MetricsConfig = metricsInput(s)
	}
	if s.LoggingConfig != nil {
		in.LoggingConfig = loggingInput(s)
	}
	if len(s.SourceAccessConfigurations) > 0 {
		in.SourceAccessConfigurations = accessInput(s.SourceAccessConfigurations)
	}
	if s.DocumentDBEventSourceConfig != (documentDBConfig{}) {
		in.DocumentDBEventSourceConfig = documentDBInput(s.DocumentDBEventSourceConfig)
	}
	if len(s.SelfManagedEventSource) > 0 {
		in.SelfManagedEventSource = &types.SelfManagedEventSource{
			Endpoints: map[string][]string{bootstrapServers: s.SelfManagedEventSource},
		}
	}
	if t := s.StartingPositionTimestamp; t != nil {
		in.StartingPositionTimestamp = ptr.To(time.Unix(*t, 0).UTC())
	}
	return in
}

// updateInput returns an update with only the fields that changed, each of them complete:
// AWS keeps what is nil and clears what is empty.
func updateInput(uuid, function string, t settings, changes diff.Changes) *lambda.UpdateEventSourceMappingInput {
	in := &lambda.UpdateEventSourceMappingInput{UUID: ptr.To(uuid)}
	for path, set := range map[string]func(){
		"functionName": func() { in.FunctionName = ptr.To(function) },
		"enabled":      func() { in.Enabled = t.Enabled },
		"batchSize":    func() { in.BatchSize = t.BatchSize },
		"maximumBatchingWindowInSeconds": func() {
			in.MaximumBatchingWindowInSeconds = t.MaximumBatchingWindowInSeconds
		},
		"filterCriteria": func() { in.FilterCriteria = filterInput(t.FilterCriteria) },
		"kmsKeyArn":      func() { in.KMSKeyArn = ptr.To(ptr.Deref(t.KMSKeyArn, "")) },
		"functionResponseTypes": func() {
			in.FunctionResponseTypes = enums[types.FunctionResponseType](t.FunctionResponseTypes)
		},
		"bisectBatchOnFunctionError": func() { in.BisectBatchOnFunctionError = t.BisectBatchOnFunctionError },
		"maximumRecordAgeInSeconds":  func() { in.MaximumRecordAgeInSeconds = t.MaximumRecordAgeInSeconds },
		"maximumRetryAttempts":       func() { in.MaximumRetryAttempts = t.MaximumRetryAttempts },
		"destinationConfig":          func() { in.DestinationConfig = destinationInput(t.DestinationConfig) },
		"parallelizationFactor":      func() { in.ParallelizationFactor = t.ParallelizationFactor },
		"tumblingWindowInSeconds":    func() { in.TumblingWindowInSeconds = t.TumblingWindowInSeconds },
		"scalingConfig":              func() { in.ScalingConfig = scalingInput(t) },
		"provisionedPollerConfig":    func() { in.ProvisionedPollerConfig = pollersInput(t) },
		"metricsConfig":              func() { in.MetricsConfig = metricsInput(t) },
		"loggingConfig":              func() { in.LoggingConfig = loggingInput(t) },
		"sourceAccessConfigurations": func() {
			in.SourceAccessConfigurations = changedAccess(t.SourceAccessConfigurations)
		},
		"documentDBEventSourceConfig": func() {
			in.DocumentDBEventSourceConfig = documentDBInput(t.DocumentDBEventSourceConfig)
		},
		"amazonManagedKafkaEventSourceConfig": func() {
			in.AmazonManagedKafkaEventSourceConfig = managedRegistryInput(t)
		},
		"selfManagedKafkaEventSourceConfig": func() {
			in.SelfManagedKafkaEventSourceConfig = selfManagedRegistryInput(t)
		},
	} {
		if changes.Any(path) {
			set()
		}
	}
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

func scalingInput(s settings) *types.ScalingConfig {
	if s.ScalingConfig == nil {
		return &types.ScalingConfig{}
	}
	return &types.ScalingConfig{MaximumConcurrency: ptr.To(s.ScalingConfig.MaximumConcurrency)}
}

func pollersInput(s settings) *types.ProvisionedPollerConfig {
	p := s.ProvisionedPollerConfig
	if p == nil {
		return &types.ProvisionedPollerConfig{}
	}
	return &types.ProvisionedPollerConfig{
		MinimumPollers: p.MinimumPollers, MaximumPollers: p.MaximumPollers,
		PollerGroupName: p.PollerGroupName,
	}
}

func metricsInput(s settings) *types.EventSourceMappingMetricsConfig {
	return &types.EventSourceMappingMetricsConfig{Metrics: enums[types.EventSourceMappingMetric](s.MetricsConfig)}
}

func loggingInput(s settings) *types.EventSourceMappingLoggingConfig {
	if s.LoggingConfig == nil {
		return &types.EventSourceMappingLoggingConfig{}
	}
	return &types.EventSourceMappingLoggingConfig{
		SystemLogLevel: types.EventSourceMappingSystemLogLevel(s.LoggingConfig.SystemLogLevel),
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

func managedKafkaInput(in kafkaConfig) *types.AmazonManagedKafkaEventSourceConfig {
	if in == (kafkaConfig{}) {
		return nil
	}
	return &types.AmazonManagedKafkaEventSourceConfig{
		ConsumerGroupId:      in.ConsumerGroupID,
		SchemaRegistryConfig: registryInput(in.SchemaRegistryConfig),
	}
}

func selfManagedKafkaInput(in kafkaConfig) *types.SelfManagedKafkaEventSourceConfig {
	if in == (kafkaConfig{}) {
		return nil
	}
	return &types.SelfManagedKafkaEventSourceConfig{
		ConsumerGroupId:      in.ConsumerGroupID,
		ConsumptionMode:      types.KafkaEventSourceMappingConsumptionMode(ptr.Deref(in.ConsumptionMode, "")),
		SchemaRegistryConfig: registryInput(in.SchemaRegistryConfig),
	}
}

// managedRegistryInput returns an update of the schema registry, the only part that can be
// changed. An empty one removes the registry.
func managedRegistryInput(s settings) *types.AmazonManagedKafkaEventSourceConfig {
	return &types.AmazonManagedKafkaEventSourceConfig{
		SchemaRegistryConfig: changedRegistry(s.AmazonManagedKafkaEventSourceConfig),
	}
}

func selfManagedRegistryInput(s settings) *types.SelfManagedKafkaEventSourceConfig {
	return &types.SelfManagedKafkaEventSourceConfig{
		SchemaRegistryConfig: changedRegistry(s.SelfManagedKafkaEventSourceConfig),
	}
}

func changedRegistry(in kafkaConfig) *types.KafkaSchemaRegistryConfig {
	if in.SchemaRegistryConfig == nil {
		return &types.KafkaSchemaRegistryConfig{}
	}
	return registryInput(in.SchemaRegistryConfig)
}

func registryInput(in *schemaRegistry) *types.KafkaSchemaRegistryConfig {
	if in == nil {
		return nil
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
