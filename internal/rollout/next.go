package rollout

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/delay"
)

// Reasons of a state that is Paused, RollingBack or Failed.
const (
	// ReasonUser is a rollout that spec.rollout.paused pauses.
	ReasonUser = "Paused"
	// ReasonStep is a rollout in a pause without a duration.
	ReasonStep = "PauseStep"
	// ReasonInconclusive is a rollout whose health is not known.
	ReasonInconclusive = "Inconclusive"
	// ReasonDrift is a rollout whose alias someone else has changed.
	ReasonDrift = "AliasChanged"
	// ReasonAnalysisFailed is a target whose metrics or alarms have failed.
	ReasonAnalysisFailed = "AnalysisFailed"
	// ReasonAnalysisError is a target whose metric had no value too often.
	ReasonAnalysisError = "AnalysisError"
	// ReasonSmokeTest is a target whose invocation before any traffic has failed.
	ReasonSmokeTest = "SmokeTestFailed"
	// ReasonInvalidVersion is a target that can't serve.
	ReasonInvalidVersion = "InvalidVersion"
	// ReasonDeadline is a rollout that made no progress in time.
	ReasonDeadline = "ProgressDeadlineExceeded"
	// ReasonAborted is a rollout that the user has aborted.
	ReasonAborted = "Aborted"
	// ReasonRollbackTo is a rollback to a version that the user has named.
	ReasonRollbackTo = "RollbackTo"
	// ReasonSuperseded is a rollout whose target or strategy was replaced.
	ReasonSuperseded = "Superseded"
	// ReasonFailedBefore is a target whose code and configuration have failed in an earlier rollout.
	ReasonFailedBefore = "FailedBefore"
)

// Reasons of events.
const (
	EventStarted     = "RolloutStarted"
	EventShifted     = "RolloutShifted"
	EventPaused      = "RolloutPaused"
	EventPromoting   = "RolloutPromoting"
	EventCompleted   = "RolloutCompleted"
	EventRollingBack = "RolloutRollingBack"
	EventFailed      = "RolloutFailed"
	EventCommand     = "RolloutCommand"
	EventDrift       = "AliasChanged"
	EventWarning     = "RolloutMetricFailed"
)

// Bounds of the recorded lists.
const (
	maxHistory = 20
	maxFailed  = 50
)

// driftGrace is how long after a change of the alias AWS may still return what it was before.
const driftGrace = 30 * time.Second

// An Observation is what the caller has observed.
type Observation struct {
	// Route of the alias, and the RevisionID that it has with it.
	Route      Route
	RevisionID string

	// Moving says that AWS has accepted the last change of the alias and still moves it, as it
	// does while provisioned concurrency moves to another version. Route is where it moves to.
	Moving bool

	// Target is the number of the version that the alias is to invoke.
	Target string

	// Versions are what is known of versions, by their number.
	Versions map[string]Version

	// Commands are the values of the command annotations, by their key.
	Commands map[string]string

	// Measurements are the results of what was due. What is due and has none is measured after Wait,
	// or after a second if that is longer.
	Measurements []Measurement
	Wait         time.Duration
}

// A Version is what matters of a version for a rollout.
type Version struct {
	// Fingerprint is a hash of its code and configuration.
	Fingerprint string

	// Pending is why the version can't be invoked yet. Empty if it can.
	Pending string

	// Invalid is why it never will be. Empty if it may.
	Invalid string

	// Role and DeadLetter are the ARNs of the execution role and of the dead letter queue or topic.
	// AWS requires that two versions of an alias have the same.
	Role, DeadLetter string
}

// An Action is what the caller does next.
type Action string

// The actions.
const (
	// None is nothing but to persist the state.
	None Action = ""
	// Update changes the alias to Decision.Route, if it still has the revision of the intent.
	Update Action = "Update"
	// Invoke invokes the target version by its number for Decision.Test, and records the result.
	Invoke Action = "Invoke"
)

// An Event is something that users are told.
type Event struct {
	Warning         bool
	Reason, Message string
}

// A Decision is what is done next.
type Decision struct {
	// State to persist. If it differs from the former one, it is persisted before anything else.
	State *v1beta1.AliasRolloutStatus

	// Action is one that the former state has recorded.
	Action Action

	// Route that Update gives to the alias.
	Route Route

	// Test that Invoke makes.
	Test *v1beta1.RolloutSmokeTest

	// After is when to decide again, zero if only a change requires it.
	After time.Duration

	// Events about what has changed.
	Events []Event
}

