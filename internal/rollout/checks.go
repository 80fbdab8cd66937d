package rollout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// Defaults of the API, for objects that were not admitted by an API server.
const (
	metricInterval     = time.Minute
	alarmInterval      = 30 * time.Second
	dependencyInterval = 30 * time.Second

	inconclusiveLimit     = 3
	consecutiveErrorLimit = 4
)

// smokeTestErrors is the number of invocations of a smoke test that may fail without a response.
const smokeTestErrors = 3

func intervalOf(d *metav1.Duration, otherwise time.Duration) time.Duration {
	if d == nil || d.Duration <= 0 {
		return otherwise
	}
	return d.Duration
}

// AlarmInterval returns the time between measurements of alarms.
func AlarmInterval(a *v1beta1.RolloutAlarms) time.Duration {
	return intervalOf(a.Interval, alarmInterval)
}

// checksOf returns the checks of a spec other than smoke tests, with the interval of each.
func checksOf(spec *v1beta1.AliasRollout) (ids []CheckID, intervals []time.Duration) {
	add := func(typ, name string, every time.Duration) {
		ids, intervals = append(ids, CheckID{typ, name}), append(intervals, every)
	}
	for _, d := range spec.Dependencies {
		add(CheckDependency, d.Name, dependencyInterval)
	}
	if a := spec.Analysis; a != nil {
		for i := range a.Metrics {
			add(CheckMetric, a.Metrics[i].Name, intervalOf(a.Metrics[i].Interval, metricInterval))
		}
		if a.Alarms != nil {
			for _, n := range a.Alarms.Names {
				add(CheckAlarm, n, AlarmInterval(a.Alarms))
			}
		}
	}
	return ids, intervals
}

// Checks returns the checks of a spec: smoke tests, dependencies, metrics and alarms.
func Checks(spec *v1beta1.AliasRollout) []CheckID {
	var tests []CheckID
	for i := range spec.PreTraffic {
		tests = append(tests, CheckID{CheckPreTraffic, spec.PreTraffic[i].Name})
	}
	others, _ := checksOf(spec)
	return append(tests, others...)
}

// CheckOf returns the recorded check of an id, nil if there is none.
func CheckOf(s *v1beta1.AliasRolloutStatus, id CheckID) *v1beta1.RolloutCheck {
	for i := range s.Checks {
		if s.Checks[i].Type == id.Type && s.Checks[i].Name == id.Name {
			return &s.Checks[i]
		}
	}
	return nil
}

// record returns the recorded check of an id, which is added if there is none.
func record(s *v1beta1.AliasRolloutStatus, id CheckID) *v1beta1.RolloutCheck {
	if c := CheckOf(s, id); c != nil {
		return c
	}
	s.Checks = append(s.Checks, v1beta1.RolloutCheck{Type: id.Type, Name: id.Name})
	return &s.Checks[len(s.Checks)-1]
}

// Due returns the checks that are to be measured at a time, the one that has been due for longest first: those that
// take long hold up no other one for ever. next is the time at which another one will be; it is zero if none will be in
// the present step.
func Due(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus, now time.Time) (due []CheckID, next time.Time) {
	if s == nil || !measures(s) {
		return nil, time.Time{}
	}
	ids, intervals := checksOf(spec)
	since := map[CheckID]time.Time{}
	for i, id := range ids {
		at, ok := dueAt(spec, s, id, intervals[i])
		switch {
		case !ok:
		case !at.After(now):
			due, since[id] = append(due, id), at
		case next.IsZero() || at.Before(next):
			next = at
		}
	}
	slices.SortStableFunc(due, func(a, b CheckID) int { return since[a].Compare(since[b]) })
	return due, next
}

func measures(s *v1beta1.AliasRolloutStatus) bool {
	return s.Step == v1beta1.RolloutValidating || s.Phase == v1beta1.RolloutProgressing &&
		s.Step != v1beta1.RolloutRollingBack && !s.Direct
}

