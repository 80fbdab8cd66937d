package rollout

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestUnobservedTime checks that time in which the provider did not observe a rollout, or in which it was paused, ends
// no rollout: in each step of it, the deadline passes several times.
func TestUnobservedTime(t *testing.T) {
	steps := []string{
		v1beta1.RolloutValidating, v1beta1.RolloutPreTraffic, v1beta1.RolloutShifting,
		v1beta1.RolloutAnalyzing, v1beta1.RolloutPromoting, v1beta1.RolloutBaking,
	}
	causes := map[string]func(s *scenario){
		"Down": func(s *scenario) { s.down(3 * time.Hour) },
		"Paused": func(s *scenario) {
			s.spec.Paused = true
			s.pass(3 * time.Hour)
			s.spec.Paused = false
		},
		"ClockBehind": func(s *scenario) {
			s.down(-3 * time.Hour)
			s.pass(time.Second)
			s.down(3 * time.Hour)
		},
	}
	for name, cause := range causes {
		for _, step := range steps {
			t.Run(name+step, func(t *testing.T) {
				s := newScenario(t, tenPercent(metrics("m"), bake(time.Minute), func(s *v1beta1.AliasRollout) {
					s.PreTraffic = []v1beta1.RolloutSmokeTest{{Name: "ping"}}
				}))
				s.observed.Target = "2"
				s.until(step)
				cause(s)
				s.pass(2 * time.Hour)
				s.wantEnd(v1beta1.RolloutReady, "", "2")
				if got := s.rejected(); len(got) > 0 {
					t.Errorf("rejected %v", got)
				}
			})
		}
	}
}

// TestTimeOfMeasurements checks that the time that measurements take counts for the deadline: sources that do not answer
// in time do not put it off.
func TestTimeOfMeasurements(t *testing.T) {
	s := newScenario(t, tenPercent(metrics("m")))
	s.at10()
	s.result = func(CheckID) string { return "" } // Others take so long that it is not measured.
	s.observed.Took = 5 * time.Second
	begin := s.now
	for s.state.Step != v1beta1.RolloutRollingBack && s.now.Before(begin.Add(2*time.Hour)) {
		after := s.decide().After
		s.now = s.now.Add(s.observed.Took + after)
	}
	// The pause, what the last measurement may take, and the deadline.
	if took := s.now.Sub(begin); took < 18*time.Minute || took > 21*time.Minute {
		t.Errorf("the rollout ended after %s: %s", took, s.state.Message)
	}
}

// TestClockIsSetBack checks that a rollout goes on as without it if the clock is set back by an hour, or another
// replica takes over whose clock is behind: what fails is rolled back, what succeeds is promoted, and a rollback that
// AWS has refused is sent again.
func TestClockIsSetBack(t *testing.T) {
	cases := map[string]struct {
		before, after func(s *scenario)
		phase, reason string
		version       string
		within        time.Duration
	}{
		"Success": {
			before: func(*scenario) {}, after: func(*scenario) {},
			phase: v1beta1.RolloutReady, version: "2", within: 12 * time.Minute,
		},
		"LastStep": {
			before: func(s *scenario) {
				s.delay = 2 * time.Minute
				s.untilTrue("after the last pause", func() bool { return s.state.CurrentStepIndex == 4 })
				s.down(-3 * time.Minute)
			},
			after: func(*scenario) {},
			phase: v1beta1.RolloutReady, version: "2", within: 4 * time.Minute,
		},
		"Failure": {
			before:  func(*scenario) {},
			after:   func(s *scenario) { s.result = func(CheckID) string { return Failure } },
			phase:   v1beta1.RolloutFailed,
			reason:  v1beta1.RolloutReasonAnalysisFailed,
			version: "1",
			within:  2 * time.Minute,
		},
		"RefusedRollback": {
			before: func(s *scenario) {
				s.result = func(CheckID) string { return Failure }
				s.refuses = func(Route) bool { return true }
			},
			after:   func(s *scenario) { s.refuses = nil },
			phase:   v1beta1.RolloutFailed,
			reason:  v1beta1.RolloutReasonAnalysisFailed,
			version: "1",
			within:  2 * time.Minute,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, twoWeights(metrics("m")))
			s.at10()
			tc.before(s)
			s.pass(3 * time.Minute)
			s.down(-time.Hour)
			tc.after(s)
			s.pass(tc.within)
			s.wantEnd(tc.phase, tc.reason, tc.version)
		})
	}
}

