package capacityprovider

import (
	"maps"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff/samefields"
)

// The conversions that names do not describe, from spec to settings and on to the SDK's inputs.
var (
	specToSettings = samefields.MustNew[v1beta1.CapacityProviderSettings, settings](
		samefields.Clears("capacityProviderScalingConfig.scalingPolicies"), // An empty map is compared.
		samefields.With(policies),
	)

	// fixedToSettings copies what no update can change.
	fixedToSettings = samefields.MustNew[v1beta1.CapacityProviderParameters, settings](
		samefields.With(firstOf[string]),
	)

	settingsToCreate = samefields.MustNew[settings, lambda.CreateCapacityProviderInput](
		samefields.Clears("vpcConfig.securityGroupIds"), // AWS requires a list.
		samefields.With(func(a architectures) []types.Architecture {
			return []types.Architecture{types.Architecture(*a)}
		}),
		samefields.With(scalingInput),
		samefields.With(propagateInput),
	)

	settingsToUpdate = samefields.MustNew[settings, lambda.UpdateCapacityProviderInput](
		samefields.With(scalingInput),
		samefields.With(propagateInput),
	)
)

// The conversions that names do not describe, from AWS's answer to settings, and from both to status.
var (
	answerToSettings = samefields.MustNew[types.CapacityProvider, settings](
		samefields.Except("capacityProviderScalingConfig", "propagateTags", "telemetryConfig"), // They have defaults.
		samefields.EmptyIsAbsent("kmsKeyArn"),
		samefields.With(firstOf[types.Architecture]),
	)

	settingsToStatus = samefields.MustNew[settings, v1beta1.CapacityProviderObservation](
		samefields.Except("capacityProviderScalingConfig.scalingPolicies"),
		samefields.From("subnetIds", "vpcConfig.subnetIds"),
		samefields.From("securityGroupIds", "vpcConfig.securityGroupIds"),
		samefields.From("capacityProviderOperatorRoleArn", "permissionsConfig.capacityProviderOperatorRoleArn"),
		samefields.With(func(a architectures) []string { return []string{*a} }),
	)

	answerToStatus = samefields.MustNew[types.CapacityProvider, v1beta1.CapacityProviderObservation](
		samefields.Except(settingsToStatus.Names()...),
		samefields.Clears("state"),
	)
)

// firstOf returns the only element of a list of architectures.
func firstOf[T ~string](of []T) architectures {
	if len(of) == 0 {
		return nil
	}
	return ptr.To(string(of[0]))
}

// policies returns the values of scaling policies of spec by metric.
func policies(of []v1beta1.TargetTrackingScalingPolicy) map[string]string {
	out := map[string]string{}
	for _, p := range of {
		out[p.PredefinedMetricType] = plain(p.TargetValue)
	}
	return out
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
