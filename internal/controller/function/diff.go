package function

import (
	"cmp"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// noReservation is the value of reservedConcurrentExecutions that removes a reservation.
const noReservation = -1

// target returns the state that AWS is to reach: the desired state, completed from the observed state for settings that
// are left to AWS or to other tools. Comparing it with the observed state needs no more rules.
func target(d reconcile.Desired[settings], have settings, name string, owner tagging.Owner) settings {
	t := diff.Fill(withDefaults(d.Settings, have, name), have, d.Left)
	t = keepImmutable(t, have)
	t = withoutOmitted(t, have, name)
	t.LoggingConfig = plainLogging(t.LoggingConfig)
	if ptr.Deref(t.ReservedConcurrentExecutions, 0) == noReservation {
		t.ReservedConcurrentExecutions = nil
	}
	t.CodeSigningConfigArn, t.KMSKeyArn = lambdaapi.NonEmpty(t.CodeSigningConfigArn), lambdaapi.NonEmpty(t.KMSKeyArn)
	if c := t.FunctionScalingConfig; c != nil && *c == (v1beta1.FunctionScalingConfig{}) {
		t.FunctionScalingConfig = nil
	}
	t.ImageConfig = plainImage(t.ImageConfig)
	t.Tags = owner.Target(t.Tags, have.Tags)
	return t
}

// keepImmutable copies from the observed state the blocks that can't be removed once they are set. AWS removes
// runtimeConfig itself when the function gets another runtime than custom.
func keepImmutable(t, have settings) settings {
	t.RuntimeConfig = cmp.Or(t.RuntimeConfig, have.RuntimeConfig)
	t.DurableConfig = cmp.Or(t.DurableConfig, have.DurableConfig)
	t.TenancyConfig = cmp.Or(t.TenancyConfig, have.TenancyConfig)
	t.CapacityProviderConfig = cmp.Or(t.CapacityProviderConfig, have.CapacityProviderConfig)
	return t
}

// immutable returns the changes that AWS can't make to an existing function.
func immutable(changes diff.Changes, have settings) diff.Changes {
	in := changes.In(unchangeable...)
	if have.DurableConfig == nil {
		in = append(in, changes.In("durableConfig")...)
	}
	if have.CapacityProviderConfig == nil {
		in = append(in, changes.In("capacityProviderConfig")...)
	}
	return in
}

// due returns the calls that make the changes, in the order in which they are made. Tags come first, because they
// record the owner. Code signing comes before the code, because AWS validates code against it. A version is published
// after the configuration and the code, so that it includes both. Settings that are not part of a version come last.
func due(changes diff.Changes, t, have settings) []call {
	var calls []call
	for _, c := range []call{
		call(tagging.Due(t.Tags, have.Tags)),
		either(t.CodeSigningConfigArn == nil, opDeleteCodeSigning, opPutCodeSigning),
		opUpdateConfiguration, opUpdateCode, opPublish,
		either(t.ReservedConcurrentExecutions == nil, opDeleteConcurrency, opPutConcurrency),
		opPutRecursion, opPutScaling,
	} {
		if len(c.applies(changes)) > 0 {
			calls = append(calls, c)
		}
	}
	return calls
}

func either(is bool, yes, no call) call {
	if is {
		return yes
	}
	return no
}
