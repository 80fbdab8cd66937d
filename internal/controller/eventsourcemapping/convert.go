package eventsourcemapping

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// fromParameters returns spec.forProvider in comparable form. The caller has resolved references into p.
func fromParameters(p v1beta1.EventSourceMappingParameters) settings {
	s := fromSpec(p.EventSourceMappingSettings)
	if p.FunctionName != nil {
		s.FunctionName = ptr.To(plainFunction(functionName(p)))
	}
	s.EventSourceArn = p.EventSourceArn
	if p.SelfManagedEventSource != nil {
		s.SelfManagedEventSource = diff.Set(p.SelfManagedEventSource.Endpoints[bootstrapServers])
	}
	s.StartingPosition = p.StartingPosition
	if t := p.StartingPositionTimestamp; t != nil {
		s.StartingPositionTimestamp = ptr.To(t.Unix())
	}
	s.Topics, s.Queues = p.Topics, p.Queues
	return s
}

func fromSpec(p v1beta1.EventSourceMappingSettings) settings {
	s := settings{}
	specToSettings.Copy(&s, &p)
	return s
}

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
