package capacityprovider

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestModesThatOverrideInitProvider checks that a mode in forProvider is not sent with what only the mode of
// initProvider needs.
func TestModesThatOverrideInitProvider(t *testing.T) {
	e := newEnv(t)
	c := testProvider(func(p *v1beta1.CapacityProviderParameters) {
		p.CapacityProviderScalingConfig = &v1beta1.CapacityProviderScalingConfig{ScalingMode: ptr.To("Auto")}
		p.PropagateTags = &v1beta1.PropagateTags{Mode: "None"}
	})
	c.Spec.InitProvider = &v1beta1.CapacityProviderSettings{
		CapacityProviderScalingConfig: &v1beta1.CapacityProviderScalingConfig{
			ScalingMode:     ptr.To("Manual"),
			ScalingPolicies: []v1beta1.TargetTrackingScalingPolicy{{PredefinedMetricType: "LambdaCapacityProviderAverageCPUUtilization", TargetValue: "50"}},
		},
		PropagateTags: &v1beta1.PropagateTags{Mode: "Explicit", ExplicitTags: map[string]string{"team": "a"}},
	}
	e.Converge(c)
	got := e.provider()
	if s := got.CapacityProviderScalingConfig; s.ScalingMode != "Auto" || len(s.ScalingPolicies) > 0 {
		t.Errorf("mode %s needs no policies, got %+v", s.ScalingMode, s.ScalingPolicies)
	}
	if p := got.PropagateTags; p.Mode != "None" || len(p.ExplicitTags) > 0 {
		t.Errorf("mode %s needs no tags, got %v", p.Mode, p.ExplicitTags)
	}
}
