package rollout

import (
	"cmp"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// pauseFirst begins the steps with a pause, without duration if it is 0.
func pauseFirst(d time.Duration) func(*v1beta1.AliasRollout) {
	return func(s *v1beta1.AliasRollout) {
		pause := &v1beta1.RolloutPause{}
		if d > 0 {
			pause.Duration = &metav1.Duration{Duration: d}
		}
		s.Strategy.Canary.Steps = append([]v1beta1.CanaryStep{{Pause: pause}}, s.Strategy.Canary.Steps...)
	}
}

// TestAdoptedFirstWeight checks that a target that has its first weight from someone else is judged.
func TestAdoptedFirstWeight(t *testing.T) {
	cases := map[string]struct {
		reason, result    string
		policy            string
		phase, end, serve string
	}{
		"Adopted": {
			reason: "An adopted weight is judged as one of a step.",
			policy: v1beta1.OnDriftAdopt, result: Success, phase: v1beta1.RolloutReady, serve: "2",
		},
		"AdoptedAndFails": {
			reason: "An alarm that fires after the weight was adopted is not one from before the rollout.",
			policy: v1beta1.OnDriftAdopt, result: Failure, phase: v1beta1.RolloutFailed,
			end: v1beta1.RolloutReasonAnalysisFailed, serve: "1",
		},
		"LeftAndFails": {
			reason: "A target that fails is rolled back while the alias is left as someone else has changed it.",
			policy: v1beta1.OnDriftPause, result: Failure, phase: v1beta1.RolloutFailed,
			end: v1beta1.RolloutReasonAnalysisFailed, serve: "1",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, twoWeights(metrics("m"), alarms("a"), pauseFirst(5*time.Minute), onDrift(tc.policy)))
			s.observed.Target = "2"
			s.until(v1beta1.RolloutAnalyzing)
			s.alias(at(30))
			s.pass(2 * time.Minute)
			s.result = func(id CheckID) string {
				if id.Type == CheckAlarm {
					return tc.result
				}
				return Success
			}
			s.pass(2 * time.Hour)
			s.wantEnd(tc.phase, tc.end, tc.serve)
			if t.Failed() {
				t.Log(tc.reason)
			}
		})
	}
}

// TestRevertKeepsTheFirstPause checks that a pause before the first weight is not over because someone else has
// changed the alias.
func TestRevertKeepsTheFirstPause(t *testing.T) {
	s := newScenario(t, twoWeights(pauseFirst(0), onDrift(v1beta1.OnDriftRevert)))
	s.observed.Target = "2"
	s.until(v1beta1.RolloutPaused)
	s.alias(Route{Version: "3"})
	s.pass(2 * time.Hour)
	s.wantSent("the user has not ended the pause", "version 1")
	if s.state.Reason != v1beta1.RolloutReasonPauseStep {
		t.Errorf("the rollout is %s", short(s.state))
	}
}

// TestFailureOfAnotherVersion checks that failures are no evidence against the target while someone else has changed
// the alias so that it does not invoke the target, nor those of that time which show after it was changed back.
func TestFailureOfAnotherVersion(t *testing.T) {
	for name, other := range map[string]Route{
		"Stable": {Version: "1"}, "Other": {Version: "3"}, "Divided": {Version: "1", Additional: "3", Weight: 50},
		"Beside": {Version: "2", Additional: "3", Weight: 50}, "BesideThird": {Version: "3", Additional: "2", Weight: 50},
	} {
		for lasts, about := range map[time.Duration]time.Duration{
			10 * time.Minute: 0, 11 * time.Minute: 20 * time.Second, // A period may have invocations of both versions.
			driftGrace - 5*time.Second: 0,
		} {
			t.Run(name+lasts.String(), func(t *testing.T) {
				s := newScenario(t, twoWeights(metrics("m"), alarms("a")))
				s.at10()
				s.delay = 3 * time.Minute
				s.alias(other)
				s.result = func(CheckID) string { return Failure }
				s.pass(lasts)
				if got := s.rejected(); len(got) > 0 {
					t.Fatalf("the failures may be of another version, and %v are rejected", got)
				}
				s.alias(at(10))
				back := s.now.Truncate(time.Second)
				s.since, s.about = back.Add(about), back.Add(about)
				s.result = func(id CheckID) string {
					window := id.Type == CheckMetric && s.state.ShiftedAt.Time.Before(back)
					if window || id.Type == CheckAlarm && lasts > driftGrace && s.now.Before(back.Add(s.delay)) {
						return Failure
					}
					return Success
				}
				s.pass(2 * time.Hour)
				s.wantEnd(v1beta1.RolloutReady, "", "2")
			})
		}
	}
}

