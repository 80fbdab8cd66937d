package rollout

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

// measured returns a tracker that has seen an alias with the given values of its metric, and then the alias.
func measured(a *v1beta1.Alias, values ...string) *tracker {
	t := &tracker{}
	for i, v := range values {
		earlier := a.DeepCopy()
		c := &earlier.Status.Rollout.Checks[1]
		c.Value, c.MeasuredAt = v, stamp(time.Duration(i-len(values)-1)*time.Minute)
		t.observe(earlier)
	}
	t.observe(a)
	return t
}

// TestClockBehind checks that no check is announced later than the provider makes it.
func TestClockBehind(t *testing.T) {
	if got := ansi.Strip(next(canary().Status.Rollout, at.Add(-time.Hour))); got != "; next check in 60s" {
		t.Errorf("got %q", got)
	}
}

func TestView(t *testing.T) {
	inProgress := canary()
	cases := map[string]struct {
		reason        string
		tracker       *tracker
		width, height int
		want          string
	}{
		"InProgress": {
			reason:  "A rollout in progress shows its steps, weights, checks, the next check and what serves.",
			tracker: measured(inProgress, "0.001", "0.004"),
			width:   80,
			want: `
alias/live -n shop  function checkout  rollout 2-t87v8a
Progressing, Analyzing

  ████████████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  40 %

Versions
  1    stable    90 % █████████████████████████████████████████████░░░░░
  2    target    10 % █████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░

Steps
  ✔ validate version 2
  ✔ smoke tests: 1
  ✔ setWeight 10 %
  ▶ pause 5m  4m left
  · setWeight 50 %
  · pause until promoted
  · promote: 100 %
  · bake 10m

Checks
  ping             39 ms  Success
  error-rate       0.002  Success       ▃█▅                   result < 0.01
  checkout-errors         no result

version 1 serves; next check in 40s`,
		},
		"Narrow": {
			reason:  "A narrow terminal shows less of it, and never cuts what serves.",
			tracker: measured(inProgress, "0.001", "0.004"),
			width:   40,
			want: `
alias/live -n shop
Progressing, Analyzing

  █████████████░░░░░░░░░░░░░░░░░░░  40 %

Versions
  1    stable    90 % ████████████████░░
  2    target    10 % ██░░░░░░░░░░░░░░░░

Steps
  ✔ validate version 2
  ✔ smoke tests: 1
  ✔ setWeight 10 %
  ▶ pause 5m  4m left
  · setWeight 50 %
  · pause until promoted
  · promote: 100 %
  · bake 10m

Checks
  ping            39 ms  Success
  error-rate      0.002  Success
  checkout-erro…         no result

version 1 serves; next check in 40s`,
		},
		"Low": {
			reason:  "A low terminal shows the steps around the current one.",
			tracker: measured(inProgress),
			width:   60, height: 20,
			want: `
alias/live -n shop  function checkout  rollout 2-t87v8a
Progressing, Analyzing

  ████████████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  40 %

Versions
  1    stable    90 % ██████████████████████████████████░░░░
  2    target    10 % ████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░

Steps
  ⋮ 3 more
  ▶ pause 5m  4m left
  ⋮ 4 more

Checks
  ping             39 ms  Success
  error-rate       0.002  Success                          …
  checkout-errors         no result

version 1 serves; next check in 40s`,
		},
		"RollingBack": {
			reason: "A rollback shows the step that failed, and the call that is made.",
			tracker: measured(canary(status(func(s *v1beta1.AliasRolloutStatus) {
				s.Step, s.Reason, s.Message = v1beta1.RolloutRollingBack, v1beta1.RolloutReasonAborted, "aborted by the user"
				s.Intent = &v1beta1.RolloutIntent{FunctionVersion: "1"}
				s.Checks, s.NextCheckAt = nil, nil
			}), func(a *v1beta1.Alias) { a.Spec.Rollout.PreTraffic, a.Spec.Rollout.Analysis = nil, nil })),
			width: 60,
			want: `
alias/live -n shop  function checkout  rollout 2-t87v8a
Progressing, RollingBack (Aborted)

  ██████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  28 %

Versions
  1    stable    90 % ██████████████████████████░░░ -> 100 %
  2    target    10 % ███░░░░░░░░░░░░░░░░░░░░░░░░░░░░ -> 0 %

Steps
  ✔ validate version 2
  ✔ setWeight 10 %
  ✘ pause 5m
  ▶ roll back to version 1

aborted by the user
version 1 serves`,
		},
		"Failed": {
			reason: "A failure that was watched shows how far the rollout came.",
			tracker: func() *tracker {
				t := measured(canary(), "0.001", "0.004")
				t.observe(canary(rejected))
				return t
			}(),
			width: 80,
			want: `
alias/live -n shop  function checkout  rollout 2-t87v8a
Failed (AnalysisFailed)

  ███████████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  37 %

Versions
  1    stable   100 % ██████████████████████████████████████████████████
  2    target     0 % ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░

Steps
  ✔ validate version 2
  ✔ smoke tests: 1
  ✔ setWeight 10 %
  ✘ pause 5m
  ✔ rolled back to version 1

Checks
  ping             39 ms  Success
  error-rate       0.002  Success       ▃█▅                   result < 0.01
  checkout-errors         no result

Metric error-rate: Failure (0.043): successCondition is not met: result < 0.01
version 1 serves`,
		},
		"Ready": {
			reason:  "A rollout that nobody has watched has no steps to show.",
			tracker: measured(canary(ready, status(func(s *v1beta1.AliasRolloutStatus) { s.Checks = nil }))),
			width:   60,
			want: `
alias/live -n shop  function checkout  rollout 2-t87v8a
Ready

Versions
  2    stable   100 % ██████████████████████████████████████

version 2 serves`,
		},
		"Waiting": {
			reason: "A version that is not rolled out yet is waited for.",
			tracker: func() *tracker {
				t := &tracker{version: "3", lost: "no route to host"}
				t.observe(canary(ready, status(func(s *v1beta1.AliasRolloutStatus) { s.Checks = nil })))
				return t
			}(),
			width: 60,
			want: `
alias/live -n shop  function checkout  rollout 2-t87v8a
Ready

Versions
  2    stable   100 % ██████████████████████████████████████

version 2 serves
waiting for version 3 to be rolled out
connection lost, trying to reconnect: no route to host`,
		},
		"Drift": {
			reason: "A version that someone else has put in is shown.",
			tracker: measured(canary(served("7"), status(func(s *v1beta1.AliasRolloutStatus) {
				s.Step, s.Reason, s.Drift, s.Checks = v1beta1.RolloutPaused, v1beta1.RolloutReasonAliasChanged, "someone else has changed the alias", nil
			}), func(a *v1beta1.Alias) {
				a.Spec.Rollout = &v1beta1.AliasRollout{
					Strategy: v1beta1.RolloutStrategy{AllAtOnce: &v1beta1.AllAtOnceStrategy{}},
				}
			})),
			width: 60,
			want: `
alias/live -n shop  function checkout  rollout 2-t87v8a
Progressing, Paused (AliasChanged)

  █████████████████████████░░░░░░░░░░░░░░░░░░░░░░░░░  50 %

Versions
  1    stable     0 % ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
  2    target     0 % ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
  7    other    100 % ██████████████████████████████████████

Steps
  ✔ validate version 2
  ▶ promote: 100 %  paused

someone else has changed the alias
version 7 serves; next check in 40s`,
		},
		"Validating": {
			reason: "A version that was not ready in time is validated again.",
			tracker: measured(
				canary(
					revalidated,
					func(a *v1beta1.Alias) { a.Spec.Rollout.PreTraffic, a.Spec.Rollout.Analysis = nil, nil },
				),
			),
			width: 60,
			want: `
alias/live -n shop  function checkout  rollout 2-t87v8a
Failed, Validating (ProgressDeadlineExceeded)

  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0 %

Versions
  1    stable   100 % ██████████████████████████████████████
  2    target     0 % ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░

Steps
  ▶ validate version 2  is tried again at each poll
  · setWeight 10 %
  · pause 5m
  · setWeight 50 %
  · pause until promoted
  · promote: 100 %
  · bake 10m

no progress for 10m0s after the planned end of the step
Validating: version 2 is Pending
version 1 serves`,
		},
		"Waits": {
			reason: "A check that waits says until when it has judged, and nothing is said twice.",
			tracker: measured(canary(status(func(s *v1beta1.AliasRolloutStatus) {
				s.CurrentStepIndex, s.ShiftedAt = 2, stamp(-4*time.Minute)
				s.Checks[1].JudgedUntil = stamp(-5 * time.Minute)
				s.Checks = append(
					s.Checks,
					v1beta1.RolloutCheck{
						Name:    "checkout-errors",
						Type:    rollout.CheckAlarm,
						Result:  rollout.Inconclusive,
						Message: "insufficient data",
					},
				)
				s.Message = "waits for the analysis: Alarm checkout-errors: Inconclusive: insufficient data"
			}))),
			width: 60,
			want: `
alias/live -n shop  function checkout  rollout 2-t87v8a
Progressing, Analyzing

  █████████████████████████░░░░░░░░░░░░░░░░░░░░░░░░░  50 %

Versions
  1    stable    90 % ██████████████████████████████████░░░░
  2    target    10 % ████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░

Steps
  ✔ validate version 2
  ✔ smoke tests: 1
  ✔ setWeight 10 %
  ✔ pause 5m
  ▶ setWeight 50 %
  · pause until promoted
  · promote: 100 %
  · bake 10m

Checks
  ping             39 ms  Success
  error-rate       0.002  Success                          …
    invocations until 19:55:00, waits for those of 19:56:00
  checkout-errors         Inconclusive

waits for the analysis: Alarm checkout-errors: Inconclusive:
insufficient data
version 1 serves; next check in 40s`,
		},
		"Unobserved": {
			reason:  "A spec that the provider has not observed has no rollout to show.",
			tracker: measured(canary(func(a *v1beta1.Alias) { a.Generation = 2; a.Status.Rollout = nil })),
			width:   90,
			want: `
alias/live -n shop  function checkout
waiting for the provider to observe the spec of alias.lambda.aws.m.crossplane.io/live
`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if name == "InProgress" {
				plugintest.Documented(t, tc.want)
			}
			got := "\n" + plain(view(tc.tracker, screen{width: tc.width, height: tc.height, now: at}))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s\n%s", tc.reason, diff, got)
			}
		})
	}
}

