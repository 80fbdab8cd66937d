package rollout

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

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

// driftGrace is the time for which AWS may return the earlier state of the alias. A route that is still another one
// after that is a change by someone else.
const driftGrace = 30 * time.Second

func (m *machine) timeout() time.Duration { return time.Duration(m.s.TimeoutSeconds) * time.Second }

// mayServe reports whether the target has received invocations, or may have: the change of the alias may have been
// sent, or someone else has made it.
func (m *machine) mayServe() bool {
	r, target := m.o.Route, m.s.Target.FunctionVersion
	return m.s.TrafficStartedAt != nil || m.s.Intent != nil || r.Version == target || r.Additional == target
}

// replaced reports whether another version than the target is desired.
func (m *machine) replaced() bool { return m.o.Target != m.s.Target.FunctionVersion }

// revision returns what is known of a version that has not been read yet.
func (m *machine) revision(version string) v1beta1.RolloutRevision {
	return v1beta1.RolloutRevision{FunctionVersion: version, CodeRevision: m.o.Revisions[version]}
}

// newID returns the ID of a rollout of a version that begins now.
func (m *machine) newID(version string) string {
	return version + "-" + strconv.FormatInt(m.now.Unix(), 36)
}

// index returns the index of the current step, at most the number of steps.
func (m *machine) index() int { return min(max(int(m.s.CurrentStepIndex), 0), len(m.steps)) }

// step returns the current step, without any field after the last one.
func (m *machine) step() step {
	if i := m.index(); i < len(m.steps) {
		return m.steps[i]
	}
	return step{}
}

// at reports whether the alias has a route, and AWS does not move it there any more.
func (m *machine) at(r Route) bool { return m.o.Route == r && !m.o.Moving }

// intend records a route as the intent, with the revision of the alias that it changes.
func (m *machine) intend(r Route) {
	accepted := m.s.Intent != nil && m.s.Intent.Accepted && intended(m.s.Intent) == r
	m.s.Intent = &v1beta1.RolloutIntent{
		FunctionVersion: r.Version, AdditionalVersion: r.Additional, Weight: r.Weight, RevisionID: m.o.RevisionID,
		Accepted: accepted,
	}
}

// enter begins a step. A rollback has an ID even if no rollout has begun before it.
func (m *machine) enter(step, reason, message string) {
	m.s.ID = cmp.Or(m.s.ID, m.newID(m.s.Target.FunctionVersion))
	m.s.Step, m.s.Reason, m.s.Message = step, reason, message
	m.s.StepStartedAt, m.s.StepElapsed, m.s.StepRestarts = stamp(m.now), metav1.Duration{}, 0
	m.s.UpdateFailures, m.s.UpdateFailedAt = 0, nil
}

func (m *machine) eventf(warning bool, reason, format string, args ...any) {
	m.events = append(m.events, Event{Warning: warning, Reason: reason, Message: fmt.Sprintf(format, args...)})
}

// elapse adds to the time of the step what has passed since the last decision. What has passed after the next one was
// due makes the present weight no older: the clock may have been set forward, and then what is measured lacks most of
// the invocations that it would have judged.
func (m *machine) elapse() {
	s := m.s
	s.StepElapsed.Duration = Elapsed(s, stamp(m.now).Time)
	if s.NextCheckAt != nil && s.ShiftedAt != nil {
		if late := m.now.Sub(s.NextCheckAt.Time); late > unobservedLeast {
			s.ShiftedAt = stamp(s.ShiftedAt.Add(late))
		}
	}
	s.NextCheckAt, s.ObservedAt = nil, nil
}

// correctTimes makes times that are later than now the present one: the clock was set back, or that of the replica that
// has recorded them was ahead. Otherwise nothing would be measured or sent until then. A check has judged invocations
// until as long before its measurement as it had. A result without the time of its measurement, as in an edited status,
// is none. The times at which the rollout and the step began remain: they identify them.
func (m *machine) correctTimes() {
	s := m.s
	for _, t := range []*metav1.Time{s.ShiftedAt, s.TrafficStartedAt, s.UpdateFailedAt} {
		if t != nil && t.After(m.now) {
			*t = *stamp(m.now)
		}
	}
	for i := range s.Checks {
		c := &s.Checks[i]
		switch {
		case c.MeasuredAt == nil && c.Result != Running:
			c.Result, c.JudgedUntil = "", nil
		case c.MeasuredAt == nil:
			c.JudgedUntil = nil
		case c.MeasuredAt.After(m.now):
			if c.JudgedUntil != nil {
				c.JudgedUntil = stamp(m.now.Add(c.JudgedUntil.Sub(c.MeasuredAt.Time)))
			}
			c.MeasuredAt = stamp(m.now)
		}
	}
}