// TestFailureBesideTheBakingVersion checks that the metrics of the alias, which are of all its versions, are no
// evidence against a target that has received all invocations while someone else has added another version.
func TestFailureBesideTheBakingVersion(t *testing.T) {
	for _, other := range []string{"1", "3"} {
		s := newScenario(t, tenPercent(metrics("m"), bake(time.Hour)))
		s.observed.Target = "2"
		s.until(v1beta1.RolloutBaking)
		s.alias(Route{Version: "2", Additional: other, Weight: 50})
		s.result = func(CheckID) string { return Failure }
		s.pass(10 * time.Minute)
		if got := s.rejected(); len(got) > 0 {
			t.Fatalf("version %s may have failed, and %v are rejected", other, got)
		}
		s.result = nil
		s.alias(Route{Version: "2"})
		s.pass(2 * time.Hour)
		s.wantEnd(v1beta1.RolloutReady, "", "2")
	}
}

// TestEditedMetric checks that a success by an earlier definition of a metric or a dependency is none by the present
// one, and that failures remain.
func TestEditedMetric(t *testing.T) {
	s := newScenario(t, tenPercent(metrics("m"), func(s *v1beta1.AliasRollout) {
		s.Strategy.Canary.Steps = append(
			s.Strategy.Canary.Steps[:1],
			v1beta1.CanaryStep{Pause: &v1beta1.RolloutPause{}},
		)
		s.Analysis.Metrics[0].FailureLimit = 1
	}))
	s.at10()
	s.pass(10 * time.Minute)
	s.spec.Analysis.Metrics[0].SuccessCondition = ptr.To("result < 0.0001")
	s.result = func(CheckID) string { return Inconclusive }
	s.observed.Commands = map[string]string{v1beta1.AnnotationRolloutPromote: "1"}
	s.pass(2 * time.Hour)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonProgressDeadlineExceeded, "1")
	s.wantSent("no success by the present condition", at(10).String(), "version 1")
}

