package rollout

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestStoredStepHash compares the hash of a strategy with the one that earlier versions stored in status. If it
// changes, each rollout in progress begins its steps again after an upgrade.
func TestStoredStepHash(t *testing.T) {
	pause := func(d time.Duration) v1beta1.CanaryStep {
		return v1beta1.CanaryStep{Pause: &v1beta1.RolloutPause{Duration: &metav1.Duration{Duration: d}}}
	}
	weight := func(w int32) v1beta1.CanaryStep { return v1beta1.CanaryStep{SetWeight: ptr.To(w)} }
	for want, s := range map[string]v1beta1.RolloutStrategy{
		"91cd12fff16266cf": {Canary: &v1beta1.CanaryStrategy{
			Steps: []v1beta1.CanaryStep{weight(10), pause(100 * time.Second), weight(50), pause(20 * time.Second)},
		}},
		"96c182f92d4d5f5d": {Linear: &v1beta1.LinearStrategy{Percentage: 20, Interval: metav1.Duration{Duration: time.Minute}}},
		"b68baba5d11b5a4a": {AllAtOnce: &v1beta1.AllAtOnceStrategy{}},
	} {
		if got := hashOf(s); got != want {
			t.Errorf("hash %s of %+v, want %s: status has stored the latter", got, s, want)
		}
	}
}
