package main

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestFootprintAtStart fails when a provider without resources takes far more memory than it does at present. The
// bounds are about twice what docs/sizing.md has.
func TestFootprintAtStart(t *testing.T) {
	w := newEnv(t, awsdouble.Options{})
	p := w.provider("FOOTPRINT", w.cluster.Kubeconfig)
	until(t, "the provider leads", func() bool { return p.leads(t) })
	get(t, "http://"+p.health+"/readyz")
	for name, limit := range map[string]float64{
		"go_memstats_heap_inuse_bytes":  40 << 20,
		"go_memstats_stack_inuse_bytes": 16 << 20,
		"go_goroutines":                 4000,
		"go_gc_gogc_percent":            33,
	} {
		got, ok := p.metric(t, name)
		if !ok {
			t.Errorf("the provider has no metric %s", name)
		} else if got > limit {
			t.Errorf("%s: want at most %.0f, got %.0f", name, limit, got)
		}
	}
}
