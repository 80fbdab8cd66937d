package rollout

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// The tests of this file are of sentences of docs/rollouts.md and docs/rollout-*.md. docs/design/rollout-tests.md names
// them.

// twoWeights is a canary with 10 and 50 %, each for five minutes.
func twoWeights(edit ...func(*v1beta1.AliasRollout)) *v1beta1.AliasRollout {
	return tenPercent(append([]func(*v1beta1.AliasRollout){func(s *v1beta1.AliasRollout) {
		s.Strategy.Canary.Steps = append(s.Strategy.Canary.Steps,
			v1beta1.CanaryStep{SetWeight: ptr.To[int32](50)}, v1beta1.CanaryStep{
				Pause: &v1beta1.RolloutPause{Duration: &metav1.Duration{Duration: 5 * time.Minute}},
			})
	}}, edit...)...)
}

// onDrift sets what happens if someone else changes the alias.
func onDrift(policy string) func(*v1beta1.AliasRollout) {
	return func(s *v1beta1.AliasRollout) { s.OnDrift = policy }
}

// at returns the route in which version 2 has a percentage of the invocations.
func at(weight int32) Route { return Route{Version: "1", Additional: "2", Weight: weight} }

// promoted returns a scenario whose version 2 is stable, after version 1.
func promoted(t *testing.T, spec *v1beta1.AliasRollout) *scenario {
	t.Helper()
	s := newScenario(t, spec)
	s.observed.Target = "2"
	s.pass(2 * time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
	s.sent, s.events = nil, nil
	return s
}

func (s *scenario) wantSent(why string, want ...string) {
	s.Helper()
	if diff := cmp.Diff(want, s.sent); diff != "" {
		s.Errorf("%s: changes of the alias: -want, +got:\n%s", why, diff)
	}
}

func (s *scenario) says(part string) bool {
	return slices.ContainsFunc(s.events, func(e string) bool { return strings.Contains(e, part) })
}

// TestSourceThatComesBack checks that a rollout pauses while a source does not answer, and goes on when it does.
func TestSourceThatComesBack(t *testing.T) {
	s := newScenario(t, twoWeights(metrics("m")))
	s.at10()
	s.result = func(CheckID) string { return Error }
	s.untilTrue("paused", func() bool { return s.state.Reason == v1beta1.RolloutReasonInconclusive })
	if s.observed.Route != at(10) {
		t.Errorf("the weight is %s", s.observed.Route)
	}
	s.result = nil
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestAlarmWithoutData checks that an alarm without data does not hold up the first weight, when it can have none, but
// each further one, and that it rejects nothing.
func TestAlarmWithoutData(t *testing.T) {
	s := newScenario(t, twoWeights(alarms("a")))
	s.result = func(CheckID) string { return Inconclusive }
	s.observed.Target = "2"
	s.pass(2 * time.Hour)
	s.wantSent("back at the deadline", at(10).String(), "version 1")
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonProgressDeadlineExceeded, "1")
	if got := s.rejected(); len(got) > 0 {
		t.Errorf("rejected %v", got)
	}
}

// TestAlarmThatIsGone checks that an alarm that can't be read hides no other one that fires.
func TestAlarmThatIsGone(t *testing.T) {
	s := newScenario(t, twoWeights(alarms("gone", "fires")))
	s.at10()
	s.result = func(id CheckID) string { return map[string]string{"gone": Error, "fires": Failure}[id.Name] }
	s.pass(2 * time.Minute)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAnalysisFailed, "1")
}

// TestDowntimeSkipsNoStep checks that each step takes its turn after a day without the provider.
func TestDowntimeSkipsNoStep(t *testing.T) {
	s := newScenario(t, twoWeights(metrics("m"), bake(5*time.Minute)))
	s.at10()
	s.down(24 * time.Hour)
	start := s.now
	s.pass(time.Hour)
	s.wantSent("step by step", at(10).String(), at(50).String(), "version 2")
	s.wantEnd(v1beta1.RolloutReady, "", "2")
	if took := s.state.FinishedAt.Sub(start); took < 14*time.Minute {
		t.Errorf("after the downtime, 15 minutes of steps took %s", took)
	}
}

// TestPausedAfterTheCall checks that a rollout that is paused while AWS changes the alias does not give the weight
// again when it continues, and does not wait for the analysis before the next step.
func TestPausedAfterTheCall(t *testing.T) {
	s := newScenario(t, twoWeights(metrics("m")))
	s.result = func(CheckID) string { return Inconclusive }
	s.observed.Target = "2"
	s.untilTrue("sent", func() bool { return s.observed.Route == at(10) })
	s.spec.Paused = true
	s.pass(30 * time.Second)
	if got := s.state; got.Step != v1beta1.RolloutPaused || got.ObservedWeight != 10 {
		t.Fatalf("%s at %d %%", got.Step, got.ObservedWeight)
	}
	s.spec.Paused, s.events = false, nil
	s.pass(2 * time.Second)
	if got := s.state.CurrentStepIndex; got != 1 || s.event(v1beta1.EventRolloutShifted) {
		t.Errorf("step %d, events %v", got, s.events)
	}
	s.result = nil
	s.pass(time.Hour)
	s.wantSent("each weight once", at(10).String(), at(50).String(), "version 2")
}

// TestPausedBeforeTheCall checks that no weight goes up, and no target is promoted, if the rollout has to pause while
// AWS refuses the change of the alias, and that the rollout continues from there.
func TestPausedBeforeTheCall(t *testing.T) {
	cases := map[string]struct {
		refused Route
		fails   string
		edit    func(*v1beta1.AliasRollout)
		phase   string
	}{
		"Weight":     {refused: at(50), fails: CheckMetric, phase: v1beta1.RolloutFailed},
		"Dependency": {refused: at(50), fails: CheckDependency, phase: v1beta1.RolloutReady},
		"Promotion":  {refused: Route{Version: "2"}, fails: CheckMetric, phase: v1beta1.RolloutFailed},
		"DryRun": {
			refused: Route{Version: "2"}, fails: CheckMetric, phase: v1beta1.RolloutReady,
			edit: func(s *v1beta1.AliasRollout) { s.Analysis.Metrics[0].DryRun = true },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, twoWeights(metrics("m")))
			s.spec.Analysis.Metrics[0].OnFailure = "Pause"
			s.spec.Dependencies = []v1beta1.RolloutDependency{{Name: "d"}}
			if tc.edit != nil {
				tc.edit(s.spec)
			}
			s.at10()
			s.refuses = func(r Route) bool { return r == tc.refused }
			s.untilTrue("refused", func() bool { return s.state.UpdateFailures > 0 })
			before := s.observed.Route
			s.result = func(id CheckID) string {
				if id.Type == tc.fails {
					return Failure
				}
				return Success
			}
			s.pass(3 * time.Minute)
			s.refuses = nil
			s.pass(time.Minute)
			if s.observed.Route != before && name != "DryRun" {
				t.Errorf("%s, %s", s.observed.Route, Position(s.state))
			}
			s.result = nil
			s.pass(2 * time.Hour)
			if s.state.Phase != tc.phase || len(s.rejected()) > 0 {
				t.Errorf("ended as %s, %s", Position(s.state), s.state.Message)
			}
		})
	}
}

