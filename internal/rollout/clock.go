package rollout

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// unobservedLeast is the least delay of a decision that shows that nobody has observed the rollout meanwhile. Each
// decision is a little late.
const unobservedLeast = time.Minute

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

// Elapsed returns how long the current step of a rollout has been observed. It includes what has passed since the last
// decision, but not what has passed after the next one was due: nobody has looked then.
func Elapsed(s *v1beta1.AliasRolloutStatus, now time.Time) time.Duration {
	if s.ObservedAt == nil || s.NextCheckAt == nil {
		return s.StepElapsed.Duration
	}
	passed := min(now.Sub(s.ObservedAt.Time), s.NextCheckAt.Sub(s.ObservedAt.Time))
	return s.StepElapsed.Duration + max(passed, 0)
}

// halted reports whether the time of the step stands still: the user has paused the rollout, or someone else has
// changed the alias. A rollback is never halted.
func (m *machine) halted() bool {
	return m.spec.Paused && m.s.Step != v1beta1.RolloutRollingBack ||
		m.s.Step == v1beta1.RolloutPaused && m.s.Reason != v1beta1.RolloutReasonInconclusive
}