// Versions returns the numbers of the versions that Next needs to know. After the deadline it needs
// none, so that nothing holds up the end of the rollout.
func Versions(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus, now time.Time) []string {
	if s == nil || s.Phase != v1beta1.RolloutPending || s.Step != v1beta1.RolloutValidating {
		return nil
	}
	m := &machine{spec: spec, s: s, now: now, steps: stepsOf(spec.Strategy)}
	if end, ok := m.end(); ok && now.After(end) {
		return nil
	}
	return []string{s.Target.FunctionVersion, s.Stable.FunctionVersion}
}

// Next returns what is done next. It makes at most one transition, so that after a long interruption
// no step is skipped.
func Next(spec *v1beta1.AliasRollout, state *v1beta1.AliasRolloutStatus, o Observation, now time.Time) Decision {
	m := &machine{spec: spec, was: state, o: o, now: now, steps: stepsOf(spec.Strategy)}
	if state == nil || state.Phase == "" {
		m.begin()
	} else {
		m.s = state.DeepCopy()
		keepChecks(spec, m.s)
		m.measured()
		m.advance()
	}
	return m.decide()
}

// A machine makes one decision.
type machine struct {
	spec   *v1beta1.AliasRollout
	was, s *v1beta1.AliasRolloutStatus
	o      Observation
	now    time.Time
	steps  []step
	events []Event
}

// stamp returns a time in the precision of the API, not earlier than t.
func stamp(t time.Time) *metav1.Time {
	return &metav1.Time{Time: t.Add(time.Second - 1).Truncate(time.Second)}
}

// begin makes the first state from what the alias is. A rollout whose state was lost begins again
// from the stable version. Commands that are older than the state are not carried out.
func (m *machine) begin() {
	m.s = &v1beta1.AliasRolloutStatus{Phase: v1beta1.RolloutReady, Stable: v1beta1.RolloutRevision{FunctionVersion: m.o.Route.Version}, FinishedAt: stamp(m.now)}
	m.s.Target = m.s.Stable
	for name, value := range m.o.Commands {
		m.handled(name, value)
	}
	if m.o.Route.Additional != "" {
		m.s.Target = v1beta1.RolloutRevision{FunctionVersion: m.o.Route.Additional}
		m.s.Phase, m.s.ObservedWeight, m.s.FinishedAt = v1beta1.RolloutProgressing, m.o.Route.Weight, nil
		m.rollBack(ReasonSuperseded, "the state of the rollout is not known: it begins again")
	}
}

// measured records what was measured.
func (m *machine) measured() {
	for _, r := range m.o.Measurements {
		Record(m.s, r, m.now)
		if metric := metricOf(m.spec, r.Name); r.Type == CheckMetric && r.Result == Failure && metric != nil && metric.OnFailure == "Warn" {
			m.event(true, EventWarning, describe(check(m.s, r.CheckID)))
		}
	}
}

// advance makes the transition that is due: commands first, then a new target, the deadline, and a
// change of the alias by someone else.
func (m *machine) advance() {
	if m.command() || m.superseded() || m.late() || m.drifted() {
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
		m.s.Message = "spec.rollout.paused is true: version " + m.o.Target + " waits"
		return
	}
	s := m.s
	s.Target = v1beta1.RolloutRevision{FunctionVersion: m.o.Target}
	s.ID = m.newID(m.o.Target)
	s.Phase, s.StartedAt, s.FinishedAt = v1beta1.RolloutPending, stamp(m.now), nil
	s.Checks, s.ObservedWeight, s.CurrentStepIndex, s.Intent = nil, 0, 0, nil
	s.ShiftedAt, s.TrafficStartedAt = nil, nil
	s.StepHash, s.Direct = stepHash(m.spec.Strategy), false
	m.enter(v1beta1.RolloutValidating, "", "")
	m.event(false, EventStarted, fmt.Sprintf("rollout %s from version %s to version %s", s.ID, s.Stable.FunctionVersion, s.Target.FunctionVersion))
}

// newID returns the ID of a rollout of a version that begins now.
func (m *machine) newID(version string) string {
	return version + "-" + strconv.FormatInt(m.now.Unix(), 36)
}

// inWindow returns whether a version, or one with the same code and configuration, is one of the last
// stable ones that spec lets return at once.
func (m *machine) inWindow(version v1beta1.RolloutRevision) bool {
	if m.spec.RollbackWindow == nil {
		return false
	}
	for i, r := range m.s.History {
		if i < int(m.spec.RollbackWindow.Revisions) && same(r, version) {
			return true
		}
	}
	return false
}

// enter begins a step.
func (m *machine) enter(step, reason, message string) {
	m.s.Step, m.s.Reason, m.s.Message = step, reason, message
	m.s.StepStartedAt, m.s.UpdateFailures, m.s.UpdateFailedAt = stamp(m.now), 0, nil
}

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

