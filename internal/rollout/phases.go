package rollout

import (
	"cmp"
	"fmt"
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/delay"
)

// validate begins the rollout when the target can serve and what it needs is healthy.
func (m *machine) validate() {
	target, known := m.o.Versions[m.s.Target.FunctionVersion]
	if !known {
		m.s.Message = "reads the version"
		return
	}
	m.s.Target.Fingerprint = target.Fingerprint
	if f := m.failedBefore(m.s.Target); f != nil {
		m.fail(ReasonFailedBefore, fmt.Sprintf("its code and configuration have failed before as version %s (%s): publish a fix, or set the annotation %s", f.FunctionVersion, f.Reason, v1beta1.AnnotationRolloutRetry))
		return
	}
	m.s.Direct = m.inWindow(m.s.Target)
	stable := m.o.Versions[m.s.Stable.FunctionVersion]
	m.s.Stable.Fingerprint = cmp.Or(stable.Fingerprint, m.s.Stable.Fingerprint)
	switch wait := m.waits(target, stable); {
	case target.Invalid != "":
		m.fail(ReasonInvalidVersion, target.Invalid)
	case m.spec.Paused:
		m.s.Message = "spec.rollout.paused is true"
	case wait != "":
		m.s.Message = wait
	case m.s.Direct:
		m.promote("it was stable recently")
	case len(m.spec.PreTraffic) > 0:
		m.enter(v1beta1.RolloutPreTraffic, "", "")
	default:
		m.progress()
	}
}

// waits returns what the rollout waits for before it begins. Empty if it waits for nothing.
func (m *machine) waits(target, stable Version) string {
	if target.Pending != "" {
		return target.Pending
	}
	if m.s.Direct {
		return ""
	}
	if len(m.steps) > 0 && stable.Fingerprint != "" && (target.Role != stable.Role || target.DeadLetter != stable.DeadLetter) {
		return "version " + m.s.Target.FunctionVersion + " has another execution role or dead letter queue than version " + m.s.Stable.FunctionVersion +
			": AWS does not divide invocations between them; use the strategy allAtOnce"
	}
	ids, _ := checksOf(m.spec)
	for _, id := range ids {
		if id.Type == CheckMetric {
			continue
		}
		switch c := check(m.s, id); {
		case c == nil:
			return id.Type + " " + id.Name + " has no result yet"
		case id.Type == CheckAlarm && c.Result == Failure && m.spec.Analysis.Alarms.PreExisting != "Block":
			c.Ignored = true
		case id.Type == CheckAlarm && c.Result == Inconclusive:
		case c.Result != Success:
			return describe(c)
		}
	}
	return ""
}

// preTraffic invokes the target for each smoke test. The caller records the results.
func (m *machine) preTraffic() {
	test, c := nextTest(m.spec, m.s)
	switch {
	case test == nil:
		m.progress()
	case c == nil:
		record(m.s, CheckID{CheckPreTraffic, test.Name}).Result = Running
	case c.Result == Failure, c.Result == Error && c.Errors >= smokeTestErrors:
		m.fail(ReasonSmokeTest, describe(c))
	case c.Result != Running && !m.now.Before(c.MeasuredAt.Add(retryDelay(c.Errors))):
		c.Result = Running
	}
}

// retryDelay returns how long after so many errors in a row a smoke test is repeated.
func retryDelay(errors int32) time.Duration {
	return delay.Doubling(5*time.Second, int(errors), 80*time.Second)
}

// progress begins to move invocations.
func (m *machine) progress() {
	m.s.Phase = v1beta1.RolloutProgressing
	m.enter(v1beta1.RolloutAnalyzing, "", "")
}

// shift waits until the intended route is in effect.
func (m *machine) shift() {
	if m.spec.Paused {
		m.pause(ReasonUser, "spec.rollout.paused is true")
		return
	}
	if m.s.Intent == nil { // The state was edited.
		m.enter(v1beta1.RolloutAnalyzing, "", "")
		return
	}
	if h := healthOf(m.spec, m.s); h.rollback != "" {
		m.rollBack(h.reason, h.rollback)
		return
	}
	m.intend(intended(m.s.Intent))
	if !m.at(intended(m.s.Intent)) {
		return
	}
	m.arrived()
	if m.index() < len(m.steps) && m.steps[m.index()].weight == m.s.ObservedWeight {
		m.s.CurrentStepIndex++
	}
	m.enter(v1beta1.RolloutAnalyzing, "", "")
}

// at returns whether the alias has a route, and AWS does not move it there any more.
func (m *machine) at(r Route) bool { return m.o.Route == r && !m.o.Moving }

// arrived records that the intended route is in effect.
func (m *machine) arrived() {
	w, _ := weight(m.s, m.o.Route)
	m.s.ObservedWeight, m.s.Intent, m.s.ShiftedAt = w, nil, stamp(m.now)
	restart(m.s)
	if m.s.TrafficStartedAt == nil && w > 0 {
		m.s.TrafficStartedAt = m.s.ShiftedAt
	}
	if m.s.Step != v1beta1.RolloutRollingBack {
		m.event(false, EventShifted, fmt.Sprintf("rollout %s: %s", m.s.ID, m.o.Route))
	}
}

