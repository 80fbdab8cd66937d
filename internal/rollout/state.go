package rollout

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
)

func stamp(t time.Time) *metav1.Time { return &metav1.Time{Time: t.Truncate(time.Second)} }

// InProgress reports whether a rollout has begun and not ended.
func InProgress(s *v1beta1.AliasRolloutStatus) bool {
	return s.Phase == v1beta1.RolloutPending || s.Phase == v1beta1.RolloutProgressing
}

// unobservedLeast is the least delay of a decision that shows that nobody has observed the rollout meanwhile. Each
// decision is a little late.
const unobservedLeast = time.Minute

// Elapsed returns how long the current step of a rollout has been observed. It includes what has passed since the last
// decision, but not what has passed after the next one was due: nobody has looked then.
func Elapsed(s *v1beta1.AliasRolloutStatus, now time.Time) time.Duration {
	if s.ObservedAt == nil || s.NextCheckAt == nil {
		return s.StepElapsed.Duration
	}
	passed := min(now.Sub(s.ObservedAt.Time), s.NextCheckAt.Sub(s.ObservedAt.Time))
	return s.StepElapsed.Duration + max(passed, 0)
}

// Rejected reports whether the target of a rollout has failed by evidence: its code and configuration are not rolled
// out again by themselves.
func Rejected(s *v1beta1.AliasRolloutStatus) bool {
	return s.Reason == v1beta1.RolloutReasonFailedBefore || Rejection(s, s.Target.FunctionVersion) != nil
}

// Rejection returns the recorded failure of a version, nil if there is none.
func Rejection(s *v1beta1.AliasRolloutStatus, version string) *v1beta1.RolloutFailure {
	for i := range s.FailedTargets {
		if s.FailedTargets[i].FunctionVersion == version {
			return &s.FailedTargets[i]
		}
	}
	return nil
}

func same(a, b v1beta1.RolloutRevision) bool {
	return a.FunctionVersion == b.FunctionVersion || a.Fingerprint != "" && a.Fingerprint == b.Fingerprint
}

// Updated records in a state that AWS has accepted the change of the alias. It returns when to decide again.
func Updated(s *v1beta1.AliasRolloutStatus) time.Duration {
	if s.Intent != nil {
		s.Intent.Accepted = true
	}
	return 2 * time.Second //nolint:mnd // AWS shows the change.
}

// The text before AWS's reason in the message of a state.
const refusal = "cannot change the alias: "

// UpdateFailed records in a state that AWS has refused the change of the alias, and why, after what its message says of
// the step. The change is tried again after 2 seconds, and later each time up to a minute.
func UpdateFailed(s *v1beta1.AliasRolloutStatus, now time.Time, why string) {
	s.Message = strings.TrimPrefix(unrefused(s)+"; "+refusal+why, "; ")
	s.UpdateFailures++
	s.UpdateFailedAt = stamp(now)
}

// unrefused returns what the message of a state says of the step, without why AWS has refused the change of the alias.
func unrefused(s *v1beta1.AliasRolloutStatus) string {
	i := strings.LastIndex(s.Message, refusal)
	if s.UpdateFailures <= 0 || i < 0 {
		return s.Message
	}
	return strings.TrimSuffix(s.Message[:i], "; ")
}

// RetryAt returns when a change that AWS has refused is tried again.
func RetryAt(s *v1beta1.AliasRolloutStatus) time.Time {
	if s.UpdateFailures <= 0 || s.UpdateFailedAt == nil {
		return time.Time{}
	}
	return s.UpdateFailedAt.Add(delay.Doubling(2*time.Second, int(s.UpdateFailures), time.Minute))
}

// Recreated records in a state that the alias was created again with the stable version, because
// someone else had deleted it. A rollout begins again.
func Recreated(s *v1beta1.AliasRolloutStatus, now time.Time) {
	s.ObservedWeight, s.CurrentStepIndex, s.Intent, s.Drift, s.DifferentSince = 0, 0, nil, "", nil
	s.ShiftedAt, s.TrafficStartedAt, s.ChangedBack = nil, nil, false
	if s.Phase == v1beta1.RolloutProgressing && s.Step != v1beta1.RolloutRollingBack {
		s.Phase, s.Step, s.Reason, s.Checks = v1beta1.RolloutPending, v1beta1.RolloutValidating, "", nil
		s.StepStartedAt, s.StepElapsed, s.Message = stamp(now), metav1.Duration{}, "the alias was created again"
	}
}