// TestResultThatWasNeverMeasured edits a check in status so that it has a result, and not when that was measured.
func TestResultThatWasNeverMeasured(t *testing.T) {
	smoke := func(s *v1beta1.AliasRollout) { s.PreTraffic = []v1beta1.RolloutSmokeTest{{Name: "a"}} }
	cases := map[string]struct {
		reason string
		step   string
		typ    string
		result string
		// answers is what the next measurement returns, and want the result that is recorded after it.
		answers, want string
	}{
		"Alarm": {
			reason: "It is measured as one without a result.",
			step:   v1beta1.RolloutValidating, typ: CheckAlarm, result: Success,
		},
		"AlarmWithoutAnswer": {
			reason: "How late an alarm judges is not known if nobody knows when it was measured.",
			step:   v1beta1.RolloutValidating, typ: CheckAlarm, result: Success, answers: Error, want: Error,
		},
		"Metric": {
			reason: "A success that nothing has measured gives the target no more invocations.",
			step:   v1beta1.RolloutAnalyzing, typ: CheckMetric, result: Success,
		},
		"SmokeTestThatSucceeded": {
			reason: "The target receives no invocation before it is tested.",
			step:   v1beta1.RolloutPreTraffic, typ: CheckPreTraffic, result: Success, want: Running,
		},
		"SmokeTestWithoutAnswer": {
			reason: "Nobody knows how long ago it was made, so it is made again.",
			step:   v1beta1.RolloutPreTraffic, typ: CheckPreTraffic, result: Error, want: Running,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, tenPercent(alarms("a"), metrics("a"), smoke))
			s.observed.Target = "2"
			s.until(tc.step)
			s.result = func(CheckID) string { return tc.answers }
			s.state.Checks = []v1beta1.RolloutCheck{
				{Name: "a", Type: tc.typ, Result: tc.result, Successes: 9, JudgedUntil: stamp(s.now)},
			}
			s.decide()
			if got := CheckOf(s.state, CheckID{tc.typ, "a"}).Result; got != tc.want || s.state.Step != tc.step {
				t.Errorf("%s It is %q in step %s, want %q in %s", tc.reason, got, s.state.Step, tc.want, tc.step)
			}
		})
	}
}

// TestPauseLastsAsObserved checks that the duration of a step is the time in which it was observed.
func TestPauseLastsAsObserved(t *testing.T) {
	s := newScenario(t, tenPercent())
	s.at10()
	start := s.now
	s.pass(2 * time.Minute)
	s.spec.Paused = true
	s.pass(time.Hour)
	s.spec.Paused = false
	s.until(v1beta1.RolloutPromoting)
	if took := s.now.Sub(start).Round(time.Second); took < time.Hour+5*time.Minute-2*time.Second ||
		took > time.Hour+6*time.Minute {
		t.Errorf("a pause of 5 minutes with an hour in which the rollout was paused took %s", took)
	}
}

// TestDeadline checks that a rollout that is observed but does not progress ends, that its target is not rejected, and
// that it is rolled out again if what was missing is there, or on request.
func TestDeadline(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   *v1beta1.AliasRollout
		breaks func(s *scenario)
		mends  func(s *scenario)
		// asks says that the user has to ask for it, since invocations had moved.
		asks bool
	}{
		"Pending": {
			reason: "A version that AWS prepares for longer than the deadline is rolled out once it is there.",
			spec:   tenPercent(),
			breaks: func(s *scenario) {
				s.observed.Versions["2"] = Version{Fingerprint: "f2", Pending: "version 2 is Pending"}
			},
			mends: func(s *scenario) { s.observed.Versions["2"] = Version{Fingerprint: "f2"} },
		},
		"Missing": {
			reason: "A version that does not exist yet is rolled out once it does.",
			spec:   tenPercent(),
			breaks: func(s *scenario) { s.observed.Versions["2"] = Version{Missing: true} },
			mends:  func(s *scenario) { s.observed.Versions["2"] = Version{Fingerprint: "f2"} },
		},
		"Unreadable": {
			reason: "A version that can't be read is rolled out once it can.",
			spec:   tenPercent(),
			breaks: func(s *scenario) { delete(s.observed.Versions, "2") },
			mends:  func(s *scenario) { s.observed.Versions["2"] = Version{Fingerprint: "f2"} },
		},
		"Dependency": {
			reason: "A rollout whose dependency is not healthy begins once it is.",
			spec: tenPercent(func(s *v1beta1.AliasRollout) {
				s.Dependencies = []v1beta1.RolloutDependency{
					{Name: "d"},
				}
			}),
			breaks: func(s *scenario) { s.result = func(CheckID) string { return Failure } },
			mends:  func(s *scenario) { s.result = nil },
		},
		"NoTraffic": {
			reason: "Without traffic nobody knows, and the user decides when to try again.",
			spec:   tenPercent(metrics("m")),
			breaks: func(s *scenario) { s.result = func(CheckID) string { return Inconclusive } },
			mends:  func(s *scenario) { s.result = nil },
			asks:   true,
		},
		"Refused": {
			reason: "A change that AWS refuses says nothing about the version.",
			spec:   tenPercent(),
			breaks: func(s *scenario) { s.refuses = func(r Route) bool { return r.Additional != "" } },
			mends:  func(s *scenario) { s.refuses = nil },
			asks:   true,
		},
		"Moving": {
			reason: "AWS may never end a move of the alias that someone else has begun.",
			spec:   tenPercent(),
			breaks: func(s *scenario) {
				s.at10()
				s.alias(Route{Version: "9"})
				s.observed.Moving = true
				s.refuses = func(Route) bool { s.observed.Moving = false; return false }
			},
			mends: func(*scenario) {},
			asks:  true,
		},
		"OnError": {
			reason: "A metric without a value says nothing about the version, whatever onError does.",
			spec: tenPercent(metrics("m"), func(s *v1beta1.AliasRollout) {
				s.Analysis.Metrics[0].OnError = "Rollback"
			}),
			breaks: func(s *scenario) { s.result = func(CheckID) string { return Error } },
			mends:  func(s *scenario) { s.result = nil },
			asks:   true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, tc.spec)
			tc.breaks(s)
			s.observed.Target = "2"
			s.pass(time.Hour)
			if s.state.Phase != v1beta1.RolloutFailed || len(s.rejected()) > 0 ||
				(s.observed.Route != Route{Version: "1"}) {
				t.Fatalf("%s\nafter an hour: %s %s, rejected %v, %s", tc.reason, s.state.Phase, s.state.Reason,
					s.rejected(), s.observed.Route)
			}
			tc.mends(s)
			if tc.asks {
				s.pass(time.Hour)
				s.wantEnd(v1beta1.RolloutFailed, s.state.Reason, "1")
				s.observed.Commands[v1beta1.AnnotationRolloutRetry] = "x"
			}
			s.pass(time.Hour)
			s.wantEnd(v1beta1.RolloutReady, "", "2")
		})
	}
}