// TestAlarmOfEarlierData checks that an alarm is no evidence against a target while it is in state ALARM because of
// what was before the target received invocations, and that it is once all of its periods are later.
func TestAlarmOfEarlierData(t *testing.T) {
	cases := map[string]struct {
		reason    string
		about     time.Duration // After the first weight.
		fired     time.Duration // After the first weight, when it went to ALARM.
		block     bool
		evaluates time.Duration
		lasts     time.Duration
		added     bool // At the first weight.
		unread    int  // The number of measurements after the first weight that are Errors.

		ignoredAfter time.Duration // When spec says Ignore instead of Block, after the first weight.

		phase, ends string
	}{
		"Added": {
			reason: "An alarm that is added, and has fired since before the first weight, is ignored until it was OK.",
			about:  -time.Hour, evaluates: 5 * time.Minute, lasts: 3 * time.Hour, added: true,
			phase: v1beta1.RolloutReady,
		},
		"AddedUnread": {
			reason: "That is also so if it could not be read at first.",
			about:  -time.Hour, evaluates: 5 * time.Minute, lasts: 3 * time.Hour, added: true, unread: 2,
			phase: v1beta1.RolloutReady,
		},
		"Unread": {
			reason: "One that was OK before, and could not be read for a while, counts as one that could.",
			about:  -time.Minute, fired: time.Second, evaluates: 5 * time.Minute, lasts: time.Hour, unread: 2,
			phase: v1beta1.RolloutFailed, ends: v1beta1.RolloutReasonAnalysisFailed,
		},
		"AddedLater": {
			reason: "One that has fired since then counts.",
			about:  time.Second, evaluates: 5 * time.Minute, lasts: time.Hour, added: true,
			phase: v1beta1.RolloutFailed, ends: v1beta1.RolloutReasonAnalysisFailed,
		},
		"AddedBlocks": {
			reason: "With preExisting: Block, the rollout waits until it is OK.",
			about:  -time.Hour, fired: -time.Hour, evaluates: 5 * time.Minute, lasts: 12 * time.Minute, added: true,
			block: true, phase: v1beta1.RolloutReady,
		},
		"AddedBlocksForLong": {
			reason: "If that takes too long, it says nothing about the target.",
			about:  -time.Hour, fired: -time.Hour, evaluates: 5 * time.Minute, lasts: 3 * time.Hour, added: true,
			block: true, phase: v1beta1.RolloutFailed, ends: v1beta1.RolloutReasonProgressDeadlineExceeded,
		},
		"AddedBlocksUntilIgnored": {
			reason: "From then on that spec says Ignore, it is ignored.",
			about:  -time.Hour, fired: -time.Hour, evaluates: 5 * time.Minute, lasts: 3 * time.Hour, added: true,
			block: true, ignoredAfter: 9 * time.Minute, phase: v1beta1.RolloutReady,
		},
		"FiresUnseen": {
			reason: "One that fires between its last read and the first weight has fired before the rollout, too.",
			about:  -time.Minute, fired: -time.Second, evaluates: 5 * time.Minute, lasts: 3 * time.Hour,
			phase: v1beta1.RolloutReady,
		},
		"BlocksAndStays": {
			reason: "One that fires later because of what was before counts, as without Block.",
			about:  -time.Minute, fired: time.Minute, evaluates: 5 * time.Minute, lasts: time.Hour, block: true,
			phase: v1beta1.RolloutFailed, ends: v1beta1.RolloutReasonAnalysisFailed,
		},
		"Burst": {
			reason: "A burst before the first weight rejects nothing.",
			about:  -time.Minute, fired: time.Second, evaluates: 5 * time.Minute, lasts: 4 * time.Minute,
			phase: v1beta1.RolloutReady,
		},
		"Stays": {
			reason: "An alarm that remains in state ALARM counts when all of its periods are later.",
			about:  -time.Minute, fired: time.Second, evaluates: 5 * time.Minute, lasts: time.Hour,
			phase: v1beta1.RolloutFailed, ends: v1beta1.RolloutReasonAnalysisFailed,
		},
		"Later": {
			reason: "What an alarm has evaluated after the first weight counts at once.",
			about:  time.Minute, evaluates: 5 * time.Minute, lasts: 2 * time.Minute, phase: v1beta1.RolloutFailed,
			ends: v1beta1.RolloutReasonAnalysisFailed,
		},
		"NotKnown": {
			reason:    "If CloudWatch does not say what an alarm has evaluated, it counts at once.",
			evaluates: 5 * time.Minute, lasts: 2 * time.Minute, phase: v1beta1.RolloutFailed,
			ends: v1beta1.RolloutReasonAnalysisFailed,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, twoWeights(alarms("a")))
			s.delay = tc.evaluates
			if tc.added {
				s.spec.Analysis = nil
			}
			s.at10()
			alarms("a")(s.spec)
			if tc.block {
				s.spec.Analysis.Alarms.PreExisting = "Block"
			}
			first := s.state.TrafficStartedAt.Time
			if tc.about != 0 {
				s.since, s.about = first.Add(tc.fired), first.Add(tc.about)
			}
			measurements := 0
			s.result = func(CheckID) string {
				measurements++
				switch {
				case measurements <= tc.unread:
					return Error
				case s.now.Before(first.Add(tc.lasts)):
					return Failure
				}
				return Success
			}
			if tc.ignoredAfter > 0 {
				s.pass(tc.ignoredAfter)
				s.spec.Analysis.Alarms.PreExisting = "Ignore"
			}
			s.pass(2 * time.Hour)
			version := map[string]string{v1beta1.RolloutReady: "2"}[tc.phase]
			if version == "" {
				version = "1"
			}
			s.wantEnd(tc.phase, tc.ends, version)
			if tc.ends != v1beta1.RolloutReasonAnalysisFailed && strings.Join(s.rejected(), "") != "" {
				t.Errorf("%s: rejected %v", tc.reason, s.rejected())
			}
		})
	}
}