// complete makes the target the stable version.
func (m *machine) complete() {
	from := m.s.Stable
	m.event(false, EventCompleted, fmt.Sprintf("rollout %s: version %s is stable", m.s.ID, m.s.Target.FunctionVersion))
	m.remember(from)
	m.s.Stable = m.s.Target
	m.ready()
}

// ready ends the rollout with the stable version as its target.
func (m *machine) ready() {
	m.s.Target = m.s.Stable
	m.finish(v1beta1.RolloutReady, "", "")
}

// finish ends the rollout.
func (m *machine) finish(phase, reason, message string) {
	s := m.s
	s.Phase, s.Step, s.Reason, s.Message = phase, "", reason, message
	s.Intent, s.ObservedWeight, s.CurrentStepIndex, s.Direct = nil, 0, 0, false
	s.StepStartedAt, s.FinishedAt, s.UpdateFailures, s.UpdateFailedAt = nil, stamp(m.now), 0, nil
}

// remember adds a version to the history.
func (m *machine) remember(r v1beta1.RolloutRevision) {
	history := []v1beta1.RolloutRevision{r}
	for _, h := range m.s.History {
		if h.FunctionVersion != r.FunctionVersion && h.FunctionVersion != m.s.Target.FunctionVersion && len(history) < maxHistory {
			history = append(history, h)
		}
	}
	m.s.History = history
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

// reject records that a version has failed.
func (m *machine) reject(r v1beta1.RolloutRevision, reason string) {
	failures := []v1beta1.RolloutFailure{{RolloutRevision: r, Reason: reason, FailedAt: stamp(m.now)}}
	for _, f := range m.s.FailedTargets {
		if f.FunctionVersion != r.FunctionVersion && len(failures) < maxFailed {
			failures = append(failures, f)
		}
	}
	m.s.FailedTargets = failures
}

// fail ends a rollout that has moved no invocation.
func (m *machine) fail(reason, message string) {
	if reason != ReasonFailedBefore {
		m.reject(m.s.Target, reason)
	}
	m.event(true, EventFailed, fmt.Sprintf("rollout %s of version %s: %s: %s", m.s.ID, m.s.Target.FunctionVersion, reason, message))
	m.finish(v1beta1.RolloutFailed, reason, message)
}

// rollBack returns all invocations to the stable version. It is recorded before the alias is
// changed that the target has failed, so that an interruption does not make it a new target.
func (m *machine) rollBack(reason, message string) {
	if reason != ReasonSuperseded {
		m.reject(m.s.Target, reason)
	}
	m.s.Phase = v1beta1.RolloutProgressing
	m.enter(v1beta1.RolloutRollingBack, reason, message)
	m.intend(to(m.s, 0))
	m.event(reason != ReasonSuperseded, EventRollingBack, fmt.Sprintf("rollout %s from version %s to version %s: %s: %s", m.s.ID, m.s.Target.FunctionVersion, m.s.Stable.FunctionVersion, reason, message))
}

// rollingBack waits until the stable version receives all invocations. It never gives up.
func (m *machine) rollingBack() {
	m.intend(to(m.s, 0))
	if !m.at(to(m.s, 0)) {
		return
	}
	m.arrived()
	if m.s.Reason == ReasonSuperseded {
		m.ready()
		return
	}
	reason, message := m.s.Reason, m.s.Message
	m.event(true, EventFailed, fmt.Sprintf("rollout %s: version %s receives all invocations again: %s", m.s.ID, m.s.Stable.FunctionVersion, reason))
	m.finish(v1beta1.RolloutFailed, reason, message)
}

func (m *machine) event(warning bool, reason, message string) {
	m.events = append(m.events, Event{Warning: warning, Reason: reason, Message: message})
}

// deadline returns how long a step may take in addition to its planned duration.
func (m *machine) deadline() time.Duration {
	return time.Duration(ptr.Deref(m.spec.ProgressDeadlineSeconds, 600)) * time.Second //nolint:mnd // The API's default.
}

// Recreated records in a state that the alias was created again with the stable version, because
// someone else had deleted it. A rollout begins again.
func Recreated(s *v1beta1.AliasRolloutStatus, now time.Time) {
	s.ObservedWeight, s.CurrentStepIndex, s.Intent, s.Drift = 0, 0, nil, ""
	s.ShiftedAt, s.TrafficStartedAt = nil, nil
	if s.Phase == v1beta1.RolloutProgressing && s.Step != v1beta1.RolloutRollingBack {
		s.Phase, s.Step, s.Reason, s.Checks = v1beta1.RolloutPending, v1beta1.RolloutValidating, "", nil
		s.StepStartedAt, s.Message = stamp(now), "the alias was created again"
	}
}
