package awsdouble

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	lambdaNamespace = "AWS/Lambda"

	// slice is the precision of the times at which invocations begin.
	slice = 10 * time.Second

	// usualDuration is the default of Outcomes.Duration.
	usualDuration = 10 * time.Millisecond
)

// Traffic is invocations of an alias by others, which make metrics of CloudWatch.
type Traffic struct {
	// Account and Region of the function. Empty, the function is found by its name.
	Account, Region string
	// Function and Alias that are invoked. There are no invocations while either does not exist.
	Function, Alias string
	// PerMinute is the number of invocations that are requested in a minute.
	PerMinute float64
	// Versions are the outcomes by version; those of other versions are the zero value's: they succeed.
	Versions map[string]Outcomes
	// Rand draws the version and the outcome of each invocation, as AWS does. If it is nil, they are divided exactly.
	Rand *rand.Rand
}

// Outcomes are a version's responses to invocations. Rates are parts from 0 to 1.
type Outcomes struct {
	// ErrorRate is the part of the invocations that fails. If one kind of payload fails, it is the part of that kind.
	ErrorRate float64
	// HangRate is the part of the invocations that runs until the function's timeout, and then fails.
	HangRate float64
	// ColdErrorRate is the part of the cold invocations that fails. A version's first invocation is cold, and ColdRate
	// is the part of the later ones that needs a new execution environment.
	ColdErrorRate, ColdRate float64
	// ThrottleRate is the part of the requests that is throttled, which are no invocations.
	ThrottleRate float64
	// Duration of an invocation. Default: 10 ms. Invocations that would take longer than the function's timeout fail.
	Duration time.Duration
	// SlowRate is the part of the invocations that takes SlowDuration instead.
	SlowRate     float64
	SlowDuration time.Duration
}

// Received counts the requests that a version has received of an alias's traffic, whether or not metrics show it yet.
type Received struct {
	// Requests includes those that are throttled or fail.
	Requests int
	// Failed is the number of requests that have failed or will at their timeout, or found the version not to be
	// Active.
	Failed int
}

// traffic is Traffic with what it has made so far.
type traffic struct {
	Traffic

	last time.Time
	// due is the fraction of a request that is left.
	due      float64
	versions map[string]*received
	// series are the metrics by what they count.
	series map[seriesKey][]*recordedMetric
}

// received is Received with the fractions that are left.
type received struct {
	Received

	warm bool
	due  struct{ requests, throttled, cold, coldFailed, hung, failed, slow float64 }
}

// seriesKey identifies metrics of Lambda: all of an account and region, or those of an executed version.
type seriesKey struct {
	of             *home
	name, executed string
}

// Traffic starts invocations of an alias now, or changes those of an earlier call for the alias. The double makes
// their metrics by the alias's routing at the time, when it is asked for metrics or the routing changes.
func (s *Server) Traffic(t Traffic) {
	defer s.lock()()
	s.advanceTraffic()
	t.Versions = maps.Clone(t.Versions)
	for _, known := range s.traffic {
		if known.Function == t.Function && known.Alias == t.Alias && known.Account == t.Account &&
			known.Region == t.Region {
			known.Traffic = t
			return
		}
	}
	s.traffic = append(s.traffic, &traffic{
		Traffic: t, last: s.options.Now(), versions: map[string]*received{}, series: map[seriesKey][]*recordedMetric{},
	})
}

// Received returns what the versions have received of an alias's traffic until now.
func (s *Server) Received(function, alias string) map[string]Received {
	defer s.lock()()
	s.advanceTraffic()
	all := map[string]Received{}
	for _, t := range s.traffic {
		if t.Function != function || t.Alias != alias {
			continue
		}
		for version, r := range t.versions {
			sum := all[version]
			sum.Requests += r.Requests
			sum.Failed += r.Failed
			all[version] = sum
		}
	}
	return all
}

// advanceTraffic makes the metrics of all traffic up to now, by the present routing.
func (s *Server) advanceTraffic() {
	now := s.options.Now()
	for _, t := range s.traffic {
		h, a := s.routed(t)
		for t.last.Before(now) {
			end := t.last.Truncate(slice).Add(slice)
			if end.After(now) {
				end = now
			}
			if a != nil {
				s.completeProvisioned(h.functions[t.Function], t.last)
				s.invocations(h, t, a, t.last, end.Sub(t.last))
			}
			t.last = end
		}
		t.last = now
	}
}

// routed returns the alias of traffic and the account and region in which it is, nil if it does not exist.
func (s *Server) routed(t *traffic) (*home, *Alias) {
	for _, key := range slices.Sorted(maps.Keys(s.homes)) {
		h := s.homes[key]
		if t.Account != "" && t.Account != h.account || t.Region != "" && t.Region != h.region {
			continue
		}
		if f := h.functions[t.Function]; f != nil && f.aliases[t.Alias] != nil {
			return h, f.aliases[t.Alias]
		}
	}
	return nil, nil
}

// weights returns the part of the requests that each version receives.
func (a *Alias) weights() map[string]float64 {
	weights, rest := map[string]float64{}, 1.0
	if a.RoutingConfig != nil {
		for version, w := range a.RoutingConfig.AdditionalVersionWeights {
			weights[version] = w
			rest -= w
		}
	}
	weights[a.FunctionVersion] += rest
	return weights
}

