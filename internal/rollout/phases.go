package rollout

import (
	"slices"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
)

// preTraffic invokes the target for each smoke test. The caller records the results.
func (m *machine) preTraffic() {
	test, c := nextTest(m.spec, m.s)
	m.s.Message = ""
	switch {
	case test == nil:
		m.progress()
	case c != nil && c.Result == Failure:
		m.fail(v1beta1.RolloutReasonSmokeTestFailed, DescribeCheck(c))
	case c != nil && c.Result == Error && c.Errors >= smokeTestErrors:
		m.fail(v1beta1.RolloutReasonSmokeTestError, DescribeCheck(c))
	case m.spec.Paused:
		m.s.Message = isPaused
	case c == nil || c.Result == "":
		record(m.s, CheckID{CheckPreTraffic, test.Name}).Result = Running
	case c.Result != Running && !m.now.Before(c.MeasuredAt.Add(retryDelay(c.Errors))):
		c.Result = Running
	}
}

// retryDelay returns how long after so many errors in a row a smoke test is repeated.
func retryDelay(errors int32) time.Duration {
	return delay.Doubling(5*time.Second, int(errors), 80*time.Second)
}

func (m *machine) progress() {
	m.s.Phase = v1beta1.RolloutProgressing
	m.enter(v1beta1.RolloutAnalyzing, "", "")
}

// shift waits until the intended route is in effect. What AWS has not accepted yet waits for the health.
func (m *machine) shift() {
	switch {
	case (m.stops() || m.o.Route == expected(m.s)) && m.unhealthy():
	case m.s.Intent == nil: // The state was edited.
		m.enter(v1beta1.RolloutAnalyzing, "", "")
	case !m.at(intended(m.s.Intent)):
		m.intend(intended(m.s.Intent))
	default:
		m.arrived()
		if w := m.s.ObservedWeight; w > 0 && m.step().weight == w {
			m.endStep()
			return
		}
		m.resume() // Someone else had changed it.
	}
}

// stops reports whether the user has paused the rollout, so that its intent is not sent, unless that changes the alias
// back to the weight at which it is paused.
func (m *machine) stops() bool {
	return m.spec.Paused && (m.s.Intent == nil || intended(m.s.Intent) != expected(m.s))
}

// at reports whether the alias has a route, and AWS does not move it there any more.
func (m *machine) at(r Route) bool { return m.o.Route == r && !m.o.Moving }

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

// index returns the index of the current step, at most the number of steps.
func (m *machine) index() int { return min(max(int(m.s.CurrentStepIndex), 0), len(m.steps)) }

// step returns the current step, without any field after the last one.
func (m *machine) step() step {
	if i := m.index(); i < len(m.steps) {
		return m.steps[i]
	}
	return step{}
}

// intend records a route as the intent, with the revision of the alias that it changes.
func (m *machine) intend(r Route) {
	accepted := m.s.Intent != nil && m.s.Intent.Accepted && intended(m.s.Intent) == r
	m.s.Intent = &v1beta1.RolloutIntent{
		FunctionVersion: r.Version, AdditionalVersion: r.Additional, Weight: r.Weight, RevisionID: m.o.RevisionID,
		Accepted: accepted,
	}
}

// failing rolls back if there is evidence against a target that has received invocations, and reports whether it has.
// A target that moves directly is not judged.
func (m *machine) failing() bool {
	if m.s.Phase != v1beta1.RolloutProgressing || m.s.Step == v1beta1.RolloutRollingBack || m.s.Direct ||
		!m.mayServe() {
		return false
	}
	h := healthOf(m.spec, m.s)
	if h.rollback != "" {
		m.rollBack(h.reason, h.rollback)
	}
	return h.rollback != ""
}

// lowers reports whether the current step gives the target less than it has, as after a change of the strategy. That
// needs no health.
func (m *machine) lowers() bool {
	next, w := m.step().weight, m.s.ObservedWeight
	return m.s.Step != v1beta1.RolloutPromoting && w < all && next > 0 && next < w
}

