package rollout

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestOldSuccess checks that no further invocations move, and no rollout ends, because of a success from before a
// downtime: what is due is measured first. The first measurement of a process has no value at once.
func TestOldSuccess(t *testing.T) {
	cases := map[string]struct {
		reason string
		steps  []v1beta1.CanaryStep
		bake   time.Duration
		until  func(s *scenario) bool
		serves Route
	}{
		"Weight": {
			reason: "The target gets no higher weight.",
			steps: []v1beta1.CanaryStep{
				{SetWeight: ptr.To[int32](10)},
				{Pause: &v1beta1.RolloutPause{Duration: &metav1.Duration{Duration: 5 * time.Minute}}},
				{SetWeight: ptr.To[int32](50)},
			},
			until:  func(s *scenario) bool { return s.state.StepElapsed.Duration >= 200*time.Second },
			serves: at(10),
		},
		"Bake": {
			reason: "The bake time does not end.",
			steps:  []v1beta1.CanaryStep{{SetWeight: ptr.To[int32](10)}},
			bake:   5 * time.Minute,
			until: func(s *scenario) bool {
				return s.state.Step == v1beta1.RolloutBaking && s.state.StepElapsed.Duration >= 200*time.Second
			},
			serves: Route{Version: "2"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, twoWeights(metrics("m"), bake(tc.bake)))
			s.spec.Strategy.Canary.Steps = tc.steps
			s.observed.Target = "2"
			s.untilTrue("nearly over", func() bool { return tc.until(s) })
			s.down(time.Hour)
			s.result = func(CheckID) string { return "" }
			s.pass(time.Minute)
			if s.observed.Route != tc.serves || s.state.Phase != v1beta1.RolloutProgressing {
				t.Fatalf("%s\n%s with %s", tc.reason, s.state.Phase, s.observed.Route)
			}
			s.result = func(CheckID) string { return Failure }
			s.pass(time.Minute)
			s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAnalysisFailed, "1")
		})
	}
}

// TestAlarmDuringSmokeTests checks that an alarm that fires while the smoke tests run is one that fires before the
// target receives any invocation, although it was OK before them.
func TestAlarmDuringSmokeTests(t *testing.T) {
	s := newScenario(t, tenPercent(alarms("a"), func(s *v1beta1.AliasRollout) {
		s.PreTraffic = []v1beta1.RolloutSmokeTest{{Name: "ping"}}
	}))
	s.observed.Target = "2"
	s.until(v1beta1.RolloutPreTraffic)
	s.result = func(CheckID) string { return "" }
	s.pass(2 * time.Minute)
	s.wantSent("the alarm is measured first")
	s.result = func(CheckID) string { return Failure }
	s.pass(time.Minute)
	s.wantSent("it fired before", at(10).String())
	if s.result = nil; len(s.rejected()) > 0 {
		t.Errorf("rejected %v", s.rejected())
	}
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestPromoteFullAfterAFailure checks that a version that the user has promoted although a metric with onFailure Pause
// has failed is not taken back because of that failure, but because of another one after a success.
func TestPromoteFullAfterAFailure(t *testing.T) {
	for _, again := range []bool{false, true} {
		s := newScenario(t, twoWeights(metrics("m"), bake(10*time.Minute)))
		s.spec.Analysis.Metrics[0].OnFailure = "Pause"
		s.at10()
		s.result = func(CheckID) string { return Failure }
		s.untilTrue("paused", func() bool { return s.state.Reason == v1beta1.RolloutReasonInconclusive })
		s.observed.Commands[v1beta1.AnnotationRolloutPromoteFull] = "x"
		s.until(v1beta1.RolloutBaking)
		s.pass(2 * time.Minute)
		if again {
			s.result = nil
			s.pass(2 * time.Minute)
			s.result = func(CheckID) string { return Failure }
		}
		s.pass(2 * time.Hour)
		if again {
			s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonProgressDeadlineExceeded, "1")
			continue
		}
		s.wantEnd(v1beta1.RolloutReady, "", "2")
	}
}

