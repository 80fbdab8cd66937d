package rollout

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// What became of a command.
type outcome int

const (
	// carriedOut is a command that has its effect.
	carriedOut outcome = iota
	// refused is a command that does not apply. It is not carried out later.
	refused
	// waiting is a command that is carried out later: once it is known that AWS can invoke the version, or the alias is
	// as expected.
	waiting
)

// commands are the command annotations in the order in which they are carried out.
var commands = []struct {
	name string
	do   func(m *machine, value string) (what outcome, why string)
}{
	{v1beta1.AnnotationRolloutAbort, (*machine).abort},
	{v1beta1.AnnotationRolloutRollbackTo, (*machine).rollbackTo},
	{v1beta1.AnnotationRolloutRetry, (*machine).retry},
	{v1beta1.AnnotationRolloutPromoteFull, (*machine).promoteFull},
	{v1beta1.AnnotationRolloutPromote, (*machine).promoteStep},
}

// Returns reports whether a command that is new returns to a version that has served before.
func Returns(s *v1beta1.AliasRolloutStatus, commands map[string]string) bool {
	return isNew(s, commands, v1beta1.AnnotationRolloutAbort) || isNew(s, commands, v1beta1.AnnotationRolloutRollbackTo)
}

// isNew reports whether there is a command of a name that was not handled.
func isNew(s *v1beta1.AliasRolloutStatus, commands map[string]string, name string) bool {
	value := commands[name]
	return value != "" && value != s.HandledCommands[name] &&
		!slices.Contains(s.FormerCommands, hashOf([]string{name, value}))
}

// DoesNotApply precedes the reason in the event of a command that does not apply.
const DoesNotApply = " does not apply: "

// command carries out the first command that is new, and reports whether it has changed what is next. It is
// recorded as handled even if it does not apply to the present step, but not while it waits.
func (m *machine) command() bool {
	for _, c := range commands {
		if !isNew(m.s, m.o.Commands, c.name) {
			continue
		}
		value := m.o.Commands[c.name]
		name := strings.TrimPrefix(c.name, v1beta1.RolloutAnnotationPrefix)
		what, why := c.do(m, value)
		if what == waiting {
			if why == "" {
				continue
			}
			m.s.Waits = why
			return m.wait()
		}
		m.handled(c.name, value)
		if what == carriedOut {
			m.eventf(false, v1beta1.EventRolloutCommand, "%s (%s)", name, value)
		} else {
			m.eventf(true, v1beta1.EventRolloutCommand, "%s (%s)"+DoesNotApply+"%s", name, value, why)
		}
		return true
	}
	return m.misspelt()
}

// misspelt warns of the first new annotation that has the commands' prefix and is no command, and reports whether there
// is one.
func (m *machine) misspelt() bool {
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	for _, name := range slices.Sorted(maps.Keys(m.o.Commands)) {
		if slices.Contains(names, name) || !isNew(m.s, m.o.Commands, name) {
			continue
		}
		m.handled(name, m.o.Commands[name])
		m.eventf(true, v1beta1.EventRolloutCommand, "the annotation %s is no command. The commands are %s", name,
			strings.Join(names, ", "))
		return true
	}
	return false
}

// idle returns why a command that needs a rollout in progress does not apply.
func (m *machine) idle() string { return "no rollout is in progress: " + Summary(m.s) }

func (m *machine) handled(name, value string) {
	if m.s.HandledCommands == nil {
		m.s.HandledCommands = map[string]string{}
	}
	if former := m.s.HandledCommands[name]; former != "" {
		m.s.FormerCommands = prepend(m.s.FormerCommands, hashOf([]string{name, former}), maxFormer)
	}
	m.s.HandledCommands[name] = value
}

// abort returns all invocations to the stable version. After a rollout, it undoes what someone else has changed.
func (m *machine) abort(string) (outcome, string) {
	return m.end(v1beta1.RolloutReasonAborted, "aborted by the user")
}