// unhealthy pauses the rollout if the user has paused it or the health is not known, and reports whether it has. A
// target that moves directly is not measured.
func (m *machine) unhealthy() bool {
	switch h := healthOf(m.spec, m.s); {
	case m.spec.Paused:
		m.pause(v1beta1.RolloutReasonPaused, isPaused)
	case h.pause != "" && !m.s.Direct && !m.lowers():
		m.pause(v1beta1.RolloutReasonInconclusive, h.pause)
	default:
		return false
	}
	return true
}

// undecided reports whether a metric with onFailure: Pause has failed, and the user has not promoted the target since.
func (m *machine) undecided() bool {
	return slices.ContainsFunc(m.s.Checks, func(c v1beta1.RolloutCheck) bool {
		return c.Type == CheckMetric && pausesByFailure(MetricOf(m.spec, c.Name), &c)
	})
}

// analyze ends the current step when it is over and the target is healthy. A target that moves directly comes here only
// after someone else has changed the alias: it is not measured, and moves on.
func (m *machine) analyze() {
	if m.s.Direct && !m.spec.Paused {
		m.promote("it moves in one step")
		return
	}
	if m.unhealthy() {
		return
	}
	if m.index() == len(m.steps) {
		if m.succeeded(1) {
			m.promote("all steps are done")
			if m.s.ObservedWeight == 0 && m.spec.Analysis != nil && BakeTime(m.spec) <= 0 {
				m.s.Step = v1beta1.RolloutShifting // Nothing has judged the target yet: it bakes after that.
			}
		}
		return
	}
	switch st := m.step(); {
	case st.weight > 0 && st.weight == m.s.ObservedWeight: // Such as when the rollout was paused after the call.
		m.endStep()
	case st.weight > 0:
		if m.lowers() || m.succeeded(1) {
			m.intend(to(m.s, st.weight))
			m.enter(v1beta1.RolloutShifting, "", "")
		}
	case st.successes > 0:
		if m.succeeded(st.successes) {
			m.endStep()
		}
	case st.pause > 0:
		if m.s.StepElapsed.Duration >= st.pause {
			m.endStep()
		}
	default:
		m.pause(v1beta1.RolloutReasonPauseStep, "the pause has no duration: set the annotation "+
			v1beta1.AnnotationRolloutPromote)
	}
}

// succeeded reports whether each check has succeeded so often with the present weight, and has judged all invocations
// that it has to. Before the target receives any invocation, there are only dependencies and alarms.
func (m *machine) succeeded(times int32) bool {
	since := JudgedSince(m.spec, m.s, m.now)
	if m.s.ObservedWeight == 0 || since == nil {
		m.s.Message = m.blocked()
		return m.s.Message == ""
	}
	m.s.Message = missing(m.spec, m.s, times, since.Time, m.now)
	if m.s.Message != "" {
		m.s.Message = "waits for the analysis: " + m.s.Message
	}
	return m.s.Message == ""
}

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

// paused continues the rollout if the reason of the pause has gone.
func (m *machine) paused() {
	if m.s.Intent != nil && m.at(intended(m.s.Intent)) {
		m.arrived() // The pause came after the call.
	}
	if !m.o.Moving && (m.s.Reason != v1beta1.RolloutReasonPauseStep || m.spec.Paused) && !m.unhealthy() {
		m.resume()
	}
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

// promoting waits until the target receives all invocations. A metric that pauses the rollout by its failure still
// does.
func (m *machine) promoting() {
	switch undecided := m.undecided(); {
	case undecided && m.o.Route == expected(m.s) && m.unhealthy():
	case !m.at(to(m.s, all)):
		m.intend(to(m.s, all))
		m.s.Message = strings.TrimSuffix(m.s.Message, "; "+isPaused)
		if m.spec.Paused {
			m.s.Message = unrefused(m.s) + "; " + isPaused
		}
	default:
		m.arrived()
		m.enter(v1beta1.RolloutBaking, "", "")
		if m.s.Direct || BakeTime(m.spec) <= 0 && !undecided {
			m.complete()
		}
	}
}

// bake completes the rollout when the bake time is over and the target is healthy.
func (m *machine) bake() {
	if !m.unhealthy() && m.s.StepElapsed.Duration >= BakeTime(m.spec) && m.succeeded(1) {
		m.complete()
	}
}
