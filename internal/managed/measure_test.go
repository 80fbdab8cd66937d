package managed

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
)

// samples of the harness's metrics that are not 0, by name and what their labels say
// besides the kind. Those of a histogram are its sum.
func (h *harness) samples() map[string]float64 {
	h.t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(h.options.Metrics); err != nil {
		h.t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		h.t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		if strings.HasPrefix(f.GetName(), "crossplane_") {
			continue // TestLifecycleMetrics looks at these.
		}
		for _, m := range f.GetMetric() {
			parts := []string{strings.TrimPrefix(f.GetName(), "provider_lambda_")}
			for _, l := range m.GetLabel() {
				switch {
				case l.GetName() != "kind":
					parts = append(parts, l.GetValue())
				case l.GetValue() != "Thing":
					h.t.Errorf("%s is of kind %s", f.GetName(), l.GetValue())
				}
			}
			if v := m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetHistogram().GetSampleSum(); v > 0 {
				got[strings.Join(parts, " ")] = v
			}
		}
	}
	return got
}

func (h *harness) expect(what string, want map[string]float64) {
	h.t.Helper()
	if diff := cmp.Diff(want, h.samples()); diff != "" {
		h.t.Errorf("%s: -want, +got:\n%s", what, diff)
	}
}

func TestTimeToReady(t *testing.T) {
	mg := newThing()
	h := newHarness(t, mg)
	h.change(func(mg *thing) { mg.CreationTimestamp = metav1.NewTime(h.clock) })
	h.cloud.fail["Create"] = errors.New("boom")
	h.clock = h.clock.Add(5 * time.Second)
	h.reconcile()
	delete(h.cloud.fail, "Create")
	h.clock = h.clock.Add(7 * time.Second)
	h.settle()
	if got := h.samples()["time_to_ready_seconds"]; got != 12 {
		t.Errorf("want the 12 s since the creation, got %v", got)
	}

	h.change(func(mg *thing) { mg.Spec.Value, mg.Generation = "b", 2 })
	h.clock = h.clock.Add(time.Hour)
	h.settle()
	h.reconcile()
	if got := h.samples()["time_to_ready_seconds"]; got != 12 {
		t.Errorf("a resource becomes Ready for the first time once, got %v", got)
	}

	settled := h.stored()
	settled.ResourceVersion = ""
	h = newHarness(t, settled)
	h.cloud.there, h.cloud.value = true, "b"
	h.reconcile()
	h.reconcile()
	if got, ok := h.samples()["time_to_ready_seconds"]; ok {
		t.Errorf("after a restart too, got %v", got)
	}
}

func TestReconcilesAreCounted(t *testing.T) {
	h := newHarness(t, newThing())
	h.limiter.wait["Get"] = time.Second
	h.reconcile()
	delete(h.limiter.wait, "Get")
	h.limiter.wait["Create"] = time.Second
	h.reconcile()
	delete(h.limiter.wait, "Create")
	h.cloud.fail["Create"] = errors.New("boom")
	h.reconcile()
	h.cloud.fail["Create"] = Invalid(errors.New("spec.forProvider.value"))
	h.reconcile()
	h.cloud.fail["Create"] = throttle()
	h.reconcile()
	delete(h.cloud.fail, "Create")
	h.reconcile()
	h.reconcile()
	h.expect("reconciles", map[string]float64{
		"reconciles_total waiting": 3, "reconciles_total error": 1, "reconciles_total terminal_error": 1, "reconciles_total ok": 2,
		"time_to_ready_seconds": h.samples()["time_to_ready_seconds"],
	})
}

