package rollout

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// decide returns the decision. An action is one that the former state has recorded; otherwise the
// state is persisted first.
func (m *machine) decide() Decision {
	d := Decision{State: m.s, Events: m.events}
	switch {
	case !m.unchanged():
		d.After = soon
	case m.s.Intent != nil && m.acts():
		d.Action, d.Route = Update, intended(m.s.Intent)
	case m.wake != "":
		d.Action, d.Version = Wake, m.wake
		if m.s.Woken == nil {
			m.s.Woken = map[string]metav1.Time{}
		}
		m.s.Woken[m.wake] = *stamp(m.now)
	case m.s.Step == v1beta1.RolloutPreTraffic && !m.spec.Paused:
		if test, c := nextTest(m.spec, m.s); test != nil && c != nil && c.Result == Running {
			d.Action, d.Test = Invoke, test
		}
	}
	if d.After == 0 {
		d.After = m.next()
	}
	if d.After > 0 && InProgress(m.s) {
		m.s.NextCheckAt = stamp(m.now.Add(m.o.Took + d.After + time.Second - 1))
		if !m.halted() {
			m.s.ObservedAt = stamp(m.now)
		}
	}
	return d
}

// soon is the wait before the next decision after the state was persisted.
const soon = time.Nanosecond

// unchanged reports whether what decides about actions is as it was persisted.
func (m *machine) unchanged() bool {
	return m.was != nil && m.was.Phase == m.s.Phase && m.was.Step == m.s.Step && m.was.Reason == m.s.Reason &&
		m.was.CurrentStepIndex == m.s.CurrentStepIndex && m.was.StepHash == m.s.StepHash &&
		m.was.Stable == m.s.Stable && m.was.Target == m.s.Target &&
		m.was.ObservedWeight == m.s.ObservedWeight && equality.Semantic.DeepEqual(m.was.Intent, m.s.Intent) &&
		equality.Semantic.DeepEqual(m.was.FailedTargets, m.s.FailedTargets) &&
		equality.Semantic.DeepEqual(m.was.HandledCommands, m.s.HandledCommands) && m.sameTests()
}

// sameTests reports whether the results of the smoke tests are as they were persisted.
func (m *machine) sameTests() bool {
	for i := range m.s.Checks {
		c := &m.s.Checks[i]
		if was := CheckOf(m.was, CheckID{c.Type, c.Name}); c.Type == CheckPreTraffic &&
			(was == nil || was.Result != c.Result) {
			return false
		}
	}
	return true
}

// acts reports whether the step changes the alias. A rollback is also sent while AWS still moves the alias: to the
// target, or to the stable version without having accepted the rollback.
func (m *machine) acts() bool {
	isThere := m.o.Route == intended(m.s.Intent)
	if m.s.Step == v1beta1.RolloutRollingBack {
		isThere = isThere && m.isSure() && (!m.o.Moving || m.s.Intent.Accepted)
	}
	if isThere || m.now.Before(RetryAt(m.s)) {
		return false
	}
	switch m.s.Step {
	case v1beta1.RolloutShifting, v1beta1.RolloutPromoting:
		return !m.stops() && !m.o.Moving && m.s.DifferentSince == nil
	case v1beta1.RolloutRollingBack:
		return true
	}
	return false
}

// How often a rollout is observed that waits.
const (
	// pausedEvery is the interval at which the alias is read of a rollout that waits for its user or for AWS.
	pausedEvery = time.Minute

	// commandEvery is the interval at which a version is read for which a command waits.
	commandEvery = 15 * time.Second

	// A target that can't serve yet is read after 2 seconds at first, and after a fifth of the time that it has
	// waited later, up to a minute.
	validateLeast = 2 * time.Second
	validateMost  = time.Minute
	validateShare = 5
)

// next returns when to decide again: at the next measurement, at the end of the step, or at its
// deadline. It is zero if only a change requires it.
func (m *machine) next() time.Duration {
	waits := m.atStep()
	if InProgress(m.s) {
		waits = append(waits, m.atMeasurement()...)
	}
	if m.isDifferent() {
		waits = append(waits, driftGrace)
	}
	if m.s.Waits != "" {
		waits = append(waits, commandEvery)
	}
	if len(waits) == 0 {
		return 0
	}
	return max(slices.Min(waits), soon)
}

// atMeasurement returns after how long something is measured.
func (m *machine) atMeasurement() (waits []time.Duration) {
	due, next := Due(m.spec, m.s, m.now)
	if !next.IsZero() {
		waits = append(waits, next.Sub(m.now))
	}
	if len(due) > 0 {
		waits = append(waits, max(m.o.Wait, time.Second))
	}
	return waits
}

// atStep returns after how long the current step may go on or has to end.
func (m *machine) atStep() (waits []time.Duration) {
	if !InProgress(m.s) {
		return nil
	}
	left, hasDeadline := m.left()
	if hasDeadline {
		waits = append(waits, left+1)
	}
	analyzes := m.s.Step == v1beta1.RolloutAnalyzing || m.s.Step == v1beta1.RolloutBaking
	switch d := StepDuration(m.spec, m.s); {
	case analyzes && d > m.s.StepElapsed.Duration:
		waits = append(waits, d-m.s.StepElapsed.Duration)
	case m.s.Step == v1beta1.RolloutValidating:
		waits = append(waits, min(max(m.s.StepElapsed.Duration/validateShare, validateLeast), validateMost))
	case m.s.Step == v1beta1.RolloutPreTraffic && !m.spec.Paused:
		if _, c := nextTest(m.spec, m.s); c != nil && c.Result == Error && c.MeasuredAt != nil {
			waits = append(waits, c.MeasuredAt.Add(retryDelay(c.Errors)).Sub(m.now))
		}
	}
	if t := RetryAt(m.s); m.s.Intent != nil && t.After(m.now) {
		waits = append(waits, t.Sub(m.now))
	}
	if !analyzes || !hasDeadline {
		waits = append(waits, pausedEvery)
	}
	return waits
}
