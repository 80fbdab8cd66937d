package rollout

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// maxSamples is the number of values of a check that are kept.
const maxSamples = 60

// A sample is a measurement of a check. Its value is NaN if it has none.
type sample struct {
	at    time.Time
	value float64
}

// A tracker keeps the states of an alias while its rollout is watched. Status has the last measurement of each check
// only, so the earlier ones are kept here.
type tracker struct {
	alias *v1beta1.Alias

	// version that is waited for, empty if any is.
	version string

	// last is the latest state in which the rollout was in progress and did not roll back, nil if none was seen.
	last *v1beta1.AliasRolloutStatus

	samples map[rollout.CheckID][]sample

	// lost is the error of the connection to the API server. It is empty while that works.
	lost string
}

// observe records a new state of the alias.
func (t *tracker) observe(a *v1beta1.Alias) {
	t.alias = a
	s := a.Status.Rollout
	if s == nil {
		return
	}
	if t.last != nil && t.last.ID != s.ID {
		t.last, t.samples = nil, nil
	}
	if rollout.InProgress(s) && s.Step != v1beta1.RolloutRollingBack {
		t.last = s
	}
	if t.samples == nil {
		t.samples = map[rollout.CheckID][]sample{}
	}
	for i := range s.Checks {
		t.record(&s.Checks[i])
	}
}

// handle records an update, and reports whether the watch is over, with the error if there is one.
func (t *tracker) handle(u update, g goal) (over bool, err error) {
	switch {
	case u.err != nil:
		return true, u.err
	case u.alias == nil:
		t.lost = u.lost
		return false, nil
	}
	t.observe(u.alias)
	done, err := g(u.alias)
	return done || err != nil, err
}

// record adds the last measurement of a check, unless it is known.
func (t *tracker) record(c *v1beta1.RolloutCheck) {
	id := rollout.CheckID{Type: c.Type, Name: c.Name}
	known := t.samples[id]
	if c.MeasuredAt == nil || len(known) > 0 && !c.MeasuredAt.After(known[len(known)-1].at) {
		return
	}
	v, err := strconv.ParseFloat(c.Value, 64)
	if err != nil || math.IsInf(v, 0) {
		v = math.NaN()
	}
	known = append(known, sample{at: c.MeasuredAt.Time, value: v})
	t.samples[id] = known[max(len(known)-maxSamples, 0):]
}

// sparkline returns the last values of a check as bars, at most width of them, the highest value the highest bar. A
// measurement without a value is a gap. It is empty if there are no two values to compare.
func sparkline(all []sample, width int) string {
	all = all[max(len(all)-width, 0):]
	lowest, highest, n := 0.0, 0.0, 0
	for _, s := range all {
		if !math.IsNaN(s.value) {
			lowest, highest, n = min(lowest, s.value), max(highest, s.value), n+1
		}
	}
	if n < 2 { //nolint:mnd // Two values are the least that can be compared.
		return ""
	}
	bars := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, s := range all {
		switch {
		case math.IsNaN(s.value):
			b.WriteRune(' ')
		case highest == lowest:
			b.WriteRune(bars[0])
		default:
			height := (s.value - lowest) / (highest - lowest) * float64(len(bars)-1)
			b.WriteRune(bars[int(math.Round(height))])
		}
	}
	return b.String()
}

// awaiting reports whether the rollout of the version that is waited for has not begun.
func (t *tracker) awaiting() bool {
	s := t.alias.Status.Rollout
	return s != nil && !rollout.InProgress(s) && t.version != "" && t.version != s.Stable.FunctionVersion &&
		t.version != s.Target.FunctionVersion
}

// line returns the state of a rollout that is watched in one line.
func (t *tracker) line() string {
	out := describe(t.alias)
	if t.awaiting() {
		out += suffix(awaits(t.version))
	}
	return out + suffix(obstacle(t.alias)) + suffix(revisions(t.alias))
}
