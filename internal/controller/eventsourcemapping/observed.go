package eventsourcemapping

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// observed is the result of reading a mapping in one reconcile.
type observed struct {
	// mapping is GetEventSourceMapping's answer. If AWS can't return the filter criteria, it has those in status, which
	// were sent or read last.
	mapping *lambda.GetEventSourceMappingOutput
	// tags are the tags in AWS, as recent as the tag cache keeps them.
	tags map[string]string
}

func (o observed) state() string  { return ptr.Deref(o.mapping.State, "") }
func (o observed) reason() string { return ptr.Deref(o.mapping.StateTransitionReason, "") }
func (o observed) result() string { return ptr.Deref(o.mapping.LastProcessingResult, "") }

// unreadable reports whether AWS can't return the filter criteria.
func (o observed) unreadable() bool { return o.mapping.FilterCriteriaError != nil }

// fromAWS returns the answer of AWS in comparable form.
func fromAWS(o observed) settings {
	m := o.mapping
	s := settings{
		FunctionName:                        ptr.To(plainFunction(ptr.Deref(m.FunctionArn, ""))),
		Enabled:                             enabled(o.state()),
		BatchSize:                           m.BatchSize,
		MaximumBatchingWindowInSeconds:      m.MaximumBatchingWindowInSeconds,
		KMSKeyArn:                           lambdaapi.NonEmpty(m.KMSKeyArn),
		FunctionResponseTypes:               texts(m.FunctionResponseTypes),
		BisectBatchOnFunctionError:          m.BisectBatchOnFunctionError,
		MaximumRecordAgeInSeconds:           m.MaximumRecordAgeInSeconds,
		MaximumRetryAttempts:                m.MaximumRetryAttempts,
		ParallelizationFactor:               m.ParallelizationFactor,
		TumblingWindowInSeconds:             m.TumblingWindowInSeconds,
		ScalingConfig:                       scaling(m.ScalingConfig),
		ProvisionedPollerConfig:             pollers(m.ProvisionedPollerConfig),
		LoggingConfig:                       logging(m.LoggingConfig),
		SelfManagedKafkaEventSourceConfig:   selfManagedKafka(m.SelfManagedKafkaEventSourceConfig),
		AmazonManagedKafkaEventSourceConfig: managedKafka(m.AmazonManagedKafkaEventSourceConfig),
		Tags:                                o.tags,
		EventSourceArn:                      m.EventSourceArn,
		StartingPosition:                    lambdaapi.Text(m.StartingPosition),
		Topics:                              m.Topics,
		Queues:                              m.Queues,
	}
	if f := m.FilterCriteria; f != nil {
		s.FilterCriteria = patterns(filters(f))
	}
	if d := destination(m.DestinationConfig); d != nil {
		s.DestinationConfig = &destinationConfig{OnFailure: onFailure{Destination: *d}}
	}
	if c := m.MetricsConfig; c != nil {
		s.MetricsConfig = texts(c.Metrics)
	}
	for _, a := range m.SourceAccessConfigurations {
		s.SourceAccessConfigurations = append(s.SourceAccessConfigurations,
			access(string(a.Type), ptr.Deref(a.URI, "")))
	}
	if d := m.DocumentDBEventSourceConfig; d != nil {
		s.DocumentDBEventSourceConfig = documentDBConfig{
			DatabaseName:   lambdaapi.NonEmpty(d.DatabaseName),
			CollectionName: lambdaapi.NonEmpty(d.CollectionName), FullDocument: lambdaapi.Text(d.FullDocument),
		}
	}
	if e := m.SelfManagedEventSource; e != nil {
		s.SelfManagedEventSource = diff.Set(e.Endpoints[bootstrapServers])
		if s.SelfManagedKafkaEventSourceConfig.ConsumptionMode == nil {
			// AWS may omit its default.
			s.SelfManagedKafkaEventSourceConfig.ConsumptionMode = ptr.To(
				string(types.KafkaEventSourceMappingConsumptionModeStream))
		}
	}
	if t := m.StartingPositionTimestamp; t != nil {
		s.StartingPositionTimestamp = ptr.To(t.Unix())
	}
	return s
}

// enabled reports whether a mapping in this state is enabled, or nil while the state is not final.
func enabled(state string) *bool {
	switch state {
	case stateEnabled, stateEnabling:
		return ptr.To(true)
	case stateDisabled, stateDisabling:
		return ptr.To(false)
	}
	return nil
}