// TestDeadlineOfAnAlarmWithoutAnAnswer checks that a single read of an alarm that fails does not end a rollout that
// waits for all of the alarm's periods.
func TestDeadlineOfAnAlarmWithoutAnAnswer(t *testing.T) {
	s := newScenario(t, tenPercent(alarms("a")))
	s.delay = 17 * time.Minute
	s.at10()
	s.pass(20 * time.Minute)
	s.result = func(CheckID) string { return Error }
	s.pass(30 * time.Second)
	s.result = nil
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestWaitForMeasurementsIsNoNews checks that the message of a rollout that waits for invocations to show remains the
// same, however often they are measured: the periods of a metric end less often.
func TestWaitForMeasurementsIsNoNews(t *testing.T) {
	s := newScenario(t, twoWeights(metrics("m"), func(s *v1beta1.AliasRollout) {
		s.Strategy.Canary.Steps = slices.Delete(s.Strategy.Canary.Steps, 1, 2) // Without the first pause.
		s.Analysis.Metrics[0].Interval = &metav1.Duration{Duration: 10 * time.Second}
	}))
	s.at10()
	said := map[string]bool{}
	for s.state.ObservedWeight == 10 {
		end := s.now.Add(-2 * time.Minute).Truncate(time.Minute)
		s.delay = s.now.Sub(end.Add(-time.Minute))
		s.pass(time.Second)
		if strings.Contains(s.state.Message, "shows all invocations") {
			said[s.state.Message] = true
		}
	}
	if len(said) != 1 {
		t.Errorf("it said %q", slices.Sorted(maps.Keys(said)))
	}
}

// TestEvidenceComesBeforeTheDeadline checks that a target that has failed is rejected, also if it is replaced or its
// time is over at the same moment.
func TestEvidenceComesBeforeTheDeadline(t *testing.T) {
	s := newScenario(t, tenPercent(metrics("m")))
	s.at10()
	s.state.StepElapsed.Duration = 24 * time.Hour
	s.observed.Target = "3"
	s.result = func(CheckID) string { return Failure }
	s.down(time.Minute)
	s.pass(2 * time.Second)
	if got := s.rejected(); !slices.Equal(got, []string{"2"}) {
		t.Errorf("rejected %v, want version 2: %+v", got, s.state)
	}
}

// TestTrigger checks when failures suffice for a rollback: all that count always do.
func TestTrigger(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   *v1beta1.AliasRollout
		before []string
		failed []string
		// skipped do not apply once the target has all invocations.
		skipped []string
		want    string
	}{
		"AllOfAll": {
			reason: "All fail.", spec: tenPercent(alarms("a", "b"), trigger("All", nil)),
			failed: []string{"a", "b"}, want: "1",
		},
		"OneOfAll": {
			reason: "One of two does not suffice.",
			spec:   tenPercent(alarms("a", "b"), trigger("All", nil)), failed: []string{"a"}, want: "2",
		},
		"AllWithIgnored": {
			reason: "An alarm that fired before does not count, so the other one is all that count.",
			spec: tenPercent(
				alarms("a", "b"),
				trigger("All", nil),
			),
			before: []string{"a"},
			failed: []string{"a", "b"},
			want:   "1",
		},
		"Quorum": {reason: "Two of three suffice.", spec: tenPercent(alarms("a", "b", "c"),
			trigger("Quorum", ptr.To[int32](2))), failed: []string{"a", "b"}, want: "1"},
		"QuorumIgnored": {
			reason: "A quorum is at most all that count.", spec: tenPercent(alarms("a", "b", "c"),
				trigger("Quorum", ptr.To[int32](2))), before: []string{"a", "b"}, failed: []string{"a", "b", "c"},
			want: "1",
		},
		"QuorumTooFew": {reason: "One of three does not suffice.", spec: tenPercent(alarms("a", "b", "c"),
			trigger("Quorum", ptr.To[int32](2))), failed: []string{"b"}, want: "2"},
		"Any": {
			reason: "One suffices.", spec: tenPercent(alarms("a", "b")), failed: []string{"b"},
			want: "1",
		},
		"AllIgnored": {
			reason: "An alarm that fired before does not block the fix.", spec: tenPercent(alarms("a")),
			before: []string{"a"}, failed: []string{"a"}, want: "2",
		},
		"AllWithSkipped": {
			reason: "A comparison with a stable version without invocations does not count.",
			spec:   tenPercent(allAtOnce, metrics("m", "n"), trigger("All", nil), bake(5*time.Minute)),
			failed: []string{"m"}, skipped: []string{"n"}, want: "1",
		},
		"SkippedAfterItsFailure": {
			reason: "It counts if it has failed before, and then does not suffice.",
			spec:   tenPercent(metrics("m", "n"), trigger("All", nil), bake(5*time.Minute)),
			failed: []string{"n"}, skipped: []string{"n"}, want: "2",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, tc.spec)
			s.result = func(id CheckID) string {
				if s.state.ObservedWeight >= all && slices.Contains(tc.skipped, id.Name) {
					return Skipped
				}
				if names := map[bool][]string{
					false: tc.before,
					true:  tc.failed,
				}[s.state.ObservedWeight > 0]; slices.Contains(names, id.Name) {
					return Failure
				}
				return Success
			}
			s.observed.Target = "2"
			s.pass(2 * time.Hour)
			if (s.observed.Route != Route{Version: tc.want}) {
				t.Errorf("%s\n%s, want version %s: %+v", tc.reason, s.observed.Route, tc.want, s.state)
			}
		})
	}
}

