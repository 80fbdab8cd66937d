package eventsourcemapping

import (
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// AWS's states of a mapping.
const (
	stateCreating  = "Creating"
	stateEnabling  = "Enabling"
	stateEnabled   = "Enabled"
	stateDisabling = "Disabling"
	stateDisabled  = "Disabled"
	stateUpdating  = "Updating"
	stateDeleting  = "Deleting"
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
	s := settings{
		FunctionName: ptr.To(plainFunction(ptr.Deref(o.mapping.FunctionArn, ""))), Enabled: enabled(o.state()),
		Tags: o.tags,
	}
	answerToSettings.Copy(&s, o.mapping)
	if k := &s.SelfManagedKafkaEventSourceConfig; o.mapping.SelfManagedEventSource != nil && k.ConsumptionMode == nil {
		// AWS may omit its default.
		k.ConsumptionMode = ptr.To(string(types.KafkaEventSourceMappingConsumptionModeStream))
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

// criteria returns filter criteria as status shows them.
func criteria(patterns diff.Set) *v1beta1.FilterCriteria {
	if len(patterns) == 0 {
		return nil
	}
	out := &v1beta1.FilterCriteria{}
	for _, p := range patterns {
		out.Filters = append(out.Filters, v1beta1.Filter{Pattern: p})
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
	out := v1beta1.EventSourceMappingObservation{
		FunctionName: functionOf(o.mapping.FunctionArn), TagKeys: slices.Sorted(maps.Keys(o.tags)),
	}
	answerToStatus.Copy(&out, o.mapping)
	if d := out.DocumentDBEventSourceConfig; d != nil && d.DatabaseName == "" {
		out.DocumentDBEventSourceConfig = nil
	}
	return out
}