// halted reports whether the time of the step stands still: the user has paused the rollout, or someone else has
// changed the alias. A rollback is never halted.
func (m *machine) halted() bool {
	return m.spec.Paused && m.s.Step != v1beta1.RolloutRollingBack ||
		m.s.Step == v1beta1.RolloutPaused && m.s.Reason != v1beta1.RolloutReasonInconclusive
}

// left returns how much of the deadline of the current step is left, and false if it has none: the rollout is not in
// progress, is paused, or rolls back.
func (m *machine) left() (time.Duration, bool) {
	if !InProgress(m.s) || m.s.Step == v1beta1.RolloutRollingBack || m.halted() {
		return 0, false
	}
	return m.planned() + m.deadline() - m.s.StepElapsed.Duration, true
}

// planned returns how long the current step takes if nothing holds it up.
func (m *machine) planned() time.Duration {
	switch {
	case m.s.Phase == v1beta1.RolloutPending:
		d := m.alarmLag()
		for _, t := range m.spec.PreTraffic {
			d += time.Duration(ptr.Deref(t.Invoke.TimeoutSeconds, 10)) * time.Second //nolint:mnd // The API's default.
		}
		return d
	case m.s.ObservedWeight >= all:
		return max(BakeTime(m.spec), m.measures())
	case m.step().pause > 0:
		return m.step().pause
	}
	return m.measures()
}

// measures returns how long the measurements take that the current step waits for.
func (m *machine) measures() time.Duration {
	interval, delay := measuring(m.spec)
	if n := m.step().successes; m.s.ObservedWeight < all && n > 0 {
		interval *= time.Duration(n)
	}
	return interval + delay + m.lag()
}

// deadline returns how long a step may take in addition to its planned duration.
func (m *machine) deadline() time.Duration {
	// The API's default.
	return time.Duration(ptr.Deref(m.spec.ProgressDeadlineSeconds, 600)) * time.Second //nolint:mnd // See above.
}

// measuring returns the longest interval and the longest initial delay of the metrics and alarms.
func measuring(spec *v1beta1.AliasRollout) (interval, delay time.Duration) {
	if spec.Analysis == nil {
		return 0, 0
	}
	for i := range spec.Analysis.Metrics {
		m := &spec.Analysis.Metrics[i]
		interval = max(interval, intervalOf(m.Interval, metricInterval))
		if m.InitialDelay != nil {
			delay = max(delay, m.InitialDelay.Duration)
		}
	}
	if a := spec.Analysis.Alarms; a != nil {
		interval = max(interval, AlarmInterval(a))
	}
	return interval, delay
}

// lag returns how long after its begin an invocation is in the result of each check at the latest.
func (m *machine) lag() time.Duration {
	lag := m.alarmLag()
	if m.spec.Analysis == nil {
		return lag
	}
	for i := range m.spec.Analysis.Metrics {
		delay, period := Delay(&m.spec.Analysis.Metrics[i], m.timeout())
		lag = max(lag, delay+period)
	}
	return lag
}

// alarmLag returns how long after its begin an invocation is in the result of each alarm at the latest.
func (m *machine) alarmLag() (lag time.Duration) {
	for _, c := range m.s.Checks {
		if c.Type == CheckAlarm && c.JudgedUntil != nil {
			lag = max(lag, delayOf(nil, m.s, &c))
		}
	}
	return lag
}

// maxRestarts is the number of times that a step has the time again for its measurements, which begin anew.
const maxRestarts = 5

// restart measures the target anew: its weight is another one, or it has lost it for a while. Successes from before are
// forgotten, and the failures of the rollout remain. A step that waits for measurements has the time for them again, as
// a pause does not, unless that happens again and again.
func (m *machine) restart() {
	s := m.s
	s.ShiftedAt = stamp(m.now)
	for i := range s.Checks {
		s.Checks[i].Successes, s.Checks[i].Inconclusive = 0, 0
	}
	s.StepRestarts++
	if s.StepRestarts <= maxRestarts && (s.ObservedWeight >= all || m.step().pause == 0) {
		s.StepElapsed.Duration = min(s.StepElapsed.Duration, m.planned()-m.measures())
	}
}