// TestAlarmBeforeTraffic checks that an alarm that fires while smoke tests run is no evidence against the target.
func TestAlarmBeforeTraffic(t *testing.T) {
	s := newScenario(t, tenPercent(alarms("a"),
		func(s *v1beta1.AliasRollout) { s.PreTraffic = []v1beta1.RolloutSmokeTest{{Name: "ping"}} }))
	s.observed.Target = "2"
	s.until(v1beta1.RolloutPreTraffic)
	s.result = func(CheckID) string { return Failure }
	s.untilTrue("at 10 %", func() bool { return s.state.ObservedWeight == 10 })
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestSuccessReachesBack checks that a success raises no weight before it has judged invocations with the present one,
// and promotes only when it has judged those of the last step.
func TestSuccessReachesBack(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   *v1beta1.AliasRollout
		// timeout of the version, and delay of the source.
		timeout, delay time.Duration
		// promoted is when all invocations move, after the target received 10 %.
		promoted time.Duration
	}{
		"Quick": {
			reason: "The last step is judged when its metrics are published.", spec: tenPercent(metrics("m")),
			delay: 3 * time.Minute, promoted: 8 * time.Minute,
		},
		"Slow": {
			reason: "And when its invocations have timed out.", spec: tenPercent(metrics("m")),
			timeout: 10 * time.Minute, delay: 13 * time.Minute, promoted: 18 * time.Minute,
		},
		"Alarm": {
			reason: "An alarm's state says nothing before a whole evaluation.", spec: tenPercent(alarms("a")),
			delay: 7 * time.Minute, promoted: 12 * time.Minute,
		},
		"Analysis": {
			reason: "An analysis step judges itself.",
			spec: tenPercent(metrics("m"), func(s *v1beta1.AliasRollout) {
				s.Strategy.Canary.Steps[1] = v1beta1.CanaryStep{
					Analysis: &v1beta1.CanaryAnalysis{Successes: ptr.To[int32](3)},
				}
			}), delay: 3 * time.Minute, promoted: 5 * time.Minute,
		},
		"AnalysisAfterAPause": {
			reason: "One after a pause judges the pause, too.",
			spec: tenPercent(metrics("m"), func(s *v1beta1.AliasRollout) {
				s.Strategy.Canary.Steps = append(s.Strategy.Canary.Steps,
					v1beta1.CanaryStep{Analysis: &v1beta1.CanaryAnalysis{}})
			}), delay: 3 * time.Minute, promoted: 8 * time.Minute,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, tc.spec)
			s.delay = tc.delay
			s.observed.Versions["2"] = Version{Fingerprint: "f2", Timeout: tc.timeout}
			s.at10()
			start, said := s.now, false
			s.untilTrue("promoting", func() bool {
				said = said || strings.Contains(s.state.Message, "show up to "+tc.delay.String())
				return s.state.Step == v1beta1.RolloutPromoting
			})
			if took := s.now.Sub(start); took < tc.promoted-time.Second ||
				took > tc.promoted+time.Minute+2*time.Second {
				t.Errorf("%s\npromoted after %s, want %s", tc.reason, took, tc.promoted)
			}
			if !said && name != "Analysis" {
				t.Error("the message does not say how long it takes until invocations show")
			}
		})
	}
}