// invocations divides the requests of a slice among the versions.
func (s *Server) invocations(h *home, t *traffic, a *Alias, at time.Time, length time.Duration) {
	f, weights := h.functions[t.Function], a.weights()
	requests, rest := wholeOf(&t.due, t.PerMinute*length.Minutes()), 1.0
	for _, version := range slices.Sorted(maps.Keys(weights)) {
		weight := weights[version]
		if weight <= 0 {
			continue
		}
		to := t.versions[version]
		if to == nil {
			to = &received{}
			t.versions[version] = to
		}
		n := t.part(&to.due.requests, requests, weight/rest)
		requests, rest = requests-n, rest-weight
		if n == 0 {
			continue
		}
		to.Requests += int(n)
		v := f.versionOf(version)
		if v == nil || !s.runs(v, at) {
			to.Failed += int(n)
			continue
		}
		b := batch{server: s, home: h, traffic: t, at: at, timeout: time.Duration(v.Timeout) * time.Second}
		if len(weights) > 1 || s.options.UnweightedVersions {
			b.executed = version
		}
		b.run(to, t.Versions[version], n)
	}
}

// A batch is invocations of a version that begin at the same time.
type batch struct {
	server   *Server
	home     *home
	traffic  *traffic
	at       time.Time
	timeout  time.Duration
	executed string
}

// run makes the metrics of requests by their outcomes.
func (b *batch) run(to *received, o Outcomes, requests float64) {
	t, due := b.traffic, &to.due
	throttled := t.part(&due.throttled, requests, o.ThrottleRate)
	b.emit("Throttles", "", 0, 1, throttled)

	left, cold := requests-throttled, 0.0
	if left > 0 && !to.warm {
		to.warm, cold = true, 1
	}
	cold += t.part(&due.cold, left-cold, o.ColdRate)
	failed := t.part(&due.coldFailed, cold, o.ColdErrorRate)
	hung := t.part(&due.hung, left-failed, o.HangRate)
	left -= hung
	failed += t.part(&due.failed, left-failed, o.ErrorRate)
	slow := t.part(&due.slow, left, o.SlowRate)
	fast := left - slow
	took := o.Duration
	if took == 0 {
		took = usualDuration
	}
	to.Failed += b.end(b.timeout, hung, hung)
	to.Failed += b.end(o.SlowDuration, slow, max(0, failed-fast))
	to.Failed += b.end(took, fast, min(failed, fast))
}

// end makes the metrics of invocations that take a time, and returns how many failed.
func (b *batch) end(took time.Duration, n, failed float64) int {
	if took >= b.timeout {
		took, failed = b.timeout, n
	}
	b.emit("Invocations", b.executed, took, 1, n)
	b.emit("Errors", b.executed, took, 1, failed)
	b.emit("Duration", b.executed, took, float64(took)/float64(time.Millisecond), n)
	return int(failed)
}

// emit publishes a metric with all sets of dimensions that Lambda publishes, some time after the invocations have
// taken their time. Zeros are not published.
func (b *batch) emit(name, executed string, took time.Duration, value, count float64) {
	if count <= 0 {
		return
	}
	visible := b.at.Add(took + b.server.publication(b.at))
	for _, m := range b.series(name, executed) {
		m.add(b.at, visible, value, count)
	}
}

// series returns a metric with all sets of dimensions.
func (b *batch) series(name, executed string) []*recordedMetric {
	t, key := b.traffic, seriesKey{of: b.home, name: name, executed: executed}
	if t.series[key] != nil {
		return t.series[key]
	}
	resource := t.Function + ":" + t.Alias
	sets := []map[string]string{nil, {"FunctionName": t.Function}, {"FunctionName": t.Function, "Resource": resource}}
	if executed != "" {
		sets = append(sets,
			map[string]string{"FunctionName": t.Function, "Resource": resource, "ExecutedVersion": executed})
	}
	for _, dimensions := range sets {
		m := Metric{Account: b.home.account, Region: b.home.region, Namespace: lambdaNamespace, Name: name}
		m.Dimensions = dimensions
		t.series[key] = append(t.series[key], b.server.recorded(m))
	}
	return t.series[key]
}

// publication returns how long after its end an invocation that began at a time is published. The parts of a minute
// are not published in their order, and the last part takes the longest.
func (s *Server) publication(at time.Time) time.Duration {
	ninths := []int64{7, 4, 8, 5, 6, 9}[at.Second()/int(slice.Seconds())]
	return time.Duration(int64(s.options.MetricDelay) * ninths / 9) //nolint:mnd // Ninths.
}

// part returns how many of n are of a part, exactly or at random.
func (t *traffic) part(due *float64, n, part float64) float64 {
	if t.Rand == nil || part <= 0 {
		return wholeOf(due, n*part)
	}
	drawn := 0.0
	for range int(n) {
		if t.Rand.Float64() < part {
			drawn++
		}
	}
	return drawn
}

// wholeOf adds to what is due, and takes the whole number of it.
func wholeOf(due *float64, more float64) float64 {
	*due += more
	n := math.Floor(*due + 1e-9)
	*due -= n
	return n
}
