package function

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/answer"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
)

// AWS's defaults for blocks that every function has. A block that the user
// doesn't want returns to them.
const (
	ephemeralStorageDefault = 512
	directS3ReadDefault     = string(types.DirectS3ReadAuto)
	noReservation           = -1
)

// desired is what the user wants: forProvider over initProvider, and what is
// Left alone once the function exists.
type desired struct {
	settings settings
	left     diff.Left
}

// want merges forProvider and initProvider. A setting that initProvider alone
// names belongs to others after creation.
func want(forProvider, initProvider settings) desired {
	s, left := diff.Merge(forProvider, initProvider)
	return desired{settings: s, left: left}
}

// target is the state that AWS shall come to: the desired one, with what is left
// to AWS or to others taken as it is there. Comparing it with have needs no more
// rules.
func target(d desired, have settings, name string, owner tagging.Owner) settings {
	t := diff.Fill(withDefaults(d.settings, name), have, d.left)
	t = keepImmutable(t, have)
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
	out := &v1beta1.ImageConfig{Command: in.Command, EntryPoint: in.EntryPoint, WorkingDirectory: answer.NonEmpty(in.WorkingDirectory)}
	if len(out.Command)+len(out.EntryPoint) == 0 && out.WorkingDirectory == nil {
		return nil
	}
	return out
}

// withDefaults fills in blocks that AWS never leaves empty.
func withDefaults(s settings, name string) settings {
	if s.PackageType == nil && s.Code != (code{}) {
		s.PackageType = ptr.To(string(types.PackageTypeZip))
	}
	if s.EphemeralStorage == nil {
		s.EphemeralStorage = &v1beta1.EphemeralStorage{Size: ephemeralStorageDefault}
	}
	if s.TracingConfig == nil {
		s.TracingConfig = &v1beta1.TracingConfig{Mode: string(types.TracingModePassThrough)}
	}
	if s.SnapStart == nil {
		s.SnapStart = &v1beta1.SnapStart{ApplyOn: string(types.SnapStartApplyOnNone)}
	}
	if s.LoggingConfig == nil {
		s.LoggingConfig = &v1beta1.LoggingConfig{LogFormat: ptr.To(string(types.LogFormatText)), LogGroup: ptr.To(defaultLogGroup(name))}
	}
	return s
}

func defaultLogGroup(name string) string { return "/aws/lambda/" + plainName(name) }

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

// A call is a mutating call to AWS on an existing function.
type call string

// The calls by their AWS operation's name.
const (
	callNone                call = ""
	callUpdateConfiguration call = "UpdateFunctionConfiguration"
	callUpdateCode          call = "UpdateFunctionCode"
	callPublish             call = "PublishVersion"
	callPutConcurrency      call = "PutFunctionConcurrency"
	callDeleteConcurrency   call = "DeleteFunctionConcurrency"
	callTag                 call = tagging.CallTag
	callUntag               call = tagging.CallUntag
	callPutCodeSigning      call = "PutFunctionCodeSigningConfig"
	callDeleteCodeSigning   call = "DeleteFunctionCodeSigningConfig"
	callPutRecursion        call = "PutFunctionRecursionConfig"
	callPutScaling          call = "PutFunctionScalingConfig"
	callDelete              call = "DeleteFunction"
)

// codePaths are the settings that UpdateFunctionCode carries.
var codePaths = []string{"code", "architectures"}

// besidePaths are the settings that calls of their own carry.
var besidePaths = []string{"tags", "reservedConcurrentExecutions", "codeSigningConfigArn", "recursiveLoop", "functionScalingConfig", publishPath}

// next is the one call that is due first. Tags come before all else, since they
// say whose the function is. Code signing comes before code, which it judges.
// The configuration comes before the code, so that a version that is published
// with the code has both. What is not in a version comes last.
func next(changes diff.Changes, t, have settings) call {
	switch {
	case len(changes) == 0:
		return callNone
	case changes.Any("tags"):
		return call(tagging.Due(t.Tags, have.Tags))
	case changes.Any("codeSigningConfigArn"):
		if t.CodeSigningConfigArn == nil {
			return callDeleteCodeSigning
		}
		return callPutCodeSigning
	case len(configuration(changes)) > 0:
		return callUpdateConfiguration
	case changes.Any(codePaths...):
		return callUpdateCode
	case changes.Any(publishPath):
		return callPublish
	case changes.Any("reservedConcurrentExecutions"):
		if t.ReservedConcurrentExecutions == nil {
			return callDeleteConcurrency
		}
		return callPutConcurrency
	case changes.Any("recursiveLoop"):
		return callPutRecursion
	default:
		return callPutScaling
	}
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
	case callUpdateConfiguration:
		return configuration(changes)
	case callUpdateCode:
		return changes.In(codePaths...)
	case callTag, callUntag:
		return changes.In("tags")
	case callPublish:
		return changes.In(publishPath)
	case callPutConcurrency, callDeleteConcurrency:
		return changes.In("reservedConcurrentExecutions")
	case callPutCodeSigning, callDeleteCodeSigning:
		return changes.In("codeSigningConfigArn")
	case callPutRecursion:
		return changes.In("recursiveLoop")
	case callPutScaling:
		return changes.In("functionScalingConfig")
	case callNone, callDelete:
	}
	return nil
}