// TestPausedPromotion checks that a promotion that AWS rejects says that the user has paused it, and is sent
// afterwards.
func TestPausedPromotion(t *testing.T) {
	s := newScenario(t, tenPercent())
	s.refuses = func(r Route) bool { return r.Additional == "" }
	s.observed.Target = "2"
	s.untilTrue("refused", func() bool { return s.state.UpdateFailures > 0 })
	const rejected = "all steps are done; cannot change the alias: AWS refuses it"
	for _, want := range []string{"all steps are done; spec.rollout.paused is true", rejected} {
		s.spec.Paused = want != rejected
		s.pass(5 * time.Minute)
		if s.state.Message != want {
			t.Errorf("paused %t: got %q, want %q", s.spec.Paused, s.state.Message, want)
		}
	}
	s.spec.Paused, s.refuses = false, nil
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestFailureWhileAWSMovesTheAlias checks that a metric with onFailure: Pause that fails while AWS moves the alias to
// the target leaves the end to the user, also without a bake time.
func TestFailureWhileAWSMovesTheAlias(t *testing.T) {
	for name, promoted := range map[string]bool{"Waits": false, "Promoted": true} {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, twoWeights(metrics("m")))
			s.spec.Analysis.Metrics[0].OnFailure = "Pause"
			s.at10()
			s.result = func(CheckID) string { return Failure }
			if promoted { // The user knows of the failure.
				s.pass(2 * time.Minute)
				s.observed.Commands[v1beta1.AnnotationRolloutPromoteFull] = "1"
			} else {
				s.result = nil
			}
			s.untilTrue("sent", func() bool { return s.observed.Route == Route{Version: "2"} })
			s.observed.Moving = true
			s.result = func(CheckID) string { return Failure }
			s.pass(3 * time.Minute)
			s.observed.Moving = false
			s.pass(time.Minute)
			if ready := s.state.Phase == v1beta1.RolloutReady; ready != promoted {
				t.Errorf("%s: %s", Position(s.state), s.state.Message)
			}
		})
	}
}

// TestContinuedWhileAWSMovesTheAlias checks that a rollout that continues while AWS moves the alias does not take that
// for a change by someone else.
func TestContinuedWhileAWSMovesTheAlias(t *testing.T) {
	s := newScenario(t, twoWeights())
	s.at10()
	s.untilTrue("sent", func() bool { return s.observed.Route == at(50) })
	s.observed.Moving, s.spec.Paused = true, true
	s.pass(30 * time.Second)
	s.spec.Paused = false
	s.pass(time.Minute)
	s.observed.Moving = false
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
	s.wantSent("each weight once", at(10).String(), at(50).String(), "version 2")
}

// TestStrategyChange checks that the steps of another strategy begin again at the present weight, also while AWS
// rejects the change of a step, and that a rollout that has reached all invocations goes on.
func TestStrategyChange(t *testing.T) {
	linear := v1beta1.RolloutStrategy{Linear: &v1beta1.LinearStrategy{
		Percentage: 40,
		Interval:   metav1.Duration{Duration: time.Minute},
	}}
	s := newScenario(t, twoWeights())
	s.observed.Target = "2"
	s.untilTrue("at 50 %", func() bool { return s.state.ObservedWeight == 50 })
	s.spec.Strategy = linear
	s.pass(time.Hour)
	s.wantSent("from the first step of the new strategy", at(10).String(), at(50).String(), at(40).String(),
		at(80).String(), "version 2")
	s.wantEnd(v1beta1.RolloutReady, "", "2")

	s = newScenario(t, twoWeights(bake(10*time.Minute)))
	s.observed.Target = "2"
	s.until(v1beta1.RolloutBaking)
	s.sent, s.spec.Strategy = nil, linear
	s.pass(time.Hour)
	s.wantSent("at all invocations")
	s.wantEnd(v1beta1.RolloutReady, "", "2")

	for _, result := range []string{"", Inconclusive, Error} { // Less than before needs no success, nor any health.
		s = newScenario(t, twoWeights(metrics("m")))
		s.observed.Target = "2"
		s.untilTrue("at 50 %", func() bool { return s.state.ObservedWeight == 50 })
		s.result = func(CheckID) string { return result }
		s.pass(7 * time.Minute)
		s.spec.Strategy, s.spec.Paused = linear, true
		s.pass(time.Minute)
		s.wantSent("paused by the user", at(10).String(), at(50).String())
		s.spec.Paused = false
		s.pass(5 * time.Minute)
		s.wantSent("less, and no more without a success", at(10).String(), at(50).String(), at(40).String())
	}

	s = newScenario(t, tenPercent(pauseFirst(time.Hour))) // At the first of its steps, and before any weight.
	s.observed.Target = "2"
	s.until(v1beta1.RolloutAnalyzing)
	s.spec.Strategy = linear
	s.pass(time.Minute)
	s.wantSent("at once", at(40).String())

	s = newScenario(t, twoWeights())
	s.refuses = func(r Route) bool { return r.Additional != "" }
	s.observed.Target = "2"
	s.untilTrue("rejected by AWS", func() bool { return s.state.UpdateFailures > 0 })
	allAtOnce(s.spec)
	s.pass(2 * time.Minute)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestAnalysisChange checks that metrics and alarms that are changed during a rollout apply at once, and that the
// failures of those that remain still count.
func TestAnalysisChange(t *testing.T) {
	t.Run("Added", func(t *testing.T) {
		s := newScenario(t, twoWeights(metrics("m")))
		s.at10()
		alarms("a")(s.spec)
		s.result = func(id CheckID) string { return map[bool]string{true: Failure, false: Success}[id.Name == "a"] }
		s.pass(time.Minute)
		s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAnalysisFailed, "1")
	})
	t.Run("Removed", func(t *testing.T) {
		s := newScenario(t, twoWeights(metrics("bad", "good")))
		s.result = func(id CheckID) string {
			return map[bool]string{
				true:  Inconclusive,
				false: Success,
			}[id.Name == "bad"]
		}
		s.at10()
		s.untilTrue("paused", func() bool { return s.state.Reason == v1beta1.RolloutReasonInconclusive })
		s.spec.Analysis.Metrics = s.spec.Analysis.Metrics[1:]
		s.pass(time.Hour)
		s.wantEnd(v1beta1.RolloutReady, "", "2")
	})
	for name, edit := range map[string]func(s *v1beta1.AliasRollout){
		"RemovedLate":  func(s *v1beta1.AliasRollout) { s.Analysis = nil },
		"OneOfTwoLate": func(s *v1beta1.AliasRollout) { s.Analysis.Metrics = s.Analysis.Metrics[1:] },
		"QuickerLate": func(s *v1beta1.AliasRollout) {
			s.Analysis.Metrics[0].Interval = &metav1.Duration{Duration: time.Minute}
		},
	} {
		t.Run(name, func(t *testing.T) { // The plan of the step is shorter now, and so its deadline is over.
			s := newScenario(t, twoWeights(metrics("slow", "quick")))
			s.spec.Analysis.Metrics[0].Interval = &metav1.Duration{Duration: time.Hour}
			s.at10()
			s.pass(50 * time.Minute)
			edit(s.spec)
			s.pass(2 * time.Hour)
			s.wantEnd(v1beta1.RolloutReady, "", "2")
		})
	}
	t.Run("Counted", func(t *testing.T) {
		s := newScenario(t, twoWeights(metrics("m")))
		s.spec.Analysis.Metrics[0].FailureLimit = 3
		s.at10()
		s.result = func(CheckID) string { return Failure }
		s.untilTrue("two failures", func() bool {
			c := CheckOf(s.state, CheckID{CheckMetric, "m"})
			return c != nil && c.Failures == 2
		})
		s.spec.Analysis.Metrics[0].FailureLimit = 1
		s.pass(2 * time.Minute)
		s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAnalysisFailed, "1")
	})
	t.Run("DryRun", func(t *testing.T) {
		s := newScenario(t, twoWeights(metrics("m")))
		s.spec.Analysis.Metrics[0].DryRun, s.spec.Analysis.Metrics[0].OnFailure = true, "Warn"
		s.at10()
		s.result = func(CheckID) string { return Failure }
		s.pass(5 * time.Minute)
		s.result = nil
		s.spec.Analysis.Metrics[0].DryRun, s.spec.Analysis.Metrics[0].OnFailure = false, "Rollback"
		s.pass(time.Hour)
		s.wantEnd(v1beta1.RolloutReady, "", "2")
		if s.event(v1beta1.EventRolloutMetricFailed) {
			t.Errorf("the result of a dry run is ignored: %v", s.events)
		}
	})
}