// TestRetryInTheRollbackWindow checks that a version that was stable until the user returned to another one is retried
// from the first step: that it was stable recently says nothing for it.
func TestRetryInTheRollbackWindow(t *testing.T) {
	s := promoted(t, twoWeights(func(s *v1beta1.AliasRollout) {
		s.RollbackWindow = &v1beta1.RolloutRollbackWindow{Revisions: 3}
	}))
	s.observed.Commands[v1beta1.AnnotationRolloutRollbackTo] = "1"
	s.pass(time.Minute)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonRollbackTo, "1")
	s.observed.Commands[v1beta1.AnnotationRolloutRetry] = "1"
	s.pass(2 * time.Hour)
	s.wantSent("retried from the first step", "version 1", at(10).String(), at(50).String(), "version 2")
}

// TestChangedBackWhilePaused checks that an alias that someone else changes while the user has paused the rollout is
// changed back to the weight at which it is paused, by onDrift: Revert or by the command promote, and that the rollout
// stays there until the user continues it.
func TestChangedBackWhilePaused(t *testing.T) {
	for _, policy := range []string{v1beta1.OnDriftRevert, v1beta1.OnDriftPause} {
		for _, changed := range []Route{{Version: "3"}, {Version: "2"}, {Version: "1"}, at(70)} {
			t.Run(policy+" "+changed.String(), func(t *testing.T) {
				s := newScenario(t, twoWeights(onDrift(policy)))
				s.at10()
				s.spec.Paused = true
				s.pass(time.Minute)
				s.alias(changed)
				s.pass(time.Minute)
				if policy == v1beta1.OnDriftPause {
					s.observed.Commands[v1beta1.AnnotationRolloutPromote] = "a"
				}
				s.pass(time.Hour)
				if got := Position(s.state); s.observed.Route != at(10) || got != "Progressing, Paused" {
					t.Errorf("%s at %s: %s; %s", got, s.observed.Route, s.state.Message, s.state.Drift)
				}
				s.spec.Paused = false
				s.pass(time.Hour)
				s.wantSent("each weight once, and the one that was changed", at(10).String(), at(10).String(),
					at(50).String(), "version 2")
			})
		}
	}
}

// TestChangedBackStepContinues checks that a step continues where it stood when a change by someone else is changed
// back by onDrift: Revert or the command promote: one who changes the alias again and again does not keep a rollout
// from its end.
func TestChangedBackStepContinues(t *testing.T) {
	cases := map[string]struct {
		spec    *v1beta1.AliasRollout
		at      Route
		step    string
		promote bool
	}{
		"RevertPause": {spec: tenPercent(onDrift(v1beta1.OnDriftRevert)), at: at(10), step: v1beta1.RolloutAnalyzing},
		"RevertBake": {
			spec: tenPercent(onDrift(v1beta1.OnDriftRevert), bake(5*time.Minute)),
			at:   Route{Version: "2"}, step: v1beta1.RolloutBaking,
		},
		"PromotePause": {spec: tenPercent(), at: at(10), step: v1beta1.RolloutAnalyzing, promote: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, tc.spec)
			s.observed.Target = "2"
			s.untilTrue("in the step", func() bool { return s.state.Step == tc.step && s.observed.Route == tc.at })
			for i := range 4 {
				s.pass(2 * time.Minute)
				if s.state.Phase != v1beta1.RolloutProgressing {
					break
				}
				s.alias(Route{Version: "3"})
				s.pass(time.Minute)
				if tc.promote {
					s.observed.Commands[v1beta1.AnnotationRolloutPromote] = strings.Repeat("x", i+1)
				}
			}
			s.wantEnd(v1beta1.RolloutReady, "", "2")
		})
	}
}

