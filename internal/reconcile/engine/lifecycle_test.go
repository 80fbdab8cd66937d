package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// TestLifecycleMetrics checks the metrics of a resource that is created, drifts and is
// deleted.
func TestLifecycleMetrics(t *testing.T) {
	e := newEnv(t, samples.New())
	e.change(func(mg *sample) { mg.CreationTimestamp = metav1.NewTime(e.clock) })
	e.clock = e.clock.Add(2 * time.Second)
	e.reconcile()
	e.clock = e.clock.Add(3 * time.Second)
	e.converge()
	e.clock = e.clock.Add(10 * time.Second)
	e.cloud.value = "by hand"
	e.converge()
	e.delete()
	e.clock = e.stored().GetDeletionTimestamp().Add(7 * time.Second)
	for range 4 {
		e.reconcile()
	}

	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(e.options.Metrics)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "crossplane_") {
			continue
		}
		for _, m := range f.GetMetric() {
			if n := m.GetHistogram().GetSampleCount(); n != 1 {
				t.Errorf("%s: %d samples, want 1", f.GetName(), n)
			}
			got[f.GetName()+" "+m.GetLabel()[0].GetValue()] = m.GetHistogram().GetSampleSum()
		}
	}
	const gvk = " test.lambda.aws.m.crossplane.io/v1, Kind=Sample"
	want := map[string]float64{
		"crossplane_managed_resource_first_time_to_reconcile_seconds" + gvk: 2,
		"crossplane_managed_resource_first_time_to_readiness_seconds" + gvk: 5,
		"crossplane_managed_resource_drift_seconds" + gvk:                   10,
		"crossplane_managed_resource_deletion_seconds" + gvk:                7,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