// TestStableIsDesiredAgain checks that a rollout ends without a verdict if the manifest asks for the stable version
// again, and that a failure is over then.
func TestStableIsDesiredAgain(t *testing.T) {
	steps := map[string]func(s *scenario){
		"Pending":     func(s *scenario) { s.until(v1beta1.RolloutValidating) },
		"Progressing": func(s *scenario) { s.untilTrue("at 10 %", func() bool { return s.observed.Route == at(10) }) },
		"Baking":      func(s *scenario) { s.until(v1beta1.RolloutBaking) },
		"Failed": func(s *scenario) {
			s.untilTrue("at 10 %", func() bool { return s.observed.Route == at(10) })
			s.result = func(CheckID) string { return Failure }
			s.untilTrue("failed", func() bool { return s.state.Phase == v1beta1.RolloutFailed })
		},
	}
	for name, reach := range steps {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, twoWeights(metrics("m"), bake(10*time.Minute)))
			s.observed.Target = "2"
			reach(s)
			s.observed.Target = "1"
			s.pass(time.Hour)
			s.wantEnd(v1beta1.RolloutReady, "", "1")
			if got := s.rejected(); (len(got) > 0) != (name == "Failed") {
				t.Errorf("rejected %v", got)
			}
		})
	}
}

// TestReplacedTarget checks that a rollout returns to the stable version also while it is paused, and begins again with
// another target after that, and that the replaced one is not rejected.
func TestReplacedTarget(t *testing.T) {
	s := newScenario(t, twoWeights(metrics("m")))
	s.at10()
	s.spec.Paused = true
	s.pass(time.Minute)
	s.observed.Target = "3"
	s.pass(2 * time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "1")
	s.spec.Paused = false
	s.pass(2 * time.Hour)
	s.wantSent("from the stable version", at(10).String(), "version 1", "version 1, version 3 with 10 %",
		"version 1, version 3 with 50 %", "version 3")
	s.wantEnd(v1beta1.RolloutReady, "", "3")
	if got := s.rejected(); len(got) > 0 {
		t.Errorf("rejected %v", got)
	}
}

// TestReplacedTargetWhileSomeoneHasChangedTheAlias checks that another version does not undo what someone has changed,
// unless all invocations were returned to the stable version: the new rollout begins there.
func TestReplacedTargetWhileSomeoneHasChangedTheAlias(t *testing.T) {
	cases := map[string]struct {
		route Route
		first []string // What is sent while the alias is left.
		known bool     // The change is known before the other version is.
	}{
		"Earlier":       {route: Route{Version: "0"}, known: true},
		"Weight":        {route: at(70), known: true},
		"AtTheSameTime": {route: Route{Version: "0"}},
		"Stable":        {route: Route{Version: "1"}, known: true, first: append([]string{"version 1"}, toThree...)},
		"StableAtOnce":  {route: Route{Version: "1"}, first: append([]string{"version 1"}, toThree...)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, twoWeights())
			s.at10()
			s.sent = nil
			s.alias(tc.route)
			if tc.known {
				s.pass(time.Minute)
			}
			s.observed.Target = "3"
			s.pass(2 * time.Hour)
			s.wantSent("left by someone else", tc.first...)
			if len(tc.first) > 0 {
				return
			}
			if !strings.Contains(s.state.Message, "version 3 waits") {
				t.Errorf("the message is %q", s.state.Message)
			}
			s.alias(at(10))
			s.pass(2 * time.Hour)
			s.wantSent("changed back", append([]string{"version 1"}, toThree...)...)
		})
	}
}

// toThree are the routes of a rollout of version 3 by twoWeights.
var toThree = []string{"version 1, version 3 with 10 %", "version 1, version 3 with 50 %", "version 3"}

// TestFailingWhileSomeoneHasChangedTheAlias checks that a target that fails is rolled back, although someone else has
// changed the alias.
func TestFailingWhileSomeoneHasChangedTheAlias(t *testing.T) {
	s := newScenario(t, twoWeights(alarms("a")))
	s.at10()
	s.alias(at(70))
	s.pass(time.Minute)
	if s.state.Reason != v1beta1.RolloutReasonAliasChanged {
		t.Fatalf("state %+v", s.state)
	}
	s.result = func(CheckID) string { return Failure }
	s.pass(2 * time.Minute)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAnalysisFailed, "1")
}

// TestDriftIsTakenBack checks that a rollout goes on where it was when someone changes the alias back, and that the
// time in between does not count.
func TestDriftIsTakenBack(t *testing.T) {
	s := newScenario(t, twoWeights())
	s.at10()
	s.pass(time.Minute)
	s.alias(Route{Version: "3"})
	s.pass(5 * time.Hour)
	s.alias(at(10))
	start := s.now
	s.untilTrue("at 50 %", func() bool { return s.state.ObservedWeight == 50 })
	if took := s.now.Sub(start); took < 3*time.Minute || took > 5*time.Minute {
		t.Errorf("the rest of the step took %s", took)
	}
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestAdopt checks what a change by someone else means with onDrift: Adopt.
func TestAdopt(t *testing.T) {
	cases := map[string]struct {
		reason   string
		change   Route
		sent     []string
		phase    string
		version  string
		rejected []string
	}{
		"Weight": {
			reason: "Another weight is the new one.", change: at(30),
			sent: []string{at(50).String(), "version 2"}, phase: v1beta1.RolloutReady, version: "2",
		},
		"NoWeight": {
			reason:   "No weight is an abort, which is sent: the answer may be from before the target received invocations.",
			change:   Route{Version: "1"},
			sent:     []string{"version 1"},
			phase:    v1beta1.RolloutFailed,
			version:  "1",
			rejected: []string{"2"},
		},
		"Target": {
			reason: "The target alone is a promotion.", change: Route{Version: "2"},
			phase: v1beta1.RolloutReady, version: "2",
		},
		"Version": {
			reason: "Another version is stable, and the target is rolled out from it.",
			change: Route{Version: "3"}, sent: []string{
				"version 3, version 2 with 10 %",
				"version 3, version 2 with 50 %", "version 2",
			}, phase: v1beta1.RolloutReady, version: "2",
		},
		"Exchanged": {
			reason: "A weight of the stable version is one of the target, which is not promoted by it.",
			change: Route{Version: "2", Additional: "1", Weight: 70},
			sent:   []string{at(30).String(), at(50).String(), "version 2"}, phase: v1beta1.RolloutReady, version: "2",
		},
		"ExchangedInParts": {
			reason: "One that is no whole percentage begins the rollout again.",
			change: Route{Version: "2", Additional: "1", Weight: OtherWeight},
			sent:   []string{"version 1", at(10).String(), at(50).String(), "version 2"}, phase: v1beta1.RolloutReady,
			version: "2",
		},
		"TwoOthers": {
			reason: "Of two others, the alias's own version is stable.",
			change: Route{Version: "3", Additional: "4", Weight: 20},
			sent: []string{
				"version 3", "version 3, version 2 with 10 %", "version 3, version 2 with 50 %",
				"version 2",
			}, phase: v1beta1.RolloutReady, version: "2",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, twoWeights(onDrift(v1beta1.OnDriftAdopt)))
			s.at10()
			s.sent = nil
			s.alias(tc.change)
			s.pass(2 * time.Hour)
			s.wantSent(tc.reason, tc.sent...)
			if s.state.Phase != tc.phase || (s.observed.Route != Route{Version: tc.version}) ||
				!slices.Equal(s.rejected(), tc.rejected) {
				t.Errorf("%s\n%s, rejected %v: %+v", tc.reason, s.observed.Route, s.rejected(), s.state)
			}
		})
	}
}

