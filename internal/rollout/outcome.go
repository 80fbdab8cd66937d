package rollout

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

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

func same(a, b v1beta1.RolloutRevision) bool {
	return a.FunctionVersion == b.FunctionVersion || a.Fingerprint != "" && a.Fingerprint == b.Fingerprint
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

// isSure reports whether an alias in which the target receives nothing is so in AWS. The answer may be from before the
// target received invocations, or from before the version served that the user has replaced by another one, unless AWS
// has accepted the rollback, or returns it for long.
func (m *machine) isSure() bool {
	untouched := m.s.ObservedWeight == 0 && m.s.Reason != v1beta1.RolloutReasonRollbackTo
	return untouched || m.s.Intent.Accepted || m.s.StepElapsed.Duration >= driftGrace
}

// rollingBack waits until the stable version receives all invocations. It never gives up. If AWS still moves the alias
// after the deadline, it may never end that, such as when it cannot allocate provisioned concurrency: then the rollback
// is sent again, which makes AWS end it.
func (m *machine) rollingBack() {
	m.intend(to(m.s, 0))
	if m.o.Moving && m.s.StepElapsed.Duration >= m.deadline() {
		m.s.Intent.Accepted, m.s.StepElapsed.Duration = false, 0
	}
	if !m.at(to(m.s, 0)) || !m.isSure() {
		return
	}
	m.arrived()
	if m.s.Reason == v1beta1.RolloutReasonSuperseded {
		m.ready()
		return
	}
	reason, message := m.s.Reason, unrefused(m.s)
	m.eventf(true, v1beta1.EventRolloutFailed, "rollout %s: version %s receives all invocations again: %s", m.s.ID,
		m.s.Stable.FunctionVersion, reason)
	m.finish(v1beta1.RolloutFailed, reason, message)
}

func (m *machine) eventf(warning bool, reason, format string, args ...any) {
	m.events = append(m.events, Event{Warning: warning, Reason: reason, Message: fmt.Sprintf(format, args...)})
}

// deadline returns how long a step may take in addition to its planned duration.
func (m *machine) deadline() time.Duration {
	// The API's default.
	return time.Duration(ptr.Deref(m.spec.ProgressDeadlineSeconds, 600)) * time.Second //nolint:mnd // See above.
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

// Describe returns the state of a rollout in one line. r is how AWS divides the invocations. The line has no time, so
// that it changes only with the rollout.
func Describe(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus, r Route) string {
	drift := s.Drift
	if drift != "" {
		drift += ": change it back, or set the annotation " + v1beta1.AnnotationRolloutAbort
	}
	switch {
	case s.Phase == v1beta1.RolloutFailed:
		return joined(r.Serves(), failure(s), s.Waits, drift)
	case s.Phase == v1beta1.RolloutReady:
		return joined(r.Serves(), s.Message, s.Waits, drift)
	case strings.Contains(s.Message, s.Drift):
		drift = ""
	}
	return joined(progress(spec, s, r), s.Message, s.Waits, drift)
}

// joined joins the texts that are not empty.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// failure returns why a rollout has failed: its target was rejected, or nobody knows whether it is good. The reason of
// a target that had failed before the user returned to another version is that of its failure, which the message is not
// about.
func failure(s *v1beta1.AliasRolloutStatus) string {
	verb, reason, end := "was not rolled out", "("+s.Reason+"): ", ": set the annotation "+
		v1beta1.AnnotationRolloutRetry+" to try again"
	if Rejected(s) {
		verb, end = "was rejected", ""
	}
	if f := Rejection(s, s.Target.FunctionVersion); f != nil && f.Reason != s.Reason {
		reason = "(" + f.Reason + "); "
	}
	if s.Step == v1beta1.RolloutValidating {
		end = ": it is rolled out once it can be"
	}
	return fmt.Sprintf("version %s %s %s%s%s", s.Target.FunctionVersion, verb, reason, s.Message, end)
}

// progress returns what a rollout does, such as "rollout 7-abc: Progressing, Analyzing, step 2 of 5 (pause 5m): version
// 6 serves, version 7 receives 10 %; errors 0.002 (Success)".
func progress(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus, r Route) string {
	out := "rollout " + s.ID + ": " + Position(s)
	if st := CurrentStep(spec, s); st != nil {
		n := len(CanarySteps(spec.Strategy))
		out += fmt.Sprintf(", step %d of %d (%s)", s.CurrentStepIndex+1, n, DescribeStep(*st))
	}
	parts := []string{out + ": " + r.Serves()}
	for i := range s.Checks {
		switch c := &s.Checks[i]; {
		case c.Type == CheckMetric && c.Result == Success && c.Value != "":
			parts = append(parts, fmt.Sprintf("%s %s (%s)", c.Name, c.Value, c.Result))
		case !c.Ignored && c.Result != "" && c.Result != Success && c.Result != Skipped &&
			!strings.Contains(s.Message, DescribeCheck(c)):
			parts = append(parts, DescribeCheck(c))
		}
	}
	return joined(parts...)
}
