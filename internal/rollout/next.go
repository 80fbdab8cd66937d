package rollout

import (
	"fmt"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// Versions returns the numbers of the versions that Next needs to know: before any invocation moves to one, it must
// be known that AWS can invoke it.
func Versions(s *v1beta1.AliasRolloutStatus, commands map[string]string) []string {
	if s == nil {
		return nil
	}
	var needed []string
	if s.Step == v1beta1.RolloutValidating {
		needed = append(needed, s.Target.FunctionVersion, s.Stable.FunctionVersion)
	}
	if isNew(s, commands, v1beta1.AnnotationRolloutRollbackTo) {
		if number, _, _ := strings.Cut(commands[v1beta1.AnnotationRolloutRollbackTo], "/"); remembers(s, number) {
			needed = append(needed, number)
		}
	}
	return needed
}

// Next returns what is done next. It makes at most one transition, so that after a long interruption
// no step is skipped.
func Next(spec *v1beta1.AliasRollout, state *v1beta1.AliasRolloutStatus, o Observation, now time.Time) Decision {
	m := &machine{spec: spec, was: state, o: o, now: now, steps: stepsOf(spec.Strategy)}
	if state == nil || state.Phase == "" {
		m.begin()
	} else {
		m.s = state.DeepCopy()
		if o.Target == "" {
			m.o.Target = m.s.Target.FunctionVersion
		}
		m.s.Waits = ""
		m.elapse()
		m.correctTimes()
		keepChecks(spec, m.s)
		define(spec, m.s)
		m.measured()
		define(spec, m.s)
		m.advance()
		m.recordReplaced()
	}
	if m.s.Phase == v1beta1.RolloutReady && m.s.Message == "" && o.Target != "" &&
		o.Target != m.s.Stable.FunctionVersion { // Nobody is to take the stable version for the desired one.
		m.s.Message = "version " + o.Target + " is to be rolled out"
	}
	return m.decide()
}

// begin makes the first state from what the alias is. A rollout whose state was lost begins again
// from the stable version. Commands that are older than the state are not carried out.
func (m *machine) begin() {
	m.s = &v1beta1.AliasRolloutStatus{
		Phase: v1beta1.RolloutReady, Stable: m.revision(m.o.Route.Version), FinishedAt: stamp(m.now),
	}
	m.s.Target = m.s.Stable
	for name, value := range m.o.Commands {
		m.handled(name, value)
	}
	if m.o.Route.Additional != "" {
		m.s.Target = m.revision(m.o.Route.Additional)
		// At least one, if it is no whole percentage.
		m.s.Phase, m.s.ObservedWeight, m.s.FinishedAt = v1beta1.RolloutProgressing, max(m.o.Route.Weight, 1), nil
		m.rollBack(v1beta1.RolloutReasonSuperseded, "the state of the rollout is not known: it begins again")
	}
}

// advance makes the transition that is due: for evidence against the target first, then for commands, the deadline, a
// change of the alias by someone else, and a new target.
func (m *machine) advance() {
	if m.failing() || m.command() || m.late() || m.drifted() || m.superseded() {
		return
	}
	switch m.s.Step {
	case v1beta1.RolloutValidating:
		m.validate()
	case v1beta1.RolloutPreTraffic:
		m.preTraffic()
	case v1beta1.RolloutShifting:
		m.shift()
	case v1beta1.RolloutAnalyzing:
		m.analyze()
	case v1beta1.RolloutPaused:
		m.paused()
	case v1beta1.RolloutPromoting:
		m.promoting()
	case v1beta1.RolloutBaking:
		m.bake()
	case v1beta1.RolloutRollingBack:
		m.rollingBack()
	default:
		m.start()
	}
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
	step := m.s.Step
	if step == v1beta1.RolloutPaused {
		step = m.resumed()
	}
	message := fmt.Sprintf("no progress for %s after the planned end of the step %s", m.deadline(), step)
	if m.s.Message != "" {
		message += ": " + m.s.Message
	}
	if n := m.s.StepRestarts; n > maxRestarts {
		message += fmt.Sprintf("; it was measured anew %d times: someone else has changed the alias again and again", n)
	}
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
