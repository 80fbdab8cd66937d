package function

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// withDefaults sets AWS's defaults in blocks that AWS never leaves empty, if AWS returns
// them. Some regions and emulators lack a setting: its default would never be observed
// there.
func withDefaults(s, have settings, name string) settings {
	if s.PackageType == nil && s.Code != (code{}) {
		s.PackageType = ptr.To(string(types.PackageTypeZip))
	}
	if s.EphemeralStorage == nil && have.EphemeralStorage != nil {
		s.EphemeralStorage = &v1beta1.EphemeralStorage{Size: ephemeralStorageDefault}
	}
	if s.TracingConfig == nil && have.TracingConfig != nil {
		s.TracingConfig = &v1beta1.TracingConfig{Mode: string(types.TracingModePassThrough)}
	}
	if s.SnapStart == nil && have.SnapStart != nil {
		s.SnapStart = &v1beta1.SnapStart{ApplyOn: string(types.SnapStartApplyOnNone)}
	}
	if s.LoggingConfig == nil && have.LoggingConfig != nil {
		s.LoggingConfig = defaultLogging(name, onInstances(s, have))
		if onInstances(s, have) {
			// AWS has only one format for these functions and does not accept another.
			s.LoggingConfig.LogFormat = have.LoggingConfig.LogFormat
		}
	}
	return s
}

// onInstances reports whether the function runs on Lambda Managed Instances.
func onInstances(s, have settings) bool {
	return s.CapacityProviderConfig != nil || have.CapacityProviderConfig != nil
}

// defaultLogging returns the logging configuration that AWS applies by default. On Lambda
// Managed Instances the format is JSON, and AWS rejects text.
func defaultLogging(name string, instances bool) *v1beta1.LoggingConfig {
	format := types.LogFormatText
	if instances {
		format = types.LogFormatJson
	}
	return &v1beta1.LoggingConfig{LogFormat: ptr.To(string(format)), LogGroup: ptr.To("/aws/lambda/" + plainName(name))}
}

// withoutUnshown removes from the target the defaults that AWS omits from its answer: an
// omitted setting is assumed to have its default.
func withoutUnshown(t, have settings, name string) settings {
	if have.PackageType == nil {
		t.PackageType = nil
	}
	if have.Architectures == nil && t.Architectures != nil && *t.Architectures == string(types.ArchitectureX8664) {
		t.Architectures = nil
	}
	if e := t.EphemeralStorage; have.EphemeralStorage == nil && e != nil && e.Size == ephemeralStorageDefault {
		t.EphemeralStorage = nil
	}
	if c := t.TracingConfig; have.TracingConfig == nil && c != nil && c.Mode == string(types.TracingModePassThrough) {
		t.TracingConfig = nil
	}
	if x := t.SnapStart; have.SnapStart == nil && x != nil && x.ApplyOn == string(types.SnapStartApplyOnNone) {
		t.SnapStart = nil
	}
	t.LoggingConfig = shownLogging(t.LoggingConfig, have.LoggingConfig, defaultLogging(name, onInstances(t, have)))
	return t
}

// shownLogging removes format and group if they have their defaults and AWS omits them.
func shownLogging(t, have, def *v1beta1.LoggingConfig) *v1beta1.LoggingConfig {
	if t == nil {
		return nil
	}
	out, shown := *t, ptr.Deref(have, v1beta1.LoggingConfig{})
	if shown.LogFormat == nil && ptr.Deref(out.LogFormat, "") == *def.LogFormat {
		out.LogFormat = nil
	}
	if shown.LogGroup == nil && ptr.Deref(out.LogGroup, "") == *def.LogGroup {
		out.LogGroup = nil
	}
	if out == (v1beta1.LoggingConfig{}) {
		return nil
	}
	return &out
}
