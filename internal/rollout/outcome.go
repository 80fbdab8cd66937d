package rollout

import (
	"fmt"
	"time"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// complete makes the target the stable version.
func (m *machine) complete() {
	from := m.s.Stable
	m.event(false, EventCompleted, fmt.Sprintf("rollout %s: version %s is stable", m.s.ID, m.s.Target.FunctionVersion))
	m.remember(from)
	m.s.Stable = m.s.Target
	m.ready()
}

// ready ends the rollout with the stable version as its target.
func (m *machine) ready() {
	m.s.Target = m.s.Stable
	m.finish(v1beta1.RolloutReady, "", "")
}

// finish ends the rollout.
func (m *machine) finish(phase, reason, message string) {
	s := m.s
	s.Phase, s.Step, s.Reason, s.Message = phase, "", reason, message
	s.Intent, s.ObservedWeight, s.CurrentStepIndex, s.Direct = nil, 0, 0, false
	s.StepStartedAt, s.FinishedAt, s.UpdateFailures, s.UpdateFailedAt = nil, stamp(m.now), 0, nil
}

// remember adds a version to the history.
func (m *machine) remember(r v1beta1.RolloutRevision) {
	history := []v1beta1.RolloutRevision{r}
	for _, h := range m.s.History {
		if h.FunctionVersion != r.FunctionVersion && h.FunctionVersion != m.s.Target.FunctionVersion && len(history) < maxHistory {
			history = append(history, h)
		}
	}
	m.s.History = history
}

// failedBefore returns the failure of a version, or of another with the same code and configuration.
func (m *machine) failedBefore(r v1beta1.RolloutRevision) *v1beta1.RolloutFailure {
	for i := range m.s.FailedTargets {
		if f := &m.s.FailedTargets[i]; same(f.RolloutRevision, r) {
			return f
		}
	}
	return nil
}

func same(a, b v1beta1.RolloutRevision) bool {
	return a.FunctionVersion == b.FunctionVersion || a.Fingerprint != "" && a.Fingerprint == b.Fingerprint
}

// reject records that a version has failed.
func (m *machine) reject(r v1beta1.RolloutRevision, reason string) {
	failures := []v1beta1.RolloutFailure{{RolloutRevision: r, Reason: reason, FailedAt: stamp(m.now)}}
	for _, f := range m.s.FailedTargets {
		if f.FunctionVersion != r.FunctionVersion && len(failures) < maxFailed {
			failures = append(failures, f)
		}
	}
	m.s.FailedTargets = failures
}

// fail ends a rollout that has moved no invocation.
func (m *machine) fail(reason, message string) {
	if reason != ReasonFailedBefore {
		m.reject(m.s.Target, reason)
	}
	m.event(true, EventFailed, fmt.Sprintf("rollout %s of version %s: %s: %s", m.s.ID, m.s.Target.FunctionVersion, reason, message))
	m.finish(v1beta1.RolloutFailed, reason, message)
}

// rollBack returns all invocations to the stable version. It is recorded before the alias is
// changed that the target has failed, so that an interruption does not make it a new target.
func (m *machine) rollBack(reason, message string) {
	if reason != ReasonSuperseded {
		m.reject(m.s.Target, reason)
	}
	m.s.Phase = v1beta1.RolloutProgressing
	m.enter(v1beta1.RolloutRollingBack, reason, message)
	m.intend(to(m.s, 0))
	m.event(reason != ReasonSuperseded, EventRollingBack, fmt.Sprintf("rollout %s from version %s to version %s: %s: %s", m.s.ID, m.s.Target.FunctionVersion, m.s.Stable.FunctionVersion, reason, message))
}

// rollingBack waits until the stable version receives all invocations. It never gives up.
func (m *machine) rollingBack() {
	m.intend(to(m.s, 0))
	if !m.at(to(m.s, 0)) {
		return
	}
	m.arrived()
	if m.s.Reason == ReasonSuperseded {
		m.ready()
		return
	}
	reason, message := m.s.Reason, m.s.Message
	m.event(true, EventFailed, fmt.Sprintf("rollout %s: version %s receives all invocations again: %s", m.s.ID, m.s.Stable.FunctionVersion, reason))
	m.finish(v1beta1.RolloutFailed, reason, message)
}

func (m *machine) event(warning bool, reason, message string) {
	m.events = append(m.events, Event{Warning: warning, Reason: reason, Message: message})
}

// deadline returns how long a step may take in addition to its planned duration.
func (m *machine) deadline() time.Duration {
	return time.Duration(ptr.Deref(m.spec.ProgressDeadlineSeconds, 600)) * time.Second //nolint:mnd // The API's default.
}

// Recreated records in a state that the alias was created again with the stable version, because
// someone else had deleted it. A rollout begins again.
func Recreated(s *v1beta1.AliasRolloutStatus, now time.Time) {
	s.ObservedWeight, s.CurrentStepIndex, s.Intent, s.Drift = 0, 0, nil, ""
	s.ShiftedAt, s.TrafficStartedAt = nil, nil
	if s.Phase == v1beta1.RolloutProgressing && s.Step != v1beta1.RolloutRollingBack {
		s.Phase, s.Step, s.Reason, s.Checks = v1beta1.RolloutPending, v1beta1.RolloutValidating, "", nil
		s.StepStartedAt, s.Message = stamp(now), "the alias was created again"
	}
}