// end ends a rollout for a reason of the user, or undoes what someone else has changed after one.
func (m *machine) end(reason, why string) (outcome, string) {
	switch {
	case m.s.Step == v1beta1.RolloutRollingBack:
		return refused, Summary(m.s)
	case (m.s.Phase == v1beta1.RolloutPending || m.s.Step == v1beta1.RolloutValidating) && m.o.Route == expected(m.s):
		m.fail(reason, why)
	case InProgress(m.s) || m.s.Step == v1beta1.RolloutValidating:
		m.rollBack(reason, why)
	case m.o.Route == expected(m.s) && !m.o.Moving:
		return refused, m.idle()
	default:
		m.restore()
	}
	return carriedOut, ""
}

// remembers reports whether the history has a version, so that the alias can return to it.
func remembers(s *v1beta1.AliasRolloutStatus, version string) bool {
	return slices.ContainsFunc(s.History, func(r v1beta1.RolloutRevision) bool { return r.FunctionVersion == version })
}

// rollbackTo makes a version of the history, or the stable one, receive all invocations. The present
// target is not rolled out again. A version of the history has to be able to serve: until then, the
// stable version does. During a rollback the user may also choose the target itself: if
// the stable version was deleted, the rollback can't end otherwise.
func (m *machine) rollbackTo(value string) (outcome, string) {
	version, _, _ := strings.Cut(value, "/")
	switch {
	case version == m.s.Stable.FunctionVersion:
		return m.end(v1beta1.RolloutReasonRollbackTo, "the user has chosen version "+version)
	case remembers(m.s, version):
		return m.returnTo(version)
	case version == m.s.Target.FunctionVersion && m.s.Step == v1beta1.RolloutRollingBack:
		m.chooses(m.s.Target)
		return carriedOut, ""
	}
	if len(m.s.History) == 0 {
		return refused, "version " + version + " is not in the history, which is empty"
	}
	var known []string
	for _, r := range m.s.History {
		known = append(known, r.FunctionVersion)
	}
	return refused, fmt.Sprintf("version %s is not in the history: choose one of %s", version,
		strings.Join(known, ", "))
}

// returnTo makes a version of the history receive all invocations if it can serve.
func (m *machine) returnTo(version string) (outcome, string) {
	v, known := m.o.Versions[version]
	switch why := v.unusable(version); {
	case v.Invalid != "", v.Missing:
		return refused, why
	case !known:
		return waiting, "rollback-to waits: reads version " + version
	case v.Inactive:
		m.wakes(version)
		return waiting, "rollback-to waits: " + why
	case why != "":
		return waiting, "rollback-to waits: " + why
	}
	i := slices.IndexFunc(m.s.History, func(r v1beta1.RolloutRevision) bool { return r.FunctionVersion == version })
	m.chooses(m.s.History[i])
	return carriedOut, ""
}

// wait prepares for a command that waits for a version: the stable version serves until then. It reports whether that
// has changed what is next.
func (m *machine) wait() bool {
	if !InProgress(m.s) {
		return true
	}
	what, _ := m.end(v1beta1.RolloutReasonAborted, "the user has chosen another version")
	return what == carriedOut
}

// chooses makes a version that the user has named the stable one, and begins to move all invocations to it. What has
// served until now, and the present target, are rejected.
func (m *machine) chooses(version v1beta1.RolloutRevision) {
	former := m.s.Stable
	served := m.s.Step != v1beta1.RolloutRollingBack || m.s.Reason != v1beta1.RolloutReasonRollbackTo
	m.s.History = slices.DeleteFunc(m.s.History,
		func(r v1beta1.RolloutRevision) bool { return r.FunctionVersion == version.FunctionVersion })
	if served {
		m.remember(former)
	}
	m.forgive(version)
	m.s.Stable = version
	for _, r := range []v1beta1.RolloutRevision{m.s.Target, former} {
		if r.FunctionVersion != version.FunctionVersion {
			m.reject(r, v1beta1.RolloutReasonRollbackTo)
		}
	}
	m.s.ID = m.newID(version.FunctionVersion)
	m.s.Phase, m.s.StartedAt, m.s.FinishedAt = v1beta1.RolloutProgressing, stamp(m.now), nil
	m.enter(v1beta1.RolloutRollingBack, v1beta1.RolloutReasonRollbackTo, "the user has chosen version "+
		version.FunctionVersion)
	m.intend(to(m.s, 0))
	m.eventf(true, v1beta1.EventRolloutRollingBack, "rollout %s to version %s: the user has chosen it", m.s.ID,
		version.FunctionVersion)
}

