package eventsourcemapping

import (
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/diff/samefields"
)

// The conversions that names do not describe, from spec to settings and on to the SDK's inputs.
var (
	specToSettings = samefields.MustNew[v1beta1.EventSourceMappingSettings, settings](
		samefields.From("filterCriteria", "filterCriteria.filters"),
		samefields.With(func(f v1beta1.Filter) string { return canonical(f.Pattern) }),
		samefields.From("metricsConfig", "metricsConfig.metrics"),
		samefields.With(func(a v1beta1.SourceAccessConfiguration) string {
			uri := ptr.Deref(a.URI, "")
			if a.URIFrom != nil {
				uri = prefixed(a.Type, uri)
			}
			return access(a.Type, uri)
		}),
		samefields.With(func(a v1beta1.KafkaSchemaRegistryAccessConfig) string { return access(a.Type, a.URI) }),
		samefields.With(func(v v1beta1.KafkaSchemaValidationConfig) string { return v.Attribute }),
	)

	settingsToCreate = samefields.MustNew[settings, lambda.CreateEventSourceMappingInput](append(inputs,
		samefields.Except("functionName"),
		samefields.EmptyIsAbsent("kmsKeyArn", "documentDBEventSourceConfig", "amazonManagedKafkaEventSourceConfig",
			"selfManagedKafkaEventSourceConfig"),
		samefields.With(func(servers diff.Set) *types.SelfManagedEventSource {
			return &types.SelfManagedEventSource{Endpoints: map[string][]string{bootstrapServers: servers}}
		}),
		samefields.With(func(t *int64) *time.Time { return ptr.To(time.Unix(*t, 0).UTC()) }),
	)...)

	// AWS keeps what is nil and clears what is empty.
	settingsToUpdate = samefields.MustNew[settings, lambda.UpdateEventSourceMappingInput](append(inputs,
		samefields.Except("functionName"), // It is sent as in spec.
		samefields.Clears("filterCriteria", "kmsKeyArn", "functionResponseTypes", "destinationConfig", "scalingConfig",
			"provisionedPollerConfig", "metricsConfig", "loggingConfig", "sourceAccessConfigurations",
			"amazonManagedKafkaEventSourceConfig.schemaRegistryConfig",
			"selfManagedKafkaEventSourceConfig.schemaRegistryConfig"),
		samefields.Except("amazonManagedKafkaEventSourceConfig.consumerGroupId", // Fixed at creation.
			"selfManagedKafkaEventSourceConfig.consumerGroupId", "selfManagedKafkaEventSourceConfig.consumptionMode"),
	)...)

	inputs = []samefields.Option{
		samefields.With(filterInput),
		samefields.With(destinationInput),
		samefields.With(metricsInput),
		samefields.With(func(s string) types.SourceAccessConfiguration {
			kind, uri := accessOf(s)
			return types.SourceAccessConfiguration{Type: types.SourceAccessType(kind), URI: lambdaapi.Text(uri)}
		}),
		samefields.With(func(s string) types.KafkaSchemaRegistryAccessConfig {
			kind, uri := accessOf(s)
			return types.KafkaSchemaRegistryAccessConfig{
				Type: types.KafkaSchemaRegistryAuthType(kind), URI: ptr.To(uri),
			}
		}),
		samefields.With(func(s string) types.KafkaSchemaValidationConfig {
			return types.KafkaSchemaValidationConfig{Attribute: types.KafkaSchemaValidationAttribute(s)}
		}),
	}
)

