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
	in := &lambda.CreateCapacityProviderInput{
		CapacityProviderName: ptr.To(name),
		VpcConfig: &types.CapacityProviderVpcConfig{
			SubnetIds: s.VPCConfig.SubnetIDs, SecurityGroupIds: append([]string{}, s.VPCConfig.SecurityGroupIDs...),
		},
		PermissionsConfig: &types.CapacityProviderPermissionsConfig{
			CapacityProviderOperatorRoleArn: s.PermissionsConfig.CapacityProviderOperatorRoleArn,
		},
		KmsKeyArn:                     s.KMSKeyArn,
		CapacityProviderScalingConfig: scalingInput(s.ScalingConfig),
		PropagateTags:                 propagateInput(s.PropagateTags),
		TelemetryConfig:               telemetryInput(s.TelemetryConfig),
		Tags:                          s.Tags,
	}
	if i := s.InstanceRequirements; i != nil {
		in.InstanceRequirements = &types.InstanceRequirements{
			AllowedInstanceTypes:  i.AllowedInstanceTypes,
			ExcludedInstanceTypes: i.ExcludedInstanceTypes,
		}
		if i.Architectures != nil {
			in.InstanceRequirements.Architectures = []types.Architecture{types.Architecture(*i.Architectures)}
		}
	}
	return in
}

// updateInput returns the request with the blocks that changed, each of them complete.
func updateInput(name string, t settings, changes diff.Changes) *lambda.UpdateCapacityProviderInput {
	in := &lambda.UpdateCapacityProviderInput{CapacityProviderName: ptr.To(name)}
	if changes.Any("capacityProviderScalingConfig") {
		in.CapacityProviderScalingConfig = scalingInput(t.ScalingConfig)
	}
	if changes.Any("propagateTags") {
		in.PropagateTags = propagateInput(t.PropagateTags)
	}
	if changes.Any("telemetryConfig") {
		in.TelemetryConfig = telemetryInput(t.TelemetryConfig)
	}
	return in
}

func scalingInput(c *scalingConfig) *types.CapacityProviderScalingConfig {
	if c == nil {
		return nil
	}
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
	if p == nil {
		return nil
	}
	out := &types.PropagateTags{Mode: types.PropagateTagsMode(p.Mode)}
	if out.Mode == types.PropagateTagsModeExplicit {
		out.ExplicitTags = p.ExplicitTags
	}
	return out
}

func telemetryInput(c *telemetry) *types.CapacityProviderTelemetryConfig {
	if c == nil {
		return nil
	}
	return &types.CapacityProviderTelemetryConfig{LoggingConfig: &types.CapacityProviderLoggingConfig{
		LogGroup:       c.LoggingConfig.LogGroup,
		SystemLogLevel: types.SystemLogLevel(ptr.Deref(c.LoggingConfig.SystemLogLevel, "")),
	}}
}

// observation returns what status shows of a capacity provider.
func observation(name string, o observed) v1beta1.CapacityProviderObservation {
	p, s := o.provider, fromAWS(name, o)
	out := v1beta1.CapacityProviderObservation{
		CapacityProviderName:            ptr.To(name),
		CapacityProviderArn:             p.CapacityProviderArn,
		State:                           ptr.To(string(p.State)),
		SubnetIDs:                       s.VPCConfig.SubnetIDs,
		SecurityGroupIDs:                s.VPCConfig.SecurityGroupIDs,
		CapacityProviderOperatorRoleArn: s.PermissionsConfig.CapacityProviderOperatorRoleArn,
		KMSKeyArn:                       s.KMSKeyArn,
		TagKeys:                         slices.Sorted(maps.Keys(o.tags)),
		PropagateTags:                   s.PropagateTags,
		TelemetryConfig: &v1beta1.CapacityProviderTelemetryConfig{
			LoggingConfig: s.TelemetryConfig.LoggingConfig,
		},
		LastModified: p.LastModified,
		CapacityProviderScalingConfig: &v1beta1.CapacityProviderScalingConfig{
			MaxVCPUCount: s.ScalingConfig.MaxVCPUCount, ScalingMode: s.ScalingConfig.ScalingMode,
		},
	}
	if c := p.CapacityProviderScalingConfig; c != nil {
		for _, policy := range c.ScalingPolicies {
			out.CapacityProviderScalingConfig.ScalingPolicies = append(
				out.CapacityProviderScalingConfig.ScalingPolicies,
				v1beta1.TargetTrackingScalingPolicy{
					PredefinedMetricType: string(policy.PredefinedMetricType),
					TargetValue:          lambdaapi.Decimal(ptr.Deref(policy.TargetValue, 0)),
				})
		}
	}
	if i := s.InstanceRequirements; i != nil {
		out.InstanceRequirements = &v1beta1.InstanceRequirements{
			AllowedInstanceTypes:  i.AllowedInstanceTypes,
			ExcludedInstanceTypes: i.ExcludedInstanceTypes,
		}
		if i.Architectures != nil {
			out.InstanceRequirements.Architectures = []string{*i.Architectures}
		}
	}
	return out
}