// TestEqualCode checks that a version with the code and configuration of the stable one moves directly, without traffic
// too, and that what serves is never rejected.
func TestEqualCode(t *testing.T) {
	s := newScenario(t, tenPercent(metrics("m")))
	s.observed.Versions["3"] = s.observed.Versions["1"]
	s.result = func(CheckID) string { return Inconclusive }
	s.observed.Target = "2"
	s.pass(time.Hour)
	s.observed.Target = "3" // The commit was reverted.
	s.pass(10 * time.Minute)
	s.wantEnd(v1beta1.RolloutReady, "", "3")
	s.observed.Target = "1"
	s.pass(10 * time.Minute)
	s.wantEnd(v1beta1.RolloutReady, "", "1")
	s.observed.Commands[v1beta1.AnnotationRolloutRollbackTo] = "3/x"
	s.pass(10 * time.Minute)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonRollbackTo, "3")
	for _, f := range s.state.FailedTargets {
		if f.Fingerprint == "f1" {
			t.Errorf("the code that serves is rejected: %+v", s.state.FailedTargets)
		}
	}
}

// TestEqualCodeOfAVersionReadLater checks that a version with the code and configuration of the stable one moves
// directly even if AWS does not return the stable one at once.
func TestEqualCodeOfAVersionReadLater(t *testing.T) {
	s := newScenario(t, tenPercent(metrics("m")))
	equal := s.observed.Versions["1"]
	s.observed.Versions["1"], s.observed.Versions["2"] = Version{Pending: "cannot read version 1"}, equal
	s.observed.Target = "2"
	s.until(v1beta1.RolloutValidating)
	s.pass(10 * time.Second)
	s.observed.Versions["1"] = equal
	s.pass(time.Minute)
	s.wantSent("both are equal", "version 2")
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestRollbackWindowWhileAnAlarmFires checks that a direct move is not judged: the alarm may be the reason for it.
func TestRollbackWindowWhileAnAlarmFires(t *testing.T) {
	s := newScenario(t, tenPercent(alarms("a"),
		func(s *v1beta1.AliasRollout) { s.RollbackWindow = &v1beta1.RolloutRollbackWindow{Revisions: 1} }))
	s.observed.Target = "2"
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
	s.result = func(CheckID) string { return Failure }
	s.observed.Target = "1"
	s.pass(5 * time.Minute)
	s.wantEnd(v1beta1.RolloutReady, "", "1")
}

// TestOutdatedAnswers checks that an answer of AWS from before a change is no change by someone else, however clocks
// differ, and that one that stays is.
func TestOutdatedAnswers(t *testing.T) {
	for _, onDrift := range []string{v1beta1.OnDriftPause, v1beta1.OnDriftRevert, v1beta1.OnDriftAdopt} {
		for _, skew := range []time.Duration{0, -5 * time.Minute, 5 * time.Minute} {
			t.Run(onDrift+skew.String(), func(t *testing.T) {
				s := newScenario(t, tenPercent(func(s *v1beta1.AliasRollout) { s.OnDrift = onDrift }))
				s.at10()
				s.down(skew) // Another process with another clock.
				current := s.observed
				s.observed.Route, s.observed.RevisionID = Route{Version: "1"}, "0"
				s.pass(20 * time.Second)
				s.observed.Route, s.observed.RevisionID = current.Route, current.RevisionID
				s.pass(time.Second)
				if s.event(v1beta1.EventAliasChanged) || s.state.Drift != "" || s.state.ObservedWeight != 10 ||
					len(s.rejected()) > 0 {
					t.Fatalf("drift %q, events %v", s.state.Drift, s.events)
				}
				s.alias(Route{Version: "1", Additional: "2", Weight: 30})
				s.pass(40 * time.Second)
				if !s.event(v1beta1.EventAliasChanged) {
					t.Error("a change by someone else is not told")
				}
			})
		}
	}
}

// TestNoDesiredVersion checks that nothing moves while spec names no version.
func TestNoDesiredVersion(t *testing.T) {
	for name, begun := range map[string]bool{"Before": false, "Meanwhile": true} {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, tenPercent())
			want := "1"
			if begun {
				s.at10()
				want = "2"
			}
			s.observed.Target = ""
			s.pass(time.Hour)
			s.wantEnd(v1beta1.RolloutReady, "", want)
		})
	}
}

