package rollout

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestDescribe(t *testing.T) {
	const changed = "someone else has changed the alias from version 1 to version 3"
	const next = "; publish another version, or set the annotation rollout.lambda.aws.m.crossplane.io/retry to try again"
	const advice = ": change it back, or set the annotation rollout.lambda.aws.m.crossplane.io/abort"
	metric := v1beta1.RolloutCheck{
		Name:    "errors",
		Type:    CheckMetric,
		Result:  Inconclusive,
		Message: "2 invocations, 10 are needed",
	}
	checks := func(message string, c ...v1beta1.RolloutCheck) func(*v1beta1.AliasRolloutStatus) {
		return func(s *v1beta1.AliasRolloutStatus) { s.Checks, s.Message = c, message }
	}
	failed := func(reason, message string) func(*v1beta1.AliasRolloutStatus) {
		return func(s *v1beta1.AliasRolloutStatus) {
			s.Phase, s.Step, s.ObservedWeight, s.Reason, s.Message = v1beta1.RolloutFailed, "", 0, reason, message
			if isEvidence(reason) {
				s.FailedTargets = []v1beta1.RolloutFailure{{RolloutRevision: s.Target, Reason: reason}}
			}
		}
	}
	const analyzing = "rollout 2-x: Progressing, Analyzing, step 2 of 4 (pause 5m): version 1 serves, version 2 receives 10 %"
	divided := Route{Version: "1", Additional: "2", Weight: 10}
	cases := map[string]struct {
		reason string
		edit   func(*v1beta1.AliasRolloutStatus)
		route  Route
		want   string
	}{
		"Inconclusive": {
			"A metric without a value is not passed over.",
			checks("", metric), divided, analyzing + "; Metric errors: Inconclusive: 2 invocations, 10 are needed",
		},
		"Once": {
			"What the message says already is not repeated.",
			checks("waits for the analysis: Metric errors: Inconclusive: 2 invocations, 10 are needed", metric),
			divided, analyzing + "; waits for the analysis: Metric errors: Inconclusive: 2 invocations, 10 are needed",
		},
		"Value": {
			"A value that succeeds is short.",
			checks("", v1beta1.RolloutCheck{Name: "errors", Type: CheckMetric, Result: Success, Value: "0"}),
			divided, analyzing + "; errors 0 (Success)",
		},
		"Alarm": {
			"An alarm that succeeds is as it should be.",
			checks("", v1beta1.RolloutCheck{Name: "a", Type: CheckAlarm, Result: Success}), divided, analyzing,
		},
		"Ignored": {
			"That an alarm fires and does not count is said.",
			checks("", v1beta1.RolloutCheck{Name: "a", Type: CheckAlarm, Result: Failure, Value: "ALARM", Ignored: true}),
			divided, analyzing + "; Alarm a: Failure (ALARM), which is ignored",
		},
		"NoResult": {
			"What was not measured yet has no result.",
			checks("", v1beta1.RolloutCheck{Name: "a", Type: CheckAlarm}), divided, analyzing,
		},
		"SmokeTest": {
			"A smoke test that AWS did not run is named.",
			checks("", v1beta1.RolloutCheck{Name: "s", Type: CheckPreTraffic, Result: Error, Message: "denied"}),
			divided, analyzing + "; PreTraffic s: Error: denied",
		},
		"Paused": {
			"A pause has its reason.",
			func(s *v1beta1.AliasRolloutStatus) {
				s.Step, s.Reason, s.Message = v1beta1.RolloutPaused, v1beta1.RolloutReasonInconclusive, "Metric errors: Error"
			},
			divided,
			"rollout 2-x: Progressing, Paused (Inconclusive), step 2 of 4 (pause 5m): version 1 serves, version 2 receives 10 %; Metric errors: Error",
		},
		"Validating": {
			"A rollout that has not begun to move invocations is in no step.",
			func(s *v1beta1.AliasRolloutStatus) {
				s.Phase, s.Step, s.ObservedWeight = v1beta1.RolloutPending, v1beta1.RolloutValidating, 0
			},
			Route{Version: "1"},
			"rollout 2-x: Pending, Validating: version 1 serves",
		},
		"Promoting": {
			"Nor is one that skips the rest.",
			func(s *v1beta1.AliasRolloutStatus) { s.Step = v1beta1.RolloutPromoting },
			divided, "rollout 2-x: Progressing, Promoting: version 1 serves, version 2 receives 10 %",
		},
		"Baking": {
			"Nor is one after all invocations have moved.",
			func(s *v1beta1.AliasRolloutStatus) { s.Step, s.ObservedWeight = v1beta1.RolloutBaking, 100 },
			Route{Version: "2"},
			"rollout 2-x: Progressing, Baking: version 2 serves",
		},
		"ChangedInProgress": {
			"A change by someone else is named once.",
			func(s *v1beta1.AliasRolloutStatus) {
				s.Step, s.Reason, s.Drift = v1beta1.RolloutPaused, v1beta1.RolloutReasonAliasChanged, changed
				s.Message = changed + advice + ", or promote to continue"
			},
			Route{Version: "3"},
			"rollout 2-x: Progressing, Paused (AliasChanged), step 2 of 4 (pause 5m): version 3 serves; " + changed + advice + ", or promote to continue",
		},
		"ChangedOtherwise": {
			"A change by someone else is named if the message is of something else.",
			func(s *v1beta1.AliasRolloutStatus) { s.Drift, s.Message = changed, "cannot change the alias: denied" },
			divided, analyzing + "; cannot change the alias: denied; " + changed + advice,
		},
		"Ready": {
			"The stable version serves.",
			func(s *v1beta1.AliasRolloutStatus) { s.Phase, s.Step = v1beta1.RolloutReady, "" },
			Route{Version: "1"},
			"version 1 serves",
		},
		"Changed": {
			"What serves is what AWS shows, after a change by hand too.",
			func(s *v1beta1.AliasRolloutStatus) { s.Phase, s.Step, s.Drift = v1beta1.RolloutReady, "", changed },
			Route{Version: "3"},
			"version 3 serves; " + changed + advice,
		},
		"Rejected": {
			"A version that has failed by evidence was rejected.",
			failed(v1beta1.RolloutReasonAnalysisFailed, "Metric errors: Failure (1)"),
			Route{Version: "1"},
			"version 1 serves; version 2 was rejected (AnalysisFailed): Metric errors: Failure (1)" + next,
		},
		"Undone": {
			"A rollback by the user is one too.",
			failed(v1beta1.RolloutReasonRollbackTo, "the user has chosen version 1"),
			Route{Version: "1"},
			"version 1 serves; version 2 was rejected (RollbackTo): the user has chosen version 1" + next,
		},
		"Unknown": {
			"A version of which nobody knows whether it is good can be rolled out again.",
			failed(v1beta1.RolloutReasonProgressDeadlineExceeded, "no progress for 10m0s"),
			Route{Version: "1"},
			"version 1 serves; version 2 was not rolled out (ProgressDeadlineExceeded): no progress for 10m0s: " +
				"set the annotation rollout.lambda.aws.m.crossplane.io/retry to try again",
		},
		"Revalidated": {
			"A version that could not be rolled out yet is rolled out once it can be.",
			func(s *v1beta1.AliasRolloutStatus) {
				failed(v1beta1.RolloutReasonProgressDeadlineExceeded, "version 2 is Pending")(s)
				s.Step = v1beta1.RolloutValidating
			},
			Route{Version: "1"},
			"version 1 serves; version 2 was not rolled out (ProgressDeadlineExceeded): version 2 is Pending: it is rolled out once it can be",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &v1beta1.AliasRolloutStatus{
				ID:               "2-x",
				Phase:            v1beta1.RolloutProgressing,
				Step:             v1beta1.RolloutAnalyzing,
				CurrentStepIndex: 1,
				ObservedWeight:   10,
				Stable: v1beta1.RolloutRevision{
					FunctionVersion: "1",
				},
				Target: v1beta1.RolloutRevision{FunctionVersion: "2"},
			}
			tc.edit(s)
			if got := Describe(twoWeights(), s, tc.route); got != tc.want {
				t.Errorf("%s\ngot  %s\nwant %s", tc.reason, got, tc.want)
			}
		})
	}
}

