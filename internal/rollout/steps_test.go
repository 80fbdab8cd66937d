package rollout

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestCanarySteps(t *testing.T) {
	minute := metav1.Duration{Duration: time.Minute}
	canary := []v1beta1.CanaryStep{{SetWeight: ptr.To[int32](10)}, {Pause: &v1beta1.RolloutPause{}}}
	cases := map[string]struct {
		reason string
		args   v1beta1.RolloutStrategy
		want   []v1beta1.CanaryStep
	}{
		"Canary": {
			reason: "A canary has the steps of its spec.",
			args:   v1beta1.RolloutStrategy{Canary: &v1beta1.CanaryStrategy{Steps: canary}},
			want:   canary,
		},
		"Linear": {
			reason: "A linear strategy has a weight and a pause for each percentage below all.",
			args:   v1beta1.RolloutStrategy{Linear: &v1beta1.LinearStrategy{Percentage: 40, Interval: minute}},
			want: []v1beta1.CanaryStep{
				{SetWeight: ptr.To[int32](40)},
				{Pause: &v1beta1.RolloutPause{Duration: &minute}},
				{SetWeight: ptr.To[int32](80)},
				{Pause: &v1beta1.RolloutPause{Duration: &minute}},
			},
		},
		"AllAtOnce": {
			reason: "All invocations move with the promotion.",
			args:   v1beta1.RolloutStrategy{AllAtOnce: &v1beta1.AllAtOnceStrategy{}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := CanarySteps(tc.args)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
