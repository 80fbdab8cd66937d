package rollout

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A scenario is a rollout with its alias in AWS and its clock. It is observed when it asks to be.
type scenario struct {
	testing.TB

	spec  *v1beta1.AliasRollout
	state *v1beta1.AliasRolloutStatus
	now   time.Time

	// observed is what the next decision gets. Its route is that of the alias in AWS.
	observed Observation
	// result returns what a check measures; nil is Success. No result is none.
	result func(CheckID) string
	// delay is how long an invocation takes to show in a result.
	delay time.Duration
	// since is the time at which an alarm went to ALARM, and about that up to which it had data then, zero if that is
	// not known.
	since, about time.Time
	// refuses reports whether AWS refuses a change of the alias.
	refuses func(Route) bool

	// sent are the routes that AWS has got, woken the versions that were invoked.
	sent, woken []string
	events      []string
}

// newScenario returns a scenario of an alias with version 1. All versions have another fingerprint.
func newScenario(t testing.TB, spec *v1beta1.AliasRollout) *scenario {
	t.Helper()
	s := &scenario{TB: t, spec: spec, now: time.Date(2026, 1, 2, 3, 4, 5, 700_000_000, time.UTC)}
	s.observed = Observation{
		Route: Route{Version: "1"}, RevisionID: "0", Target: "1", Versions: map[string]Version{},
		Commands: map[string]string{},
	}
	for v := range 9 {
		s.observed.Versions[strconv.Itoa(v)] = Version{Fingerprint: "f" + strconv.Itoa(v)}
	}
	s.decide()
	return s
}

// decide makes one decision and carries it out.
func (s *scenario) decide() Decision {
	o := s.observed
	due, _ := Due(s.spec, s.state, s.now)
	for _, id := range due {
		m := Measurement{CheckID: id, Result: Success, Until: s.now.Add(-s.delay), Since: s.since, About: s.about}
		if s.result != nil {
			m.Result = s.result(id)
		}
		if m.Result == Error {
			m.Until, m.Since, m.About = time.Time{}, time.Time{}, time.Time{} // What has no value judges nothing.
		}
		if m.Result != "" {
			o.Measurements = append(o.Measurements, m)
		}
	}
	d := Next(s.spec, s.state, o, s.now)
	for _, e := range d.Events {
		s.events = append(s.events, e.Reason+": "+e.Message)
	}
	switch {
	case d.Action == Wake:
		s.woken = append(s.woken, d.Version)
	case d.Action == Update && s.refuses != nil && s.refuses(d.Route):
		UpdateFailed(d.State, s.now, "AWS refuses it")
		d.After = min(d.After, 2*time.Second) // As after each error.
	case d.Action == Update:
		s.alias(d.Route)
		d.After = min(d.After, Updated(d.State))
		s.sent = append(s.sent, d.Route.String())
	case d.Action == Invoke:
		Record(d.State, Measurement{CheckID: CheckID{CheckPreTraffic, d.Test.Name}, Result: Success}, s.now)
	}
	s.state = d.State
	return d
}

// alias changes the alias in AWS.
func (s *scenario) alias(r Route) {
	revision, _ := strconv.Atoi(s.observed.RevisionID)
	s.observed.Route, s.observed.RevisionID = r, strconv.Itoa(revision+1)
}

// pass lets time pass in which the provider observes the rollout when it asks for it, and every five minutes.
func (s *scenario) pass(d time.Duration) {
	for end := s.now.Add(d); s.now.Before(end); {
		after := s.decide().After
		if after <= 0 {
			after = 5 * time.Minute
		}
		s.now = s.now.Add(max(min(after, end.Sub(s.now)), time.Millisecond))
	}
}

// down lets time pass in which nobody observes the rollout.
func (s *scenario) down(d time.Duration) { s.now = s.now.Add(d) }

// until observes until a step.
func (s *scenario) until(step string) {
	s.Helper()
	s.untilTrue(step, func() bool { return s.state.Step == step })
}

func (s *scenario) untilTrue(what string, is func() bool) {
	s.Helper()
	for range 2000 {
		if is() {
			return
		}
		after := s.decide().After
		s.now = s.now.Add(max(after, time.Millisecond))
	}
	s.Fatalf("never %s: %+v", what, s.state)
}

// at10 observes a rollout of version 2 until it has 10 % of the invocations.
func (s *scenario) at10() {
	s.Helper()
	s.observed.Target = "2"
	s.untilTrue("at 10 %", func() bool { return s.state.ObservedWeight == 10 })
}

func (s *scenario) wantEnd(phase, reason, version string) {
	s.Helper()
	if got := s.state; got.Phase != phase || got.Reason != reason || (s.observed.Route != Route{Version: version}) {
		s.Errorf("ended as %s %s (%s) with %s, want %s %s with version %s", got.Phase, got.Reason, got.Message,
			s.observed.Route, phase, reason, version)
	}
}

// rejected returns the versions that were rejected.
func (s *scenario) rejected() (versions []string) {
	for _, f := range s.state.FailedTargets {
		versions = append(versions, f.FunctionVersion)
	}
	return versions
}

func (s *scenario) event(reason string) bool {
	return slices.ContainsFunc(s.events, func(e string) bool { return strings.HasPrefix(e, reason+":") })
}

// tenPercent is a canary with 10 % for five minutes.
func tenPercent(edit ...func(*v1beta1.AliasRollout)) *v1beta1.AliasRollout {
	spec := &v1beta1.AliasRollout{
		Strategy: v1beta1.RolloutStrategy{Canary: &v1beta1.CanaryStrategy{Steps: []v1beta1.CanaryStep{
			{SetWeight: ptr.To[int32](10)}, {
				Pause: &v1beta1.RolloutPause{Duration: &metav1.Duration{Duration: 5 * time.Minute}},
			},
		}}},
	}
	for _, e := range edit {
		e(spec)
	}
	return spec
}

// metrics adds Lambda's metrics to a spec.
func metrics(names ...string) func(*v1beta1.AliasRollout) {
	return func(s *v1beta1.AliasRollout) {
		s.Analysis = cmpOr(s.Analysis)
		for _, n := range names {
			s.Analysis.Metrics = append(s.Analysis.Metrics, v1beta1.RolloutMetric{
				Name:     n,
				Provider: v1beta1.RolloutMetricProvider{Lambda: &v1beta1.LambdaMetric{Metric: "ErrorRate"}},
			})
		}
	}
}

func alarms(names ...string) func(*v1beta1.AliasRollout) {
	return func(s *v1beta1.AliasRollout) {
		s.Analysis = cmpOr(s.Analysis)
		s.Analysis.Alarms = &v1beta1.RolloutAlarms{Names: names}
	}
}

func cmpOr(a *v1beta1.RolloutAnalysis) *v1beta1.RolloutAnalysis {
	if a == nil {
		return &v1beta1.RolloutAnalysis{}
	}
	return a
}

func trigger(mode string, quorum *int32) func(*v1beta1.AliasRollout) {
	return func(s *v1beta1.AliasRollout) {
		s.Analysis.Trigger = &v1beta1.RolloutTrigger{Mode: mode, Quorum: quorum}
	}
}

func bake(d time.Duration) func(*v1beta1.AliasRollout) {
	return func(s *v1beta1.AliasRollout) { s.FinalBakeTime = &metav1.Duration{Duration: d} }
}

func allAtOnce(s *v1beta1.AliasRollout) {
	s.Strategy = v1beta1.RolloutStrategy{AllAtOnce: &v1beta1.AllAtOnceStrategy{}}
}