// TestChangedBackStepIsMeasuredAnew checks that a step whose alias someone else had changed for a moment has the time
// again that its measurements need: they begin anew.
func TestChangedBackStepIsMeasuredAnew(t *testing.T) {
	analysis := func(s *v1beta1.AliasRollout) {
		s.Strategy.Canary.Steps[1] = v1beta1.CanaryStep{Analysis: &v1beta1.CanaryAnalysis{Successes: ptr.To[int32](3)}}
	}
	cases := map[string]struct {
		spec  *v1beta1.AliasRollout
		route Route
		step  string
		index int32
		// after is how long the step has taken when the alias is changed.
		after time.Duration
	}{
		"Weight": {
			spec:  twoWeights(metrics("m")),
			route: at(10),
			step:  v1beta1.RolloutAnalyzing,
			index: 2,
			after: 12 * time.Minute,
		},
		"Analysis": {
			spec:  twoWeights(metrics("m"), analysis),
			route: at(10),
			step:  v1beta1.RolloutAnalyzing,
			index: 1,
			after: 19 * time.Minute,
		},
		"Bake": {
			spec:  tenPercent(metrics("m"), bake(time.Hour)),
			route: Route{Version: "2"},
			step:  v1beta1.RolloutBaking,
			index: 2,
			after: 59 * time.Minute,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, tc.spec)
			s.observed.Target, s.delay = "2", 18*time.Minute
			s.observed.Versions["2"] = Version{Fingerprint: "f2", Timeout: 15 * time.Minute}
			s.untilTrue(
				"in the step",
				func() bool { return s.state.Step == tc.step && s.state.CurrentStepIndex == tc.index },
			)
			s.pass(tc.after)
			if s.state.Step != tc.step || s.state.CurrentStepIndex != tc.index {
				t.Fatalf("the step is over: %+v", s.state)
			}
			for range 2 {
				s.alias(Route{Version: "3"})
				s.pass(10 * time.Second)
				s.alias(tc.route)
				s.pass(17 * time.Minute)
			}
			s.pass(2 * time.Hour)
			s.wantEnd(v1beta1.RolloutReady, "", "2")
		})
	}
}

// TestDirectMoveAfterAChange checks that a target that moves in one step still does after someone else has changed the
// alias: it is not measured, so nothing may wait for its measurements.
func TestDirectMoveAfterAChange(t *testing.T) {
	for _, policy := range []string{v1beta1.OnDriftAdopt, v1beta1.OnDriftRevert} {
		t.Run(policy, func(t *testing.T) {
			s := newScenario(t, twoWeights(metrics("m"), alarms("a"), onDrift(policy)))
			s.observed.Versions["2"] = s.observed.Versions["1"]
			s.refuses = func(Route) bool { return true }
			s.observed.Target = "2"
			s.until(v1beta1.RolloutPromoting)
			s.alias(at(30))
			s.pass(time.Minute)
			s.refuses = nil
			s.pass(time.Hour)
			s.wantEnd(v1beta1.RolloutReady, "", "2")
		})
	}
}

