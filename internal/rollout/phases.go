package rollout

import (
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

// paused continues the rollout if the reason of the pause has gone.
func (m *machine) paused() {
	if m.s.Intent != nil && m.at(intended(m.s.Intent)) {
		m.arrived() // The pause came after the call.
	}
	if !m.o.Moving && (m.s.Reason != v1beta1.RolloutReasonPauseStep || m.spec.Paused) && !m.unhealthy() {
		m.resume()
	}
}

// promoting waits until the target receives all invocations. A metric that pauses the rollout by its failure still
// does.
func (m *machine) promoting() {
	switch waits := undecided(m.spec, m.s); {
	case waits && m.o.Route == expected(m.s) && m.unhealthy():
	case !m.at(to(m.s, all)):
		m.intend(to(m.s, all))
		m.s.Message = strings.TrimSuffix(m.s.Message, "; "+isPaused)
		if m.spec.Paused {
			m.s.Message = unrefused(m.s) + "; " + isPaused
		}
	default:
		m.arrived()
		m.enter(v1beta1.RolloutBaking, "", "")
		if m.s.Direct || BakeTime(m.spec) <= 0 && !waits {
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

// isSure reports whether an alias in which the target receives nothing is so in AWS. The answer may be from before the
// target received invocations, or from before the version served that the user has replaced by another one, unless AWS
// has accepted the rollback, or returns it for long.
func (m *machine) isSure() bool {
	untouched := m.s.ObservedWeight == 0 && m.s.Reason != v1beta1.RolloutReasonRollbackTo
	return untouched || m.s.Intent.Accepted || m.s.StepElapsed.Duration >= driftGrace
}