// TestAdoptedVersions checks that one can return to a version that was stable until a change by someone else was
// adopted.
func TestAdoptedVersions(t *testing.T) {
	for name, change := range map[string]Route{
		"Alone": {Version: "3"}, "Divided": {Version: "3", Additional: "4", Weight: 20},
	} {
		t.Run(name, func(t *testing.T) {
			s := promoted(t, twoWeights(onDrift(v1beta1.OnDriftAdopt)))
			s.observed.Target = "3"
			s.alias(change)
			s.pass(time.Hour)
			s.wantEnd(v1beta1.RolloutReady, "", "3")
			s.observed.Commands[v1beta1.AnnotationRolloutRollbackTo] = "2/x"
			s.pass(time.Hour)
			s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonRollbackTo, "2")
		})
	}
}

// TestChangeAfterARollout checks what happens if someone else changes the alias while no rollout is in progress.
func TestChangeAfterARollout(t *testing.T) {
	t.Run("Pause", func(t *testing.T) {
		s := promoted(t, twoWeights())
		s.alias(Route{Version: "1"})
		s.pass(time.Minute)
		if !s.event(v1beta1.EventAliasChanged) || s.state.Drift == "" {
			t.Error("it is not told")
		}
		s.observed.Target = "3"
		s.pass(time.Hour)
		s.wantSent("no rollout begins")
		s.observed.Commands[v1beta1.AnnotationRolloutAbort] = "x"
		s.pass(2 * time.Hour)
		s.wantSent("an abort changes it back, and the rollout begins", "version 2", "version 2, version 3 with 10 %",
			"version 2, version 3 with 50 %", "version 3")
	})
	t.Run("Revert", func(t *testing.T) {
		s := promoted(t, twoWeights(onDrift(v1beta1.OnDriftRevert)))
		s.alias(Route{Version: "1"})
		s.pass(time.Hour)
		s.wantSent("back", "version 2")
		s.wantEnd(v1beta1.RolloutReady, "", "2")
	})
	t.Run("Adopt", func(t *testing.T) {
		s := promoted(t, twoWeights(onDrift(v1beta1.OnDriftAdopt)))
		s.alias(Route{Version: "3"})
		s.pass(2 * time.Hour)
		s.wantSent("from what it is", "version 3, version 2 with 10 %", "version 3, version 2 with 50 %", "version 2")
	})
	for policy, sent := range map[string][]string{v1beta1.OnDriftPause: nil, v1beta1.OnDriftRevert: {"version 2"}} {
		t.Run("Moving"+policy, func(t *testing.T) {
			s := promoted(t, twoWeights(onDrift(policy)))
			s.alias(Route{Version: "1"})
			s.observed.Moving = true // AWS allocates provisioned concurrency, which may never end.
			s.pass(time.Minute)
			if s.wantSent(policy, sent...); !s.event(v1beta1.EventAliasChanged) || s.state.Drift == "" && sent == nil {
				t.Errorf("it is not told: %s", short(s.state))
			}
		})
	}
	for command, value := range map[string]string{
		v1beta1.AnnotationRolloutAbort: "x", v1beta1.AnnotationRolloutRollbackTo: "2/x",
	} {
		t.Run("Moving"+command, func(t *testing.T) {
			s := promoted(t, twoWeights())
			s.alias(Route{Version: "1"})
			s.observed.Moving = true // AWS allocates provisioned concurrency.
			s.observed.Commands[command] = value
			s.pass(time.Minute)
			s.wantSent("it is changed back at once", "version 2")
			s.observed.Moving = false
			s.pass(time.Minute)
			s.wantEnd(v1beta1.RolloutReady, "", "2")
		})
	}
}

// TestRetryWaitsForTheAlias checks that a retry is neither carried out nor forgotten while someone else has changed the
// alias.
func TestRetryWaitsForTheAlias(t *testing.T) {
	s := newScenario(t, twoWeights(alarms("a")))
	s.at10()
	s.result = func(CheckID) string { return Failure }
	s.pass(2 * time.Minute)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAnalysisFailed, "1")
	s.result, s.sent = nil, nil
	s.alias(Route{Version: "3"})
	s.observed.Commands[v1beta1.AnnotationRolloutRetry] = "x"
	s.pass(time.Hour)
	s.wantSent("someone else has changed the alias")
	if s.says("retry") {
		t.Errorf("events %v", s.events)
	}
	s.alias(Route{Version: "1"})
	s.pass(2 * time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestRetryWhilePaused checks that a retry is rejected while spec is paused: it would be forgotten by the time that the
// rollout may begin.
func TestRetryWhilePaused(t *testing.T) {
	s := newScenario(t, tenPercent())
	s.observed.Target = "2"
	s.until(v1beta1.RolloutAnalyzing)
	s.observed.Commands[v1beta1.AnnotationRolloutAbort] = "x"
	s.pass(time.Minute)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAborted, "1")
	s.spec.Paused = true
	s.observed.Commands[v1beta1.AnnotationRolloutRetry] = "x"
	s.pass(time.Minute)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAborted, "1")
	s.spec.Paused = false
	s.observed.Commands[v1beta1.AnnotationRolloutRetry] = "y"
	s.pass(2 * time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestRetryOfAReplacedTarget checks that a retry is of the target that has failed, and not of another version that has
// failed earlier and is desired by then.
func TestRetryOfAReplacedTarget(t *testing.T) {
	s := newScenario(t, tenPercent())
	for _, version := range []string{"2", "3"} {
		s.observed.Target = version
		s.untilTrue("at 10 %", func() bool { return s.state.ObservedWeight == 10 })
		s.observed.Commands[v1beta1.AnnotationRolloutAbort] = version
		s.pass(time.Minute)
	}
	s.sent, s.observed.Target = nil, "2"
	s.observed.Commands[v1beta1.AnnotationRolloutRetry] = "x"
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonFailedBefore, "1")
	s.wantSent("version 2 was rejected, and nobody retries it")
	if !s.says("retry (x)"+DoesNotApply+"version 2 is desired now") || len(s.rejected()) != 2 {
		t.Errorf("rejected %v, events %v", s.rejected(), s.events)
	}
}