// retry rolls a failed target out again. It waits while the alias is not as the failed rollout has left it.
func (m *machine) retry(string) (outcome, string) {
	switch {
	case m.s.Phase != v1beta1.RolloutFailed:
		return refused, "there is nothing to retry: " + Summary(m.s)
	case m.replaced():
		return refused, "version " + m.o.Target + " is desired now"
	case m.spec.Paused:
		return refused, pausedBySpec
	case m.o.Moving || m.o.Route != expected(m.s):
		return waiting, ""
	}
	m.forgive(m.s.Target)
	m.ready()
	m.start()
	m.s.Retried = true
	return carriedOut, ""
}

// promoteStep ends the current pause, or the current step if that only waits. In a pause because of a change by
// someone else, it changes the alias back and continues.
func (m *machine) promoteStep(string) (outcome, string) {
	switch i := m.index(); {
	case m.replaced():
		return refused, "version " + m.o.Target + " is desired now"
	case m.s.Step == v1beta1.RolloutPaused && m.s.Reason == v1beta1.RolloutReasonAliasChanged:
		m.shiftTo(expected(m.s), "the alias was changed by someone else")
		m.s.StepElapsed.Duration = min(m.s.StepElapsed.Duration, m.planned()) // It has all of its deadline again.
		return carriedOut, ""
	case m.s.Step == v1beta1.RolloutPaused && m.s.Reason == v1beta1.RolloutReasonPauseStep,
		m.s.Step == v1beta1.RolloutAnalyzing && i < len(m.steps) && m.step().weight+m.step().successes == 0:
		m.endStep()
		return carriedOut, ""
	}
	return refused, cmp.Or(m.notPromoted(), fmt.Sprintf("rollout %s does not wait for a promotion: %s; to skip the "+
		"remaining steps and checks, promote it in full", m.s.ID, Position(m.s)))
}

// notPromoted returns why no promotion applies. It is empty if all steps can be skipped.
func (m *machine) notPromoted() string {
	switch {
	case !InProgress(m.s):
		return m.idle()
	case m.s.Step == v1beta1.RolloutRollingBack:
		return Summary(m.s)
	case m.s.Step == v1beta1.RolloutPromoting, m.s.ObservedWeight >= all && !undecided(m.spec, m.s):
		return fmt.Sprintf("rollout %s is promoted already: %s", m.s.ID, Position(m.s))
	case m.spec.Paused:
		return pausedBySpec
	}
	return ""
}

// promoteFull makes the target receive all invocations, without the remaining steps, and passes over the failures that
// have paused the rollout. It waits until it is known that the target can serve.
func (m *machine) promoteFull(string) (outcome, string) {
	target := m.o.Versions[m.s.Target.FunctionVersion]
	switch why := m.notPromoted(); {
	case why != "":
		return refused, why
	case m.replaced():
		return refused, "version " + m.o.Target + " is desired now"
	case m.outdated(), m.s.Step == v1beta1.RolloutValidating && (m.s.Target.Fingerprint == "" ||
		target.Fingerprint == "" || target.unusable("") != ""):
		return waiting, ""
	}
	for i := range m.s.Checks { // The user knows of alarms that fire already, and of failures that have paused.
		c := &m.s.Checks[i]
		if c.Type == CheckAlarm && c.Result == Failure && !m.mayServe() ||
			c.Type == CheckMetric && pausesByFailure(MetricOf(m.spec, c.Name), c) {
			c.Ignored = true
		}
	}
	if m.s.ObservedWeight >= all {
		m.resume()
	} else {
		m.promote("the user has skipped the remaining steps")
	}
	return carriedOut, ""
}
