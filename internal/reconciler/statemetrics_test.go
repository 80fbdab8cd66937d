package reconciler

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/statemetrics"

	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// TestStateCounterKeepsNothing counts twice: each count lists anew, and none leaves a copy of the resources behind.
func TestStateCounterKeepsNothing(t *testing.T) {
	s := runtime.NewScheme()
	if err := samples.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(s).WithObjects(newSample()).Build()
	m := statemetrics.NewMRStateMetrics()
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(m.Exists)
	list := &samples.SampleList{}
	n := newStateCounter(c, Options{Now: time.Now, Options: controller.Options{Logger: logging.NewNopLogger(), MetricOptions: &controller.MetricOptions{MRStateMetrics: m}}}, "Sample", list)
	for range 2 {
		if err := n.record(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, err := metrics.Gather()
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0].GetMetric()[0].GetGauge().GetValue() != 1 {
			t.Errorf("want 1 resource counted, got %v", got)
		}
		if cap(list.Items) != 0 {
			t.Errorf("the list still holds %d resources", cap(list.Items))
		}
	}
}