// TestChangedAgainAndAgain checks that a rollout ends, and says why, if someone else changes the alias more often than
// a step takes to be measured: it does not get its time again for ever.
func TestChangedAgainAndAgain(t *testing.T) {
	cases := map[string]struct {
		reason, policy string
		// to is what the alias is changed to, version 3 if it is none.
		to []Route
		// lasts is how long the alias is another one, every two minutes. 0 is until it is changed back.
		lasts time.Duration
	}{
		"Reverted": {reason: "onDrift changes it back.", policy: v1beta1.OnDriftRevert},
		"Returned": {reason: "Who changes it changes it back.", policy: v1beta1.OnDriftPause, lasts: 45 * time.Second},
		"Shortly":  {reason: "It may as well be an old answer.", policy: v1beta1.OnDriftPause, lasts: 5 * time.Second},
		"Adopted":  {reason: "Each weight is adopted.", policy: v1beta1.OnDriftAdopt, to: []Route{at(30), at(20)}},
		"Exchanged": {
			reason: "Each weight is adopted, and set the other way round.", policy: v1beta1.OnDriftAdopt,
			to: []Route{{Version: "2", Additional: "1", Weight: 70}, {Version: "2", Additional: "1", Weight: 80}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, tenPercent(metrics("m"), onDrift(tc.policy)))
			s.delay = 3 * time.Minute
			s.at10()
			to := append(tc.to, Route{Version: "3"})[:max(len(tc.to), 1)]
			for i := range 24 * 30 {
				if s.pass(2 * time.Minute); !InProgress(s.state) {
					break
				}
				was := s.observed.Route
				s.alias(to[i%len(to)])
				if s.pass(tc.lasts); tc.lasts > 0 && s.observed.Route == (Route{Version: "3"}) {
					s.alias(was)
				}
			}
			s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonProgressDeadlineExceeded, "1")
			if !strings.Contains(s.state.Message, "someone else has changed the alias again and again") ||
				len(s.rejected()) > 0 {
				t.Errorf("%s\n%s, rejected %v", tc.reason, s.state.Message, s.rejected())
			}
		})
	}
}

// TestAlarmAfterAMomentOfAnotherVersion checks that an alarm that fires because of a third version, which someone else
// had the alias invoke, is no evidence against the target: not if that was for less than the time in which an answer
// may be an old one, and not if the step has ended meanwhile.
func TestAlarmAfterAMomentOfAnotherVersion(t *testing.T) {
	for before, lasts := range map[time.Duration]time.Duration{
		2 * time.Minute: driftGrace - 5*time.Second, 4*time.Minute + 30*time.Second: driftGrace + 15*time.Second,
	} {
		t.Run(lasts.String(), func(t *testing.T) {
			s := newScenario(t, twoWeights(alarms("a")))
			s.at10()
			s.delay = 4 * time.Minute
			s.pass(before)
			s.alias(Route{Version: "3"})
			s.pass(lasts)
			s.alias(at(10))
			back := s.now
			s.pass(time.Minute)
			s.since, s.about = s.now, back.Truncate(time.Minute).Add(time.Minute)
			s.result = func(CheckID) string {
				if s.now.Before(back.Add(s.delay + 50*time.Second)) { // It is evaluated once a minute.
					return Failure
				}
				return Success
			}
			s.pass(2 * time.Hour)
			s.wantEnd(v1beta1.RolloutReady, "", "2")
			if got := s.rejected(); len(got) > 0 {
				t.Errorf("rejected %v", got)
			}
		})
	}
}

