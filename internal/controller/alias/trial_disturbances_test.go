package alias

import (
	"math"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/rollout/analysis"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// A disturbance happens to the provider, or to what it reads, at some time and for some time.
type disturbance struct {
	name string
	// aws says that the provider cannot measure or change anything meanwhile, although it tries to: that counts for the
	// deadline of a step.
	aws   bool
	begin func(p *provider, r *rand.Rand)
	end   func(p *provider)
}

// disturbances returns what may happen.
func disturbances() []disturbance {
	return []disturbance{
		{name: "down", begin: func(p *provider, _ *rand.Rand) { p.down = true }, end: (*provider).restart},
		{name: "restarts that lose the last status", begin: func(p *provider, r *rand.Rand) {
			p.forgets = func() bool { return r.IntN(4) == 0 }
		}, end: func(p *provider) { p.forgets = nil }},
		{
			name:  "paused by the annotation",
			begin: func(p *provider, _ *rand.Rand) { p.held = true },
			end: func(p *provider) {
				p.held, p.due = false, p.Now()
			},
		},
		{name: "spec.rollout.paused", begin: func(p *provider, _ *rand.Rand) { p.pause(true) }, end: func(p *provider) {
			p.pause(false)
		}},
		{name: "a leader with another clock", begin: func(p *provider, r *rand.Rand) {
			p.skew = time.Duration(r.IntN(601)-300) * time.Second
			p.restart()
		}, end: func(p *provider) {
			p.skew = 0
			p.restart()
		}},
		{name: "stale answers", begin: func(p *provider, r *rand.Rand) {
			reads := time.Duration(1+r.IntN(15)) * time.Second
			p.Double.SetConsistency(awsdouble.Consistency{Reads: reads, Alternate: r.IntN(2) == 0})
		}, end: func(p *provider) { p.Double.SetConsistency(awsdouble.Consistency{}) }},
		{name: "lost answers", begin: func(p *provider, r *rand.Rand) {
			drop := pick(r, awsdouble.DropBefore, awsdouble.DropAfter)
			p.Double.Fail(awsdouble.Fault{Operation: opUpdate, Drop: drop, Times: 1 + r.IntN(3)})
		}, end: func(*provider) {}},
		{name: "UpdateAlias fails", aws: true, begin: func(p *provider, r *rand.Rand) {
			e := pick(
				r,
				awsdouble.Throttle(),
				awsdouble.ServiceFailure(),
				awsdouble.Error{Status: http.StatusBadRequest, Code: "InvalidParameterValueException", Message: "no"},
				awsdouble.Error{
					Status:  http.StatusConflict,
					Code:    "ResourceConflictException",
					Message: "An update is in progress",
				},
			)
			p.Double.Fail(awsdouble.Fault{Operation: opUpdate, Times: -1, Error: e})
		}, end: func(p *provider) { p.Double.ClearFaults() }},
		{name: "CloudWatch fails", aws: true, begin: func(p *provider, r *rand.Rand) {
			denied := awsdouble.AccessDenied("cloudwatch:GetMetricData")
			e := pick(r, awsdouble.CloudWatchFailure(), awsdouble.CloudWatchThrottle(), denied)
			p.Double.Fail(awsdouble.Fault{Operation: "GetMetricData", Times: -1, Error: e})
			p.Double.Fail(awsdouble.Fault{Operation: "DescribeAlarms", Times: -1, Error: e})
		}, end: func(p *provider) { p.Double.ClearFaults() }},
		{name: "partial data", aws: true, begin: func(p *provider, r *rand.Rand) {
			metric, status := pick(r, "Errors", "Invocations"), pick(r, "PartialData", "InternalError", "Forbidden")
			p.Double.SetMetricStatus(metric, status, "")
		}, end: func(p *provider) {
			p.Double.SetMetricStatus("Errors", "Complete", "")
			p.Double.SetMetricStatus("Invocations", "Complete", "")
		}},
		{name: "alarm with partial data", aws: true, begin: func(p *provider, _ *rand.Rand) {
			partial := awsdouble.Alarm{Name: otherAlarm, State: "OK", EvaluationState: "PARTIAL_DATA"}
			p.Double.PutAlarm("", testenv.Region, partial)
		}, end: func(p *provider) { p.alarm(otherAlarm, "OK") }},
	}
}

// pause sets spec.rollout.paused.
func (p *provider) pause(paused bool) {
	p.alias.Spec.Rollout.Paused = paused
	p.alias.Generation++
	p.due = p.Now()
}

// pick returns one of some values, each as likely.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// between returns a random duration, of which each order of magnitude is as likely.
func between(r *rand.Rand, least, most time.Duration) time.Duration {
	return time.Duration(float64(least) * math.Pow(float64(most)/float64(least), r.Float64()))
}

// A disturbed is a rollout of a healthy version with disturbances.
type disturbed struct {
	*provider

	// outage is how long AWS failed at most.
	outage time.Duration
}

// tolerated is how long AWS may fail in a rollout that has to be promoted without the user: less than the deadline of a
// step, which is 10 minutes, by the time that it takes to measure again.
const tolerated = 6 * time.Minute

// enough is how many invocations of the alias in a minute suffice for a decision at 10 %.
const enough = 10

// newDisturbed returns a rollout of a healthy version with disturbances.
func newDisturbed(t testing.TB, seed uint64, analyzer *analysis.Analyzer) *disturbed {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 27)) //nolint:gosec // Tests are reproducible.
	perMinute := pick(r, 1, 10.0, 10, 10, 100, 100, 1000)
	delay := pick(r, awsdouble.UsualMetricDelay, awsdouble.UsualMetricDelay, 4*time.Minute, 5*time.Minute)
	timeout := pick(r, 3*time.Second, 3*time.Second, 30*time.Second, 10*time.Minute)
	kind := versionKind{name: healthyName, timeout: timeout}
	first, canary, linear := firstRollout(), shapeOf(canary10Percent5Minutes()), shapeOf(linear10PercentEvery1Minute())
	steps := pick(r, first, first, canary, linear)
	spec := rolloutOf(steps)
	if r.IntN(3) == 0 {
		spec = rolloutOf(steps, withAlarms)
	}
	w := newWorld(t, seed, kind, perMinute, delay)
	d := &disturbed{provider: newProvider(w, analyzer, spec)}
	d.retries = 3
	d.notef("%g invocations a minute, timeout %s, %d steps, alarms %t, metrics after %s",
		perMinute, timeout, len(steps), spec.Analysis.Alarms != nil, delay)
	all := disturbances()
	for range 1 + r.IntN(3) {
		x := pick(r, all...)
		at, length := w.start.Add(
			time.Duration(r.Int64N(int64(20*time.Minute))),
		), between(
			r,
			10*time.Second,
			6*time.Hour,
		)
		if x.aws {
			length = between(r, 10*time.Second, time.Hour)
			d.outage += length
		}
		w.at(at, func() { d.notef("BEGIN %s", x.name); x.begin(d.provider, r) })
		w.at(at.Add(length), func() { d.notef("END %s", x.name); x.end(d.provider) })
		if end := at.Add(length); end.After(d.retryFrom) {
			d.retryFrom = end.Add(time.Minute)
		}
	}
	return d
}

// wrong returns what is wrong with the result of a healthy version, empty if nothing is.
func (d *disturbed) wrong() string {
	switch got := d.outcome(); {
	case got == rejected:
		return "rejected: " + d.state().Message
	case d.perMinute < enough:
		return ""
	case d.undecided > 0 && d.outage < tolerated:
		return "not promoted at once, although AWS failed for " + d.outage.String() + " only"
	case got != promoted:
		return "never promoted"
	}
	return ""
}
