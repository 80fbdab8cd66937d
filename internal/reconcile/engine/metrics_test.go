package engine

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// samples returns the env's metrics that are not 0, by name and the values of their labels
// except the kind. The value of a histogram is its sum.
func (e *env) samples() map[string]float64 {
	e.t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(e.options.Metrics); err != nil {
		e.t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		e.t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		if strings.HasPrefix(f.GetName(), "crossplane_") {
			continue // TestLifecycleMetrics checks these.
		}
		for _, m := range f.GetMetric() {
			parts := []string{strings.TrimPrefix(f.GetName(), "provider_lambda_")}
			for _, l := range m.GetLabel() {
				switch {
				case l.GetName() != "kind":
					parts = append(parts, l.GetValue())
				case l.GetValue() != "Sample":
					e.t.Errorf("%s is of kind %s", f.GetName(), l.GetValue())
				}
			}
			if v := m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetHistogram().GetSampleSum(); v > 0 {
				got[strings.Join(parts, " ")] = v
			}
		}
	}
	return got
}

func (e *env) expect(what string, want map[string]float64) {
	e.t.Helper()
	if diff := cmp.Diff(want, e.samples()); diff != "" {
		e.t.Errorf("%s: -want, +got:\n%s", what, diff)
	}
}

func TestTimeToReady(t *testing.T) {
	mg := samples.New()
	e := newEnv(t, mg)
	e.change(func(mg *sample) { mg.CreationTimestamp = metav1.NewTime(e.clock) })
	e.cloud.fail["Create"] = errors.New("boom")
	e.clock = e.clock.Add(5 * time.Second)
	e.reconcile()
	delete(e.cloud.fail, "Create")
	e.clock = e.clock.Add(7 * time.Second)
	e.converge()
	if got := e.samples()["time_to_ready_seconds"]; got != 12 {
		t.Errorf("want the 12 s since the creation, got %v", got)
	}

	e.change(func(mg *sample) { mg.Spec.Value, mg.Generation = "b", 2 })
	e.clock = e.clock.Add(time.Hour)
	e.converge()
	e.reconcile()
	if got := e.samples()["time_to_ready_seconds"]; got != 12 {
		t.Errorf("a resource becomes Ready for the first time once, got %v", got)
	}

	converged := e.stored()
	converged.ResourceVersion = ""
	e = newEnv(t, converged)
	e.cloud.there, e.cloud.value = true, "b"
	e.reconcile()
	e.reconcile()
	if got, ok := e.samples()["time_to_ready_seconds"]; ok {
		t.Errorf("after a restart too, got %v", got)
	}
}

func TestReconcilesAreCounted(t *testing.T) {
	e := newEnv(t, samples.New())
	e.limiter.wait["Get"] = time.Second
	e.reconcile()
	delete(e.limiter.wait, "Get")
	e.limiter.wait["Create"] = time.Second
	e.reconcile()
	delete(e.limiter.wait, "Create")
	e.cloud.fail["Create"] = errors.New("boom")
	e.reconcile()
	e.cloud.fail["Create"] = reconcile.Invalid(errors.New("spec.forProvider.value"))
	e.reconcile()
	e.cloud.fail["Create"] = throttle()
	e.reconcile()
	delete(e.cloud.fail, "Create")
	e.reconcile()
	e.reconcile()
	e.expect("reconciles", map[string]float64{
		"reconciles_total waiting":        3,
		"reconciles_total error":          1,
		"reconciles_total terminal_error": 1,
		"reconciles_total ok":             2,
		"time_to_ready_seconds":           e.samples()["time_to_ready_seconds"],
	})
}

