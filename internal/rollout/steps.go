package rollout

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A step is one step of a strategy. At most one of its fields is set; without any, it waits for the user.
type step struct {
	// weight is the percentage that the target receives from here on.
	weight int32

	// pause is the time for which the step lasts.
	pause time.Duration

	// successes is the number of measurements of each metric that have to succeed.
	successes int32
}

// stepsOf returns the steps of a strategy. After the last one, the target receives all invocations.
func stepsOf(s v1beta1.RolloutStrategy) []step {
	steps := CanarySteps(s)
	out := make([]step, 0, len(steps))
	for _, s := range steps {
		st := step{weight: ptr.Deref(s.SetWeight, 0)}
		if s.Analysis != nil {
			st.successes = ptr.Deref(s.Analysis.Successes, 1)
		}
		if s.Pause != nil {
			st.pause = ptr.Deref(s.Pause.Duration, metav1.Duration{}).Duration
		}
		out = append(out, st)
	}
	return out
}

// CanarySteps returns the steps of any strategy as those of a canary. Status counts them from 0. There are none if all
// invocations move at once.
func CanarySteps(s v1beta1.RolloutStrategy) []v1beta1.CanaryStep {
	switch {
	case s.Canary != nil:
		return s.Canary.Steps
	case s.Linear != nil:
		return linearSteps(s.Linear.Percentage, s.Linear.Interval)
	}
	return nil
}

// CurrentStep returns the step of the strategy that a rollout is in, nil if it is in none, such as before the first one
// and during the promotion.
func CurrentStep(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus) *v1beta1.CanaryStep {
	steps, i := CanarySteps(spec.Strategy), int(s.CurrentStepIndex)
	if s.Phase != v1beta1.RolloutProgressing || s.ObservedWeight >= all || s.Step == v1beta1.RolloutPromoting ||
		s.Step == v1beta1.RolloutRollingBack || i < 0 || i >= len(steps) {
		return nil
	}
	return &steps[i]
}

// StepDuration returns how long the current step of a rollout lasts at least, zero if that does not depend on the time.
func StepDuration(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus) time.Duration {
	if s.Step == v1beta1.RolloutBaking {
		return BakeTime(spec)
	}
	if st := CurrentStep(spec, s); st != nil && st.Pause != nil {
		return ptr.Deref(st.Pause.Duration, metav1.Duration{}).Duration
	}
	return 0
}

// BakeTime returns how long a target that receives all invocations is still judged.
func BakeTime(spec *v1beta1.AliasRollout) time.Duration {
	return ptr.Deref(spec.FinalBakeTime, metav1.Duration{}).Duration
}

func linearSteps(percentage int32, interval metav1.Duration) []v1beta1.CanaryStep {
	var out []v1beta1.CanaryStep
	for w := max(percentage, 1); w < all; w += max(percentage, 1) {
		out = append(out, v1beta1.CanaryStep{SetWeight: ptr.To(w)},
			v1beta1.CanaryStep{Pause: &v1beta1.RolloutPause{Duration: &interval}})
	}
	return out
}

func hashOf(definition any) string {
	b, err := json.Marshal(definition)
	if err != nil { // What spec has always has a JSON form.
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// DescribeStep returns a step as spec has it, such as "setWeight 10 %".
func DescribeStep(st v1beta1.CanaryStep) string {
	switch {
	case st.SetWeight != nil:
		return fmt.Sprintf("setWeight %d %%", *st.SetWeight)
	case st.Analysis != nil:
		if n := ptr.Deref(st.Analysis.Successes, 1); n != 1 {
			return fmt.Sprintf("analysis: %d successes", n)
		}
		return "analysis: 1 success"
	case st.Pause != nil && st.Pause.Duration != nil:
		return "pause " + DescribeDuration(st.Pause.Duration.Duration)
	}
	return "pause until promoted"
}

// DescribeDuration returns a duration as kubectl shows it, rounded up to a second.
func DescribeDuration(d time.Duration) string {
	return duration.HumanDuration((d + time.Second - 1).Truncate(time.Second))
}
