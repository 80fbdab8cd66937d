package rollout

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// drifted reports whether someone else has changed the alias, and then does what spec wants. An alias that has the
// revision of the intent is as it was when the intent was recorded. One that has the weight of a step may have got it
// by a call that was sent before the intent was replaced by another one. If all invocations were returned to the stable
// version, that is where a rollout of another target begins.
func (m *machine) drifted() bool {
	s := m.s
	if s.TrafficStartedAt != nil && m.invokesAnother() {
		m.changedBack() // It is not yet, and nothing is measured of the target meanwhile.
	}
	switch {
	case s.Step == v1beta1.RolloutRollingBack, m.o.Route == expected(s),
		s.Intent != nil && (m.o.Route == intended(s.Intent) || m.o.RevisionID == s.Intent.RevisionID ||
			m.ofStep(m.o.Route)):
		if s.DifferentSince != nil { // What is measured of the time before may be of another version.
			m.restart()
			if s.TrafficStartedAt != nil && !s.TrafficStartedAt.Before(s.DifferentSince) { // As an alarm may be.
				m.changedBack()
			}
		}
		s.Drift, s.DifferentSince = "", nil
		if s.Step != v1beta1.RolloutPaused || s.Reason != v1beta1.RolloutReasonAliasChanged {
			return false
		}
		m.arrived()
		m.resume()
		return true
	case m.replaced() && m.o.Route == to(s, 0):
		return false
	case m.o.Moving && (InProgress(s) || m.spec.OnDrift == v1beta1.OnDriftAdopt):
		return true // AWS still moves it there. A rollout ends at its deadline meanwhile.
	case m.alternates():
		s.DifferentSince = cmp.Or(s.DifferentSince, stamp(m.now))
	case s.DifferentSince == nil || m.now.Before(s.DifferentSince.Time):
		s.DifferentSince = stamp(m.now)
		return true
	case m.now.Before(s.DifferentSince.Add(driftGrace)):
		return true
	}
	drift := fmt.Sprintf("someone else has changed the alias from %s to %s", expected(s), m.o.Route)
	if s.Drift == "" {
		m.eventf(true, v1beta1.EventAliasChanged, "%s", drift)
	}
	s.Drift = drift
	switch m.spec.OnDrift {
	case v1beta1.OnDriftRevert:
		m.revert()
	case v1beta1.OnDriftAdopt:
		m.adopt()
	default:
		m.leave()
	}
	return true
}

// contention is the time for which a version is not adopted again from which the alias was taken.
const contention = time.Hour

// contends reports whether someone else makes the alias invoke a version again from which it was taken lately. Two
// tools that adopt what the other one does would otherwise displace each other's version for ever.
func (m *machine) contends() bool {
	s := m.s
	own := []string{s.Stable.FunctionVersion, s.Target.FunctionVersion}
	return slices.ContainsFunc(s.Replaced, func(r v1beta1.RolloutReplacement) bool {
		v := r.FunctionVersion
		return (v == m.o.Route.Version || v == m.o.Route.Additional) && !slices.Contains(own, v) &&
			m.now.Sub(r.ReplacedAt.Time).Abs() < contention
	})
}

// alternates reports whether the alias has been changed and changed back since the rollout so often that another
// difference is no answer of an earlier state. A rollout that is in progress ends at its deadline. What is adopted has
// to last.
func (m *machine) alternates() bool {
	return !InProgress(m.s) && m.s.StepRestarts >= maxRestarts && m.spec.OnDrift != v1beta1.OnDriftAdopt
}

// invokesAnother reports whether the alias invokes a version that is neither the stable one nor the target. No old
// answer of a rollout has that.
func (m *machine) invokesAnother() bool {
	r, own := m.o.Route, []string{"", m.s.Stable.FunctionVersion, m.s.Target.FunctionVersion}
	return !slices.Contains(own, r.Version) || !slices.Contains(own, r.Additional)
}