func texts[T ~string](in []T) diff.Set {
	out := make(diff.Set, 0, len(in))
	for _, v := range in {
		out = append(out, string(v))
	}
	return out
}

func filters(in *types.FilterCriteria) []v1beta1.Filter {
	out := make([]v1beta1.Filter, 0, len(in.Filters))
	for _, f := range in.Filters {
		out = append(out, v1beta1.Filter{Pattern: ptr.Deref(f.Pattern, "")})
	}
	return out
}

// criteria returns filter criteria as status shows them.
func criteria(patterns diff.Set) *v1beta1.FilterCriteria {
	if len(patterns) == 0 {
		return nil
	}
	return &v1beta1.FilterCriteria{Filters: filters(filterInput(patterns))}
}

// destination returns nil for the empty destination that AWS returns for every stream.
func destination(in *types.DestinationConfig) *string {
	if in == nil || in.OnFailure == nil {
		return nil
	}
	return lambdaapi.NonEmpty(in.OnFailure.Destination)
}

func scaling(in *types.ScalingConfig) *v1beta1.EventSourceMappingScalingConfig {
	if in == nil || in.MaximumConcurrency == nil {
		return nil
	}
	return &v1beta1.EventSourceMappingScalingConfig{MaximumConcurrency: *in.MaximumConcurrency}
}

func pollers(in *types.ProvisionedPollerConfig) *v1beta1.ProvisionedPollerConfig {
	if in == nil || (in.MinimumPollers == nil && in.MaximumPollers == nil) {
		return nil
	}
	return &v1beta1.ProvisionedPollerConfig{
		MinimumPollers: in.MinimumPollers, MaximumPollers: in.MaximumPollers,
		PollerGroupName: lambdaapi.NonEmpty(in.PollerGroupName),
	}
}

func logging(in *types.EventSourceMappingLoggingConfig) *v1beta1.EventSourceMappingLoggingConfig {
	if in == nil || in.SystemLogLevel == "" {
		return nil
	}
	return &v1beta1.EventSourceMappingLoggingConfig{SystemLogLevel: string(in.SystemLogLevel)}
}

func managedKafka(in *types.AmazonManagedKafkaEventSourceConfig) kafkaConfig {
	if in == nil {
		return kafkaConfig{}
	}
	return kafkaConfig{
		ConsumerGroupID:      lambdaapi.NonEmpty(in.ConsumerGroupId),
		SchemaRegistryConfig: registry(observedRegistry(in.SchemaRegistryConfig)),
	}
}

func selfManagedKafka(in *types.SelfManagedKafkaEventSourceConfig) kafkaConfig {
	if in == nil {
		return kafkaConfig{}
	}
	return kafkaConfig{
		ConsumerGroupID:      lambdaapi.NonEmpty(in.ConsumerGroupId),
		ConsumptionMode:      lambdaapi.Text(in.ConsumptionMode),
		SchemaRegistryConfig: registry(observedRegistry(in.SchemaRegistryConfig)),
	}
}

func observedRegistry(in *types.KafkaSchemaRegistryConfig) *v1beta1.KafkaSchemaRegistryConfig {
	if in == nil || ptr.Deref(in.SchemaRegistryURI, "") == "" {
		return nil
	}
	out := &v1beta1.KafkaSchemaRegistryConfig{
		SchemaRegistryURI: *in.SchemaRegistryURI,
		EventRecordFormat: string(in.EventRecordFormat),
	}
	for _, a := range in.AccessConfigs {
		out.AccessConfigs = append(out.AccessConfigs,
			v1beta1.KafkaSchemaRegistryAccessConfig{Type: string(a.Type), URI: ptr.Deref(a.URI, "")})
	}
	for _, v := range in.SchemaValidationConfigs {
		out.SchemaValidationConfigs = append(out.SchemaValidationConfigs,
			v1beta1.KafkaSchemaValidationConfig{Attribute: string(v.Attribute)})
	}
	return out
}

// functionOf returns the name of a function by its ARN, without a version or alias.
func functionOf(arn *string) *string {
	name, _, _ := strings.Cut(plainFunction(ptr.Deref(arn, "")), ":")
	return lambdaapi.Text(name)
}

