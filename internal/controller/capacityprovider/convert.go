package capacityprovider

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// createInput returns the request that creates a capacity provider with all its settings.
func createInput(name string, s settings) *lambda.CreateCapacityProviderInput {
	in := &lambda.CreateCapacityProviderInput{CapacityProviderName: ptr.To(name)}
	settingsToCreate.Copy(in, &s)
	return in
}

// updateInput returns the request with the blocks that changed, each of them complete.
func updateInput(name string, t settings, changes diff.Changes) *lambda.UpdateCapacityProviderInput {
	in := &lambda.UpdateCapacityProviderInput{CapacityProviderName: ptr.To(name)}
	settingsToUpdate.CopyIf(in, &t, func(path string) bool { return changes.Any(path) })
	return in
}

// observation returns what status shows of a capacity provider.
func observation(name string, o observed) v1beta1.CapacityProviderObservation {
	s := fromAWS(name, o)
	out := v1beta1.CapacityProviderObservation{
		CapacityProviderName: ptr.To(name), TagKeys: slices.Sorted(maps.Keys(o.tags)),
	}
	settingsToStatus.Copy(&out, &s)
	answerToStatus.Copy(&out, o.provider)
	if c := o.provider.CapacityProviderScalingConfig; c != nil {
		for _, policy := range c.ScalingPolicies {
			out.CapacityProviderScalingConfig.ScalingPolicies = append(
				out.CapacityProviderScalingConfig.ScalingPolicies,
				v1beta1.TargetTrackingScalingPolicy{
					PredefinedMetricType: string(policy.PredefinedMetricType),
					TargetValue:          lambdaapi.Decimal(ptr.Deref(policy.TargetValue, 0)),
				})
		}
	}
	return out
}

// fromSpec returns the mutable settings in comparable form.
func fromSpec(p v1beta1.CapacityProviderSettings) settings {
	var s settings
	specToSettings.Copy(&s, &p)
	return s
}

// fromAWS returns the AWS values in comparable form. Blocks that AWS leaves out equal its defaults.
func fromAWS(name string, o observed) settings {
	p := o.provider
	s := settings{
		Tags: o.tags,
		CapacityProviderScalingConfig: &scalingConfig{
			ScalingMode:     ptr.To(string(types.CapacityProviderScalingModeAuto)),
			ScalingPolicies: map[string]string{},
		},
		PropagateTags:   &v1beta1.PropagateTags{Mode: string(types.PropagateTagsModeNone)},
		TelemetryConfig: defaultTelemetry(name),
	}
	answerToSettings.Copy(&s, p)
	observedScaling(s.CapacityProviderScalingConfig, p.CapacityProviderScalingConfig)
	if c := p.PropagateTags; c != nil && c.Mode != "" {
		s.PropagateTags = &v1beta1.PropagateTags{Mode: string(c.Mode), ExplicitTags: c.ExplicitTags}
	}
	if c := p.TelemetryConfig; c != nil && c.LoggingConfig != nil {
		if l := lambdaapi.Text(c.LoggingConfig.SystemLogLevel); l != nil {
			s.TelemetryConfig.LoggingConfig.SystemLogLevel = l
		}
		if g := lambdaapi.NonEmpty(c.LoggingConfig.LogGroup); g != nil {
			s.TelemetryConfig.LoggingConfig.LogGroup = g
		}
	}
	return s
}

func observedScaling(s *scalingConfig, c *types.CapacityProviderScalingConfig) {
	if c == nil {
		return
	}
	s.MaxVCPUCount = c.MaxVCpuCount
	if c.ScalingMode != "" {
		s.ScalingMode = ptr.To(string(c.ScalingMode))
	}
	if c.ScalingMode != types.CapacityProviderScalingModeManual {
		return // AWS chooses these policies itself.
	}
	for _, policy := range c.ScalingPolicies {
		s.ScalingPolicies[string(policy.PredefinedMetricType)] = lambdaapi.Decimal(ptr.Deref(policy.TargetValue, 0))
	}
}
