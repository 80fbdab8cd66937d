package rollout

import (
	"fmt"
	"time"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// replaced reports whether another version than the target is desired.
func (m *machine) replaced() bool { return m.o.Target != m.s.Target.FunctionVersion }

// superseded reports whether the desired version or the strategy has changed since the rollout
// began, and then ends it or begins its steps again.
func (m *machine) superseded() bool {
	s := m.s
	switch hash := hashOf(m.spec.Strategy); {
	case m.replaced() && (s.Phase == v1beta1.RolloutPending || s.Step == v1beta1.RolloutValidating):
		m.ready()
	case !InProgress(s), s.Step == v1beta1.RolloutRollingBack:
		return false
	case m.replaced():
		m.rollBack(v1beta1.RolloutReasonSuperseded, "version "+m.o.Target+" is desired now")
	case s.Intent != nil && (s.UpdateFailures == 0 || m.o.Route != expected(s)): // The alias may be about to change.
		return false
	case hash != s.StepHash:
		s.StepHash, s.CurrentStepIndex = hash, 0
		if s.Phase == v1beta1.RolloutPending || s.ObservedWeight >= all {
			return false
		}
		s.Intent = nil
		m.enter(v1beta1.RolloutAnalyzing, "", "the strategy has changed: its steps begin again")
	default:
		return false
	}
	return true
}

// late reports whether the rollout has made no progress in time, and then ends it. That is no evidence against the
// target. While no invocation has moved, it is still validated. If the deadline was over at the last decision already,
// spec has another plan since: the step has all of its deadline again.
func (m *machine) late() bool {
	left, ok := m.left()
	if !ok || left >= 0 {
		return false
	}
	if m.was.StepElapsed.Duration > m.planned()+m.deadline() {
		m.s.StepElapsed.Duration = m.planned()
		return false
	}
	message := fmt.Sprintf("no progress for %s after the planned end of the step %s", m.deadline(), m.s.Step)
	if m.s.Message != "" {
		message += ": " + m.s.Message
	}
	if n := m.s.StepRestarts; n > maxRestarts {
		message += fmt.Sprintf("; it was measured anew %d times: someone else has changed the alias again and again", n)
	}
	step := m.s.Step
	if m.s.Phase != v1beta1.RolloutPending {
		m.rollBack(v1beta1.RolloutReasonProgressDeadlineExceeded, message)
		return true
	}
	m.fail(v1beta1.RolloutReasonProgressDeadlineExceeded, message)
	if step == v1beta1.RolloutValidating {
		m.s.Step = step
	}
	return true
}

// left returns how much of the deadline of the current step is left, and false if it has none: the rollout is not in
// progress, is paused, or rolls back.
func (m *machine) left() (time.Duration, bool) {
	if !InProgress(m.s) || m.s.Step == v1beta1.RolloutRollingBack || m.halted() {
		return 0, false
	}
	return m.planned() + m.deadline() - m.s.StepElapsed.Duration, true
}

// planned returns how long the current step takes if nothing holds it up.
func (m *machine) planned() time.Duration {
	switch {
	case m.s.Phase == v1beta1.RolloutPending:
		d := m.alarmLag()
		for _, t := range m.spec.PreTraffic {
			d += time.Duration(ptr.Deref(t.Invoke.TimeoutSeconds, 10)) * time.Second //nolint:mnd // The API's default.
		}
		return d
	case m.s.ObservedWeight >= all:
		return max(BakeTime(m.spec), m.measures())
	case m.step().pause > 0:
		return m.step().pause
	}
	return m.measures()
}

// measures returns how long the measurements take that the current step waits for.
func (m *machine) measures() time.Duration {
	interval, delay := measuring(m.spec)
	if n := m.step().successes; m.s.ObservedWeight < all && n > 0 {
		interval *= time.Duration(n)
	}
	return interval + delay + m.lag()
}
