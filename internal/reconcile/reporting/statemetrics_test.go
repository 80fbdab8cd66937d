package reporting

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	"github.com/crossplane/crossplane-runtime/v2/pkg/statemetrics"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// informers is a cache that has one informer, and lists what it holds.
type informers struct {
	cache.Cache

	toolscache.SharedIndexInformer

	// several hides the store of the informer, as a cache of several namespaces does.
	several bool
}

// GetInformer returns the informer.
func (i *informers) GetInformer(context.Context, client.Object, ...cache.InformerGetOption) (cache.Informer, error) {
	if i.several {
		return struct{ cache.Informer }{i.SharedIndexInformer}, nil
	}
	return i.SharedIndexInformer, nil
}

// List lists what the informer holds.
func (i *informers) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	for _, o := range i.GetStore().List() {
		l, s := list.(*samples.SampleList), o.(*samples.Sample) //nolint:forcetypeassert // There are no others.
		l.Items = append(l.Items, *s)
	}
	return nil
}

// newInformers returns a cache of samples, of which every second one is Ready, and every third one Synced.
func newInformers(t testing.TB, n int) *informers {
	t.Helper()
	i := &informers{SharedIndexInformer: toolscache.NewSharedIndexInformer(nil, &samples.Sample{}, 0, nil)}
	for k := range n {
		s := samples.New()
		s.SetName(fmt.Sprintf("s-%d", k))
		if k%2 == 0 {
			s.SetConditions(xpv2.Available())
		}
		if k%3 == 0 {
			s.SetConditions(xpv2.ReconcileSuccess())
		}
		if err := i.GetStore().Add(s); err != nil {
			t.Fatal(err)
		}
	}
	return i
}

func sampleCounter(c cache.Cache, m *statemetrics.MRStateMetrics) *stateCounter {
	k := reconcile.Kind[*samples.Sample]{
		GVK:     samples.GVK,
		New:     func() *samples.Sample { return &samples.Sample{} },
		NewList: func() resource.ManagedList { return &samples.SampleList{} },
	}
	return &stateCounter{
		kind:    k.Untyped(),
		cache:   c,
		states:  m,
		metrics: NewMetrics(),
		now:     time.Now,
		log:     logging.NewNopLogger(),
	}
}

func TestStateCounter(t *testing.T) {
	cases := map[string]struct {
		reason  string
		several bool
	}{
		"OneCache":          {reason: "The objects of one informer are counted."},
		"SeveralNamespaces": {reason: "What has no store is listed.", several: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			i := newInformers(t, 12)
			i.several = tc.several
			m := statemetrics.NewMRStateMetrics()
			registry := prometheus.NewRegistry()
			registry.MustRegister(m)
			c := sampleCounter(i, m)
			for range 2 {
				c.count(t.Context())
			}
			families, err := registry.Gather()
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]float64{}
			for _, f := range families {
				for _, v := range f.GetMetric() {
					got[f.GetName()+" "+v.GetLabel()[0].GetValue()] = v.GetGauge().GetValue()
				}
			}
			gvk := samples.GVK.String()
			want := map[string]float64{
				"crossplane_managed_resource_exists " + gvk: 12,
				"crossplane_managed_resource_ready " + gvk:  6,
				"crossplane_managed_resource_synced " + gvk: 4,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestStateCounterAllocates fails when a count copies the resources.
func TestStateCounterAllocates(t *testing.T) {
	const n = 1000
	c := sampleCounter(newInformers(t, n), statemetrics.NewMRStateMetrics())
	r := testing.Benchmark(func(b *testing.B) {
		b.Helper()
		for b.Loop() {
			c.count(b.Context())
		}
	})
	if got := r.AllocedBytesPerOp() / n; got > 64 {
		t.Errorf("a count allocates %d bytes a resource, want two interfaces of 16 bytes each", got)
	}
}
