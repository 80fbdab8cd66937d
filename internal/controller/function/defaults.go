package function

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// AWS's defaults for blocks that every function has. A block that is removed from spec is reset to them.
var (
	defaultStorage   = v1beta1.EphemeralStorage{Size: 512}
	defaultTracing   = v1beta1.TracingConfig{Mode: string(types.TracingModePassThrough)}
	defaultSnapStart = v1beta1.SnapStart{ApplyOn: string(types.SnapStartApplyOnNone)}

	// defaultLogLevel is the level of JSON logs, both of the function and of Lambda.
	defaultLogLevel = string(types.SystemLogLevelInfo)
)

// defaultArchitecture is the architecture of a function for which nobody has chosen one.
const defaultArchitecture = string(types.ArchitectureX8664)

// withDefaults sets AWS's defaults in blocks that AWS never leaves empty, if AWS returns them. Some regions and
// emulators lack a setting: its default would never be observed there.
func withDefaults(s, have settings, name string) settings {
	if s.PackageType == nil && s.Code != (code{}) {
		s.PackageType = ptr.To(string(types.PackageTypeZip))
	}
	s.EphemeralStorage = orDefault(s.EphemeralStorage, have.EphemeralStorage, defaultStorage)
	s.TracingConfig = orDefault(s.TracingConfig, have.TracingConfig, defaultTracing)
	s.SnapStart = orDefault(s.SnapStart, have.SnapStart, defaultSnapStart)
	if s.LoggingConfig == nil && have.LoggingConfig != nil {
		s.LoggingConfig = defaultLogging(name, onInstances(s, have))
		if l := s.LoggingConfig; onInstances(s, have) {
			// AWS has only one format for these functions and does not accept another.
			l.LogFormat = have.LoggingConfig.LogFormat
			l.ApplicationLogLevel = orDefault(nil, have.LoggingConfig.ApplicationLogLevel, defaultLogLevel)
			l.SystemLogLevel = orDefault(nil, have.LoggingConfig.SystemLogLevel, defaultLogLevel)
		}
	}
	return s
}

// orDefault returns a block of spec, or its default if spec has none and AWS returns one.
func orDefault[T any](block, have *T, def T) *T {
	if block == nil && have != nil {
		return &def
	}
	return block
}

// unlessOmitted returns a block of the target, or nil if it is the default and AWS returns none.
func unlessOmitted[T comparable](block, have *T, def T) *T {
	if have == nil && block != nil && *block == def {
		return nil
	}
	return block
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
	return &v1beta1.LoggingConfig{
		LogFormat: ptr.To(string(format)), LogGroup: ptr.To("/aws/lambda/" + functionname.Plain(name)),
	}
}

// withoutOmitted removes from the target the defaults that AWS omits from its answer: an
// omitted setting is assumed to have its default.
func withoutOmitted(t, have settings, name string) settings {
	if have.PackageType == nil {
		t.PackageType = nil
	}
	if have.Architectures == nil && t.Architectures != nil && *t.Architectures == defaultArchitecture {
		t.Architectures = nil
	}
	t.EphemeralStorage = unlessOmitted(t.EphemeralStorage, have.EphemeralStorage, defaultStorage)
	t.TracingConfig = unlessOmitted(t.TracingConfig, have.TracingConfig, defaultTracing)
	t.SnapStart = unlessOmitted(t.SnapStart, have.SnapStart, defaultSnapStart)
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