// dueAt returns when a check is measured next, and false if it is not in this step. Dependencies and
// alarms are measured before the target receives any invocation, too. Metrics are measured an interval
// after the target received its present weight: earlier values do not count.
func dueAt(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus, id CheckID,
	every time.Duration,
) (at time.Time, ok bool) {
	c := CheckOf(s, id)
	if c != nil && c.MeasuredAt != nil {
		at = c.MeasuredAt.Add(every)
	}
	if id.Type != CheckMetric {
		return at, true
	}
	if s.TrafficStartedAt == nil || s.ShiftedAt == nil {
		return time.Time{}, false
	}
	at = latest(at, s.ShiftedAt.Add(every))
	if m := MetricOf(spec, id.Name); m != nil && m.InitialDelay != nil {
		at = latest(at, s.TrafficStartedAt.Add(m.InitialDelay.Duration))
	}
	return at, true
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Record adds a measurement to a state.
func Record(s *v1beta1.AliasRolloutStatus, m Measurement, now time.Time) {
	c := record(s, m.CheckID)
	until := m.Until
	switch {
	case until.IsZero() && m.Result == Error && c.JudgedUntil != nil: // The deadline depends on how late it judges.
		until = now.Add(c.JudgedUntil.Sub(c.MeasuredAt.Time))
	case until.IsZero() || until.After(now):
		until = now
	}
	c.Result, c.Value, c.Message, c.MeasuredAt, c.JudgedUntil = m.Result, m.Value, m.Message, stamp(now), stamp(until)
	switch m.Result {
	case Success:
		if c.Ignored {
			c.Ignored, c.Failures = false, 0
		}
		if s.ShiftedAt != nil && !c.JudgedUntil.Before(s.ShiftedAt) {
			c.Successes++
		}
	case Failure:
		c.Failures++
	case Inconclusive:
		c.Inconclusive++
	case Error:
		c.Errors++
	}
	if m.Result != Inconclusive {
		c.Inconclusive = 0
	}
	if m.Result != Error {
		c.Errors = 0
	}
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

// DescribeCheck returns a sentence about a check, such as "metric errors: Failure (0.2): more than 0.01".
func DescribeCheck(c *v1beta1.RolloutCheck) string {
	out := c.Type + " " + c.Name + ": " + c.Result
	if c.Value != "" {
		out += " (" + c.Value + ")"
	}
	if c.Message != "" {
		out += ": " + c.Message
	}
	return out
}

// evidence returns a sentence about a check that has failed, or is not known. Failures count from the begin of the
// rollout, so that its last result may be another one.
func evidence(c *v1beta1.RolloutCheck) string {
	if c.Failures == 0 || c.Result == Failure {
		return DescribeCheck(c)
	}
	out := c.Type + " " + c.Name + " has failed once"
	if c.Failures > 1 {
		out = fmt.Sprintf("%s %s has failed %d times", c.Type, c.Name, c.Failures)
	}
	if c.Result == "" {
		return out
	}
	return out + ", now it is " + strings.TrimPrefix(DescribeCheck(c), c.Type+" "+c.Name+": ")
}

// DescribeChecks returns a sentence about each check of a state that has a result.
func DescribeChecks(s *v1beta1.AliasRolloutStatus) []string {
	var out []string
	for i := range s.Checks {
		if s.Checks[i].Result != "" {
			out = append(out, DescribeCheck(&s.Checks[i]))
		}
	}
	return out
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
	ids, _ := checksOf(spec)
	dueNow, _ := Due(spec, s, now)
	for _, id := range ids {
		m := MetricOf(spec, id.Name)
		if id.Type == CheckMetric && (m.DryRun || m.OnFailure == "Warn") {
			continue
		}
		c := CheckOf(s, id)
		switch {
		case c == nil || c.JudgedUntil == nil:
			return id.Type + " " + id.Name + " has no result yet"
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

// delayOf returns how long after its begin an invocation is in the results of a check at the latest. That of a metric
// depends on nothing that changes from one measurement to the next.
func delayOf(m *v1beta1.RolloutMetric, s *v1beta1.AliasRolloutStatus, c *v1beta1.RolloutCheck) time.Duration {
	if m != nil && c.Type == CheckMetric {
		delay, _ := Delay(m, time.Duration(s.TimeoutSeconds)*time.Second)
		return delay
	}
	return c.MeasuredAt.Sub(c.JudgedUntil.Time)
}

// early describes a check that succeeds but has not judged all invocations that began before a time.
func early(c *v1beta1.RolloutCheck, since time.Time, delay time.Duration) string {
	return fmt.Sprintf("%s %s shows all invocations until %s after %s: they show up to %s after their begin",
		c.Type, c.Name, since.UTC().Format(time.TimeOnly), since.Add(delay).UTC().Format(time.TimeOnly), delay)
}

// nextTest returns the first smoke test that has not succeeded, and its recorded check, nil if there is none.
func nextTest(spec *v1beta1.AliasRollout,
	s *v1beta1.AliasRolloutStatus,
) (*v1beta1.RolloutSmokeTest, *v1beta1.RolloutCheck) {
	for i := range spec.PreTraffic {
		c := CheckOf(s, CheckID{CheckPreTraffic, spec.PreTraffic[i].Name})
		if c == nil || c.Result != Success {
			return &spec.PreTraffic[i], c
		}
	}
	return nil, nil
}