// TestCommandsWhileSomeoneHasChangedTheAlias checks the effect of each command in a pause because of a change by
// someone else.
func TestCommandsWhileSomeoneHasChangedTheAlias(t *testing.T) {
	cases := map[string]struct {
		command string
		want    []string
		phase   string
	}{
		"Promote": {command: v1beta1.AnnotationRolloutPromote, want: []string{
			"version 1, version 2 with 10 %",
			"version 2",
		}, phase: v1beta1.RolloutReady},
		"PromoteFull": {
			command: v1beta1.AnnotationRolloutPromoteFull, want: []string{"version 2"},
			phase: v1beta1.RolloutReady,
		},
		"Abort": {
			command: v1beta1.AnnotationRolloutAbort, want: []string{"version 1"},
			phase: v1beta1.RolloutFailed,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, tenPercent())
			s.at10()
			s.alias(Route{Version: "3"})
			s.pass(time.Minute)
			if s.state.Reason != v1beta1.RolloutReasonAliasChanged {
				t.Fatalf("state %+v", s.state)
			}
			s.sent = nil
			s.observed.Commands[tc.command] = "x"
			s.pass(time.Hour)
			if diff := cmp.Diff(tc.want, s.sent); diff != "" || s.state.Phase != tc.phase {
				t.Errorf("phase %s, routes: -want, +got:\n%s", s.state.Phase, diff)
			}
		})
	}
}

// TestAlarmWhileTheChangeIsSent checks that an alarm that fires when the target may already receive invocations is not
// taken for one that fired before.
func TestAlarmWhileTheChangeIsSent(t *testing.T) {
	s := newScenario(t, tenPercent(alarms("a")))
	s.observed.Target = "2"
	s.until(v1beta1.RolloutShifting)
	s.result = func(CheckID) string { return Failure }
	s.down(40 * time.Second)
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAnalysisFailed, "1")
}

// disbelieves gives a command that returns all invocations to version 1, and checks that it is sent although AWS still
// returns that version 1 serves, as it did before.
func (s *scenario) disbelieves(what, command, value, reason string) {
	s.Helper()
	current := s.observed
	s.observed.Commands[command] = value
	s.observed.Route, s.observed.RevisionID = Route{Version: "1"}, "0" // Of before.
	s.refuses = func(Route) bool { return true }                       // The revision is another one.
	s.pass(3 * time.Second)
	if s.state.Phase == v1beta1.RolloutFailed {
		s.Fatalf("%s: the rollback has ended, and the alias is %s", what, current.Route)
	}
	s.refuses = nil
	s.observed.Route, s.observed.RevisionID = current.Route, current.RevisionID
	s.pass(time.Minute)
	s.wantEnd(v1beta1.RolloutFailed, reason, "1")
}

// TestRollbackDoesNotBelieveOutdatedAnswers checks that a rollback is sent although AWS still returns what the alias
// was before the change that it undoes.
func TestRollbackDoesNotBelieveOutdatedAnswers(t *testing.T) {
	for _, arrived := range []bool{false, true} {
		s := newScenario(t, tenPercent())
		s.observed.Target = "2"
		s.untilTrue("sent", func() bool { return len(s.sent) > 0 })
		if arrived {
			s.at10()
		}
		s.disbelieves(fmt.Sprintf("abort, arrived %t", arrived), v1beta1.AnnotationRolloutAbort, "x",
			v1beta1.RolloutReasonAborted)
	}
	s := promoted(t, tenPercent())
	s.disbelieves("rollback-to", v1beta1.AnnotationRolloutRollbackTo, "1/x", v1beta1.RolloutReasonRollbackTo)
}

