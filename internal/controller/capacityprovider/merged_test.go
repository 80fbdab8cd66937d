package capacityprovider

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
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
			ScalingMode: ptr.To("Manual"),
			ScalingPolicies: []v1beta1.TargetTrackingScalingPolicy{
				{PredefinedMetricType: "LambdaCapacityProviderAverageCPUUtilization", TargetValue: "50"},
			},
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

// TestModesThatNeedInitProvider checks that a mode in forProvider is sent with what only initProvider sets, at creation
// and when the mode is corrected.
func TestModesThatNeedInitProvider(t *testing.T) {
	e := newEnv(t)
	c := testProvider(func(p *v1beta1.CapacityProviderParameters) {
		p.CapacityProviderScalingConfig = &v1beta1.CapacityProviderScalingConfig{ScalingMode: ptr.To("Manual")}
	})
	c.Spec.InitProvider = &v1beta1.CapacityProviderSettings{
		CapacityProviderScalingConfig: &v1beta1.CapacityProviderScalingConfig{
			ScalingPolicies: []v1beta1.TargetTrackingScalingPolicy{
				{PredefinedMetricType: "LambdaCapacityProviderAverageCPUUtilization", TargetValue: "50"},
			},
		},
	}
	e.Converge(c)
	_, err := e.Lambda.UpdateCapacityProvider(t.Context(), &lambda.UpdateCapacityProviderInput{
		CapacityProviderName: ptr.To("web"),
		CapacityProviderScalingConfig: &types.CapacityProviderScalingConfig{
			ScalingMode: types.CapacityProviderScalingModeAuto,
		},
	})
	e.Must(err)
	if diff := cmp.Diff([]string{opUpdate}, e.Converge(c)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if s := e.provider().CapacityProviderScalingConfig; s.ScalingMode != "Manual" || len(s.ScalingPolicies) != 1 {
		t.Errorf("got mode %s with %d policies", s.ScalingMode, len(s.ScalingPolicies))
	}
}
