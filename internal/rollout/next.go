package rollout

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// Bounds of the recorded lists.
const (
	maxHistory  = 20
	maxFailed   = 50
	maxReplaced = 50
	maxFormer   = 20
)

// driftGrace is the time for which AWS may return the earlier state of the alias. A route that is still another one
// after that is a change by someone else.
const driftGrace = 30 * time.Second

// An Observation is the state that the caller has observed.
type Observation struct {
	// Route of the alias, and the RevisionID that it has with it.
	Route      Route
	RevisionID string

	// Moving says that AWS has accepted the last change of the alias and still moves it, as it
	// does while provisioned concurrency moves to another version. Route is where it moves to.
	Moving bool

	// Target is the number of the version that the alias is to invoke. Empty if spec names none: then the
	// alias stays as it is.
	Target string

	// Versions are the versions that are known, by number.
	Versions map[string]Version

	// Revisions are the revisions of the versions' code that are known, by number.
	Revisions map[string]string

	// Commands are the values of the command annotations, by their key.
	Commands map[string]string

	// Measurements are the results of what was due. What is due and has none is measured after Wait,
	// or after a second if that is longer.
	Measurements []Measurement
	Wait         time.Duration

	// Took is the duration of the observation.
	Took time.Duration
}

// A Version is the state of a version, as far as it matters for a rollout.
type Version struct {
	// Fingerprint is a hash of its code and configuration. Empty if it is not known.
	Fingerprint string

	// Timeout of the version's invocations.
	Timeout time.Duration

	// Pending is the reason why the version can't be invoked yet, or why that is unknown. Empty if it can.
	Pending string

	// Missing says that AWS has no such version.
	Missing bool

	// Inactive says that AWS has released the version's resources, because it was not invoked for long.
	// The next invocation fails, and makes AWS prepare the version.
	Inactive bool

	// Invalid is the reason why the version can never be invoked. Empty if it may be.
	Invalid string

	// Role and DeadLetter are the ARNs of the execution role and of the dead letter queue or topic.
	// AWS requires that two versions of an alias have the same.
	Role, DeadLetter string
}

// unusable returns why a version can't be invoked now. Empty if it can.
func (v Version) unusable(number string) string {
	switch {
	case v.Invalid != "":
		return v.Invalid
	case v.Missing:
		return "version " + number + " does not exist"
	case v.Inactive:
		return "version " + number + " is Inactive: it is invoked once, so that AWS prepares it"
	}
	return v.Pending
}

// An Action is the caller's next action.
type Action string

// The actions.
const (
	// None is nothing but to persist the state.
	None Action = ""
	// Update changes the alias to Decision.Route, if it still has the revision of the intent.
	Update Action = "Update"
	// Invoke invokes the target version by its number for Decision.Test, and records the result.
	Invoke Action = "Invoke"
	// Wake invokes Decision.Version, which is Inactive, by its number. The invocation fails without running
	// code, and AWS prepares the version.
	Wake Action = "Wake"
)

// An Event is something that users are told.
type Event struct {
	Warning         bool
	Reason, Message string
}

// A Decision is the result of Next.
type Decision struct {
	// State to persist. If it differs from the former one, it is persisted before anything else.
	State *v1beta1.AliasRolloutStatus

	// Action is one that the former state has recorded.
	Action Action

	// Route that Update gives to the alias.
	Route Route

	// Test that Invoke makes.
	Test *v1beta1.RolloutSmokeTest

	// Version that Wake invokes.
	Version string

	// After is the wait before the next decision, zero if only a change requires one.
	After time.Duration

	// Events about what has changed.
	Events []Event
}

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

// A machine makes one decision.
type machine struct {
	spec   *v1beta1.AliasRollout
	was, s *v1beta1.AliasRolloutStatus
	o      Observation
	now    time.Time
	steps  []step
	events []Event

	// wake is the number of an inactive version that is to be invoked.
	wake string
}

func stamp(t time.Time) *metav1.Time { return &metav1.Time{Time: t.Truncate(time.Second)} }

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

// measured records what was measured. An alarm that is in state ALARM since before the target has received invocations
// says nothing about it.
func (m *machine) measured() {
	for _, r := range m.o.Measurements {
		metric := MetricOf(m.spec, r.Name)
		if r.Type == CheckMetric && r.Until.IsZero() {
			r.Until = m.now.Add(-m.timeout())
		}
		added := r.Result == Failure && m.isEarlier(r) && !wasKnown(CheckOf(m.s, r.CheckID))
		r = m.attributed(r)
		Record(m.s, r, m.now)
		c, first, failed := CheckOf(m.s, r.CheckID), m.s.TrafficStartedAt, r.Result == Failure
		switch {
		case r.Type == CheckAlarm && (added || failed && !m.mayServe()):
			c.Ignored = m.spec.Analysis.Alarms.PreExisting != "Block"
		case r.Type == CheckAlarm && failed && first != nil && r.About.After(first.Time):
			c.Ignored = false // It has left ALARM and returned to it since.
		case r.Type != CheckMetric || metric == nil:
		case metric.DryRun:
			c.Failures = 0 // They do not count later either.
		case failed && metric.OnFailure == "Warn":
			m.eventf(true, v1beta1.EventRolloutMetricFailed, "%s", DescribeCheck(c))
		}
	}
}