// TestPromoteFullWithAnAlarmThatIsNotRead checks that an alarm that could not be read until the user promoted the
// target is ignored if it fires since before that.
func TestPromoteFullWithAnAlarmThatIsNotRead(t *testing.T) {
	s := newScenario(t, twoWeights(alarms("a"), bake(20*time.Minute)))
	s.delay, s.since, s.about = 5*time.Minute, s.now.Add(-time.Hour), s.now.Add(-time.Hour)
	s.result = func(CheckID) string { return Error }
	s.observed.Target = "2"
	s.pass(time.Minute)
	s.observed.Commands[v1beta1.AnnotationRolloutPromoteFull] = "x"
	s.until(v1beta1.RolloutBaking)
	s.pass(time.Minute)
	s.result = func(CheckID) string { return Failure }
	s.pass(2 * time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestPausedRollback checks that a rollback ends while spec.rollout.paused is true, although the answer of AWS to the
// change was lost.
func TestPausedRollback(t *testing.T) {
	s := newScenario(t, tenPercent())
	s.at10()
	s.spec.Paused = true
	s.observed.Commands[v1beta1.AnnotationRolloutAbort] = "x"
	s.until(v1beta1.RolloutRollingBack)
	s.alias(Route{Version: "1"})                 // By the call whose answer was lost.
	s.refuses = func(Route) bool { return true } // There is nothing to change.
	s.pass(10 * time.Minute)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAborted, "1")
}

// TestRecreatedDuringADirectMove checks that a version that moved directly is analysed if it does not move directly any
// more when the alias is created again.
func TestRecreatedDuringADirectMove(t *testing.T) {
	s := promoted(t, twoWeights(alarms("a"), func(s *v1beta1.AliasRollout) {
		s.RollbackWindow = &v1beta1.RolloutRollbackWindow{Revisions: 1}
	}))
	s.observed.Target = "1"
	s.until(v1beta1.RolloutPromoting)
	s.spec.RollbackWindow = nil
	Recreated(s.state, s.now)
	s.alias(Route{Version: "2"})
	s.untilTrue("a weight", func() bool { return s.state.ObservedWeight > 0 })
	s.result = func(CheckID) string { return Failure }
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAnalysisFailed, "2")
}

// TestPromotionWithoutAWeight checks that a target that receives its first invocations with the promotion is judged
// after it, also without a bake time, unless the user has skipped the analysis.
func TestPromotionWithoutAWeight(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*v1beta1.AliasRollout)
	}{
		"Pause": {"Time is no evidence.", func(s *v1beta1.AliasRollout) {
			s.Strategy.Canary.Steps = s.Strategy.Canary.Steps[1:]
		}},
		"Analysis": {"Before any invocation, there is nothing to analyse.", func(s *v1beta1.AliasRollout) {
			s.Strategy.Canary.Steps = []v1beta1.CanaryStep{
				{Analysis: &v1beta1.CanaryAnalysis{Successes: ptr.To[int32](3)}},
			}
		}},
		"NoBakeTime": {"A bake time of 0s is admitted.", func(s *v1beta1.AliasRollout) {
			allAtOnce(s)
			bake(0)(s)
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for result, want := range map[string]Route{Success: {Version: "2"}, Failure: {Version: "1"}} {
				s := newScenario(t, tenPercent(metrics("m"), tc.edit))
				s.result = func(CheckID) string { return result }
				s.observed.Target = "2"
				s.pass(time.Hour)
				if s.observed.Route != want || len(s.rejected()) > 0 != (result == Failure) {
					t.Errorf("%s\n%s: %s, rejected %v: %+v", tc.reason, result, s.observed.Route, s.rejected(), s.state)
				}
			}
			s := newScenario(t, tenPercent(metrics("m"), tc.edit))
			s.result = func(CheckID) string { return Failure }
			s.observed.Target = "2"
			s.until(v1beta1.RolloutValidating)
			s.observed.Commands[v1beta1.AnnotationRolloutPromoteFull] = "x"
			s.pass(time.Hour)
			s.wantEnd(v1beta1.RolloutReady, "", "2")
		})
	}
}

// TestPausedSmokeTests checks that no smoke test is made while the rollout is paused, and that they go on after that.
func TestPausedSmokeTests(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		paused func(*v1beta1.AliasRolloutStatus) bool
		before int
	}{
		"First":    {"None has begun.", func(s *v1beta1.AliasRolloutStatus) bool { return len(s.Checks) == 0 }, 0},
		"Recorded": {"The intent is recorded, the call is not made.", func(s *v1beta1.AliasRolloutStatus) bool { return len(s.Checks) == 1 }, 0},
		"Second": {
			"The first has succeeded.",
			func(s *v1beta1.AliasRolloutStatus) bool { return len(s.Checks) > 0 && s.Checks[0].Result == Success }, 1,
		},
		"Repeated": {
			"AWS has not accepted the first.",
			func(s *v1beta1.AliasRolloutStatus) bool { return len(s.Checks) > 0 && s.Checks[0].Result == Error }, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, tenPercent(func(s *v1beta1.AliasRollout) {
				s.PreTraffic = []v1beta1.RolloutSmokeTest{{Name: "one"}, {Name: "two"}}
			}))
			s.observed.Target = "2"
			tests, passes := 0, name != "Repeated"
			decide := func() time.Duration {
				d := s.decide()
				if d.Action == Invoke {
					tests++
				}
				if c := CheckOf(s.state, CheckID{CheckPreTraffic, "one"}); d.Action == Invoke && !passes {
					c.Result, c.Errors = Error, 1
				}
				return d.After
			}
			for range 100 {
				if s.state.Step == v1beta1.RolloutPreTraffic && tc.paused(s.state) {
					break
				}
				s.now = s.now.Add(max(decide(), time.Millisecond))
			}
			s.spec.Paused = true
			decisions := 0
			for end := s.now.Add(3 * time.Minute); s.now.Before(end); decisions++ {
				s.now = s.now.Add(max(decide(), time.Millisecond))
			}
			if tests != tc.before || decisions > 10 || s.state.Message != "spec.rollout.paused is true" {
				t.Errorf(
					"%s: %d tests, %d decisions, %s: %s",
					tc.reason,
					tests,
					decisions,
					Position(s.state),
					s.state.Message,
				)
			}
			s.spec.Paused, passes = false, true
			for s.state.Step == v1beta1.RolloutPreTraffic {
				s.now = s.now.Add(max(decide(), time.Millisecond))
			}
			if s.state.Step != v1beta1.RolloutAnalyzing || s.state.Message != "" {
				t.Errorf("%s: then %s: %s", tc.reason, Position(s.state), s.state.Message)
			}
		})
	}
}