// TestPausedAfterAFailure checks that a failure is not described by what another version waits for while spec is
// paused.
func TestPausedAfterAFailure(t *testing.T) {
	s := newScenario(t, tenPercent(metrics("m")))
	s.at10()
	s.result = func(CheckID) string { return Failure }
	s.untilTrue("failed", func() bool { return s.state.Phase == v1beta1.RolloutFailed })
	s.spec.Paused, s.observed.Target = true, "3"
	s.pass(time.Minute)
	const waits = "spec.rollout.paused is true: version 3 waits"
	if got := s.state; got.Phase != v1beta1.RolloutReady || got.Reason != "" || got.Message != waits {
		t.Errorf("version 3 waits, and the rollout is %s %s: %s", got.Phase, got.Reason, got.Message)
	}
	s.spec.Paused, s.observed.Target = false, "2"
	s.pass(time.Minute)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonFailedBefore, "1")
	if strings.Contains(s.state.Message, "waits") {
		t.Errorf("version 2 has failed: %s", s.state.Message)
	}
}

// TestRollbackToAFailedVersion checks that rollback-to refuses a version that AWS could not prepare.
func TestRollbackToAFailedVersion(t *testing.T) {
	s := promoted(t, twoWeights())
	s.observed.Versions["1"] = Version{Fingerprint: "f1", Invalid: "version 1 is Failed: InvalidRuntime"}
	s.observed.Commands[v1beta1.AnnotationRolloutRollbackTo] = "1/x"
	s.pass(time.Minute)
	s.wantSent("nothing moves")
	if !s.says("does not apply: version 1 is Failed") {
		t.Errorf("events %v", s.events)
	}
}

// TestRollbackToRejects checks that rollback-to rejects what served and the present target, so that the manifest does
// not roll one of them out again.
func TestRollbackToRejects(t *testing.T) {
	s := promoted(t, twoWeights())
	s.observed.Target = "3"
	s.untilTrue("at 10 %", func() bool { return s.state.ObservedWeight == 10 })
	s.observed.Commands[v1beta1.AnnotationRolloutRollbackTo] = "1/x"
	s.pass(2 * time.Hour)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonRollbackTo, "1")
	got := s.rejected()
	slices.Sort(got)
	if diff := cmp.Diff([]string{"2", "3"}, got); diff != "" {
		t.Errorf("rejected: -want, +got:\n%s", diff)
	}
	s.observed.Target = "1"
	s.pass(time.Minute)
	s.wantEnd(v1beta1.RolloutReady, "", "1")
}

// TestRollbackToAfterAFailure checks that rollback-to says why it does not apply, and leaves the failure as it was
// while it waits and when it is refused.
func TestRollbackToAfterAFailure(t *testing.T) {
	failed := func() *scenario {
		s := promoted(t, tenPercent(alarms("a")))
		s.observed.Target = "3"
		s.untilTrue("at 10 %", func() bool { return s.state.ObservedWeight == 10 })
		s.result = func(CheckID) string { return Failure }
		s.pass(2 * time.Minute)
		s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAnalysisFailed, "2")
		s.result, s.events = nil, nil
		return s
	}
	cases := map[string]struct {
		reason  string
		version string
		state   Version
		says    string
		waits   bool
	}{
		"Unknown": {
			reason: "Only versions that were stable can be returned to.", version: "7",
			says: "does not apply: version 7 is not in the history: choose one of 1",
		},
		"Stable": {
			reason: "The stable version needs no rollback.", version: "2",
			says: "does not apply: no rollout is in progress: version 3 was rejected (AnalysisFailed), version 2 is stable",
		},
		"Gone": {
			reason:  "A version that AWS does not have can't be returned to.",
			version: "1",
			state:   Version{Missing: true},
			says:    "does not apply: version 1 does not exist",
		},
		"Pending": {
			reason: "A version that is being prepared is waited for.", version: "1",
			state: Version{Pending: "version 1 is Pending"}, waits: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := failed()
			before := s.state.DeepCopy()
			s.observed.Versions["1"] = tc.state
			s.observed.Commands[v1beta1.AnnotationRolloutRollbackTo] = tc.version + "/x"
			s.pass(5 * time.Minute)
			if got := s.state; got.Reason != before.Reason || got.Message != before.Message ||
				(got.Waits != "") != tc.waits {
				t.Errorf("%s: %s (%s), waits %q", tc.reason, got.Reason, got.Message, got.Waits)
			}
			if tc.says != "" && !s.says(tc.says) {
				t.Errorf("%s: events %v", tc.reason, s.events)
			}
			if !tc.waits {
				return
			}
			s.observed.Versions["1"] = Version{Missing: true}
			s.pass(5 * time.Minute)
			if got := s.state; got.Reason != before.Reason || got.Message != before.Message || got.Waits != "" {
				t.Errorf("it was refused later: %s (%s), waits %q", got.Reason, got.Message, got.Waits)
			}
		})
	}
}

// TestRollbackToTheStableVersion checks that rollback-to undoes what someone else has changed after a rollout.
func TestRollbackToTheStableVersion(t *testing.T) {
	s := promoted(t, twoWeights())
	s.alias(Route{Version: "3"})
	s.pass(5 * time.Minute)
	s.observed.Commands[v1beta1.AnnotationRolloutRollbackTo] = "2/x"
	s.pass(5 * time.Minute)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestRollbackToTheStableVersionBeforeTraffic checks that rollback-to ends a rollout that has moved no invocation, too.
func TestRollbackToTheStableVersionBeforeTraffic(t *testing.T) {
	s := newScenario(t, twoWeights())
	s.observed.Target, s.observed.Versions["2"] = "2", Version{Pending: "version 2 is Pending"}
	s.until(v1beta1.RolloutValidating)
	s.observed.Commands[v1beta1.AnnotationRolloutRollbackTo] = "1/x"
	s.pass(5 * time.Minute)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonRollbackTo, "1")
	if got := s.rejected(); !slices.Equal(got, []string{"2"}) || len(s.sent) > 0 {
		t.Errorf("rejected %v, sent %v", got, s.sent)
	}
}

// TestPauseAfterAFailureSaysSo checks that a rollout that a failed metric pauses says so after a later success too.
func TestPauseAfterAFailureSaysSo(t *testing.T) {
	s := newScenario(
		t,
		twoWeights(metrics("m"), func(s *v1beta1.AliasRollout) { s.Analysis.Metrics[0].OnFailure = "Pause" }),
	)
	s.at10()
	s.result = func(CheckID) string { return Failure }
	s.until(v1beta1.RolloutPaused)
	s.result = nil
	s.pass(2 * time.Minute)
	if want := "Metric m has failed once, now it is Success"; s.state.Step != v1beta1.RolloutPaused ||
		s.state.Message != want {
		t.Errorf("%s: %q, want %q", s.state.Step, s.state.Message, want)
	}
	want := "; Metric m has failed once, now it is Success; set the annotation " + v1beta1.AnnotationRolloutPromoteFull +
		" or " + v1beta1.AnnotationRolloutAbort
	if got := Describe(s.spec, s.state, s.observed.Route); !strings.HasSuffix(got, want) {
		t.Errorf("only the user can end the pause: got %q, want the end %q", got, want)
	}
}