func TestDriftIsCounted(t *testing.T) {
	cases := map[string]struct {
		reason string
		do     func(*harness)
		want   map[string]float64
	}{
		"ByHand": {
			reason: "Someone has changed the thing in AWS.",
			do:     func(h *harness) { h.cloud.value = "hand"; h.settle(); h.reconcile() },
			want:   map[string]float64{"drift_seen_total changed": 1, "drift_corrected_total changed": 1},
		},
		"Deleted": {
			reason: "Someone has deleted it.",
			do:     func(h *harness) { h.cloud.there = false; h.settle() },
			want:   map[string]float64{"drift_seen_total missing": 1, "drift_corrected_total missing": 1},
		},
		"OnRequest": {
			reason: "To ask for a look changes nothing of what is wanted.",
			do: func(h *harness) {
				h.cloud.value = "hand"
				h.change(func(mg *thing) {
					meta.AddAnnotations(mg, map[string]string{meta.AnnotationKeyReconcileRequestedAt: "now"})
				})
				h.settle()
			},
			want: map[string]float64{"drift_seen_total changed": 1, "drift_corrected_total changed": 1},
		},
		"Pending": {
			reason: "AWS does not let it be put right.",
			do: func(h *harness) {
				h.cloud.value = "hand"
				h.cloud.fail["Update"] = errors.New("denied")
				h.reconcile()
				h.reconcile()
			},
			want: map[string]float64{"drift_seen_total changed": 1, "drift_pending": 1},
		},
		"NoQuota": {
			reason: "Drift that waits for its turn is one.",
			do: func(h *harness) {
				h.cloud.value = "hand"
				h.limiter.wait["Update"] = time.Second
				h.reconcile()
				h.reconcile()
				delete(h.limiter.wait, "Update")
				h.settle()
			},
			want: map[string]float64{"drift_seen_total changed": 1, "drift_corrected_total changed": 1},
		},
		"Edited": {
			reason: "The user has changed spec.",
			do: func(h *harness) {
				h.change(func(mg *thing) { mg.Spec.Value, mg.Generation = "b", 2 })
				h.settle()
			},
		},
		"Secret": {
			reason: "The user has changed a Secret that spec refers to. The harness has it change AWS instead.",
			do:     func(h *harness) { h.cloud.value = "old secret"; h.gate.memory.poke(cart, "Secret db"); h.settle() },
		},
		"Config": {
			reason: "The user has changed the tags of a ProviderConfig.",
			do:     func(h *harness) { h.cloud.value = "old tags"; h.gate.memory.renew(cart); h.settle() },
		},
		"Paused": {
			reason: "What is changed while it is paused is meant.",
			do: func(h *harness) {
				h.change(func(mg *thing) {
					meta.AddAnnotations(mg, map[string]string{meta.AnnotationKeyReconciliationPaused: "true"})
				})
				h.reconcile()
				h.cloud.value = "hand"
				h.change(func(mg *thing) { meta.RemoveAnnotations(mg, meta.AnnotationKeyReconciliationPaused) })
				h.settle()
			},
		},
		"Gone": {
			reason: "A resource that is deleted leaves no drift behind.",
			do: func(h *harness) {
				h.cloud.value = "hand"
				h.cloud.fail["Update"] = errors.New("denied")
				h.reconcile()
				h.delete()
				h.reconcile()
			},
			want: map[string]float64{"drift_seen_total changed": 1},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, newThing())
			h.settle()
			tc.do(h)
			got := map[string]float64{}
			for k, v := range h.samples() {
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

// A change that comes during a look may have been looked at or not.
func TestChangeDuringALook(t *testing.T) {
	m, mg := newMemory(), newThing()
	look := func(c Comparison, during func()) finding {
		known, _ := m.look(mg)
		during()
		return m.compared(mg, &Turn{compared: c}, known)
	}
	look(Same, func() { m.poke(cart, "Secret db") })
	if f := look(Differs, func() {}); f.seen {
		t.Error("what differs after a change that a look has missed is no drift")
	}
	look(Same, func() {})
	if f := look(Differs, func() { m.renew(cart) }); f.seen {
		t.Error("nor is what differs since a change that has just come")
	}
}

// Without a metrics server nothing is measured.
func TestNoMetrics(t *testing.T) {
	h := newHarness(t, newThing(), func(o *Options, _ *Kind[*thing]) { o.Metrics = nil })
	h.settle()
	h.cloud.value = "hand"
	h.settle()
	if h.cloud.value != "a" {
		t.Error("drift is put right all the same")
	}
}
