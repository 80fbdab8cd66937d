package capacityprovider

import (
	"maps"
	"slices"
	"strconv"

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

func scalingInput(c *scalingConfig) *types.CapacityProviderScalingConfig {
	out := &types.CapacityProviderScalingConfig{
		MaxVCpuCount: c.MaxVCPUCount,
		ScalingMode:  types.CapacityProviderScalingMode(ptr.Deref(c.ScalingMode, "")),
	}
	if out.ScalingMode != types.CapacityProviderScalingModeManual {
		return out // Policies of initProvider are for another mode than that of forProvider.
	}
	for _, metric := range slices.Sorted(maps.Keys(c.ScalingPolicies)) {
		value, _ := strconv.ParseFloat(c.ScalingPolicies[metric], 64) // The API server has checked it.
		out.ScalingPolicies = append(out.ScalingPolicies, types.TargetTrackingScalingPolicy{
			PredefinedMetricType: types.CapacityProviderPredefinedMetricType(metric), TargetValue: ptr.To(value),
		})
	}
	return out
}

func propagateInput(p *v1beta1.PropagateTags) *types.PropagateTags {
	out := &types.PropagateTags{Mode: types.PropagateTagsMode(p.Mode)}
	if out.Mode == types.PropagateTagsModeExplicit {
		out.ExplicitTags = p.ExplicitTags
	}
	return out
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