func TestDriftIsCounted(t *testing.T) {
	cases := map[string]struct {
		reason string
		do     func(*env)
		want   map[string]float64
	}{
		"ByHand": {
			reason: "The external resource was changed manually.",
			do:     func(e *env) { e.cloud.value = "hand"; e.converge(); e.reconcile() },
			want:   map[string]float64{"drift_seen_total changed": 1, "drift_corrected_total changed": 1},
		},
		"Deleted": {
			reason: "Someone has deleted it.",
			do:     func(e *env) { e.cloud.there = false; e.converge() },
			want:   map[string]float64{"drift_seen_total missing": 1, "drift_corrected_total missing": 1},
		},
		"OnRequest": {
			reason: "A requested reconcile does not change the desired state.",
			do: func(e *env) {
				e.cloud.value = "hand"
				e.change(func(mg *sample) {
					meta.AddAnnotations(mg, map[string]string{meta.AnnotationKeyReconcileRequestedAt: "now"})
				})
				e.converge()
			},
			want: map[string]float64{"drift_seen_total changed": 1, "drift_corrected_total changed": 1},
		},
		"Pending": {
			reason: "AWS rejects the correction.",
			do: func(e *env) {
				e.cloud.value = "hand"
				e.cloud.fail["Update"] = errors.New("denied")
				e.reconcile()
				e.reconcile()
			},
			want: map[string]float64{"drift_seen_total changed": 1, "drift_pending": 1},
		},
		"NoQuota": {
			reason: "Drift that waits for quota is pending.",
			do: func(e *env) {
				e.cloud.value = "hand"
				e.limiter.wait["Update"] = time.Second
				e.reconcile()
				e.reconcile()
				delete(e.limiter.wait, "Update")
				e.converge()
			},
			want: map[string]float64{"drift_seen_total changed": 1, "drift_corrected_total changed": 1},
		},
		"Edited": {
			reason: "The user has changed spec.",
			do: func(e *env) {
				e.change(func(mg *sample) { mg.Spec.Value, mg.Generation = "b", 2 })
				e.converge()
			},
		},
		"Secret": {
			reason: "The user has changed a Secret that spec refers to. The test changes AWS instead.",
			do: func(e *env) {
				e.cloud.value = "old secret"
				e.reconciler.states.MarkChanged(cart, "Secret db")
				e.converge()
			},
		},
		"Config": {
			reason: "The user has changed the tags of a ProviderConfig.",
			do:     func(e *env) { e.cloud.value = "old tags"; e.reconciler.states.ResetBackoff(cart); e.converge() },
		},
		"Paused": {
			reason: "What is changed while it is paused is meant.",
			do: func(e *env) {
				e.change(func(mg *sample) {
					meta.AddAnnotations(mg, map[string]string{meta.AnnotationKeyReconciliationPaused: "true"})
				})
				e.reconcile()
				e.cloud.value = "hand"
				e.change(func(mg *sample) { meta.RemoveAnnotations(mg, meta.AnnotationKeyReconciliationPaused) })
				e.converge()
			},
		},
		"Gone": {
			reason: "A resource that is deleted leaves no drift behind.",
			do: func(e *env) {
				e.cloud.value = "hand"
				e.cloud.fail["Update"] = errors.New("denied")
				e.reconcile()
				e.delete()
				e.reconcile()
			},
			want: map[string]float64{"drift_seen_total changed": 1},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, samples.New())
			e.converge()
			tc.do(e)
			got := map[string]float64{}
			for k, v := range e.samples() {
				if strings.HasPrefix(k, "drift") {
					got[k] = v
				}
			}
			if tc.want == nil {
				tc.want = map[string]float64{}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestChangeDuringAReconcile checks that a change during an observation counts as neither observed
// nor not.
func TestChangeDuringAReconcile(t *testing.T) {
	s, mg := memory.New(), samples.New()
	run := func(c reconcile.SyncState, during func()) memory.DriftChange {
		known := s.Begin(mg)
		during()
		return s.RecordComparison(mg, memory.CompareResult{State: c}, known)
	}
	run(reconcile.UpToDate, func() { s.MarkChanged(cart, "Secret db") })
	if f := run(reconcile.Differs, func() {}); f.Seen {
		t.Error("what differs after a change that a look has missed is no drift")
	}
	run(reconcile.UpToDate, func() {})
	if f := run(reconcile.Differs, func() { s.ResetBackoff(cart) }); f.Seen {
		t.Error("nor is what differs since a change that has just come")
	}
}

// TestRolloutMetrics checks that rollouts are counted when the metrics are collected, and that each phase has a value.
func TestRolloutMetrics(t *testing.T) {
	e := newEnv(t, samples.New())
	progressing := 2
	e.options.Metrics.CountRollouts(
		func() map[string]int { return map[string]int{"Progressing": progressing, "Failed": 1} },
	)
	e.options.Metrics.RecordRollout("Failed", "AnalysisFailed", time.Minute)
	e.expect(
		"two rollouts are in progress",
		map[string]float64{
			"rollouts Progressing":                           2,
			"rollouts Failed":                                1,
			"rollout_duration_seconds Failed AnalysisFailed": 60,
		},
	)
	progressing = 0
	e.expect("none is", map[string]float64{"rollouts Failed": 1, "rollout_duration_seconds Failed AnalysisFailed": 60})
}

// TestFirstFailedRollout checks that the first rollout that fails for a reason is an increase of a counter, which the
// alert ProviderLambdaRolloutFailed needs.
func TestFirstFailedRollout(t *testing.T) {
	m := reporting.NewMetrics()
	m.CountRollouts(func() map[string]int { return nil })
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(m); err != nil {
		t.Fatal(err)
	}
	series := func() (n int) {
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			if f.GetName() == "provider_lambda_rollout_duration_seconds" {
				n += len(f.GetMetric())
			}
		}
		return n
	}
	if m.RecordRollout("Ready", "", time.Minute); series() != 10 {
		t.Error("there was no counter of rollouts that have succeeded")
	}
	for _, reason := range []string{
		"AnalysisFailed", "AnalysisError", "SmokeTestFailed", "SmokeTestError", "InvalidVersion",
		"ProgressDeadlineExceeded", "Aborted", "RollbackTo", "FailedBefore",
	} {
		before := series()
		if m.RecordRollout("Failed", reason, time.Minute); series() != before {
			t.Errorf("there was no counter of rollouts that failed because of %s", reason)
		}
	}
}