// The conversions that names do not describe, from AWS's answer to settings and to status, and back.
var (
	answerToSettings = samefields.MustNew[lambda.GetEventSourceMappingOutput, settings](
		samefields.EmptyIsAbsent("kmsKeyArn", "destinationConfig", "scalingConfig", "provisionedPollerConfig",
			"provisionedPollerConfig.pollerGroupName", "loggingConfig",
			"amazonManagedKafkaEventSourceConfig.consumerGroupId", "selfManagedKafkaEventSourceConfig.consumerGroupId",
			"amazonManagedKafkaEventSourceConfig.schemaRegistryConfig",
			"selfManagedKafkaEventSourceConfig.schemaRegistryConfig",
			"documentDBEventSourceConfig.databaseName", "documentDBEventSourceConfig.collectionName"),
		samefields.From("filterCriteria", "filterCriteria.filters"),
		samefields.With(func(f types.Filter) string { return canonical(ptr.Deref(f.Pattern, "")) }),
		samefields.From("metricsConfig", "metricsConfig.metrics"),
		samefields.With(func(a types.SourceAccessConfiguration) string {
			return access(string(a.Type), ptr.Deref(a.URI, ""))
		}),
		samefields.With(func(a types.KafkaSchemaRegistryAccessConfig) string {
			return access(string(a.Type), ptr.Deref(a.URI, ""))
		}),
		samefields.With(func(v types.KafkaSchemaValidationConfig) string { return string(v.Attribute) }),
		samefields.With(func(e *types.SelfManagedEventSource) diff.Set { return e.Endpoints[bootstrapServers] }),
		samefields.With(func(t *time.Time) *int64 { return ptr.To(t.Unix()) }),
	)

	answerToStatus = samefields.MustNew[lambda.GetEventSourceMappingOutput, v1beta1.EventSourceMappingObservation](
		samefields.EmptyIsAbsent("kmsKeyArn", "onFailureDestination", "filterCriteria", "scalingConfig",
			"provisionedPollerConfig", "provisionedPollerConfig.pollerGroupName", "metricsConfig", "loggingConfig",
			"amazonManagedKafkaEventSourceConfig.schemaRegistryConfig",
			"selfManagedKafkaEventSourceConfig.schemaRegistryConfig", "documentDBEventSourceConfig.collectionName"),
		samefields.From("onFailureDestination", "destinationConfig.onFailure.destination"),
		samefields.With(timestamp),
		samefields.With(shownServers),
	)

	statusToFilters = samefields.MustNew[v1beta1.FilterCriteria, types.FilterCriteria]()
)

// prefixed returns the ID of a subnet or security group in the form that AWS expects in this field.
func prefixed(kind, uri string) string {
	prefix := map[string]string{"VPC_SUBNET": "subnet:", "VPC_SECURITY_GROUP": "security_group:"}[kind]
	if strings.HasPrefix(uri, prefix) {
		return uri
	}
	return prefix + uri
}

// destinationInput returns the destination. An empty one, for nil, removes it.
func destinationInput(in *destinationConfig) *types.DestinationConfig {
	to := ""
	if in != nil {
		to = in.OnFailure.Destination
	}
	return &types.DestinationConfig{OnFailure: &types.OnFailure{Destination: ptr.To(to)}}
}

func filterInput(in diff.Set) *types.FilterCriteria {
	out := &types.FilterCriteria{}
	for _, p := range in {
		out.Filters = append(out.Filters, types.Filter{Pattern: ptr.To(p)})
	}
	return out
}

func metricsInput(in diff.Set) *types.EventSourceMappingMetricsConfig {
	out := &types.EventSourceMappingMetricsConfig{Metrics: []types.EventSourceMappingMetric{}}
	for _, m := range in {
		out.Metrics = append(out.Metrics, types.EventSourceMappingMetric(m))
	}
	return out
}

func shownServers(in *types.SelfManagedEventSource) *v1beta1.SelfManagedEventSource {
	servers := in.Endpoints[bootstrapServers]
	if len(servers) == 0 {
		return nil
	}
	return &v1beta1.SelfManagedEventSource{Endpoints: map[string]v1beta1.KafkaServers{bootstrapServers: servers}}
}

// timestamp truncates a time to seconds, as Kubernetes stores it.
func timestamp(t *time.Time) *metav1.Time {
	if t == nil {
		return nil
	}
	return &metav1.Time{Time: t.Truncate(time.Second)}
}
