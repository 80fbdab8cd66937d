package capacityprovider

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// compare returns how spec differs from what was observed. Of what is fixed at creation, the blocks that spec does not
// have are left to AWS.
func compare(
	name string, d reconcile.Desired[settings], observed settings, owner tagging.Owner,
) reconcile.Comparison[settings] {
	t := diff.Fill(withDefaults(name, d.Settings), observed, d.Left)
	if len(t.VPCConfig.SubnetIDs) == 0 {
		t.VPCConfig = observed.VPCConfig
	}
	if s := t.CapacityProviderScalingConfig; len(s.ScalingPolicies) == 0 && // AWS has none with another mode.
		ptr.Deref(s.ScalingMode, "") == string(types.CapacityProviderScalingModeManual) {
		s.ScalingPolicies = ptr.Deref(d.Settings.CapacityProviderScalingConfig, scalingConfig{}).ScalingPolicies
	}
	if t.InstanceRequirements == nil {
		t.InstanceRequirements = observed.InstanceRequirements
	}
	t.Tags = owner.TargetIfReturned(t.Tags, observed.Tags)
	return reconcile.Compare(t, observed)
}

// withDefaults returns the settings with defaults for the blocks that AWS always sets, and for the scaling mode.
func withDefaults(name string, s settings) settings {
	scaling := ptr.Deref(s.CapacityProviderScalingConfig, scalingConfig{})
	if scaling.ScalingMode == nil { // The mode in AWS may be Manual, which needs policies, and spec then has none.
		scaling.ScalingMode = ptr.To(string(types.CapacityProviderScalingModeAuto))
	}
	s.CapacityProviderScalingConfig = &scaling
	if s.PropagateTags == nil {
		s.PropagateTags = &v1beta1.PropagateTags{Mode: string(types.PropagateTagsModeNone)}
	}
	if s.TelemetryConfig == nil {
		s.TelemetryConfig = defaultTelemetry(name)
	}
	return s
}

// immutable returns the changes that AWS cannot make.
func immutable(changes diff.Changes) diff.Changes {
	return changes.In("vpcConfig", "permissionsConfig", "instanceRequirements", "kmsKeyArn")
}
