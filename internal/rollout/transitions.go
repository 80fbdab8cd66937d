package rollout

import (
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func (m *machine) progress() {
	m.s.Phase = v1beta1.RolloutProgressing
	m.enter(v1beta1.RolloutAnalyzing, "", "")
}

// arrived records that AWS shows the intended route. If someone else had changed it, the target receives invocations
// again: what an alarm is about may be those of another version.
func (m *machine) arrived() {
	w, _ := weight(m.s, m.o.Route)
	switch {
	case w <= 0:
	case m.s.TrafficStartedAt == nil:
		m.s.TrafficStartedAt = stamp(m.now)
	case w == m.s.ObservedWeight:
		m.changedBack()
	}
	m.s.ObservedWeight, m.s.Intent = w, nil
	m.restart()
	if m.s.Step != v1beta1.RolloutRollingBack {
		m.eventf(false, v1beta1.EventRolloutShifted, "rollout %s: %s", m.s.ID, m.o.Route)
	}
}

// changedBack records that the target receives invocations again, and no other version does.
func (m *machine) changedBack() { m.s.TrafficStartedAt, m.s.ChangedBack = stamp(m.now), true }

func (m *machine) endStep() {
	m.s.CurrentStepIndex = int32(m.index()) + 1 //nolint:gosec // A strategy has at most 198 steps.
	if !m.outdated() {
		m.enter(v1beta1.RolloutAnalyzing, "", "")
	}
}

// validFor is the time for which a version stays as it was validated: AWS releases one that nobody invokes for weeks.
const validFor = 24 * time.Hour

// outdated reports whether the target has received no invocation in a step that has taken long, such as a pause, and
// then begins its validation again.
func (m *machine) outdated() bool {
	began := m.s.StepStartedAt
	if m.s.ObservedWeight > 0 || m.s.Intent != nil || began == nil || m.now.Sub(began.Time) < validFor {
		return false
	}
	m.s.Phase = v1beta1.RolloutPending
	m.enter(v1beta1.RolloutValidating, "", "")
	return true
}

func (m *machine) pause(reason, message string) {
	if m.s.Step != v1beta1.RolloutPaused || m.s.Reason != reason {
		m.eventf(reason != v1beta1.RolloutReasonPaused && reason != v1beta1.RolloutReasonPauseStep,
			v1beta1.EventRolloutPaused, "rollout %s at %s: %s", m.s.ID, expected(m.s), message)
	}
	m.s.Step, m.s.Reason, m.s.Message = v1beta1.RolloutPaused, reason, message
}

// resume returns from a pause to the step that was paused.
func (m *machine) resume() {
	m.s.Step, m.s.Reason, m.s.Message, m.s.Intent = v1beta1.RolloutAnalyzing, "", "", nil
	if m.s.ObservedWeight >= all {
		m.s.Step = v1beta1.RolloutBaking
	}
}

func (m *machine) promote(why string) {
	m.s.Phase = v1beta1.RolloutProgressing
	m.enter(v1beta1.RolloutPromoting, "", why)
	m.intend(to(m.s, all))
	m.eventf(false, v1beta1.EventRolloutPromoting, "rollout %s: version %s receives all invocations: %s", m.s.ID,
		m.s.Target.FunctionVersion, why)
}
