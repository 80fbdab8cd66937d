package rollout

import (
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/delay"
)

var zero = metav1.Time{}

// decide returns the decision. An action is one that the former state has recorded; otherwise the
// state is persisted first.
func (m *machine) decide() Decision {
	d := Decision{State: m.s, Events: m.events}
	switch {
	case !m.unchanged():
		d.After = soon
	case m.s.Intent != nil && m.acts():
		d.Action, d.Route = Update, intended(m.s.Intent)
	case m.s.Step == v1beta1.RolloutPreTraffic:
		if test, c := nextTest(m.spec, m.s); test != nil && c != nil && c.Result == Running {
			d.Action, d.Test = Invoke, test
		}
	}
	if d.After == 0 {
		d.After = m.next()
	}
	m.s.NextCheckAt = nil
	if d.After > 0 && active(m.s) {
		m.s.NextCheckAt = stamp(m.now.Add(d.After))
	}
	return d
}

// soon is when to decide again after the state was persisted.
const soon = time.Nanosecond

func active(s *v1beta1.AliasRolloutStatus) bool {
	return s.Phase == v1beta1.RolloutPending || s.Phase == v1beta1.RolloutProgressing
}

// unchanged returns whether what decides about actions is as it was persisted.
func (m *machine) unchanged() bool {
	return m.was != nil && m.was.Phase == m.s.Phase && m.was.Step == m.s.Step && m.was.Reason == m.s.Reason && m.was.CurrentStepIndex == m.s.CurrentStepIndex &&
		m.was.Stable == m.s.Stable && m.was.Target == m.s.Target && m.was.ObservedWeight == m.s.ObservedWeight &&
		equality.Semantic.DeepEqual(m.was.Intent, m.s.Intent) && equality.Semantic.DeepEqual(m.was.FailedTargets, m.s.FailedTargets) &&
		equality.Semantic.DeepEqual(m.was.HandledCommands, m.s.HandledCommands) && m.sameTests()
}

// sameTests returns whether the results of the smoke tests are as they were persisted.
func (m *machine) sameTests() bool {
	for i := range m.s.Checks {
		c := &m.s.Checks[i]
		if was := check(m.was, CheckID{c.Type, c.Name}); c.Type == CheckPreTraffic && (was == nil || was.Result != c.Result) {
			return false
		}
	}
	return true
}

// acts returns whether the step changes the alias.
func (m *machine) acts() bool {
	if m.o.Moving || m.o.Route == intended(m.s.Intent) || m.now.Before(m.retryAt()) {
		return false
	}
	switch m.s.Step {
	case v1beta1.RolloutShifting, v1beta1.RolloutPromoting:
		return !m.spec.Paused
	case v1beta1.RolloutRollingBack:
		return true
	}
	return false
}

// next returns when to decide again: at the next measurement, at the end of the step, or at its
// deadline. It is zero if only a change requires it.
func (m *machine) next() time.Duration {
	if !active(m.s) {
		return 0
	}
	var at time.Time
	earlier := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	due, next := Due(m.spec, m.s, m.now)
	earlier(next)
	if len(due) > 0 {
		earlier(m.now.Add(max(m.o.Wait, time.Second)))
	}
	if end, ok := m.end(); ok {
		earlier(end.Add(1))
	}
	if t, ok := m.stepEnd(); ok {
		earlier(t)
	}
	if m.s.Step == v1beta1.RolloutValidating && m.s.StepStartedAt != nil {
		waited := m.now.Sub(m.s.StepStartedAt.Time)
		earlier(m.now.Add(min(max(waited/validateShare, validateLeast), validateMost)))
	}
	if t := m.retryAt(); m.s.Intent != nil && t.After(m.now) {
		earlier(t)
	}
	if at.IsZero() {
		return pausedEvery
	}
	return max(at.Sub(m.now), soon)
}

// pausedEvery is how often the alias of a rollout is read that waits for its user.
const pausedEvery = time.Minute

// How often a target is read that can't serve yet: after 2 seconds at first, and after a fifth of the
// time that it has waited later, up to a minute.
const (
	validateLeast = 2 * time.Second
	validateMost  = time.Minute
	validateShare = 5
)

// stepEnd returns when the current step ends if its duration is all that it waits for.
func (m *machine) stepEnd() (time.Time, bool) {
	var d time.Duration
	switch i := m.index(); {
	case m.s.StepStartedAt == nil:
		return time.Time{}, false
	case m.s.Step == v1beta1.RolloutBaking:
		d = m.bakeTime()
	case m.s.Step == v1beta1.RolloutAnalyzing && i < len(m.steps) && m.steps[i].pause > 0:
		d = m.steps[i].pause
	case m.s.Step == v1beta1.RolloutPreTraffic:
		if _, c := nextTest(m.spec, m.s); c != nil && c.Result == Error && c.MeasuredAt != nil {
			return c.MeasuredAt.Add(retryDelay(c.Errors)), true
		}
		return time.Time{}, false
	default:
		return time.Time{}, false
	}
	end := m.s.StepStartedAt.Add(d)
	return end, end.After(m.now)
}

// UpdateFailed records in a state that AWS has refused the change of the alias. It is tried again
// after 2 seconds, and later each time up to a minute.
func UpdateFailed(s *v1beta1.AliasRolloutStatus, now time.Time, why string) {
	s.UpdateFailures++
	s.UpdateFailedAt, s.Message = stamp(now), why
}

// retryAt returns when a change that AWS has refused is tried again.
func (m *machine) retryAt() time.Time {
	if m.s.UpdateFailures <= 0 || m.s.UpdateFailedAt == nil {
		return time.Time{}
	}
	return m.s.UpdateFailedAt.Add(delay.Doubling(2*time.Second, int(m.s.UpdateFailures), time.Minute))
}