// plain returns a view without colors and trailing blanks.
func plain(view string) string {
	lines := strings.Split(ansi.Strip(view), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// TestViewFits draws rollouts in all phases and steps on terminals of many sizes.
func TestViewFits(t *testing.T) {
	linear := func(a *v1beta1.Alias) {
		a.Spec.Rollout.Strategy = v1beta1.RolloutStrategy{
			Linear: &v1beta1.LinearStrategy{Percentage: 1, Interval: metav1.Duration{Duration: time.Minute}},
		}
		a.Status.Rollout.CurrentStepIndex = 120
		a.Status.Rollout.Message = strings.Repeat("a long message ", 30)
		a.Spec.Rollout.Analysis.Metrics = append(
			a.Spec.Rollout.Analysis.Metrics,
			v1beta1.RolloutMetric{Name: strings.Repeat("long", 15), FailureCondition: ptr.To("result > 7")},
		)
	}
	steps := map[string][]string{
		v1beta1.RolloutPending: {v1beta1.RolloutValidating, v1beta1.RolloutPreTraffic},
		v1beta1.RolloutProgressing: {
			v1beta1.RolloutShifting,
			v1beta1.RolloutAnalyzing,
			v1beta1.RolloutPaused,
			v1beta1.RolloutPromoting,
			v1beta1.RolloutBaking,
			v1beta1.RolloutRollingBack,
		},
		v1beta1.RolloutReady:  {""},
		v1beta1.RolloutFailed: {""},
		"":                    {""},
	}
	for phase, all := range steps {
		for _, step := range all {
			for _, weight := range []int32{0, 10, 100} {
				in := status(
					func(s *v1beta1.AliasRolloutStatus) { s.Phase, s.Step, s.ObservedWeight = phase, step, weight },
				)
				direct := status(func(s *v1beta1.AliasRolloutStatus) { s.CurrentStepIndex, s.Direct = 9, true })
				for _, a := range []*v1beta1.Alias{canary(in), canary(linear, in), canary(in, direct)} {
					fits(t, fmt.Sprintf("%s %s at %d", phase, step, weight), measured(a, "0.1", "NaN", "x", "-3"))
				}
			}
		}
	}
}

func fits(t *testing.T, name string, tr *tracker) {
	t.Helper()
	for _, width := range []int{1, 7, 20, 40, 61, 80, 200} {
		for _, height := range []int{0, 1, 12, 24} {
			lines := strings.Split(view(tr, screen{width: width, height: height, now: at}), "\n")
			if height >= 10 && len(lines) > height {
				t.Fatalf("%s: %d lines on %dx%d:\n%s", name, len(lines), width, height, strings.Join(lines, "\n"))
			}
			for _, l := range lines {
				if w := ansi.StringWidth(l); w > width {
					t.Fatalf("%s: a line of %d cells on %dx%d: %q", name, w, width, height, l)
				}
			}
		}
	}
}

func TestSparkline(t *testing.T) {
	cases := map[string]struct {
		reason string
		values []string
		want   string
	}{
		"None": {reason: "There is nothing to show."},
		"One":  {reason: "One value can't be compared.", values: []string{"1"}},
		"Rising": {
			reason: "The highest value has the highest bar.",
			values: []string{"0", "1", "2", "3", "4", "5", "6", "7"},
			want:   "▁▂▃▄▅▆▇█",
		},
		"FromZero": {
			reason: "Bars begin at zero, so that noise looks small.",
			values: []string{"99", "100", "99"},
			want:   "███",
		},
		"Zeros": {reason: "Zero has the lowest bar.", values: []string{"0", "0"}, want: "▁▁"},
		"Negative": {
			reason: "Below zero, the lowest value has the lowest bar.",
			values: []string{"-1", "0", "1"},
			want:   "▁▅█",
		},
		"Gap": {
			reason: "A measurement without a value is a gap.",
			values: []string{"1", "", "NaN", "+Inf", "1"},
			want:   "█   █",
		},
		"Last": {
			reason: "The last values are shown.",
			values: []string{"9", "0", "0", "0", "0", "0", "0", "0", "0"},
			want:   "▁▁▁▁▁▁▁▁",
		},
		"NotANumber": {reason: "A text has no bar.", values: []string{"39 ms", "40 ms"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tr := &tracker{}
			for i, v := range tc.values {
				a := canary()
				a.Status.Rollout.Checks = []v1beta1.RolloutCheck{
					{Name: "m", Type: rollout.CheckMetric, Value: v, MeasuredAt: stamp(time.Duration(i) * time.Second)},
				}
				tr.observe(a)
				tr.observe(a) // A measurement counts once.
			}
			if got := sparkline(tr.samples[rollout.CheckID{Type: rollout.CheckMetric, Name: "m"}], 8); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestRemark(t *testing.T) {
	cases := map[string]struct {
		reason  string
		message string
		check   v1beta1.RolloutCheck
		want    string
	}{
		"Said": {
			reason:  "The message of the rollout has the result of the check, with an earlier number of invocations.",
			message: "waits for the analysis: Metric m: Inconclusive: too few invocations: 0 of 9",
			check: v1beta1.RolloutCheck{
				Name:    "m",
				Result:  rollout.Inconclusive,
				Message: "too few invocations: 3 of 9",
			},
		},
		"Unsaid": {
			reason:  "The message of the rollout is about another check.",
			message: "waits for the analysis: Metric other: Inconclusive: too few invocations: 0 of 9",
			check: v1beta1.RolloutCheck{
				Name:    "m",
				Result:  rollout.Inconclusive,
				Message: "too few invocations: 3 of 9",
			},
			want: "too few invocations: 3 of 9",
		},
		"Changed": {
			reason:  "The message of the rollout has an earlier result of the check.",
			message: "Metric m: Error: throttled",
			check:   v1beta1.RolloutCheck{Name: "m", Result: rollout.Failure, Message: "result < 1"},
			want:    "result < 1",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := canary(status(func(s *v1beta1.AliasRolloutStatus) { s.Message = tc.message }))
			if got := remark(a.Spec.Rollout, a.Status.Rollout, tc.check, at); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestRemarkInAnAnalysisStep checks that an analysis step is said to wait for the invocations since its begin, as the
// provider does.
func TestRemarkInAnAnalysisStep(t *testing.T) {
	a := canary(status(func(s *v1beta1.AliasRolloutStatus) { s.StepStartedAt = stamp(-2 * time.Minute) }))
	a.Spec.Rollout.Strategy.Canary.Steps[1] = v1beta1.CanaryStep{Analysis: &v1beta1.CanaryAnalysis{}}
	c := v1beta1.RolloutCheck{
		Name:        "m",
		Type:        rollout.CheckMetric,
		Result:      rollout.Success,
		JudgedUntil: stamp(-5 * time.Minute),
	}
	want := "invocations until 19:55:00, waits for those of 19:58:00"
	if got := remark(a.Spec.Rollout, a.Status.Rollout, c, at); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSucceeded checks how many successes a step is said to have of those that it needs.
func TestSucceeded(t *testing.T) {
	metric := func(name string, successes int32) v1beta1.RolloutCheck {
		return v1beta1.RolloutCheck{
			Name:      name,
			Type:      rollout.CheckMetric,
			Result:    rollout.Success,
			Successes: successes,
		}
	}
	cases := map[string]struct {
		reason string
		checks []v1beta1.RolloutCheck
		want   string
	}{
		"NoResult": {reason: "A metric that was not measured yet has none.", want: "0 of 5"},
		"One": {
			reason: "The other metric was not measured yet.",
			checks: []v1beta1.RolloutCheck{metric("a", 3)},
			want:   "0 of 5",
		},
		"Least": {
			reason: "Each metric has to succeed.",
			checks: []v1beta1.RolloutCheck{metric("a", 3), metric("b", 2)},
			want:   "2 of 5",
		},
		"Others": {
			reason: "But those whose result is ignored.",
			checks: []v1beta1.RolloutCheck{metric("a", 3), metric("b", 4), metric("dry", 0), metric("warns", 1)},
			want:   "3 of 5",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := canary(status(func(s *v1beta1.AliasRolloutStatus) { s.Checks = tc.checks }))
			a.Spec.Rollout.Strategy.Canary.Steps[1] = v1beta1.CanaryStep{
				Analysis: &v1beta1.CanaryAnalysis{Successes: ptr.To[int32](5)},
			}
			a.Spec.Rollout.Analysis.Metrics = []v1beta1.RolloutMetric{
				{Name: "a"},
				{Name: "b"},
				{Name: "dry", DryRun: true},
				{Name: "warns", OnFailure: "Warn"},
			}
			if got := succeeded(a.Spec.Rollout, a.Status.Rollout); got != tc.want {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestTrackerForgets(t *testing.T) {
	tr := measured(canary(), "0.001", "0.004")
	tr.observe(canary(status(func(s *v1beta1.AliasRolloutStatus) {
		s.ID, s.Phase, s.Step, s.Checks = "3-x", v1beta1.RolloutPending, v1beta1.RolloutValidating, nil
	})))
	if len(tr.samples) != 0 || tr.last.ID != "3-x" {
		t.Errorf("another rollout has %v of the one before", tr.samples)
	}
	for i := range 2 * maxSamples {
		tr.observe(
			canary(
				status(
					func(s *v1beta1.AliasRolloutStatus) {
						s.Checks[1].MeasuredAt = stamp(time.Duration(i) * time.Second)
					},
				),
			),
		)
	}
	if n := len(tr.samples[rollout.CheckID{Type: rollout.CheckMetric, Name: "error-rate"}]); n != maxSamples {
		t.Errorf("%d values are kept, want %d", n, maxSamples)
	}
}

// TestPauseStep checks that the command that ends a pause works in any namespace, and with another Alias of that name.
func TestPauseStep(t *testing.T) {
	a := canary()
	a.Status.Rollout.Step, a.Status.Rollout.Reason = v1beta1.RolloutPaused, v1beta1.RolloutReasonPauseStep
	if got, want := note(a, time.Time{}), "waits for: kubectl lambda rollout promote live -n shop"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
