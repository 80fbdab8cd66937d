package rollout

import (
	"fmt"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
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
