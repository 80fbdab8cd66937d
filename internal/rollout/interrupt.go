package rollout

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// commands are the command annotations in the order in which they are carried out.
var commands = []struct {
	name string
	do   func(m *machine, value string) bool
}{
	{v1beta1.AnnotationRolloutAbort, (*machine).abort},
	{v1beta1.AnnotationRolloutRollbackTo, (*machine).rollbackTo},
	{v1beta1.AnnotationRolloutRetry, (*machine).retry},
	{v1beta1.AnnotationRolloutPromoteFull, (*machine).promoteFull},
	{v1beta1.AnnotationRolloutPromote, (*machine).promoteStep},
}

// command carries out the first command that is new, and returns whether there was one. It is
// recorded as handled even if it does not apply to the present step.
func (m *machine) command() bool {
	for _, c := range commands {
		value := m.o.Commands[c.name]
		if value == "" || m.s.HandledCommands[c.name] == value {
			continue
		}
		if c.name == v1beta1.AnnotationRolloutPromoteFull && m.s.Step == v1beta1.RolloutValidating && !m.validated() {
			continue
		}
		m.handled(c.name, value)
		name := strings.TrimPrefix(c.name, v1beta1.RolloutAnnotationPrefix)
		if c.do(m, value) {
			m.event(false, EventCommand, fmt.Sprintf("%s (%s)", name, value))
		} else {
			m.event(true, EventCommand, fmt.Sprintf("%s (%s) does not apply: the rollout is %s", name, value, strings.TrimSpace(m.s.Phase+" "+m.s.Step)))
		}
		return true
	}
	return false
}

// validated returns whether it is known that the target can serve and has not failed before.
func (m *machine) validated() bool {
	v, known := m.o.Versions[m.s.Target.FunctionVersion]
	return known && v.Pending == "" && v.Invalid == "" && m.s.Target.Fingerprint != ""
}

func (m *machine) handled(name, value string) {
	if m.s.HandledCommands == nil {
		m.s.HandledCommands = map[string]string{}
	}
	m.s.HandledCommands[name] = value
}

// abort returns all invocations to the stable version. After a rollout, it undoes what someone else
// has changed.
func (m *machine) abort(string) bool {
	switch {
	case m.s.Step == v1beta1.RolloutRollingBack:
		return false
	case m.s.Phase == v1beta1.RolloutPending:
		m.fail(ReasonAborted, "aborted by the user")
	case m.s.Phase == v1beta1.RolloutProgressing:
		m.rollBack(ReasonAborted, "aborted by the user")
	case m.o.Route == expected(m.s):
		return false
	default:
		m.restore()
	}
	return true
}

// restore returns all invocations to the stable version after a rollout, because someone else has
// changed the alias.
func (m *machine) restore() {
	reason, message := m.s.Reason, m.s.Message
	if m.s.Phase == v1beta1.RolloutReady {
		reason, message = ReasonSuperseded, "the alias was changed by someone else"
	}
	m.s.Phase = v1beta1.RolloutProgressing
	m.enter(v1beta1.RolloutRollingBack, reason, message)
	m.intend(to(m.s, 0))
}

// rollbackTo makes a version of the history, or the stable one, receive all invocations. The present
// target is not rolled out again. During a rollback the user may also choose the target itself: if
// the stable version was deleted, the rollback can't end otherwise.
func (m *machine) rollbackTo(value string) bool {
	version, _, _ := strings.Cut(value, "/")
	if version == m.s.Stable.FunctionVersion {
		if m.s.Phase != v1beta1.RolloutProgressing || m.s.Step == v1beta1.RolloutRollingBack {
			return false
		}
		m.rollBack(ReasonRollbackTo, "the user has chosen version "+version)
		return true
	}
	i := slices.IndexFunc(m.s.History, func(r v1beta1.RolloutRevision) bool { return r.FunctionVersion == version })
	if i < 0 && version == m.s.Target.FunctionVersion && m.s.Step == v1beta1.RolloutRollingBack {
		m.keepTarget()
		return true
	}
	if i < 0 {
		return false
	}
	to := m.s.History[i]
	if m.s.Stable.FunctionVersion != m.s.Target.FunctionVersion {
		m.reject(m.s.Target, ReasonRollbackTo)
	}
	m.reject(m.s.Stable, ReasonRollbackTo)
	if m.s.Phase == v1beta1.RolloutReady {
		m.s.Target = m.s.Stable
	}
	m.s.History = slices.Delete(slices.Clone(m.s.History), i, i+1)
	if m.s.Step != v1beta1.RolloutRollingBack || m.s.Reason != ReasonRollbackTo {
		m.remember(m.s.Stable) // It serves until AWS accepts the change, which it does not if the chosen version was deleted.
	}
	m.s.Stable = to
	m.s.ID = m.newID(version)
	m.rollBackTo(version)
	return true
}