// index returns the index of the current step, at most the number of steps.
func (m *machine) index() int { return min(max(int(m.s.CurrentStepIndex), 0), len(m.steps)) }

// intend records a route as the intent, with the revision of the alias that it changes.
func (m *machine) intend(r Route) {
	m.s.Intent = &v1beta1.RolloutIntent{FunctionVersion: r.Version, AdditionalVersion: r.Additional, Weight: r.Weight, RevisionID: m.o.RevisionID}
}

// analyze ends the current step when it is over and the target is healthy.
func (m *machine) analyze() {
	h := healthOf(m.spec, m.s)
	switch {
	case h.rollback != "":
		m.rollBack(h.reason, h.rollback)
		return
	case m.spec.Paused:
		m.pause(ReasonUser, "spec.rollout.paused is true")
		return
	case h.pause != "":
		m.pause(ReasonInconclusive, h.pause)
		return
	}
	i := m.index()
	if i == len(m.steps) {
		if m.succeeded(1) {
			m.promote("all steps are done")
		}
		return
	}
	switch st := m.steps[i]; {
	case st.weight > 0:
		if m.succeeded(1) {
			m.intend(to(m.s, st.weight))
			m.enter(v1beta1.RolloutShifting, "", "")
		}
	case st.successes > 0:
		if m.succeeded(st.successes) {
			m.endStep()
		}
	case st.pause > 0:
		if !m.now.Before(m.s.StepStartedAt.Add(st.pause)) {
			m.endStep()
		}
	default:
		m.pause(ReasonStep, "the pause has no duration: set the annotation "+v1beta1.AnnotationRolloutPromote)
	}
}

// succeeded returns whether each check has succeeded so often since the target received its present
// weight. It is true before the target receives any invocation.
func (m *machine) succeeded(times int32) bool {
	if m.s.ObservedWeight == 0 {
		return true
	}
	m.s.Message = missing(m.spec, m.s, times)
	if m.s.Message != "" {
		m.s.Message = "waits for the analysis: " + m.s.Message
	}
	return m.s.Message == ""
}

// endStep goes to the next step.
func (m *machine) endStep() {
	m.s.CurrentStepIndex = int32(m.index()) + 1 //nolint:gosec // A strategy has at most 198 steps.
	m.enter(v1beta1.RolloutAnalyzing, "", "")
}

// pause stops the rollout. The time of the step goes on, so that the deadline applies, except where
// the user has paused.
func (m *machine) pause(reason, message string) {
	if m.s.Step != v1beta1.RolloutPaused || m.s.Reason != reason {
		m.event(reason != ReasonUser && reason != ReasonStep, EventPaused, fmt.Sprintf("rollout %s at %s: %s", m.s.ID, expected(m.s), message))
	}
	m.s.Step, m.s.Reason, m.s.Message = v1beta1.RolloutPaused, reason, message
}

// paused continues the rollout if the reason of the pause has gone.
func (m *machine) paused() {
	h := healthOf(m.spec, m.s)
	if h.rollback != "" {
		m.rollBack(h.reason, h.rollback)
		return
	}
	if m.s.Intent != nil && m.at(intended(m.s.Intent)) {
		m.arrived() // The pause came after the call.
	}
	switch {
	case m.spec.Paused:
		m.pause(ReasonUser, "spec.rollout.paused is true")
	case m.s.Reason == ReasonUser:
		m.resume()
		m.s.StepStartedAt = stamp(m.now)
	case m.s.Reason == ReasonStep:
	case h.pause != "":
		m.pause(ReasonInconclusive, h.pause)
	default:
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

// promote makes the target receive all invocations.
func (m *machine) promote(why string) {
	m.s.Phase = v1beta1.RolloutProgressing
	m.enter(v1beta1.RolloutPromoting, "", why)
	m.intend(to(m.s, all))
	m.event(false, EventPromoting, fmt.Sprintf("rollout %s: version %s receives all invocations: %s", m.s.ID, m.s.Target.FunctionVersion, why))
}

// promoting waits until the target receives all invocations.
func (m *machine) promoting() {
	if h := healthOf(m.spec, m.s); h.rollback != "" {
		m.rollBack(h.reason, h.rollback)
		return
	}
	if m.at(to(m.s, all)) {
		m.arrived()
		if m.s.Direct || m.spec.FinalBakeTime == nil || m.spec.FinalBakeTime.Duration <= 0 {
			m.complete()
			return
		}
		m.enter(v1beta1.RolloutBaking, "", "")
		return
	}
	m.intend(to(m.s, all))
}

// bake completes the rollout when the bake time is over and the target is healthy.
func (m *machine) bake() {
	h := healthOf(m.spec, m.s)
	switch {
	case h.rollback != "":
		m.rollBack(h.reason, h.rollback)
	case m.spec.Paused:
		m.pause(ReasonUser, "spec.rollout.paused is true")
	case h.pause != "":
		m.pause(ReasonInconclusive, h.pause)
	case m.now.Before(m.s.StepStartedAt.Add(m.bakeTime())):
	case m.succeeded(1):
		m.complete()
	}
}

func (m *machine) bakeTime() time.Duration {
	if m.spec.FinalBakeTime == nil {
		return 0
	}
	return m.spec.FinalBakeTime.Duration
}