func TestDescribeStep(t *testing.T) {
	cases := map[string]v1beta1.CanaryStep{
		"setWeight 10 %": {SetWeight: ptr.To[int32](10)},
		"pause 90s": {
			Pause: &v1beta1.RolloutPause{Duration: &metav1.Duration{Duration: 89*time.Second + 1}},
		},
		"pause until promoted":  {Pause: &v1beta1.RolloutPause{}},
		"analysis: 1 success":   {Analysis: &v1beta1.CanaryAnalysis{}},
		"analysis: 3 successes": {Analysis: &v1beta1.CanaryAnalysis{Successes: ptr.To[int32](3)}},
	}
	for want, st := range cases {
		if got := DescribeStep(st); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDeadlineNamesTheStep(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*v1beta1.AliasRollout)
		want   string
	}{
		"Analyzing": {
			reason: "A pause because of inconclusive results is not what was planned, the step before it is.",
			change: func(*v1beta1.AliasRollout) {},
			want:   v1beta1.RolloutAnalyzing,
		},
		"Baking": {
			reason: "A target that receives all invocations pauses while it bakes.",
			change: func(s *v1beta1.AliasRollout) { allAtOnce(s); bake(time.Minute)(s) },
			want:   v1beta1.RolloutBaking,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, tenPercent(metrics("m"), tc.change))
			s.observed.Target = "2"
			s.result = func(CheckID) string { return Inconclusive }
			s.until(v1beta1.RolloutPaused)
			s.until("")
			if got := s.state.Message; !strings.Contains(got, "after the planned end of the step "+tc.want+": Metric m") {
				t.Errorf("%s\ngot %q", tc.reason, got)
			}
		})
	}
}