// wasKnown reports whether the state of an alarm has been known. One that only had errors has judged nothing that began
// before it was measured.
func wasKnown(c *v1beta1.RolloutCheck) bool {
	return c != nil && (c.Result != Error || !c.JudgedUntil.Equal(c.MeasuredAt))
}

// isEarlier reports whether an alarm is in its state because of what was before the target received invocations.
func (m *machine) isEarlier(r Measurement) bool {
	first := m.s.TrafficStartedAt
	return first != nil && !r.About.IsZero() && !r.About.After(first.Time)
}

// evaluation returns the longest interval at which CloudWatch evaluates an alarm that shows an invocation after lag.
// The alarm's state may be that of so long ago. It is a minute, and 10 seconds with periods of less than a minute.
func evaluation(lag time.Duration) time.Duration { return min(time.Minute, lag) }

// attributed returns a measurement as what it says about the target: nothing while someone else has changed the alias
// so that it may be of another version, and nothing if an alarm has evaluated only what was before the target received
// invocations, or after such a change also something of that time. Such an alarm counts once all of its periods are
// later, unless it has blocked the rollout since before that.
func (m *machine) attributed(r Measurement) Measurement {
	first := m.s.TrafficStartedAt
	earlier := m.isEarlier(r) || r.Type == CheckAlarm && m.s.ChangedBack
	switch {
	case first == nil || r.Type == CheckDependency || r.Result == Error:
	case !m.isOfTarget():
		r.Result, r.Message = Inconclusive, "someone else has changed the alias: it may be of another version"
	case r.Result == Failure && earlier && (r.Until.Before(first.Add(evaluation(m.now.Sub(r.Until)))) ||
		m.spec.Analysis.Alarms.PreExisting == "Block" && !r.Since.After(first.Time)):
		r.Result = Inconclusive
		r.Message += " because of what was before the target received invocations"
	}
	return r
}

// isOfTarget reports whether what is measured of the alias is of the target, and of no version but the stable one. A
// target that has received all invocations is measured with all that the alias invokes. An alias that someone has just
// changed back is measured by what it was.
func (m *machine) isOfTarget() bool {
	r, stable, target := m.o.Route, m.s.Stable.FunctionVersion, m.s.Target.FunctionVersion
	switch {
	case m.s.DifferentSince != nil && r == expected(m.s):
		return false
	case r.Additional == "":
		return r.Version == target
	case m.s.ObservedWeight >= all:
		return false
	}
	return r.Version == stable && r.Additional == target || r.Version == target && r.Additional == stable
}

// mayServe reports whether the target has received invocations, or may have: the change of the alias may have been
// sent, or someone else has made it.
func (m *machine) mayServe() bool {
	r, target := m.o.Route, m.s.Target.FunctionVersion
	return m.s.TrafficStartedAt != nil || m.s.Intent != nil || r.Version == target || r.Additional == target
}

func (m *machine) timeout() time.Duration { return time.Duration(m.s.TimeoutSeconds) * time.Second }

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

// revision returns what is known of a version that has not been read yet.
func (m *machine) revision(version string) v1beta1.RolloutRevision {
	return v1beta1.RolloutRevision{FunctionVersion: version, CodeRevision: m.o.Revisions[version]}
}

// DescribeVersion returns the number of a version, with the revision of its code if that is known: 3
// (main@sha1:c5d4e9).
func DescribeVersion(r v1beta1.RolloutRevision) string {
	if r.CodeRevision == "" {
		return r.FunctionVersion
	}
	return r.FunctionVersion + " (" + r.CodeRevision + ")"
}

// newID returns the ID of a rollout of a version that begins now.
func (m *machine) newID(version string) string {
	return version + "-" + strconv.FormatInt(m.now.Unix(), 36)
}

// enter begins a step. A rollback has an ID even if no rollout has begun before it.
func (m *machine) enter(step, reason, message string) {
	m.s.ID = cmp.Or(m.s.ID, m.newID(m.s.Target.FunctionVersion))
	m.s.Step, m.s.Reason, m.s.Message = step, reason, message
	m.s.StepStartedAt, m.s.StepElapsed, m.s.StepRestarts = stamp(m.now), metav1.Duration{}, 0
	m.s.UpdateFailures, m.s.UpdateFailedAt = 0, nil
}