// TestAlarmOfAnAdoptedVersion checks that an alarm that fires because of the version that someone else has made the
// stable one is no evidence against the target that replaces it.
func TestAlarmOfAnAdoptedVersion(t *testing.T) {
	s := newScenario(t, twoWeights(alarms("a"), onDrift(v1beta1.OnDriftAdopt)))
	s.delay = 4 * time.Minute
	s.alias(Route{Version: "3"})
	begin := s.now
	s.since, s.about = begin.Add(2*time.Minute), begin.Add(time.Minute)
	s.result = func(CheckID) string {
		if s.now.After(s.since) && s.observed.Route.Version == "3" {
			return Failure
		}
		return Success
	}
	s.observed.Target = "2"
	s.pass(2 * time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
	if got := s.rejected(); len(got) > 0 {
		t.Errorf("rejected %v", got)
	}
}

// TestAdoptedAgainAndAgain checks that two tools do not displace each other's version for ever: a version from which the
// alias was taken lately is not adopted again at once, and the user is told.
func TestAdoptedAgainAndAgain(t *testing.T) {
	for name, other := range map[string]Route{
		"Divided": {Version: "1", Additional: "3", Weight: 10}, "Alone": {Version: "3"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, twoWeights(onDrift(v1beta1.OnDriftAdopt)))
			s.at10()
			s.alias(Route{Version: "1", Additional: "3", Weight: 10})
			s.pass(time.Minute)
			s.untilTrue("at 10 %", func() bool { return s.observed.Route == at(10) && s.state.ObservedWeight == 10 })
			s.sent = nil
			s.alias(other)
			s.pass(50 * time.Minute)
			s.wantSent("it was taken off version 3 within the last hour")
			if got := s.state; got.Reason != v1beta1.RolloutReasonAliasChanged {
				t.Errorf("%s: %s", Position(got), got.Message)
			}
			s.pass(2 * time.Hour)
			s.wantEnd(v1beta1.RolloutReady, "", "2")
		})
	}
}

// TestChangedForMoments checks that it is reported if someone else changes an alias without a rollout again and
// again, each time back within the time for which AWS may return an earlier state. It is changed back with Revert.
func TestChangedForMoments(t *testing.T) {
	for policy, sends := range map[string]bool{v1beta1.OnDriftPause: false, v1beta1.OnDriftRevert: true} {
		s := newScenario(t, tenPercent(onDrift(policy)))
		drift := ""
		for i := range 60 {
			s.alias(Route{Version: strconv.Itoa(1 + 2*(i%2))})
			s.pass(driftGrace - time.Second)
			if i == maxRestarts && s.event(v1beta1.EventAliasChanged) {
				t.Errorf("%s: an answer may have been an earlier one", policy)
			}
			drift = cmp.Or(drift, s.state.Drift)
		}
		if !s.event(v1beta1.EventAliasChanged) || len(s.sent) > 0 != sends || len(s.sent) > 30 {
			t.Errorf("%s: %d calls, events %v", policy, len(s.sent), s.events)
		}
		if want := "someone else has changed the alias from version 1 to version 3"; drift != want && !sends {
			t.Errorf("%s: drift %q, want %q", policy, drift, want)
		}
		s.alias(Route{Version: "1"})
		s.pass(time.Hour)
		s.wantEnd(v1beta1.RolloutReady, "", "1")
	}
}

// TestChangedBackFiveTimes checks that a change after a rollout counts at once if the alias was changed and changed back
// five times before.
func TestChangedBackFiveTimes(t *testing.T) {
	s := newScenario(t, tenPercent())
	for changes := 1; changes <= 6; changes++ {
		s.alias(Route{Version: "3"})
		s.decide()
		if known := s.state.Drift != ""; known != (changes > 5) {
			t.Errorf("change %d: someone else's change is known: %t", changes, known)
		}
		s.pass(5 * time.Second)
		s.alias(Route{Version: "1"})
		s.pass(5 * time.Second)
	}
}

// TestVersionThatIsTakenOff checks that status has a version that someone else has made the alias invoke and that the
// provider takes off: what the alias has invoked of it may still run, so it is not deleted yet.
func TestVersionThatIsTakenOff(t *testing.T) {
	s := promoted(t, tenPercent(onDrift(v1beta1.OnDriftRevert)))
	s.alias(Route{Version: "2", Additional: "7", Weight: 20})
	s.pass(20 * time.Minute)
	at := time.Time{}
	for _, r := range s.state.Replaced {
		if r.FunctionVersion == "7" {
			at = r.ReplacedAt.Time
		}
	}
	if s.observed.Route != (Route{Version: "2"}) || s.now.Sub(at) > 20*time.Minute || s.now.Sub(at) < 19*time.Minute {
		t.Errorf("the alias has %s, version 7 was taken off at %s: %+v", s.observed.Route, at, s.state.Replaced)
	}
}
