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

	CapacityProviderScalingConfig *scalingConfig                           `json:"capacityProviderScalingConfig"`
	PropagateTags                 *v1beta1.PropagateTags                   `json:"propagateTags"`
	TelemetryConfig               *v1beta1.CapacityProviderTelemetryConfig `json:"telemetryConfig"`
	Tags                          map[string]string                        `json:"tags"`
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

// observed is the result of one observation.
type observed struct {
	provider *types.CapacityProvider
	tags     map[string]string
}

// defaultTelemetry returns the logging configuration of a capacity provider that sets none.
func defaultTelemetry(name string) *v1beta1.CapacityProviderTelemetryConfig {
	return &v1beta1.CapacityProviderTelemetryConfig{LoggingConfig: v1beta1.CapacityProviderLoggingConfig{
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
