package rollout

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	m.s.Step, m.s.Reason, m.s.Message, m.s.Intent = m.resumed(), "", "", nil
}

// resumed returns the step that follows a pause.
func (m *machine) resumed() string {
	if m.s.ObservedWeight >= all {
		return v1beta1.RolloutBaking
	}
	return v1beta1.RolloutAnalyzing
}

func (m *machine) promote(why string) {
	m.s.Phase = v1beta1.RolloutProgressing
	m.enter(v1beta1.RolloutPromoting, "", why)
	m.intend(to(m.s, all))
	m.eventf(false, v1beta1.EventRolloutPromoting, "rollout %s: version %s receives all invocations: %s", m.s.ID,
		m.s.Target.FunctionVersion, why)
}

func (m *machine) complete() {
	m.eventf(false, v1beta1.EventRolloutCompleted, "rollout %s: version %s is stable", m.s.ID,
		DescribeVersion(m.s.Target))
	m.remember(m.s.Stable)
	m.s.Stable = m.s.Target
	m.ready()
}

// ready ends the rollout with the stable version as its target.
func (m *machine) ready() {
	m.s.Target = m.s.Stable
	m.finish(v1beta1.RolloutReady, "", "")
}

func (m *machine) finish(phase, reason, message string) {
	s := m.s
	s.Phase, s.Step, s.Reason, s.Message = phase, "", reason, message
	s.Intent, s.ObservedWeight, s.CurrentStepIndex, s.Direct = nil, 0, 0, false
	s.StepStartedAt, s.StepElapsed, s.StepRestarts, s.FinishedAt = nil, metav1.Duration{}, 0, stamp(m.now)
	s.UpdateFailures, s.UpdateFailedAt = 0, nil
}

func (m *machine) remember(r v1beta1.RolloutRevision) {
	history := slices.DeleteFunc(m.s.History, func(h v1beta1.RolloutRevision) bool {
		return h.FunctionVersion == r.FunctionVersion || h.FunctionVersion == m.s.Target.FunctionVersion
	})
	m.s.History = prepend(history, r, maxHistory)
}

// recordReplaced records the versions that this decision has replaced, and those that someone else has made the alias
// invoke and that it changes. The alias may have invoked them until now.
func (m *machine) recordReplaced() {
	versions := []string{m.was.Stable.FunctionVersion, m.was.Target.FunctionVersion}
	if m.s.Intent != nil && m.s.Step != v1beta1.RolloutPaused {
		versions = append(versions, m.o.Route.Version, m.o.Route.Additional)
	}
	for _, v := range versions {
		if v == "" || v == m.s.Stable.FunctionVersion || v == m.s.Target.FunctionVersion {
			continue
		}
		others := slices.DeleteFunc(m.s.Replaced,
			func(r v1beta1.RolloutReplacement) bool { return r.FunctionVersion == v })
		m.s.Replaced = prepend(others,
			v1beta1.RolloutReplacement{FunctionVersion: v, ReplacedAt: *stamp(m.now)}, maxReplaced)
	}
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

// isEvidence reports whether a rollout that ends for a reason says something about its target: the target has failed,
// or the user has rejected it. Otherwise, nobody knows.
func isEvidence(reason string) bool {
	switch reason {
	case v1beta1.RolloutReasonAnalysisFailed, v1beta1.RolloutReasonSmokeTestFailed, v1beta1.RolloutReasonAborted,
		v1beta1.RolloutReasonRollbackTo:
		return true
	}
	return false
}

// reject records that a version has failed, unless that is recorded. The code and configuration that serve are never
// rejected: then the record is of the version's number alone.
func (m *machine) reject(r v1beta1.RolloutRevision, reason string) {
	if Rejection(m.s, r.FunctionVersion) != nil {
		return
	}
	if r.Fingerprint == m.s.Stable.Fingerprint {
		r.Fingerprint = ""
	}
	failure := v1beta1.RolloutFailure{RolloutRevision: r, Reason: reason, FailedAt: stamp(m.now)}
	m.s.FailedTargets = prepend(m.s.FailedTargets, failure, maxFailed)
}

// prepend returns a list with another first element, as far as it is not longer than allowed.
func prepend[T any](list []T, first T, longest int) []T {
	list = append([]T{first}, list...)
	return list[:min(len(list), longest)]
}

// forgive forgets that a version, or another with the same code and configuration, has failed.
func (m *machine) forgive(r v1beta1.RolloutRevision) {
	m.s.FailedTargets = slices.DeleteFunc(m.s.FailedTargets,
		func(f v1beta1.RolloutFailure) bool { return same(f.RolloutRevision, r) })
}

// fail ends a rollout that has moved no invocation.
func (m *machine) fail(reason, message string) {
	if isEvidence(reason) {
		m.reject(m.s.Target, reason)
	}
	m.eventf(true, v1beta1.EventRolloutFailed, "rollout %s of version %s: %s: %s", m.s.ID,
		m.s.Target.FunctionVersion, reason, message)
	m.finish(v1beta1.RolloutFailed, reason, message)
}

// rollBack returns all invocations to the stable version. It is recorded before the alias is
// changed that the target has failed, so that an interruption does not make it a new target. Checks are no
// evidence against a target that has not received invocations yet.
func (m *machine) rollBack(reason, message string) {
	if isEvidence(reason) && (reason != v1beta1.RolloutReasonAnalysisFailed || m.s.TrafficStartedAt != nil) {
		m.reject(m.s.Target, reason)
	}
	if m.s.Intent != nil { // The change may have been sent.
		w, _ := weight(m.s, intended(m.s.Intent))
		m.s.ObservedWeight = max(m.s.ObservedWeight, w)
	}
	m.s.Phase = v1beta1.RolloutProgressing
	m.enter(v1beta1.RolloutRollingBack, reason, message)
	m.intend(to(m.s, 0))
	m.eventf(reason != v1beta1.RolloutReasonSuperseded, v1beta1.EventRolloutRollingBack,
		"rollout %s from version %s to version %s: %s: %s", m.s.ID, m.s.Target.FunctionVersion,
		m.s.Stable.FunctionVersion, reason, message)
}

// Restarted records in a state that the alias is created again with another version than the stable one, which
// AWS does not have any more. It returns the event that says so.
func Restarted(s *v1beta1.AliasRolloutStatus, version string, now time.Time) Event {
	gone := s.Stable.FunctionVersion
	s.Stable = v1beta1.RolloutRevision{FunctionVersion: version}
	m := &machine{s: s, now: now}
	m.ready()
	return Event{Warning: true, Reason: v1beta1.EventRolloutRestarted, Message: fmt.Sprintf(
		"the alias and its stable version %s do not exist in AWS any more: the alias is created again with version %s",
		gone, version)}
}

// Bounds of the recorded lists.
const (
	maxHistory  = 20
	maxFailed   = 50
	maxReplaced = 50
	maxFormer   = 20
)