func TestFirstResult(t *testing.T) {
	delay := func(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
	cases := map[string]struct {
		reason string
		change func(*v1beta1.RolloutMetric)
		want   time.Duration
	}{
		"CloudWatch": {
			reason: "CloudWatch has the first period with the weight after its end and two minutes.",
			change: func(*v1beta1.RolloutMetric) {},
			want:   3 * time.Minute,
		},
		"Interval": {
			reason: "The first measurement is an interval after the weight.",
			change: func(m *v1beta1.RolloutMetric) { m.Interval = delay(10 * time.Minute) },
			want:   10 * time.Minute,
		},
		"InitialDelay": {
			reason: "The first measurement is after the delay.",
			change: func(m *v1beta1.RolloutMetric) { m.InitialDelay = delay(5 * time.Minute) },
			want:   5 * time.Minute,
		},
		"Prometheus": {
			reason: "Prometheus answers at once.",
			change: func(m *v1beta1.RolloutMetric) {
				m.Provider = v1beta1.RolloutMetricProvider{Prometheus: &v1beta1.PrometheusMetric{}}
			},
			want: time.Minute,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScenario(t, tenPercent(metrics("m")))
			s.spec.Strategy.Canary.Steps[1] = v1beta1.CanaryStep{Analysis: &v1beta1.CanaryAnalysis{}}
			tc.change(&s.spec.Analysis.Metrics[0])
			s.result = func(CheckID) string { return "" }
			s.at10()
			s.decide()
			want := "waits for the analysis: Metric m has no result yet: it is expected at about " +
				s.state.ShiftedAt.Add(tc.want).UTC().Format(time.TimeOnly)
			if got := s.state.Message; got != want {
				t.Errorf("%s\ngot  %q\nwant %q", tc.reason, got, want)
			}
			s.pass(tc.want + time.Minute)
			if got, want := s.state.Message, "waits for the analysis: Metric m has no result yet"; got != want {
				t.Errorf("A time that is over is not expected.\ngot  %q\nwant %q", got, want)
			}
		})
	}
}
