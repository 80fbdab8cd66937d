package rollout

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// measured records what was measured. An alarm that is in state ALARM since before the target has received invocations
// says nothing about it.
func (m *machine) measured() {
	for _, r := range m.o.Measurements {
		metric := MetricOf(m.spec, r.Name)
		if r.Type == CheckMetric && r.Until.IsZero() {
			r.Until = m.now.Add(-m.timeout())
		}
		fires := r.Result == Failure && m.isEarlier(r) && !m.s.ChangedBack && !r.Since.After(m.s.TrafficStartedAt.Time)
		r = m.attributed(r)
		Record(m.s, r, m.now)
		c, first, failed := CheckOf(m.s, r.CheckID), m.s.TrafficStartedAt, r.Result == Failure
		switch {
		case r.Type == CheckAlarm && (fires || failed && !m.mayServe()):
			// The user may have ignored it with promote-full.
			c.Ignored = m.spec.Analysis.Alarms.PreExisting != "Block" || c.Ignored && m.mayServe()
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

// succeeded reports whether each check has succeeded so often with the present weight, and has judged all invocations
// that it has to. Before the target receives any invocation, there are only dependencies and alarms.
func (m *machine) succeeded(times int32) bool {
	since := JudgedSince(m.spec, m.s, m.now)
	if m.s.ObservedWeight == 0 || since == nil {
		m.s.Message = m.blocked()
		return m.s.Message == ""
	}
	m.s.Message = missing(m.spec, m.s, times, since.Time, m.now)
	if m.s.Message != "" {
		m.s.Message = "waits for the analysis: " + m.s.Message
	}
	return m.s.Message == ""
}

// JudgedSince returns the begin of the invocations that have to be judged before a rollout gives its target more of
// them: those of the current step at the end of an analysis step and of all steps, unless the step before it was an
// analysis, and of the present weight otherwise.
func JudgedSince(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus, now time.Time) *metav1.Time {
	steps := CanarySteps(spec.Strategy)
	i := min(max(int(s.CurrentStepIndex), 0), len(steps))
	begin := stamp(now.Add(-Elapsed(s, now)))
	switch {
	case s.Step != v1beta1.RolloutAnalyzing, i < len(steps) && steps[i].Analysis == nil,
		i > 0 && steps[i-1].Analysis != nil: // Its successes have judged the step.
		return s.ShiftedAt
	case s.StepStartedAt != nil && begin.Sub(s.StepStartedAt.Time).Abs() > unobservedLeast:
		return begin // It was not observed in between, or the clock was set.
	}
	return s.StepStartedAt
}

// missing returns the first check that the rollout has to wait for, and why. It returns an empty string if each check
// has succeeded so often with the present weight, and the last time with all invocations that began before since. A
// check that is due has to be measured first: after a downtime, its last result is an old one. That is said only if
// nothing else is missing, because each check is due for a moment at each interval.
// Failures that do not suffice for a rollback are passed over. The state of alarms and dependencies is known after one
// success.
func missing(
	spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus, successes int32, since, now time.Time,
) (due string) {
	ids, intervals := checksOf(spec)
	dueNow, _ := Due(spec, s, now)
	for i, id := range ids {
		m := MetricOf(spec, id.Name)
		if id.Type == CheckMetric && (m.DryRun || m.OnFailure == "Warn") {
			continue
		}
		c := CheckOf(s, id)
		switch {
		case c == nil || c.JudgedUntil == nil:
			why := id.Type + " " + id.Name + " has no result yet"
			if at := firstAt(spec, s, id, intervals[i]); at.After(now) {
				why += ": it is expected at about " + at.UTC().Format(time.TimeOnly)
			}
			return why
		case verdict(spec, id, c) == failing:
		case !c.Ignored && c.Result != Success && c.Result != Skipped:
			return DescribeCheck(c)
		case c.JudgedUntil.Time.Before(since):
			return early(c, since, delayOf(m, s, c))
		case c.Ignored:
		case c.Result == Success && (c.Successes < 1 || id.Type == CheckMetric && c.Successes < successes):
			return fmt.Sprintf("%s %s has succeeded %d of %d times", c.Type, c.Name, c.Successes, successes)
		case slices.Contains(dueNow, id):
			due = cmp.Or(due, id.Type+" "+id.Name+" is due")
		}
	}
	return due
}

// blocked returns which dependency or alarm prevents that invocations move to the target. Empty if none does. An alarm
// has to have evaluated what was after the last change of the alias: until then, it says something about a former
// target.
func (m *machine) blocked() string {
	ids, _ := checksOf(m.spec)
	due, _ := Due(m.spec, m.s, m.now)
	for _, id := range ids {
		if id.Type == CheckMetric {
			continue
		}
		switch c := CheckOf(m.s, id); {
		case c == nil:
			return id.Type + " " + id.Name + " has no result yet"
		case !c.Ignored && slices.Contains(due, id):
			return id.Type + " " + id.Name + " is due"
		case id.Type == CheckAlarm:
			if why := m.blockedBy(c); why != "" {
				return why
			}
		case c.Result != Success:
			return DescribeCheck(c)
		}
	}
	return ""
}

// blockedBy returns why an alarm prevents that invocations move to the target: it may still be about what was before
// the last change of the alias, or it is not OK. Empty if it does not prevent it.
func (m *machine) blockedBy(c *v1beta1.RolloutCheck) string {
	if m.s.ShiftedAt != nil && c.JudgedUntil != nil {
		lag := delayOf(nil, m.s, c)
		if since := m.s.ShiftedAt.Add(evaluation(lag)); c.JudgedUntil.Time.Before(since) {
			return early(c, since, lag)
		}
	}
	if c.Ignored || c.Result == Inconclusive || c.Result == Success {
		return ""
	}
	return DescribeCheck(c)
}
