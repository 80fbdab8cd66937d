package eventsourcemapping

import (
	"slices"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/answer"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
)

// desired is what the user wants: forProvider over initProvider, and what is Left
// alone once the mapping exists.
type desired struct {
	settings settings
	left     diff.Left

	// function as AWS is told of it, by name or ARN.
	function string
}

// unreadable stands for filter criteria that AWS does not show.
var unreadable = diff.Set{"(cannot be read)"}

// comparison is what AWS shall come to and what it has, in one form.
type comparison struct {
	target, have settings
	changes      diff.Changes
}

// compare what is wanted with what was observed. What is left to AWS or to others is
// taken as it is there. fresh says that the user changed spec since it was last
// settled.
func compare(d desired, o observed, fresh bool, owner tagging.Owner) comparison {
	have := withShown(fromObserved(o), d.settings)
	t := keepFixed(diff.Fill(d.settings, have, d.left), have)
	t.KMSKeyArn = answer.NonEmpty(t.KMSKeyArn)
	t.Tags = owner.Told(t.Tags, have.Tags)
	if o.mapping.FilterCriteriaError != nil {
		// Filters that can't be read can't be compared: they are sent once for each
		// change of spec, and trusted after that.
		have.FilterCriteria = unreadable
		if !fresh {
			have.FilterCriteria = t.FilterCriteria
		}
	}
	return comparison{target: t, have: have, changes: diff.Compare(t, have)}
}

// withShown are settings as AWS has them, with those that every mapping has and an
// answer leaves out as they are wanted: that they are not shown does not make them wrong.
func withShown(have, wanted settings) settings {
	if ptr.Deref(have.FunctionName, "") == "" {
		have.FunctionName = wanted.FunctionName
	}
	if have.EventSourceArn == nil && len(have.SelfManagedEventSource) == 0 {
		have.EventSourceArn = wanted.EventSourceArn
	}
	if have.StartingPosition == nil {
		have.StartingPosition = wanted.StartingPosition
	}
	return have
}

// keepFixed takes from AWS what spec does not say of what is fixed at creation.
func keepFixed(t, have settings) settings {
	for _, f := range []struct{ to, from *diff.Set }{
		{&t.SelfManagedEventSource, &have.SelfManagedEventSource}, {&t.Topics, &have.Topics}, {&t.Queues, &have.Queues},
	} {
		if len(*f.to) == 0 {
			*f.to = *f.from
		}
	}
	others, hosts := split(t.SourceAccessConfigurations)
	if len(hosts) == 0 {
		_, hosts = split(have.SourceAccessConfigurations)
	}
	t.SourceAccessConfigurations = slices.Concat(others, hosts)
	return t
}

// fixedPaths are the settings that AWS takes at creation only.
var fixedPaths = []string{
	"eventSourceArn", "selfManagedEventSource", "startingPosition", "startingPositionTimestamp", "topics", "queues",
	"amazonManagedKafkaEventSourceConfig.consumerGroupId", "selfManagedKafkaEventSourceConfig.consumerGroupId", "selfManagedKafkaEventSourceConfig.consumptionMode",
}

// immutable says which changes AWS can't make, if any.
func (c comparison) immutable() diff.Changes {
	fixed := c.changes.In(fixedPaths...)
	_, want := split(c.target.SourceAccessConfigurations)
	_, have := split(c.have.SourceAccessConfigurations)
	if !slices.Equal(want, have) {
		fixed = append(fixed, c.changes.In("sourceAccessConfigurations")...)
	}
	return fixed
}

// due are the calls that bring the changes about. Tags come before all else, since they
// say whose the mapping is.
func (c comparison) due() []flow.Step {
	var steps []flow.Step
	if tags := c.changes.In("tags"); len(tags) > 0 {
		steps = append(steps, flow.Step{Call: tagging.Due(c.target.Tags, c.have.Tags), Carried: tags})
	}
	if rest := c.together(); len(rest) > 0 {
		steps = append(steps, flow.Step{Call: opUpdate, Carried: rest})
	}
	return steps
}

// together are the changes that one update can carry: provisioned mode is left only
// after what depends on it.
func (c comparison) together() diff.Changes {
	leaves := c.have.ProvisionedPollerConfig != nil && c.target.ProvisionedPollerConfig == nil
	dependants := c.changes.In("loggingConfig", "amazonManagedKafkaEventSourceConfig.schemaRegistryConfig", "selfManagedKafkaEventSourceConfig.schemaRegistryConfig")
	later := []string{"tags"}
	if leaves && len(dependants) > 0 {
		later = append(later, "provisionedPollerConfig", "scalingConfig")
	}
	return c.changes.But(later...)
}

// onlyEnables says that nothing but being enabled is missing.
func (c comparison) onlyEnables() bool {
	return len(c.changes) == 1 && c.changes[0].Path == "enabled" && ptr.Deref(c.target.Enabled, false)
}
