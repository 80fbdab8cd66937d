package awsdouble

import (
	"maps"
	"math"
	"slices"
	"time"
)

const lambdaNamespace = "AWS/Lambda"

// Traffic is invocations of an alias by others, which make metrics of CloudWatch.
type Traffic struct {
	// Account and Region of the function. Empty, the function is found by its name.
	Account, Region string
	// Function and Alias that are invoked. There are no invocations while either does not exist.
	Function, Alias string
	// PerMinute is how many invocations are requested in a minute.
	PerMinute float64
	// Versions are the outcomes by version; those of other versions are the zero value's: they succeed.
	Versions map[string]Outcomes
}

// Outcomes are how a version responds to invocations.
type Outcomes struct {
	// ErrorRate is the part of the invocations that fails, from 0 to 1.
	ErrorRate float64
	// ThrottleRate is the part of the requests that is throttled, which are no invocations.
	ThrottleRate float64
	// Duration of an invocation. Default: 10 ms.
	Duration time.Duration
	// SlowRate is the part of the invocations that takes SlowDuration instead.
	SlowRate     float64
	SlowDuration time.Duration
}

// traffic is Traffic with what it has made so far.
type traffic struct {
	Traffic

	last time.Time
	// due are the fractions of requests, throttles, errors and slow invocations that are left, by version.
	due map[string]*[4]float64
}

// Traffic starts invocations of an alias now, or changes those of an earlier call for the alias. The double makes
// their metrics by the alias's routing at the time, when it is asked for metrics or the routing changes.
func (s *Server) Traffic(t Traffic) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.advanceTraffic()
	t.Versions = maps.Clone(t.Versions)
	for _, known := range s.traffic {
		if known.Function == t.Function && known.Alias == t.Alias && known.Account == t.Account && known.Region == t.Region {
			known.Traffic = t
			return
		}
	}
	s.traffic = append(s.traffic, &traffic{Traffic: t, last: s.options.Now(), due: map[string]*[4]float64{}})
}

// advanceTraffic makes the metrics of all traffic up to now, by the present routing.
func (s *Server) advanceTraffic() {
	now := s.options.Now()
	for _, t := range s.traffic {
		h, a := s.routed(t)
		for t.last.Before(now) {
			end := t.last.Truncate(time.Minute).Add(time.Minute)
			if end.After(now) {
				end = now
			}
			if a != nil {
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

// invocations makes the metrics of a part of a minute.
func (s *Server) invocations(h *home, t *traffic, a *Alias, at time.Time, length time.Duration) {
	weights := a.weights()
	weighted := len(weights) > 1 || s.options.UnweightedVersions
	for _, version := range slices.Sorted(maps.Keys(weights)) {
		due := t.due[version]
		if due == nil {
			due = &[4]float64{}
			t.due[version] = due
		}
		o := t.Versions[version]
		requests := wholeOf(&due[0], t.PerMinute*weights[version]*length.Minutes())
		throttled := wholeOf(&due[1], requests*o.ThrottleRate)
		invoked := requests - throttled
		failed := wholeOf(&due[2], invoked*o.ErrorRate)
		slow := wholeOf(&due[3], invoked*o.SlowRate)
		executed := ""
		if weighted {
			executed = version
		}
		took := o.Duration
		if took == 0 {
			took = 10 * time.Millisecond
		}
		s.emit(h, t, "Throttles", "", at, 1, throttled)
		s.emit(h, t, "Invocations", executed, at, 1, invoked)
		s.emit(h, t, "Errors", executed, at, 1, failed)
		s.emit(h, t, "Duration", executed, at, milliseconds(took), invoked-slow)
		s.emit(h, t, "Duration", executed, at, milliseconds(o.SlowDuration), slow)
	}
}

// emit publishes a metric with all sets of dimensions that Lambda publishes. Zeros are not published.
func (s *Server) emit(h *home, t *traffic, name, executed string, at time.Time, value, count float64) {
	if count <= 0 {
		return
	}
	function := map[string]string{"FunctionName": t.Function}
	resource := map[string]string{"FunctionName": t.Function, "Resource": t.Function + ":" + t.Alias}
	sets := []map[string]string{nil, function, resource}
	if executed != "" {
		sets = append(sets, map[string]string{"FunctionName": t.Function, "Resource": t.Function + ":" + t.Alias, "ExecutedVersion": executed})
	}
	for _, dimensions := range sets {
		s.publishMetric(Metric{Account: h.account, Region: h.region, Namespace: lambdaNamespace, Name: name, Dimensions: dimensions}, at, value, count)
	}
}

// wholeOf adds to what is due, and takes the whole number of it.
func wholeOf(due *float64, more float64) float64 {
	*due += more
	n := math.Floor(*due + 1e-9)
	*due -= n
	return n
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