// keepTarget makes the target the stable version, although it has failed.
func (m *machine) keepTarget() {
	target := m.s.Target
	m.s.FailedTargets = slices.DeleteFunc(m.s.FailedTargets, func(f v1beta1.RolloutFailure) bool { return same(f.RolloutRevision, target) })
	m.reject(m.s.Stable, ReasonRollbackTo)
	m.s.Stable = target
	m.s.ID = m.newID(target.FunctionVersion)
	m.rollBackTo(target.FunctionVersion)
}

// rollBackTo begins a rollback to a version that the user has named.
func (m *machine) rollBackTo(version string) {
	m.s.Phase, m.s.StartedAt, m.s.FinishedAt = v1beta1.RolloutProgressing, stamp(m.now), nil
	m.enter(v1beta1.RolloutRollingBack, ReasonRollbackTo, "the user has chosen version "+version)
	m.intend(to(m.s, 0))
	m.event(true, EventRollingBack, fmt.Sprintf("rollout %s to version %s: the user has chosen it", m.s.ID, version))
}

// retry rolls a failed target out again.
func (m *machine) retry(string) bool {
	if m.s.Phase != v1beta1.RolloutFailed {
		return false
	}
	target := m.s.Target
	m.s.FailedTargets = slices.DeleteFunc(m.s.FailedTargets, func(f v1beta1.RolloutFailure) bool { return same(f.RolloutRevision, target) })
	m.ready()
	m.start()
	return true
}

// promoteStep ends the current pause, or the current step if that only waits.
func (m *machine) promoteStep(string) bool {
	switch i := m.index(); {
	case m.s.Step == v1beta1.RolloutPaused && m.s.Reason == ReasonDrift:
		m.intend(expected(m.s))
		m.enter(v1beta1.RolloutShifting, "", "the alias was changed by someone else")
		return true
	case m.s.Step == v1beta1.RolloutPaused && m.s.Reason == ReasonStep,
		m.s.Step == v1beta1.RolloutAnalyzing && i < len(m.steps) && m.steps[i].weight == 0 && m.steps[i].successes == 0:
		m.endStep()
		return true
	}
	return false
}

// promoteFull makes the target receive all invocations, without the remaining steps.
func (m *machine) promoteFull(string) bool {
	switch {
	case m.s.Phase != v1beta1.RolloutPending && m.s.Phase != v1beta1.RolloutProgressing:
		return false
	case m.s.Step == v1beta1.RolloutRollingBack, m.s.Step == v1beta1.RolloutPromoting, m.s.ObservedWeight >= all, m.spec.Paused:
		return false
	}
	m.promote("the user has skipped the remaining steps")
	return true
}

// superseded returns whether the desired version or the strategy has changed since the rollout
// began, and then ends it or begins its steps again.
func (m *machine) superseded() bool {
	s := m.s
	active := s.Phase == v1beta1.RolloutPending || s.Phase == v1beta1.RolloutProgressing && s.Step != v1beta1.RolloutRollingBack
	switch hash := stepHash(m.spec.Strategy); {
	case !active:
		return false
	case m.o.Target != s.Target.FunctionVersion && s.Phase == v1beta1.RolloutPending:
		m.ready()
	case m.o.Target != s.Target.FunctionVersion:
		m.rollBack(ReasonSuperseded, "version "+m.o.Target+" is desired now")
	case s.Intent != nil: // The alias may be about to change.
		return false
	case hash != s.StepHash:
		s.StepHash, s.CurrentStepIndex = hash, 0
		if s.Phase == v1beta1.RolloutPending || s.ObservedWeight >= all {
			return false
		}
		m.enter(v1beta1.RolloutAnalyzing, "", "the strategy has changed: its steps begin again")
	default:
		return false
	}
	return true
}

// late returns whether the rollout has made no progress in time, and then ends it.
func (m *machine) late() bool {
	end, ok := m.end()
	if !ok || !m.now.After(end) {
		return false
	}
	message := fmt.Sprintf("no progress for %s after the planned end of the step %s", m.deadline(), m.s.Step)
	if m.s.Message != "" {
		message += ": " + m.s.Message
	}
	if m.s.Phase == v1beta1.RolloutPending {
		m.fail(ReasonDeadline, message)
	} else {
		m.rollBack(ReasonDeadline, message)
	}
	return true
}

// end returns when the deadline of the current step ends, and false if it has none: the user has
// paused it, or has changed the alias, or it rolls back.
func (m *machine) end() (time.Time, bool) {
	s := m.s
	switch {
	case s.Phase != v1beta1.RolloutPending && s.Phase != v1beta1.RolloutProgressing, s.StepStartedAt == nil, s.Step == v1beta1.RolloutRollingBack:
		return time.Time{}, false
	case m.spec.Paused, s.Step == v1beta1.RolloutPaused && (s.Reason == ReasonUser || s.Reason == ReasonStep || s.Reason == ReasonDrift):
		return time.Time{}, false
	}
	return s.StepStartedAt.Add(m.planned() + m.deadline()), true
}