// TestPromoteFull checks that promote-full skips steps and the analysis, but that the bake time applies and a failure
// rolls back.
func TestPromoteFull(t *testing.T) {
	for _, fails := range []bool{false, true} {
		s := newScenario(t, twoWeights(alarms("a"), bake(10*time.Minute)))
		s.at10()
		s.sent = nil
		s.observed.Commands[v1beta1.AnnotationRolloutPromoteFull] = "x"
		s.until(v1beta1.RolloutBaking)
		if fails {
			s.result = func(CheckID) string { return Failure }
			s.pass(time.Minute)
			s.wantSent("a failure rolls back", "version 2", "version 1")
			continue
		}
		start := s.now
		s.pass(time.Hour)
		s.wantSent("without the steps", "version 2")
		s.wantEnd(v1beta1.RolloutReady, "", "2")
		if took := s.state.FinishedAt.Sub(start); took < 9*time.Minute {
			t.Errorf("baked for %s", took)
		}
	}
}

// TestPromote checks to which steps promote applies.
func TestPromote(t *testing.T) {
	cases := map[string]struct {
		reason string
		step   v1beta1.CanaryStep
		want   bool
	}{
		"Pause": {
			reason: "It ends a pause without a duration.",
			step:   v1beta1.CanaryStep{Pause: &v1beta1.RolloutPause{}}, want: true,
		},
		"Duration": {
			reason: "And the rest of one with a duration.",
			step:   v1beta1.CanaryStep{Pause: &v1beta1.RolloutPause{Duration: &metav1.Duration{Duration: time.Hour}}},
			want:   true,
		},
		"Analysis": {
			reason: "But no analysis.",
			step:   v1beta1.CanaryStep{Analysis: &v1beta1.CanaryAnalysis{Successes: ptr.To[int32](60)}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, twoWeights(metrics("m")))
			s.spec.Strategy.Canary.Steps[1] = tc.step
			s.at10()
			s.pass(5 * time.Minute)
			s.observed.Commands[v1beta1.AnnotationRolloutPromote] = "x"
			s.pass(10 * time.Minute)
			if got := s.observed.Route != at(10); got != tc.want || s.says("does not apply") == tc.want {
				t.Errorf("%s\n%s, events %v", tc.reason, s.observed.Route, s.events)
			}
		})
	}
}

// TestRetryAfterAbort checks that the user decides: a version that the user has aborted is rolled out again on request
// only.
func TestRetryAfterAbort(t *testing.T) {
	s := newScenario(t, twoWeights())
	s.at10()
	s.observed.Commands[v1beta1.AnnotationRolloutAbort] = "x"
	s.pass(5 * time.Hour)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAborted, "1")
	s.observed.Commands[v1beta1.AnnotationRolloutRetry] = "x"
	s.pass(2 * time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestLostState checks that a rollout whose state is lost begins again from the alias's own version, and that commands
// that were carried out are not carried out again.
func TestLostState(t *testing.T) {
	s := newScenario(t, twoWeights())
	s.at10()
	s.observed.Commands[v1beta1.AnnotationRolloutAbort] = "x"
	s.pass(time.Minute)
	s.observed.Commands[v1beta1.AnnotationRolloutRetry] = "x"
	s.untilTrue("at 10 %", func() bool { return s.state.ObservedWeight == 10 })
	s.state, s.sent = nil, nil
	s.pass(2 * time.Hour)
	s.wantSent("from the first step", "version 1", at(10).String(), at(50).String(), "version 2")
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestLostStateBesideAWeightOfOthers has a weight that is no whole percentage.
func TestLostStateBesideAWeightOfOthers(t *testing.T) {
	d := Next(
		twoWeights(),
		nil,
		Observation{Route: RouteOf("1", map[string]float64{"2": 0.005}), Target: "2"},
		time.Now(),
	)
	if d.State.Step != v1beta1.RolloutRollingBack || d.State.ObservedWeight < 1 {
		t.Errorf("a part of the invocations is %d %%, step %s", d.State.ObservedWeight, d.State.Step)
	}
}

// TestRollbackWithoutARollout checks that a rollback has an ID in its events and in status, also if no rollout has
// begun that has one.
func TestRollbackWithoutARollout(t *testing.T) {
	for name, change := range map[string]func(*scenario){
		"LostState": func(s *scenario) { s.state, s.observed.Route = nil, at(10) },
		"Changed": func(s *scenario) {
			s.pass(time.Minute)
			s.alias(Route{Version: "2"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, twoWeights(onDrift(v1beta1.OnDriftRevert)))
			change(s)
			s.untilTrue(
				"rolls back",
				func() bool { return s.state != nil && s.state.Step == v1beta1.RolloutRollingBack },
			)
			if s.state.ID == "" {
				t.Error("the rollback has no ID")
			}
			s.pass(time.Minute)
			s.wantEnd(v1beta1.RolloutReady, "", "1")
			for _, e := range s.events {
				if strings.Contains(e, "rollout  ") || strings.Contains(e, "rollout :") {
					t.Errorf("event %q", e)
				}
			}
		})
	}
}

// TestLeastStep checks how long a step of a linear rollout takes at least, by what its checks need.
func TestLeastStep(t *testing.T) {
	cases := map[string]struct {
		reason         string
		analysis       func(*v1beta1.AliasRollout)
		timeout, delay time.Duration
		// step and last are how long the first step and the last one take.
		step, last time.Duration
	}{
		"None": {
			reason: "Without an analysis, the interval decides.", analysis: func(*v1beta1.AliasRollout) {},
			step: time.Minute, last: time.Minute,
		},
		"Lambda": {
			reason: "A period and two minutes.", analysis: metrics("m"), delay: 3 * time.Minute,
			step: 3 * time.Minute, last: 4 * time.Minute,
		},
		"InitialDelay": {
			reason: "The initial delay, which counts from the first invocation, and which the deadline allows for.",
			analysis: func(s *v1beta1.AliasRollout) {
				metrics("m")(s)
				s.Analysis.Metrics[0].InitialDelay = &metav1.Duration{Duration: 20 * time.Minute}
			},
			delay: 3 * time.Minute, step: 20 * time.Minute, last: 4 * time.Minute,
		},
		"Slow": {
			reason: "And the timeout of the function.", analysis: metrics("m"), timeout: time.Minute,
			delay: 4 * time.Minute, step: 4 * time.Minute, last: 5 * time.Minute,
		},
		"Alarm": {
			reason: "All periods of an alarm, here three minutes, and two minutes.", analysis: alarms("a"),
			delay: 5 * time.Minute, step: 5 * time.Minute, last: 6 * time.Minute,
		},
		"Dependency": {
			reason:   "The state of a dependency is that of now.",
			analysis: func(s *v1beta1.AliasRollout) { s.Dependencies = []v1beta1.RolloutDependency{{Name: "d"}} },
			step:     time.Minute, last: time.Minute,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, tenPercent(tc.analysis, func(s *v1beta1.AliasRollout) {
				s.Strategy = v1beta1.RolloutStrategy{Linear: &v1beta1.LinearStrategy{
					Percentage: 50,
					Interval:   metav1.Duration{Duration: time.Minute},
				}}
				s.Strategy.Linear.Percentage = 40
			}))
			s.delay = tc.delay
			s.observed.Versions["2"] = Version{Fingerprint: "f2", Timeout: tc.timeout}
			s.observed.Target = "2"
			s.untilTrue("at 40 %", func() bool { return s.state.ObservedWeight == 40 })
			first := s.now
			s.untilTrue("at 80 %", func() bool { return s.state.ObservedWeight == 80 })
			second := s.now
			s.untilTrue("at all", func() bool { return s.observed.Route == Route{Version: "2"} })
			const calls = 40 * time.Second // Between two measurements, and of the change itself.
			if took := second.Sub(first); took < tc.step-time.Second || took > tc.step+calls {
				t.Errorf("%s\nthe step took %s, want %s", tc.reason, took, tc.step)
			}
			if took := s.now.Sub(second); took < tc.last-time.Second || took > tc.last+time.Minute+calls {
				t.Errorf("%s\nthe last step took %s, want %s", tc.reason, took, tc.last)
			}
		})
	}
}