// TestEditedSmokeTest checks that a smoke test that has succeeded as it was defined before is made again, and none that
// has not changed.
func TestEditedSmokeTest(t *testing.T) {
	s := newScenario(t, tenPercent(func(s *v1beta1.AliasRollout) {
		s.PreTraffic = []v1beta1.RolloutSmokeTest{{Name: "one"}, {Name: "two"}, {Name: "three"}}
	}))
	s.observed.Target = "2"
	var made []string
	edited := 0
	for range 100 {
		d := s.decide()
		if d.Action == Invoke {
			made = append(made, d.Test.Name)
			if edited++; edited == 2 {
				s.spec.PreTraffic[0].Invoke.Expect = ptr.To("payload.ok")
			}
		}
		s.now = s.now.Add(max(d.After, time.Millisecond))
	}
	if want := []string{"one", "two", "one", "three"}; !slices.Equal(made, want) {
		t.Errorf("made %v, want %v", made, want)
	}
}

// TestUnobservedTimeJudgesNothing checks that a rollout that nobody has observed for 20 minutes, which may be a clock
// that was set forward, gives the target no more invocations before its weight was observed for as long as invocations
// take to show.
func TestUnobservedTimeJudgesNothing(t *testing.T) {
	pause := v1beta1.CanaryStep{Pause: &v1beta1.RolloutPause{Duration: &metav1.Duration{Duration: time.Minute}}}
	cases := map[string]struct {
		reason string
		steps  []v1beta1.CanaryStep
		least  time.Duration
	}{
		"Weight": {
			"The next weight waits.",
			[]v1beta1.CanaryStep{{SetWeight: ptr.To[int32](10)}, {SetWeight: ptr.To[int32](50)}},
			3 * time.Minute,
		},
		"LastStep": {
			"The promotion waits for the last step.",
			[]v1beta1.CanaryStep{{SetWeight: ptr.To[int32](10)}, pause},
			4 * time.Minute,
		},
		"Manual": {
			"So does the weight after a pause that the user ends.",
			[]v1beta1.CanaryStep{
				{SetWeight: ptr.To[int32](10)},
				{Pause: &v1beta1.RolloutPause{}},
				{SetWeight: ptr.To[int32](50)},
			},
			3 * time.Minute,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := twoWeights(metrics("m"))
			spec.Strategy.Canary.Steps = tc.steps
			s := newScenario(t, spec)
			s.delay = 3 * time.Minute
			s.at10()
			start := s.now
			s.pass(100 * time.Second)
			s.down(20*time.Minute + s.state.NextCheckAt.Sub(s.now))
			s.observed.Commands[v1beta1.AnnotationRolloutPromote] = "t"
			s.untilTrue("more", func() bool { return s.observed.Route != at(10) })
			if observed := s.now.Sub(start) - 20*time.Minute; observed < tc.least || observed > tc.least+time.Minute {
				t.Errorf("%s It was observed for %s", tc.reason, observed)
			}
		})
	}
}

