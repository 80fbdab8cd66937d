package eventsourcemapping

import (
	"cmp"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// unknown stands for filter criteria of which nothing is known.
var unknown = diff.Set{"(cannot be read)"}

// compare returns how spec differs from the observed mapping. fresh is true if the user
// changed spec since the last reconcile.
func compare(
	d reconcile.Desired[settings], o observed, fresh bool, owner tagging.Owner,
) reconcile.Comparison[settings] {
	have := withShown(fromAWS(o), d.Settings)
	t := keepFixed(diff.Fill(d.Settings, have, d.Left), have)
	t.KMSKeyArn = lambdaapi.NonEmpty(t.KMSKeyArn)
	was := ptr.Deref(have.ProvisionedPollerConfig, v1beta1.ProvisionedPollerConfig{})
	if p := t.ProvisionedPollerConfig; p != nil && was.PollerGroupName == nil {
		p.PollerGroupName = lambdaapi.NonEmpty(p.PollerGroupName)
		if *p == (v1beta1.ProvisionedPollerConfig{}) { // AWS takes it for none.
			t.ProvisionedPollerConfig = nil
		}
	}
	t.Tags = owner.TargetIfReturned(t.Tags, have.Tags)
	if o.unreadable() && !d.Left.Covers("filterCriteria") {
		// Filters that can't be read are sent once for each change of spec. After that, they are compared with those
		// that were sent or read last, and if there are none, assumed to be as spec says.
		switch {
		case fresh:
			have.FilterCriteria = unknown
		case o.mapping.FilterCriteria == nil:
			have.FilterCriteria = t.FilterCriteria
		}
	}
	return reconcile.Compare(t, have)
}

// withShown fills in the desired values of settings that every mapping has but that the
// answer omits: an omitted setting is not a difference, nor is a flag that is to be false.
func withShown(have, wanted settings) settings {
	if ptr.Deref(have.FunctionName, "") == "" {
		have.FunctionName = wanted.FunctionName
	}
	if have.EventSourceArn == nil && len(have.SelfManagedEventSource) == 0 {
		have.EventSourceArn, have.SelfManagedEventSource = wanted.EventSourceArn, wanted.SelfManagedEventSource
	}
	have.StartingPosition = cmp.Or(have.StartingPosition, wanted.StartingPosition)
	have.StartingPositionTimestamp = cmp.Or(have.StartingPositionTimestamp, wanted.StartingPositionTimestamp)
	if len(have.Topics)+len(have.Queues) == 0 {
		have.Topics, have.Queues = wanted.Topics, wanted.Queues
	}
	if have.BisectBatchOnFunctionError == nil && !ptr.Deref(wanted.BisectBatchOnFunctionError, true) {
		have.BisectBatchOnFunctionError = wanted.BisectBatchOnFunctionError
	}
	return have
}

// keepFixed copies from the observed state what spec leaves out of the settings that are fixed at creation.
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

// fixedPaths lists the settings that AWS accepts only at creation.
var fixedPaths = []string{
	"eventSourceArn", "selfManagedEventSource", "startingPosition", "startingPositionTimestamp", "topics", "queues",
	"amazonManagedKafkaEventSourceConfig.consumerGroupId", "selfManagedKafkaEventSourceConfig.consumerGroupId",
	"selfManagedKafkaEventSourceConfig.consumptionMode",
}

// immutable returns the changes that AWS can't make.
func immutable(c reconcile.Comparison[settings]) diff.Changes {
	fixed := c.Changes.In(fixedPaths...)
	_, want := split(c.Target.SourceAccessConfigurations)
	_, have := split(c.Observed.SourceAccessConfigurations)
	if !slices.Equal(want, have) {
		fixed = append(fixed, c.Changes.In("sourceAccessConfigurations")...)
	}
	return fixed
}

// together returns the changes that one update can make. AWS accepts leaving provisioned
// mode only after the settings that depend on it were changed.
func together(c reconcile.Comparison[settings]) diff.Changes {
	leaves := c.Observed.ProvisionedPollerConfig != nil && c.Target.ProvisionedPollerConfig == nil
	dependants := c.Changes.In("loggingConfig", "amazonManagedKafkaEventSourceConfig.schemaRegistryConfig",
		"selfManagedKafkaEventSourceConfig.schemaRegistryConfig")
	later := []string{"tags"}
	if leaves && len(dependants) > 0 {
		later = append(later, "provisionedPollerConfig", "scalingConfig")
	}
	return c.Changes.But(later...)
}

// onlyEnables reports whether enabling the mapping is the only change.
func onlyEnables(c reconcile.Comparison[settings]) bool {
	return len(c.Changes) == 1 && c.Changes[0].Path == "enabled" && ptr.Deref(c.Target.Enabled, false)
}
