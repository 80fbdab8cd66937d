package rollout

import (
	"slices"
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

// firstAt returns when a metric has its first result with the present weight, zero if that is not known.
func firstAt(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus, id CheckID, every time.Duration) time.Time {
	at, ok := dueAt(spec, s, id, every)
	if m := MetricOf(spec, id.Name); ok && id.Type == CheckMetric && m != nil {
		delay, _ := Delay(m, 0) // What hangs is not in the first result.
		at = latest(at, s.ShiftedAt.Add(delay))
	}
	return at
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

// delayOf returns how long after its begin an invocation is in the results of a check at the latest. That of a metric
// depends on nothing that changes from one measurement to the next.
func delayOf(m *v1beta1.RolloutMetric, s *v1beta1.AliasRolloutStatus, c *v1beta1.RolloutCheck) time.Duration {
	if m != nil && c.Type == CheckMetric {
		delay, _ := Delay(m, time.Duration(s.TimeoutSeconds)*time.Second)
		return delay
	}
	return c.MeasuredAt.Sub(c.JudgedUntil.Time)
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

// define records the definitions of the smoke tests, metrics and dependencies of a spec. It forgets the results of
// those that have another one now, which are none by the present one. Failures remain.
func define(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus) {
	set := func(id CheckID, definition any) {
		c, hash := CheckOf(s, id), hashOf(definition)
		switch {
		case c == nil:
			return
		case c.DefinitionHash != "" && c.DefinitionHash != hash:
			*c = v1beta1.RolloutCheck{Name: c.Name, Type: c.Type, Failures: c.Failures, Ignored: c.Ignored}
		}
		c.DefinitionHash = hash
	}
	for i := range spec.PreTraffic {
		set(CheckID{CheckPreTraffic, spec.PreTraffic[i].Name}, spec.PreTraffic[i])
	}
	for i := range spec.Dependencies {
		set(CheckID{CheckDependency, spec.Dependencies[i].Name}, spec.Dependencies[i])
	}
	if spec.Analysis == nil {
		return
	}
	for i := range spec.Analysis.Metrics {
		set(CheckID{CheckMetric, spec.Analysis.Metrics[i].Name}, spec.Analysis.Metrics[i])
	}
}

// keepChecks removes the recorded checks that spec does not have any more.
func keepChecks(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus) {
	ids := Checks(spec)
	s.Checks = slices.DeleteFunc(s.Checks,
		func(c v1beta1.RolloutCheck) bool { return !slices.Contains(ids, CheckID{c.Type, c.Name}) })
}

// undecided reports whether a metric with onFailure: Pause has failed, and the user has not promoted the target since.
func undecided(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus) bool {
	return slices.ContainsFunc(s.Checks, func(c v1beta1.RolloutCheck) bool {
		return c.Type == CheckMetric && pausesByFailure(MetricOf(spec, c.Name), &c)
	})
}

// pausesByFailure reports whether a metric has failed too often, and its failures pause the rollout.
func pausesByFailure(m *v1beta1.RolloutMetric, c *v1beta1.RolloutCheck) bool {
	return m != nil && !m.DryRun && !c.Ignored && m.OnFailure == "Pause" && c.Failures > m.FailureLimit
}
