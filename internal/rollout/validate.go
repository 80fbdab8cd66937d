package rollout

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// start begins a rollout if the desired version is not the one that serves.
func (m *machine) start() {
	if m.o.Target == m.s.Stable.FunctionVersion {
		if m.s.Phase == v1beta1.RolloutFailed {
			m.ready()
		}
		m.s.Message = ""
		return
	}
	if m.s.Phase == v1beta1.RolloutFailed && m.o.Target == m.s.Target.FunctionVersion {
		return
	}
	if m.o.Moving || m.o.Route != expected(m.s) {
		return // AWS may still return what the alias was before.
	}
	if m.spec.Paused {
		if m.s.Phase == v1beta1.RolloutFailed {
			m.ready() // Its message is of another version.
		}
		m.s.Message = isPaused + ": version " + m.o.Target + " waits"
		return
	}
	s := m.s
	s.Target = m.revision(m.o.Target)
	s.ID = m.newID(m.o.Target)
	s.Phase, s.StartedAt, s.FinishedAt = v1beta1.RolloutPending, stamp(m.now), nil
	s.Checks, s.ObservedWeight, s.CurrentStepIndex, s.Intent = nil, 0, 0, nil
	s.TrafficStartedAt, s.ChangedBack, s.TimeoutSeconds, s.Woken = nil, false, 0, nil
	s.StepHash, s.Direct, s.Retried = hashOf(m.spec.Strategy), false, false
	m.enter(v1beta1.RolloutValidating, "", "")
	m.eventf(false, v1beta1.EventRolloutStarted, "rollout %s from version %s to version %s", s.ID,
		DescribeVersion(s.Stable), DescribeVersion(s.Target))
}

// validate begins the rollout when the target can serve and what it needs is healthy. A rollout that has failed
// because that was not so in time is validated again when it is observed: no invocation has moved.
func (m *machine) validate() {
	target, known := m.o.Versions[m.s.Target.FunctionVersion]
	if !known {
		m.say("reads the version")
		return
	}
	stable := m.o.Versions[m.s.Stable.FunctionVersion]
	m.s.Target.Fingerprint = cmp.Or(target.Fingerprint, m.s.Target.Fingerprint)
	m.s.Stable.Fingerprint = cmp.Or(stable.Fingerprint, m.s.Stable.Fingerprint)
	m.forgive(v1beta1.RolloutRevision{Fingerprint: m.s.Stable.Fingerprint}) // It serves, whoever has chosen it.
	if m.s.Retried {
		m.forgive(m.s.Target)
	}
	// It is at most maxTimeout.
	m.s.TimeoutSeconds = int32(min(target.Timeout, maxTimeout) / time.Second) //nolint:gosec // See above.
	if f := m.failedBefore(m.s.Target); f != nil {
		m.fail(v1beta1.RolloutReasonFailedBefore, fmt.Sprintf(
			"its code and configuration have failed before as version %s (%s)", f.FunctionVersion, f.Reason))
		return
	}
	if target.Invalid != "" {
		m.fail(v1beta1.RolloutReasonInvalidVersion, target.Invalid)
		return
	}
	if m.spec.Paused {
		m.say(isPaused)
		return
	}
	if wait := m.waitsFor(target, stable); wait != "" {
		m.say(wait)
		return
	}
	m.validated()
}

// validated begins the rollout of a target that can serve.
func (m *machine) validated() {
	if m.s.Phase == v1beta1.RolloutFailed {
		m.s.Phase, m.s.FinishedAt = v1beta1.RolloutPending, nil
		m.eventf(false, v1beta1.EventRolloutStarted, "rollout %s of version %s continues: what it waited for is there",
			m.s.ID, m.s.Target.FunctionVersion)
	}
	direct := m.isDirect()
	m.s.Direct = direct != ""
	switch {
	case m.s.Direct:
		m.promote(direct)
	case len(m.spec.PreTraffic) > 0:
		m.enter(v1beta1.RolloutPreTraffic, "", "")
	default:
		m.progress()
	}
}

// maxTimeout is the longest timeout of a function.
const maxTimeout = 15 * time.Minute

// say sets the message of a rollout that waits. One that has failed keeps the message of its failure.
func (m *machine) say(message string) {
	if m.s.Phase != v1beta1.RolloutFailed {
		m.s.Message = message
	}
}

// isDirect returns why the target moves in one step, without smoke tests and analysis. Empty if it does not. A target
// that is retried has failed since it was stable.
func (m *machine) isDirect() string {
	if f := m.s.Target.Fingerprint; f != "" && f == m.s.Stable.Fingerprint {
		return "it has the code and configuration of version " + m.s.Stable.FunctionVersion
	}
	if m.spec.RollbackWindow == nil || m.s.Retried {
		return ""
	}
	for i, r := range m.s.History {
		if i < int(m.spec.RollbackWindow.Revisions) && same(r, m.s.Target) {
			return "it was stable recently"
		}
	}
	return ""
}

// stableWithin is the time for which a rollout waits until the stable version can serve after a rollback, and until AWS
// returns it, since one with the same code and configuration moves in one step. An inactive one is invoked once. After
// that, the rollout, which may be the remedy, begins all the same.
const stableWithin = time.Minute

// waitsFor returns what the rollout waits for before it begins. Empty if it waits for nothing.
func (m *machine) waitsFor(target, stable Version) string {
	if why := target.unusable(m.s.Target.FunctionVersion); why != "" {
		if target.Inactive {
			m.wakes(m.s.Target.FunctionVersion)
		}
		return why
	}
	if (stable.Inactive || stable.Pending != "") && m.s.Phase == v1beta1.RolloutPending &&
		m.s.StepElapsed.Duration < stableWithin {
		if stable.Inactive {
			m.wakes(m.s.Stable.FunctionVersion)
		}
		return stable.unusable(m.s.Stable.FunctionVersion)
	}
	if m.isDirect() != "" {
		return ""
	}
	if len(m.steps) > 0 && strings.HasPrefix(m.s.Stable.FunctionVersion, "$LATEST") {
		return "the alias invokes " + m.s.Stable.FunctionVersion + ", which is not published: AWS does not divide " +
			"invocations between it and a version; use the strategy allAtOnce"
	}
	if len(m.steps) > 0 && stable.Fingerprint != "" &&
		(target.Role != stable.Role || target.DeadLetter != stable.DeadLetter) {
		return "version " + m.s.Target.FunctionVersion +
			" has another execution role or dead letter queue than version " + m.s.Stable.FunctionVersion +
			": AWS does not divide invocations between them; use the strategy allAtOnce"
	}
	return m.blocked()
}

// wakeEvery is the time after which a version is invoked again that is still inactive: AWS could not prepare it.
const wakeEvery = 10 * time.Minute

// wakes has an inactive version invoked, unless it was lately.
func (m *machine) wakes(version string) {
	if at, ok := m.s.Woken[version]; !ok || m.now.Sub(at.Time).Abs() >= wakeEvery {
		m.wake = version
	}
}
