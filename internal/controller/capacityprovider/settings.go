package capacityprovider

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// settings are all that can differ between the desired and the observed capacity provider.
// JSON names are the users' field names.
type settings struct {
	VPCConfig            vpcConfig         `json:"vpcConfig"`
	PermissionsConfig    permissionsConfig `json:"permissionsConfig"`
	InstanceRequirements *instances        `json:"instanceRequirements"`
	KMSKeyArn            *string           `json:"kmsKeyArn"`

	ScalingConfig   *scalingConfig         `json:"capacityProviderScalingConfig"`
	PropagateTags   *v1beta1.PropagateTags `json:"propagateTags"`
	TelemetryConfig *telemetry             `json:"telemetryConfig"`
	Tags            map[string]string      `json:"tags"`
}

type vpcConfig struct {
	SubnetIDs        diff.Set `json:"subnetIds"`
	SecurityGroupIDs diff.Set `json:"securityGroupIds"`
}

type permissionsConfig struct {
	CapacityProviderOperatorRoleArn *string `json:"capacityProviderOperatorRoleArn"`
}

type instances struct {
	Architectures         architectures `json:"architectures"`
	AllowedInstanceTypes  diff.Set      `json:"allowedInstanceTypes"`
	ExcludedInstanceTypes diff.Set      `json:"excludedInstanceTypes"`
}

// architectures is a list with a single value in the API, compared as a scalar. If it is not set, it is left to AWS.
type architectures *string

type scalingConfig struct {
	MaxVCPUCount *int32  `json:"maxVCpuCount"`
	ScalingMode  *string `json:"scalingMode"`

	// ScalingPolicies are values by metric.
	ScalingPolicies map[string]string `json:"scalingPolicies"`
}

type telemetry struct {
	LoggingConfig v1beta1.CapacityProviderLoggingConfig `json:"loggingConfig"`
}

// fromSpec returns the mutable settings in comparable form.
func fromSpec(p v1beta1.CapacityProviderSettings) settings {
	s := settings{PropagateTags: p.PropagateTags, Tags: p.Tags}
	if c := p.CapacityProviderScalingConfig; c != nil {
		s.ScalingConfig = &scalingConfig{
			MaxVCPUCount: c.MaxVCPUCount, ScalingMode: c.ScalingMode,
			ScalingPolicies: map[string]string{},
		}
		for _, policy := range c.ScalingPolicies {
			s.ScalingConfig.ScalingPolicies[policy.PredefinedMetricType] = plain(policy.TargetValue)
		}
	}
	if c := p.TelemetryConfig; c != nil {
		s.TelemetryConfig = &telemetry{LoggingConfig: c.LoggingConfig}
	}
	return s
}

// fixed adds the immutable settings in comparable form. References to fields of other
// objects have been resolved before.
func fixed(s settings, p v1beta1.CapacityProviderParameters) settings {
	s.KMSKeyArn = p.KMSKeyArn
	if c := p.VPCConfig; c != nil {
		s.VPCConfig = vpcConfig{SubnetIDs: c.SubnetIDs, SecurityGroupIDs: c.SecurityGroupIDs}
	}
	if c := p.PermissionsConfig; c != nil {
		s.PermissionsConfig.CapacityProviderOperatorRoleArn = c.CapacityProviderOperatorRoleArn
	}
	if c := p.InstanceRequirements; c != nil {
		s.InstanceRequirements = &instances{
			AllowedInstanceTypes:  c.AllowedInstanceTypes,
			ExcludedInstanceTypes: c.ExcludedInstanceTypes,
		}
		if len(c.Architectures) > 0 {
			s.InstanceRequirements.Architectures = &c.Architectures[0]
		}
	}
	return s
}

// observed is the result of one observation.
type observed struct {
	provider *types.CapacityProvider
	tags     map[string]string
}

// fromAWS returns the AWS values in comparable form. Blocks that AWS leaves out equal its defaults.
func fromAWS(name string, o observed) settings {
	p := o.provider
	s := settings{
		KMSKeyArn: lambdaapi.NonEmpty(p.KmsKeyArn), Tags: o.tags,
		ScalingConfig: &scalingConfig{
			ScalingMode:     ptr.To(string(types.CapacityProviderScalingModeAuto)),
			ScalingPolicies: map[string]string{},
		},
		PropagateTags:   &v1beta1.PropagateTags{Mode: string(types.PropagateTagsModeNone)},
		TelemetryConfig: defaultTelemetry(name),
	}
	if c := p.VpcConfig; c != nil {
		s.VPCConfig = vpcConfig{SubnetIDs: c.SubnetIds, SecurityGroupIDs: c.SecurityGroupIds}
	}
	if c := p.PermissionsConfig; c != nil {
		s.PermissionsConfig.CapacityProviderOperatorRoleArn = c.CapacityProviderOperatorRoleArn
	}
	if c := p.InstanceRequirements; c != nil {
		s.InstanceRequirements = &instances{
			AllowedInstanceTypes:  c.AllowedInstanceTypes,
			ExcludedInstanceTypes: c.ExcludedInstanceTypes,
		}
		if len(c.Architectures) > 0 {
			s.InstanceRequirements.Architectures = ptr.To(string(c.Architectures[0]))
		}
	}
	observedScaling(&s, p.CapacityProviderScalingConfig)
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

func observedScaling(s *settings, c *types.CapacityProviderScalingConfig) {
	if c == nil {
		return
	}
	s.ScalingConfig.MaxVCPUCount = c.MaxVCpuCount
	if c.ScalingMode != "" {
		s.ScalingConfig.ScalingMode = ptr.To(string(c.ScalingMode))
	}
	if c.ScalingMode != types.CapacityProviderScalingModeManual {
		return // AWS chooses these policies itself.
	}
	for _, policy := range c.ScalingPolicies {
		s.ScalingConfig.ScalingPolicies[string(
			policy.PredefinedMetricType)] = lambdaapi.Decimal(ptr.Deref(policy.TargetValue, 0))
	}
}

// defaultTelemetry returns the logging configuration of a capacity provider that sets none.
func defaultTelemetry(name string) *telemetry {
	return &telemetry{LoggingConfig: v1beta1.CapacityProviderLoggingConfig{
		LogGroup:       ptr.To("/aws/lambda/capacity-provider/" + name),
		SystemLogLevel: ptr.To(string(types.SystemLogLevelInfo)),
	}}
}

// plain returns a number in its shortest form, so that "70.0" and 70 are equal.
func plain(s string) string {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	return lambdaapi.Decimal(f)
}