// TestPromoteAfterAChangeAtAll checks that continuing a rollout whose target has all invocations does not take any
// away.
func TestPromoteAfterAChangeAtAll(t *testing.T) {
	s := newScenario(t, tenPercent(bake(10*time.Minute), func(s *v1beta1.AliasRollout) {
		s.Strategy.Canary.Steps = append(s.Strategy.Canary.Steps, v1beta1.CanaryStep{SetWeight: ptr.To[int32](50)})
	}))
	s.at10()
	s.observed.Commands[v1beta1.AnnotationRolloutPromoteFull] = "x"
	s.until(v1beta1.RolloutBaking)
	s.alias(Route{Version: "1"})
	s.pass(time.Minute)
	s.sent = nil
	s.observed.Commands[v1beta1.AnnotationRolloutPromote] = "x"
	s.pass(time.Hour)
	if diff := cmp.Diff([]string{"version 2"}, s.sent); diff != "" || s.state.Phase != v1beta1.RolloutReady {
		t.Errorf("phase %s, routes: -want, +got:\n%s", s.state.Phase, diff)
	}
}

// TestInactiveVersions checks that no invocation moves to a version that AWS has to prepare first.
func TestInactiveVersions(t *testing.T) {
	inactive := Version{Fingerprint: "f1", Inactive: true}
	t.Run("Target", func(t *testing.T) {
		s := newScenario(t, tenPercent())
		s.observed.Versions["2"] = Version{Fingerprint: "f2", Inactive: true}
		s.observed.Target = "2"
		s.untilTrue("woken", func() bool { return len(s.woken) > 0 })
		s.observed.Versions["2"] = Version{Fingerprint: "f2", Pending: "version 2 is Pending"}
		s.pass(5 * time.Minute)
		if len(s.woken) != 1 || len(s.sent) > 0 {
			t.Fatalf("woken %v, sent %v", s.woken, s.sent)
		}
		s.observed.Versions["2"] = Version{Fingerprint: "f2"}
		s.pass(time.Hour)
		s.wantEnd(v1beta1.RolloutReady, "", "2")
	})
	for _, command := range []string{v1beta1.AnnotationRolloutPromote, v1beta1.AnnotationRolloutPromoteFull} {
		t.Run("TargetAfterALongPause/"+command, func(t *testing.T) {
			s := newScenario(t, tenPercent(pauseFirst(0)))
			s.observed.Target = "2"
			s.until(v1beta1.RolloutPaused)
			s.pass(21 * 24 * time.Hour)
			s.observed.Versions["2"] = Version{Fingerprint: "f2", Inactive: true}
			s.observed.Commands[command] = "x"
			s.pass(5 * time.Minute)
			if !slices.Contains(s.woken, "2") {
				t.Error("nobody has woken the target")
			}
			s.wantSent("version 2 is not prepared yet")
			s.observed.Versions["2"] = Version{Fingerprint: "f2"}
			s.pass(time.Hour)
			s.wantEnd(v1beta1.RolloutReady, "", "2")
		})
	}
	t.Run("Stable", func(t *testing.T) {
		s := newScenario(t, tenPercent())
		s.observed.Versions["1"] = inactive
		s.observed.Target = "2"
		s.pass(time.Hour)
		s.wantEnd(v1beta1.RolloutReady, "", "2")
		if !slices.Contains(s.woken, "1") {
			t.Error("the version that would serve after a rollback was not woken")
		}
	})
	t.Run("StableIsPrepared", func(t *testing.T) {
		s := newScenario(t, tenPercent())
		s.observed.Versions["1"] = inactive
		s.observed.Target = "2"
		s.untilTrue("woken", func() bool { return len(s.woken) > 0 })
		s.observed.Versions["1"] = Version{Fingerprint: "f1", Pending: "version 1 is Pending"}
		s.pass(30 * time.Second)
		s.wantSent("version 1 can't serve after a rollback yet")
		s.pass(time.Hour) // It is waited for at most a minute.
		s.wantEnd(v1beta1.RolloutReady, "", "2")
	})
	for _, progressing := range []bool{false, true} {
		t.Run(map[bool]string{false: "RollbackTo", true: "RollbackToMeanwhile"}[progressing], func(t *testing.T) {
			s := newScenario(t, tenPercent())
			s.observed.Target = "2"
			s.pass(time.Hour)
			if progressing {
				s.observed.Target = "3"
				s.untilTrue("at 10 %", func() bool { return s.state.ObservedWeight == 10 })
			}
			s.sent = nil
			s.observed.Versions["1"] = inactive
			s.observed.Commands[v1beta1.AnnotationRolloutRollbackTo] = "1/x"
			s.pass(time.Minute)
			if (s.observed.Route != Route{Version: "2"}) || len(s.woken) == 0 ||
				s.state.HandledCommands[v1beta1.AnnotationRolloutRollbackTo] != "" {
				t.Fatalf("%s, woken %v: %+v", s.observed.Route, s.woken, s.state)
			}
			s.observed.Versions["1"] = Version{Fingerprint: "f1"}
			s.pass(time.Minute)
			s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonRollbackTo, "1")
		})
	}
	t.Run("RollbackToADeletedVersion", func(t *testing.T) {
		s := newScenario(t, tenPercent())
		s.observed.Target = "2"
		s.pass(time.Hour)
		s.observed.Versions["1"] = Version{Missing: true}
		s.observed.Commands[v1beta1.AnnotationRolloutRollbackTo] = "1/x"
		s.pass(time.Minute)
		s.wantEnd(v1beta1.RolloutReady, "", "2")
		if !slices.ContainsFunc(s.events,
			func(e string) bool { return strings.Contains(e, "does not apply: version 1 does not exist") }) {
			t.Errorf("events %v", s.events)
		}
	})
}

