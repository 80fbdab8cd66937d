package eventsourcemapping

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/diff/samefields"
)

// The conversions that names do not describe, from spec to settings and on to the SDK's inputs.
var (
	specToSettings = samefields.MustNew[v1beta1.EventSourceMappingSettings, settings](
		samefields.With(func(f *v1beta1.FilterCriteria) diff.Set { return patterns(f.Filters) }),
		samefields.From("metricsConfig", "metricsConfig.metrics"),
		samefields.With(specAccess),
		samefields.With(registry),
	)

	settingsToCreate = samefields.MustNew[settings, lambda.CreateEventSourceMappingInput](append(inputs,
		samefields.Except("functionName"),
		samefields.EmptyIsAbsent("kmsKeyArn", "documentDBEventSourceConfig", "amazonManagedKafkaEventSourceConfig",
			"selfManagedKafkaEventSourceConfig"),
		samefields.With(accessInput),
		samefields.With(registryInput),
		samefields.With(func(servers diff.Set) *types.SelfManagedEventSource {
			return &types.SelfManagedEventSource{Endpoints: map[string][]string{bootstrapServers: servers}}
		}),
		samefields.With(func(t *int64) *time.Time { return ptr.To(time.Unix(*t, 0).UTC()) }),
	)...)

	// AWS keeps what is nil and clears what is empty.
	settingsToUpdate = samefields.MustNew[settings, lambda.UpdateEventSourceMappingInput](append(inputs,
		samefields.Except("functionName"), // It is sent as in spec.
		samefields.Clears("filterCriteria", "kmsKeyArn", "functionResponseTypes", "destinationConfig", "scalingConfig",
			"provisionedPollerConfig", "metricsConfig", "loggingConfig", "sourceAccessConfigurations"),
		samefields.With(changedAccess),
		samefields.With(managedRegistryInput),
		samefields.With(selfManagedRegistryInput),
	)...)

	inputs = []samefields.Option{
		samefields.With(filterInput),
		samefields.With(enums[types.FunctionResponseType]),
		samefields.With(destinationInput),
		samefields.With(scalingInput),
		samefields.With(pollersInput),
		samefields.With(metricsInput),
		samefields.With(loggingInput),
		samefields.With(documentDBInput),
	}
)

// The conversions that names do not describe, from AWS's answer to settings and to status.
var (
	answerToSettings = samefields.MustNew[lambda.GetEventSourceMappingOutput, settings](
		samefields.EmptyIsAbsent("kmsKeyArn", "destinationConfig", "loggingConfig",
			"amazonManagedKafkaEventSourceConfig.consumerGroupId", "selfManagedKafkaEventSourceConfig.consumerGroupId",
			"documentDBEventSourceConfig.databaseName", "documentDBEventSourceConfig.collectionName"),
		samefields.With(func(f *types.FilterCriteria) diff.Set { return patterns(filters(f)) }),
		samefields.With(scaling),
		samefields.With(pollers),
		samefields.From("metricsConfig", "metricsConfig.metrics"),
		samefields.With(func(a types.SourceAccessConfiguration) string {
			return access(string(a.Type), ptr.Deref(a.URI, ""))
		}),
		samefields.With(func(r *types.KafkaSchemaRegistryConfig) *schemaRegistry {
			return registry(observedRegistry(r))
		}),
		samefields.With(func(e *types.SelfManagedEventSource) diff.Set { return e.Endpoints[bootstrapServers] }),
		samefields.With(func(t *time.Time) *int64 { return ptr.To(t.Unix()) }),
	)

	answerToStatus = samefields.MustNew[lambda.GetEventSourceMappingOutput, v1beta1.EventSourceMappingObservation](
		samefields.EmptyIsAbsent("kmsKeyArn", "onFailureDestination", "loggingConfig",
			"documentDBEventSourceConfig.collectionName"),
		samefields.From("onFailureDestination", "destinationConfig.onFailure.destination"),
		samefields.With(timestamp),
		samefields.With(shownFilters),
		samefields.With(scaling),
		samefields.With(pollers),
		samefields.With(shownMetrics),
		samefields.With(observedRegistry),
		samefields.With(shownServers),
	)
)