// TestAlarmFiresAgain checks that an alarm that fired before the rollout counts once it has left ALARM and returned to
// it because of what was after the first weight.
func TestAlarmFiresAgain(t *testing.T) {
	cases := map[string]struct {
		reason    string
		meanwhile string
		anew      bool
		promotes  bool
	}{
		"OK":        {reason: "It was OK.", meanwhile: Success, anew: true},
		"NoData":    {reason: "It had no data, and fires by new ones.", meanwhile: Inconclusive, anew: true},
		"Unseen":    {reason: "It went to ALARM anew between two measurements.", meanwhile: Failure, anew: true},
		"Unchanged": {reason: "It has not left ALARM.", meanwhile: Failure, promotes: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, twoWeights(alarms("a")))
			s.since, s.about = s.now.Add(-time.Hour), s.now.Add(-time.Hour)
			s.result = func(CheckID) string { return Failure }
			s.at10()
			s.pass(2 * time.Minute)
			if s.state.ObservedWeight != 10 || !CheckOf(s.state, CheckID{CheckAlarm, "a"}).Ignored {
				t.Fatalf("state %+v", s.state)
			}
			s.result = func(CheckID) string { return tc.meanwhile }
			s.pass(time.Minute)
			if s.result = func(CheckID) string { return Failure }; tc.anew {
				s.since, s.about = s.now, s.now.Add(-time.Minute)
			}
			s.pass(time.Hour)
			if tc.promotes {
				s.wantEnd(v1beta1.RolloutReady, "", "2")
			} else {
				s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAnalysisFailed, "1")
			}
		})
	}
}

// TestBlockedByAnAlarm checks that a rollout that waits for an alarm that fires already ends at the deadline, and
// begins by itself once the alarm is OK. The alarm is not ignored any more when spec has the rollout wait for it.
func TestBlockedByAnAlarm(t *testing.T) {
	s := newScenario(t, twoWeights(alarms("a")))
	s.result = func(CheckID) string { return Failure }
	s.observed.Target = "2"
	s.observed.Versions["2"] = Version{Fingerprint: "f2", Pending: "version 2 is Pending"}
	s.pass(time.Minute)
	s.spec.Analysis.Alarms.PreExisting = "Block"
	s.pass(time.Minute)
	s.observed.Versions["2"] = Version{Fingerprint: "f2"}
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonProgressDeadlineExceeded, "1")
	if s.state.Step != v1beta1.RolloutValidating || len(s.rejected()) > 0 {
		t.Errorf("state %+v", s.state)
	}
	s.result = nil
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestRollbackWindow checks that a version with the code and configuration of one that was stable recently moves in one
// step, and that one that was stable earlier does not.
func TestRollbackWindow(t *testing.T) {
	for revisions, want := range map[int32][]string{1: {
		"version 2, version 4 with 10 %",
		"version 2, version 4 with 50 %", "version 4",
	}, 2: {"version 4"}} {
		s := newScenario(t,
			twoWeights(func(s *v1beta1.AliasRollout) {
				s.RollbackWindow = &v1beta1.RolloutRollbackWindow{
					Revisions: revisions,
				}
			}))
		s.observed.Target = "3"
		s.pass(2 * time.Hour)
		s.observed.Target = "2"
		s.pass(2 * time.Hour)
		s.sent = nil
		s.observed.Versions["4"] = s.observed.Versions["1"] // The commit was reverted.
		s.observed.Target = "4"
		s.pass(2 * time.Hour)
		s.wantSent("a window of one or two versions", want...)
	}
}

// TestPauseHasNoDeadline checks that a pause without a duration waits for the user, and that a failure rolls back.
func TestPauseHasNoDeadline(t *testing.T) {
	s := newScenario(t, twoWeights(alarms("a")))
	s.spec.Strategy.Canary.Steps[1].Pause.Duration = nil
	s.at10()
	s.pass(48 * time.Hour)
	if s.state.Reason != v1beta1.RolloutReasonPauseStep || s.observed.Route != at(10) {
		t.Fatalf("state %+v", s.state)
	}
	s.result = func(CheckID) string { return Failure }
	s.pass(2 * time.Minute)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonAnalysisFailed, "1")
}

// TestDependencyThatFails checks that a dependency that fails during a rollout pauses it, and rejects nothing.
func TestDependencyThatFails(t *testing.T) {
	s := newScenario(t,
		twoWeights(func(s *v1beta1.AliasRollout) { s.Dependencies = []v1beta1.RolloutDependency{{Name: "d"}} }))
	s.at10()
	s.result = func(CheckID) string { return Failure }
	s.untilTrue("paused", func() bool { return s.state.Reason == v1beta1.RolloutReasonInconclusive })
	s.pass(2 * time.Hour)
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonProgressDeadlineExceeded, "1")
	if got := s.rejected(); len(got) > 0 {
		t.Errorf("rejected %v", got)
	}
}

// TestOnFailure checks what a metric does that fails once.
func TestOnFailure(t *testing.T) {
	cases := map[string]struct {
		reason   string
		edit     func(m *v1beta1.RolloutMetric)
		phase    string
		failure  string
		rejected bool
		warns    bool
	}{
		"Rollback": {
			reason: "The target has failed.", edit: func(*v1beta1.RolloutMetric) {},
			phase: v1beta1.RolloutFailed, failure: v1beta1.RolloutReasonAnalysisFailed, rejected: true,
		},
		"Pause": {
			reason: "The failure remains, and nobody has decided until the deadline.",
			edit:   func(m *v1beta1.RolloutMetric) { m.OnFailure = "Pause" }, phase: v1beta1.RolloutFailed,
			failure: v1beta1.RolloutReasonProgressDeadlineExceeded,
		},
		"Warn": {
			reason: "An event says so.", edit: func(m *v1beta1.RolloutMetric) { m.OnFailure = "Warn" },
			phase: v1beta1.RolloutReady, warns: true,
		},
		"DryRun": {
			reason: "It is ignored.", edit: func(m *v1beta1.RolloutMetric) { m.DryRun = true },
			phase: v1beta1.RolloutReady,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, twoWeights(metrics("m")))
			tc.edit(&s.spec.Analysis.Metrics[0])
			s.at10()
			s.result = func(CheckID) string { return Failure }
			s.untilTrue("measured", func() bool { return CheckOf(s.state, CheckID{CheckMetric, "m"}) != nil })
			s.result = nil
			s.pass(2 * time.Hour)
			if s.state.Phase != tc.phase || s.state.Reason != tc.failure || len(s.rejected()) > 0 != tc.rejected ||
				s.event(v1beta1.EventRolloutMetricFailed) != tc.warns {
				t.Errorf("%s\n%s %s, rejected %v, events %v", tc.reason, s.state.Phase, s.state.Reason, s.rejected(),
					s.events)
			}
		})
	}
}