// ofStep reports whether a route is that of a step.
func (m *machine) ofStep(r Route) bool {
	return slices.ContainsFunc(m.steps, func(st step) bool { return st.weight > 0 && to(m.s, st.weight) == r })
}

// leave leaves the alias as someone else has changed it.
func (m *machine) leave() {
	switch m.s.Phase {
	case v1beta1.RolloutProgressing:
		then := ", or " + v1beta1.AnnotationRolloutPromote + " to continue"
		if m.replaced() {
			then = "; version " + m.o.Target + " waits for that"
		}
		m.pause(v1beta1.RolloutReasonAliasChanged, m.s.Drift+": change it back, or set the annotation "+
			v1beta1.AnnotationRolloutAbort+then)
	case v1beta1.RolloutPending:
		m.ready()
	}
}

func (m *machine) revert() {
	switch m.s.Phase {
	case v1beta1.RolloutProgressing:
		m.shiftTo(expected(m.s), m.s.Drift)
		return
	case v1beta1.RolloutPending:
		m.ready()
	}
	m.restore()
}

// shiftTo changes the alias that someone else has changed. The step then continues where it stood.
func (m *machine) shiftTo(r Route, why string) {
	m.intend(r)
	m.s.Step, m.s.Reason, m.s.Message = v1beta1.RolloutShifting, "", why
}

func (m *machine) adopt() {
	if m.contends() {
		m.leave()
		return
	}
	w, known := weight(m.s, m.o.Route)
	m.s.Drift, m.s.DifferentSince = "", nil
	switch progressing := m.s.Phase == v1beta1.RolloutProgressing; {
	case progressing && known && w > 0 && w < all:
		m.arrived()
		m.resume()
	case progressing && known && w == 0:
		// The weight is kept, so that the rollback is sent: the answer may be an old one, if the clock was set.
		m.rollBack(v1beta1.RolloutReasonAborted, "someone else has returned all invocations to the stable version")
	case progressing && m.isExchanged() && m.o.Route.Weight != OtherWeight:
		m.shiftTo(to(m.s, all-m.o.Route.Weight), "someone else has divided the invocations the other way round")
	case m.o.Route.Additional != "":
		if !progressing || !m.isExchanged() {
			m.adoptVersion()
			m.s.Target = m.revision(m.o.Route.Additional)
		}
		m.rollBack(v1beta1.RolloutReasonSuperseded,
			"someone else has divided the invocations: the rollout begins again")
	default:
		m.adoptVersion()
		m.ready()
	}
}

// adoptVersion makes the alias's version the stable one.
func (m *machine) adoptVersion() {
	if m.o.Route.Version == m.s.Stable.FunctionVersion {
		return
	}
	if m.o.Route.Version != m.s.Target.FunctionVersion {
		m.s.Target = m.revision(m.o.Route.Version)
	}
	m.remember(m.s.Stable)
	m.s.Stable = m.s.Target
	m.forgive(m.s.Stable)
	m.restart()
}

// isExchanged reports whether the alias's version is the target, and the stable version has a weight.
func (m *machine) isExchanged() bool {
	return m.o.Route.Version == m.s.Target.FunctionVersion && m.o.Route.Additional == m.s.Stable.FunctionVersion
}

// restore returns all invocations to the stable version after a rollout, because someone else has changed the alias.
func (m *machine) restore() {
	reason, message := m.s.Reason, m.s.Message
	if m.s.Phase == v1beta1.RolloutReady || m.s.Step == v1beta1.RolloutValidating { // Then a rollout may begin again.
		reason, message = v1beta1.RolloutReasonSuperseded, "the alias was changed by someone else"
	}
	m.s.Phase = v1beta1.RolloutProgressing
	m.enter(v1beta1.RolloutRollingBack, reason, message)
	m.intend(to(m.s, 0))
}

// isDifferent reports whether the alias differs from what is expected, and it is not known yet whether that lasts.
func (m *machine) isDifferent() bool { return m.s.DifferentSince != nil && m.s.Drift == "" }