// planned returns how long the current step takes if nothing holds it up.
func (m *machine) planned() time.Duration {
	interval, delay := measuring(m.spec)
	i := m.index()
	switch {
	case m.s.Phase == v1beta1.RolloutPending:
		var d time.Duration
		for _, t := range m.spec.PreTraffic {
			d += time.Duration(ptr.Deref(t.Invoke.TimeoutSeconds, 10)) * time.Second //nolint:mnd // The API's default.
		}
		return d
	case m.s.ObservedWeight >= all:
		return max(m.bakeTime(), interval+delay)
	case i < len(m.steps) && m.steps[i].pause > 0:
		return m.steps[i].pause
	case i < len(m.steps) && m.steps[i].successes > 0:
		return delay + time.Duration(m.steps[i].successes)*interval
	}
	return interval + delay
}

// drifted returns whether someone else has changed the alias, and then does what spec wants.
func (m *machine) drifted() bool {
	s := m.s
	if m.o.Moving {
		return false
	}
	if s.Step == v1beta1.RolloutRollingBack || m.o.Route == expected(s) || s.Intent != nil && m.o.Route == intended(s.Intent) {
		s.Drift = ""
		if s.Step != v1beta1.RolloutPaused || s.Reason != ReasonDrift {
			return false
		}
		m.resume()
		s.StepStartedAt = stamp(m.now)
		return true
	}
	if m.recent() {
		return false
	}
	drift := fmt.Sprintf("someone else has changed the alias from %s to %s", expected(s), m.o.Route)
	if s.Drift == "" {
		m.event(true, EventDrift, drift)
	}
	s.Drift = drift
	switch m.spec.OnDrift {
	case v1beta1.OnDriftRevert:
		m.revert()
	case v1beta1.OnDriftAdopt:
		m.adopt()
	default:
		m.holdDrift()
	}
	return true
}

// recent returns whether the alias was changed a moment ago, so that AWS may still return what it
// was before.
func (m *machine) recent() bool {
	for _, t := range []time.Time{ptr.Deref(m.s.ShiftedAt, zero).Time, ptr.Deref(m.s.FinishedAt, zero).Time} {
		if since := m.now.Sub(t); since >= 0 && since < driftGrace {
			return true
		}
	}
	return false
}

// holdDrift leaves the alias as someone else has changed it. A target that has failed is rolled back
// all the same.
func (m *machine) holdDrift() {
	switch m.s.Phase {
	case v1beta1.RolloutProgressing:
		if h := healthOf(m.spec, m.s); h.rollback != "" {
			m.rollBack(h.reason, h.rollback)
			return
		}
		m.pause(ReasonDrift, m.s.Drift+": change it back, or set the annotation "+v1beta1.AnnotationRolloutAbort+", or "+v1beta1.AnnotationRolloutPromote+" to continue")
	case v1beta1.RolloutPending:
		m.ready()
	}
}

// revert changes the alias back.
func (m *machine) revert() {
	switch m.s.Phase {
	case v1beta1.RolloutProgressing:
		m.intend(expected(m.s))
		m.enter(v1beta1.RolloutShifting, "", m.s.Drift)
		return
	case v1beta1.RolloutPending:
		m.ready()
	}
	m.restore()
}

// adopt continues from what the alias is now.
func (m *machine) adopt() {
	w, known := weight(m.s, m.o.Route)
	m.s.Drift = ""
	switch progressing := m.s.Phase == v1beta1.RolloutProgressing; {
	case progressing && known && w > 0 && w < all:
		m.s.ObservedWeight, m.s.ShiftedAt, m.s.Intent = w, stamp(m.now), nil
		restart(m.s)
		m.enter(v1beta1.RolloutAnalyzing, "", "")
	case progressing && known && w == 0:
		m.rollBack(ReasonAborted, "someone else has returned all invocations to the stable version")
	case m.o.Route.Additional != "":
		m.s.Stable = v1beta1.RolloutRevision{FunctionVersion: m.o.Route.Version}
		m.s.Target = v1beta1.RolloutRevision{FunctionVersion: m.o.Route.Additional}
		m.rollBack(ReasonSuperseded, "someone else has divided the invocations: the rollout begins again")
	default:
		if m.o.Route.Version != m.s.Stable.FunctionVersion {
			m.s.Target = v1beta1.RolloutRevision{FunctionVersion: m.o.Route.Version}
			m.remember(m.s.Stable)
			m.s.Stable = m.s.Target
		}
		m.ready()
	}
}