// TestRollbackWhileAWSMoves checks that a rollback does not wait until AWS has moved all invocations to the target.
func TestRollbackWhileAWSMoves(t *testing.T) {
	s := newScenario(t, tenPercent(alarms("a"), bake(10*time.Minute)))
	s.observed.Target = "2"
	s.untilTrue("promoted", func() bool { return s.observed.Route == Route{Version: "2"} })
	s.observed.Moving = true
	s.result = func(CheckID) string { return Failure }
	refusals := 0
	s.refuses = func(Route) bool { refusals++; return refusals <= 2 }
	start := s.now
	s.untilTrue("rolled back", func() bool { return s.observed.Route == Route{Version: "1"} })
	if took := s.now.Sub(start); took > time.Minute {
		t.Errorf("rolled back after %s", took)
	}
	s.pass(10 * time.Minute)
	if s.state.Step != v1beta1.RolloutRollingBack {
		t.Error("the rollback ends only when AWS has moved the alias back")
	}
	s.observed.Moving = false
	s.pass(2 * time.Minute)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAnalysisFailed, "1")
}

// TestRollbackThatAWSNeverEnds checks that a rollback is sent again, once in a deadline, while AWS does not end to move
// the alias to the stable version, which receives no invocations until then.
func TestRollbackThatAWSNeverEnds(t *testing.T) {
	s := newScenario(t, tenPercent(alarms("a"), bake(time.Hour)))
	s.observed.Target = "2"
	s.until(v1beta1.RolloutBaking)
	s.result = func(CheckID) string { return Failure }
	s.untilTrue("rolled back", func() bool { return s.observed.Route == Route{Version: "1"} })
	s.observed.Moving, s.sent = true, nil
	s.pass(9 * time.Minute)
	s.wantSent("AWS may take minutes")
	s.pass(2 * time.Minute)
	s.wantSent("it has taken too long", "version 1")
	s.pass(9 * time.Minute)
	s.wantSent("once", "version 1")
	s.observed.Moving = false
	s.pass(2 * time.Minute)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAnalysisFailed, "1")
}

// TestRejectKeepsTheFirstReason checks that a version that has failed keeps the reason when the user returns to
// another.
func TestRejectKeepsTheFirstReason(t *testing.T) {
	s := newScenario(t, tenPercent(alarms("a")))
	s.observed.Target = "2"
	s.pass(time.Hour)
	s.observed.Target = "3"
	s.result = func(CheckID) string {
		if s.state.ObservedWeight > 0 {
			return Failure
		}
		return Success
	}
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAnalysisFailed, "2")
	s.observed.Commands[v1beta1.AnnotationRolloutRollbackTo] = "1/x"
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonRollbackTo, "1")
	got := map[string]string{}
	for _, f := range s.state.FailedTargets {
		got[f.FunctionVersion] = f.Reason
	}
	if diff := cmp.Diff(
		map[string]string{"2": v1beta1.RolloutReasonRollbackTo, "3": v1beta1.RolloutReasonAnalysisFailed},
		got,
	); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestRefusedRollbackKeepsItsReason checks that the message of a rollback says why it is made, also while AWS refuses
// the change of the alias, and after that.
func TestRefusedRollbackKeepsItsReason(t *testing.T) {
	s := newScenario(t, tenPercent(metrics("errors")))
	s.at10()
	refusals := 0
	s.refuses = func(Route) bool { refusals++; return refusals <= 3 }
	s.result = func(CheckID) string { return Failure }
	s.untilTrue("refused", func() bool { return s.state.UpdateFailures == 3 })
	const why = "Metric errors: Failure"
	if want := why + "; cannot change the alias: AWS refuses it"; s.state.Message != want {
		t.Errorf("got %q, want %q", s.state.Message, want)
	}
	s.untilTrue("over", func() bool { return s.state.Phase == v1beta1.RolloutFailed })
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAnalysisFailed, "1")
	if s.state.Message != why {
		t.Errorf("got %q, want %q", s.state.Message, why)
	}
}
