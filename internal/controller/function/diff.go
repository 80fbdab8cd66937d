package function

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
	"github.com/crossplane-contrib/provider-lambda/internal/tagging"
)

// AWS's defaults for blocks that every function has. A block that the user
// doesn't want returns to them.
const (
	ephemeralStorageDefault = 512
	directS3ReadDefault     = string(types.DirectS3ReadAuto)
	noReservation           = -1
)

// target returns the state that AWS is to reach: the desired one, with what is left to AWS
// or to others as it is there. Comparing it with have needs no more rules.
func target(d reconciler.Desired[settings], have settings, name string, owner tagging.Owner) settings {
	t := diff.Fill(withDefaults(d.Settings, have, name), have, d.Left)
	t = keepImmutable(t, have)
	t = withoutUnshown(t, have, name)
	if l := t.LoggingConfig; l != nil && ptr.Deref(l.LogFormat, "") == string(types.LogFormatText) {
		// AWS refuses levels with text logs.
		t.LoggingConfig = &v1beta1.LoggingConfig{LogFormat: l.LogFormat, LogGroup: l.LogGroup}
	}
	if ptr.Deref(t.ReservedConcurrentExecutions, 0) == noReservation {
		t.ReservedConcurrentExecutions = nil
	}
	if ptr.Deref(t.CodeSigningConfigArn, "") == "" {
		t.CodeSigningConfigArn = nil
	}
	if ptr.Deref(t.KMSKeyArn, "") == "" {
		t.KMSKeyArn = nil
	}
	t.ImageConfig = plainImage(t.ImageConfig)
	t.Tags = owner.Target(t.Tags, have.Tags)
	return t
}

// plainImage tells overrides of nothing as none, as AWS does.
func plainImage(in *v1beta1.ImageConfig) *v1beta1.ImageConfig {
	if in == nil {
		return nil
	}
	out := &v1beta1.ImageConfig{Command: in.Command, EntryPoint: in.EntryPoint, WorkingDirectory: lambdaapi.NonEmpty(in.WorkingDirectory)}
	if len(out.Command)+len(out.EntryPoint) == 0 && out.WorkingDirectory == nil {
		return nil
	}
	return out
}

// keepImmutable takes from AWS the blocks that can't be removed once there.
func keepImmutable(t, have settings) settings {
	if t.DurableConfig == nil {
		t.DurableConfig = have.DurableConfig
	}
	if t.TenancyConfig == nil {
		t.TenancyConfig = have.TenancyConfig
	}
	if t.CapacityProviderConfig == nil {
		t.CapacityProviderConfig = have.CapacityProviderConfig
	}
	return t
}

// immutable says which change AWS can't make to an existing function, if any.
func immutable(changes diff.Changes, have settings) diff.Changes {
	in := changes.In("packageType", "tenancyConfig")
	if have.DurableConfig == nil {
		in = append(in, changes.In("durableConfig")...)
	}
	if have.CapacityProviderConfig == nil {
		in = append(in, changes.In("capacityProviderConfig")...)
	}
	return in
}

// codePaths are the settings that UpdateFunctionCode carries.
var codePaths = []string{"code", "architectures"}

// besidePaths are the settings that calls of their own carry.
var besidePaths = []string{"tags", "reservedConcurrentExecutions", "codeSigningConfigArn", "recursiveLoop", "functionScalingConfig", publishPath}

// due are the calls that bring about the changes, in the order in which they are made.
// Tags come before all else, since they say whose the function is. Code signing comes
// before code, which it judges. The configuration comes before the code, so that a
// version that is published with the code has both. What is not in a version comes last.
func due(changes diff.Changes, t, have settings) []call {
	var calls []call
	for _, c := range []call{
		call(tagging.Due(t.Tags, have.Tags)),
		either(t.CodeSigningConfigArn == nil, opDeleteCodeSigning, opPutCodeSigning),
		opUpdateConfiguration, opUpdateCode, opPublish,
		either(t.ReservedConcurrentExecutions == nil, opDeleteConcurrency, opPutConcurrency),
		opPutRecursion, opPutScaling,
	} {
		if len(c.carried(changes)) > 0 {
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

// next is the one call that is due first.
func next(changes diff.Changes, t, have settings) call { return first(due(changes, t, have)) }

// first of the calls, if any.
func first(calls []call) call {
	if len(calls) == 0 {
		return opNone
	}
	return calls[0]
}

// configuration are the changes that UpdateFunctionConfiguration carries: all
// that no other call does.
func configuration(changes diff.Changes) diff.Changes {
	var out diff.Changes
	for _, c := range changes {
		one := diff.Changes{c}
		if !one.Any(codePaths...) && !one.Any(besidePaths...) {
			out = append(out, c)
		}
	}
	return out
}

// carried are the changes that the call brings about.
func (c call) carried(changes diff.Changes) diff.Changes {
	switch c {
	case opUpdateConfiguration:
		return configuration(changes)
	case opUpdateCode:
		return changes.In(codePaths...)
	case opTag, opUntag:
		return changes.In("tags")
	case opPublish:
		return changes.In(publishPath)
	case opPutConcurrency, opDeleteConcurrency:
		return changes.In("reservedConcurrentExecutions")
	case opPutCodeSigning, opDeleteCodeSigning:
		return changes.In("codeSigningConfigArn")
	case opPutRecursion:
		return changes.In("recursiveLoop")
	case opPutScaling:
		return changes.In("functionScalingConfig")
	case opNone:
	}
	return nil
}

// dependsOn says that a call is not made while another, which comes before it, is
// refused: code is judged by its code signing, and a version has code and configuration.
func (c call) dependsOn(other call) bool {
	switch c {
	case opUpdateCode:
		return other == opPutCodeSigning || other == opDeleteCodeSigning
	case opPublish:
		return other == opUpdateConfiguration || other == opUpdateCode
	default:
		return false
	}
}