// TestAlarmOfAFormerTarget checks that an alarm on the errors of all versions of an alias judges a target by none of
// the target before: errors of that one neither reject a healthy target, nor let the alarm be ignored while a bad one
// fails.
func TestAlarmOfAFormerTarget(t *testing.T) {
	cases := map[string]struct {
		reason string
		// after is how long version 2, which fails, has 10 % until another version is desired, or until it is rejected
		// if it is 0. Version 4 fails too.
		after time.Duration
		next  string
		want  string
	}{
		"Replaced": {
			reason: "The alarm fires because of version 2 when version 3 has its first weight.",
			after:  20 * time.Second,
			next:   "3",
			want:   "3",
		},
		"Rejected": {reason: "The fix is rolled out.", next: "3", want: "3"},
		"BadToo":   {reason: "The alarm fires already, and then because of version 4.", next: "4", want: "1"},
		"Retried":  {reason: "The alarm still fires because of the first try.", want: "1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, twoWeights(alarms("a"), func(s *v1beta1.AliasRollout) {
				s.Strategy.Canary.Steps[1] = v1beta1.CanaryStep{Analysis: &v1beta1.CanaryAnalysis{}}
			}))
			var failed []time.Time // The seconds in which an invocation has failed.
			s.delay = 3 * time.Minute
			is := Success
			evaluate := func() { // One period of a minute is evaluated, two minutes after it.
				begin, state := s.now.Add(-3*time.Minute).Truncate(time.Minute), Success
				if slices.ContainsFunc(failed, func(at time.Time) bool {
					return at.After(begin) && at.Before(begin.Add(time.Minute))
				}) {
					state = Failure
				}
				if state != is {
					is, s.since, s.about = state, s.now, begin.Add(time.Minute)
				}
			}
			s.result = func(CheckID) string { return is }
			pass := func(d time.Duration, until func() bool) {
				for end := s.now.Add(d); s.now.Before(end) && !until(); {
					s.pass(time.Second)
					if r := s.observed.Route; r.Additional == "2" || r.Additional == "4" || r.Version == "2" ||
						r.Version == "4" {
						failed = append(failed, s.now)
					}
					evaluate()
				}
			}
			never := func() bool { return false }
			s.observed.Target = "2"
			pass(time.Hour, func() bool { return s.state.ObservedWeight == 10 })
			pass(cmp.Or(tc.after, time.Hour), func() bool { return s.state.Phase == v1beta1.RolloutFailed })
			if s.observed.Target = cmp.Or(tc.next, "2"); tc.next == "" {
				s.observed.Commands[v1beta1.AnnotationRolloutRetry] = "1"
			}
			pass(time.Hour, never)
			if (s.observed.Route != Route{Version: tc.want}) || slices.Contains(s.rejected(), tc.want) ||
				InProgress(s.state) {
				t.Errorf("%s\n%s, want version %s: %s %v\n%s", tc.reason, s.observed.Route, tc.want, short(s.state),
					s.rejected(), strings.Join(s.sent, ", "))
			}
		})
	}
}

// TestQuickAlarmOfAFormerTarget checks that an alarm with periods of less than a minute, which CloudWatch evaluates
// more often than once a minute, holds up the next target for less than a minute and its own delay.
func TestQuickAlarmOfAFormerTarget(t *testing.T) {
	s := newScenario(t, twoWeights(alarms("a")))
	s.delay = 20 * time.Second
	s.at10()
	s.observed.Target = "3"
	s.untilTrue("replaced", func() bool { return s.observed.Route == Route{Version: "1"} })
	begin := s.now
	s.untilTrue("given its first weight", func() bool { return s.observed.Route.Additional == "3" })
	if got := s.now.Sub(begin); got < 2*s.delay || got >= time.Minute+s.delay {
		t.Errorf("the first weight after %s, want %s to %s", got, 2*s.delay, time.Minute+s.delay)
	}
}

// TestIgnoredAlarmTakesItsTime checks that an alarm that is ignored lets no weight go up before it has evaluated the
// invocations with the present one: it may leave ALARM and fire again.
func TestIgnoredAlarmTakesItsTime(t *testing.T) {
	s := newScenario(t, twoWeights(alarms("a"), func(s *v1beta1.AliasRollout) {
		s.Strategy.Canary.Steps[1] = v1beta1.CanaryStep{Analysis: &v1beta1.CanaryAnalysis{}}
	}))
	s.delay = 4 * time.Minute
	s.result = func(CheckID) string { return Failure }
	s.at10()
	begin := s.now
	s.until(v1beta1.RolloutPromoting)
	if got := s.now.Sub(begin); got < 2*s.delay {
		t.Errorf("all invocations after %s, want %s at least", got, 2*s.delay)
	}
}

// TestLongAlarmOfAFormerTarget checks that a rollout waits for an alarm that takes longer than the deadline to evaluate
// what was after the former target, and that it does not fail meanwhile.
func TestLongAlarmOfAFormerTarget(t *testing.T) {
	s := newScenario(t, tenPercent(alarms("a")))
	s.delay = time.Hour
	s.at10()
	s.observed.Target = "3"
	s.pass(4 * time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "3")
	if s.event(v1beta1.EventRolloutFailed) {
		t.Errorf("events %q", s.events)
	}
}