// observation returns status.atProvider of a mapping.
func observation(o observed) v1beta1.EventSourceMappingObservation {
	m, s := o.mapping, fromAWS(o)
	out := v1beta1.EventSourceMappingObservation{
		UUID:                                m.UUID,
		EventSourceMappingArn:               m.EventSourceMappingArn,
		FunctionArn:                         m.FunctionArn,
		FunctionName:                        functionOf(m.FunctionArn),
		TagKeys:                             slices.Sorted(maps.Keys(o.tags)),
		EventSourceArn:                      m.EventSourceArn,
		State:                               m.State,
		StateTransitionReason:               m.StateTransitionReason,
		LastProcessingResult:                m.LastProcessingResult,
		LastModified:                        timestamp(m.LastModified),
		StartingPosition:                    s.StartingPosition,
		StartingPositionTimestamp:           timestamp(m.StartingPositionTimestamp),
		Topics:                              m.Topics,
		Queues:                              m.Queues,
		BatchSize:                           m.BatchSize,
		MaximumBatchingWindowInSeconds:      m.MaximumBatchingWindowInSeconds,
		BisectBatchOnFunctionError:          m.BisectBatchOnFunctionError,
		MaximumRecordAgeInSeconds:           m.MaximumRecordAgeInSeconds,
		MaximumRetryAttempts:                m.MaximumRetryAttempts,
		ParallelizationFactor:               m.ParallelizationFactor,
		TumblingWindowInSeconds:             m.TumblingWindowInSeconds,
		FunctionResponseTypes:               s.FunctionResponseTypes,
		OnFailureDestination:                destination(m.DestinationConfig),
		KMSKeyArn:                           s.KMSKeyArn,
		ScalingConfig:                       s.ScalingConfig,
		ProvisionedPollerConfig:             s.ProvisionedPollerConfig,
		LoggingConfig:                       s.LoggingConfig,
		AmazonManagedKafkaEventSourceConfig: managedKafkaStatus(m.AmazonManagedKafkaEventSourceConfig),
		SelfManagedKafkaEventSourceConfig:   selfManagedKafkaStatus(m.SelfManagedKafkaEventSourceConfig),
	}
	if f := m.FilterCriteria; f != nil && len(f.Filters) > 0 {
		out.FilterCriteria = &v1beta1.FilterCriteria{Filters: filters(f)}
	}
	if e := m.FilterCriteriaError; e != nil {
		out.FilterCriteriaError = &v1beta1.FilterCriteriaError{ErrorCode: e.ErrorCode, Message: e.Message}
	}
	if len(s.MetricsConfig) > 0 {
		out.MetricsConfig = &v1beta1.EventSourceMappingMetricsConfig{Metrics: s.MetricsConfig}
	}
	for _, a := range m.SourceAccessConfigurations {
		out.SourceAccessConfigurations = append(out.SourceAccessConfigurations,
			v1beta1.SourceAccessConfigurationObservation{Type: string(a.Type), URI: a.URI})
	}
	if d := s.DocumentDBEventSourceConfig; d.DatabaseName != nil {
		out.DocumentDBEventSourceConfig = &v1beta1.DocumentDBEventSourceConfig{
			DatabaseName:   *d.DatabaseName,
			CollectionName: d.CollectionName, FullDocument: d.FullDocument,
		}
	}
	if len(s.SelfManagedEventSource) > 0 {
		out.SelfManagedEventSource = &v1beta1.SelfManagedEventSource{
			Endpoints: map[string]v1beta1.KafkaServers{
				bootstrapServers: v1beta1.KafkaServers(s.SelfManagedEventSource),
			},
		}
	}
	return out
}

func managedKafkaStatus(in *types.AmazonManagedKafkaEventSourceConfig) *v1beta1.KafkaEventSourceConfigObservation {
	if in == nil {
		return nil
	}
	return &v1beta1.KafkaEventSourceConfigObservation{
		ConsumerGroupID:      in.ConsumerGroupId,
		SchemaRegistryConfig: observedRegistry(in.SchemaRegistryConfig),
	}
}

func selfManagedKafkaStatus(in *types.SelfManagedKafkaEventSourceConfig) *v1beta1.KafkaEventSourceConfigObservation {
	if in == nil {
		return nil
	}
	return &v1beta1.KafkaEventSourceConfigObservation{
		ConsumerGroupID:      in.ConsumerGroupId,
		ConsumptionMode:      lambdaapi.Text(in.ConsumptionMode),
		SchemaRegistryConfig: observedRegistry(in.SchemaRegistryConfig),
	}
}

// timestamp truncates a time to seconds, as Kubernetes stores it.
func timestamp(t *time.Time) *metav1.Time {
	if t == nil {
		return nil
	}
	return &metav1.Time{Time: t.Truncate(time.Second)}
}
