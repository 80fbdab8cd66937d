package eventsourcemapping

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

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
// database and its collection, so that they are sent only if one of them changed, and rejects virtual hosts.
func updateInput(uuid, function string, t settings, changes diff.Changes) *lambda.UpdateEventSourceMappingInput {
	in := &lambda.UpdateEventSourceMappingInput{UUID: ptr.To(uuid)}
	if changes.Any("functionName") {
		in.FunctionName = ptr.To(function)
	}
	if !changes.Any("documentDBEventSourceConfig.databaseName", "documentDBEventSourceConfig.collectionName") {
		d := &t.DocumentDBEventSourceConfig
		d.DatabaseName, d.CollectionName = nil, nil
	}
	t.SourceAccessConfigurations, _ = split(t.SourceAccessConfigurations)
	settingsToUpdate.CopyIf(in, &t, func(path string) bool { return changes.Any(path) })
	return in
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

func metricsInput(in diff.Set) *types.EventSourceMappingMetricsConfig {
	out := &types.EventSourceMappingMetricsConfig{Metrics: []types.EventSourceMappingMetric{}}
	for _, m := range in {
		out.Metrics = append(out.Metrics, types.EventSourceMappingMetric(m))
	}
	return out
}