// TestRollbackDoesNotWait checks that a rollback does not wait until the stable version is prepared, if AWS has
// released it meanwhile.
func TestRollbackDoesNotWait(t *testing.T) {
	s := newScenario(t, twoWeights(alarms("a")))
	s.at10()
	s.observed.Versions["1"] = Version{Fingerprint: "f1", Inactive: true}
	s.result = func(CheckID) string { return Failure }
	start := s.now
	s.untilTrue("back", func() bool { return s.observed.Route == Route{Version: "1"} })
	if took := s.now.Sub(start); took > time.Minute {
		t.Errorf("the rollback was sent after %s", took)
	}
}

// TestCommandsCountOnce checks that each value of a command is carried out once.
func TestCommandsCountOnce(t *testing.T) {
	s := newScenario(t, twoWeights())
	s.at10()
	s.observed.Commands[v1beta1.AnnotationRolloutAbort] = "x"
	s.pass(time.Minute)
	s.observed.Commands[v1beta1.AnnotationRolloutRetry] = "x"
	s.pass(2 * time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2") // The abort is still there.
}

// TestMisspeltCommand checks that an annotation with the prefix of the commands that is none is reported, once.
func TestMisspeltCommand(t *testing.T) {
	s := newScenario(t, twoWeights())
	s.at10()
	s.observed.Commands[v1beta1.RolloutAnnotationPrefix+"abbort"] = "x"
	s.pass(2 * time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
	warnings := 0
	for _, e := range s.events {
		if strings.Contains(e, "/abbort is no command") {
			warnings++
		}
	}
	if warnings != 1 {
		t.Errorf("%d warnings, want 1: %+v", warnings, s.events)
	}
}

// TestEarlierCommandIsWrittenAgain checks that no command is carried out a second time because a tool writes the value
// of Git again over one that a user has given since.
func TestEarlierCommandIsWrittenAgain(t *testing.T) {
	s := promoted(t, twoWeights())
	s.observed.Target = "3"
	s.pass(2 * time.Hour)
	s.sent = nil
	for _, command := range []string{"1/git", "2/user", "1/git", "2/user"} {
		s.observed.Commands[v1beta1.AnnotationRolloutRollbackTo] = command
		s.pass(time.Hour)
	}
	s.wantSent("each command once", "version 1", "version 2")
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonRollbackTo, "2")
}

// TestSameCodeIsRejected checks that the code and configuration of a version that has failed is not rolled out under
// another number.
func TestSameCodeIsRejected(t *testing.T) {
	s := newScenario(t, twoWeights(alarms("a")))
	s.at10()
	s.result = func(CheckID) string { return Failure }
	s.pass(5 * time.Minute)
	s.result, s.sent = nil, nil
	s.observed.Versions["3"] = s.observed.Versions["2"]
	s.observed.Target = "3"
	s.pass(2 * time.Hour)
	s.wantSent("before any traffic")
	s.wantEnd(v1beta1.RolloutFailed, v1beta1.RolloutReasonFailedBefore, "1")
	s.observed.Commands[v1beta1.AnnotationRolloutRetry] = "x"
	s.pass(2 * time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "3")
}

// TestAllAtOnceIsJudged checks that the strategy allAtOnce with an analysis ends only when the analysis has judged
// invocations with all of them on the target, however short the bake time is.
func TestAllAtOnceIsJudged(t *testing.T) {
	s := newScenario(t, tenPercent(metrics("m"), bake(time.Minute), allAtOnce))
	s.delay = 5 * time.Minute
	s.observed.Target = "2"
	s.until(v1beta1.RolloutBaking)
	start := s.now
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
	if took := s.state.FinishedAt.Sub(start); took < 5*time.Minute-2*time.Second {
		t.Errorf("baked for %s", took)
	}
}

// TestCommandIsWithdrawn checks that no rollout begins while rollback-to waits for a version, and that one does when
// the annotation is removed.
func TestCommandIsWithdrawn(t *testing.T) {
	s := promoted(t, twoWeights())
	s.observed.Versions["1"] = Version{Fingerprint: "f1", Pending: "version 1 is Pending"}
	s.observed.Commands[v1beta1.AnnotationRolloutRollbackTo] = "1/x"
	s.observed.Target = "3"
	s.pass(time.Hour)
	s.wantSent("it waits")
	delete(s.observed.Commands, v1beta1.AnnotationRolloutRollbackTo)
	s.pass(2 * time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "3")
}

// TestRevertKeepsValidating checks that a rollout that waits for its version after the deadline still does after
// someone has changed the alias.
func TestRevertKeepsValidating(t *testing.T) {
	s := newScenario(t, twoWeights(onDrift(v1beta1.OnDriftRevert)))
	s.observed.Versions["2"] = Version{Fingerprint: "f2", Pending: "version 2 is Pending"}
	s.observed.Target = "2"
	s.pass(time.Hour)
	s.alias(Route{Version: "3"})
	s.pass(time.Hour)
	s.observed.Versions["2"] = Version{Fingerprint: "f2"}
	s.pass(time.Hour)
	s.wantEnd(v1beta1.RolloutReady, "", "2")
}

// TestInactiveVersionsAreNotInvokedAgainAndAgain checks that a version that AWS can't prepare is invoked rarely, and
// not at all while the rollout is paused.
func TestInactiveVersionsAreNotInvokedAgainAndAgain(t *testing.T) {
	for _, paused := range []bool{false, true} {
		s := newScenario(t, twoWeights())
		s.observed.Versions["2"] = Version{Fingerprint: "f2", Inactive: true}
		s.observed.Target = "2"
		s.until(v1beta1.RolloutValidating)
		s.spec.Paused = paused
		s.pass(5 * time.Hour)
		if n := len(s.woken); n > 31 || paused != (n == 0) {
			t.Errorf("paused %t: invoked %d times in five hours", paused, n)
		}
	}
}

// TestPromoteFullWhileBaking checks that the user decides on a failure with onFailure: Pause also after the target has
// received all invocations.
func TestPromoteFullWhileBaking(t *testing.T) {
	s := newScenario(t, tenPercent(bake(30*time.Minute), metrics("m"),
		func(s *v1beta1.AliasRollout) { s.Analysis.Metrics[0].OnFailure = "Pause" }))
	s.observed.Target = "2"
	s.until(v1beta1.RolloutBaking)
	s.result = func(CheckID) string { return Failure }
	s.until(v1beta1.RolloutPaused)
	s.observed.Commands[v1beta1.AnnotationRolloutPromoteFull] = "x"
	sent := len(s.sent)
	s.until("")
	s.wantEnd(v1beta1.RolloutReady, "", "2")
	if len(s.sent) != sent || s.state.FinishedAt.Sub(s.state.TrafficStartedAt.Time) < 30*time.Minute {
		t.Errorf("the bake time goes on, and the alias stays as it is: sent %v, %s", s.sent, s.state.FinishedAt)
	}
}
