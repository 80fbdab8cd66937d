package manager

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// BenchmarkCopies measures what a converged Function and its ProviderConfigUsage take: as stored by the API server, in
// the cache of the shard that has them, and in those of other shards. docs/sizing.md explains the figures.
func BenchmarkCopies(b *testing.B) {
	const n = 10_000
	e := newEnv(b, awsdouble.Options{})
	f := e.function("f", func(f *v1beta1.Function) {
		f.Spec.ForProvider.Description = ptr.To("Prices the cart of a customer")
		f.Spec.ForProvider.Environment = &v1beta1.Environment{Variables: map[string]string{
			"STAGE": "production",
			"TABLE": "carts", "LOG_LEVEL": "info",
		}}
		f.Spec.ForProvider.Tags = map[string]string{"team": "checkout", "cost-center": "4711"}
	})
	e.create(f)
	e.ready(f)
	usages := &v1beta1.ProviderConfigUsageList{}
	if err := e.kube.List(e.Context(), usages, client.InNamespace(e.ns)); err != nil || len(usages.Items) != 1 {
		b.Fatalf("want one usage, got %d: %v", len(usages.Items), err)
	}
	for name, tc := range map[string]struct {
		object    client.Object
		transform func(any) (any, error)
	}{
		"Function":        {object: f, transform: (&Options{}).cacheOptions().DefaultTransform},
		"FunctionReduced": {object: f, transform: reduced},
		"Usage":           {object: &usages.Items[0], transform: (&Options{}).cacheOptions().DefaultTransform},
	} {
		b.Run(name, func(b *testing.B) {
			stored, err := json.Marshal(tc.object)
			if err != nil {
				b.Fatal(err)
			}
			gvk, err := apiutil.GVKForObject(tc.object, e.kube.Scheme())
			if err != nil {
				b.Fatal(err)
			}
			var size uint64
			for b.Loop() {
				before := heapSize()
				cached := map[string]any{}
				for i := range n {
					o, err := e.kube.Scheme().New(gvk)
					if err != nil {
						b.Fatal(err)
					}
					if err := json.Unmarshal(stored, o); err != nil {
						b.Fatal(err)
					}
					if cached[fmt.Sprintf("%s/f-%05d", e.ns, i)], err = tc.transform(o); err != nil {
						b.Fatal(err)
					}
				}
				size = heapSize() - before
				runtime.KeepAlive(cached)
			}
			b.ReportMetric(float64(size)/n, "B/cached")
			b.ReportMetric(float64(len(stored)), "B/stored")
		})
	}
}

func heapSize() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
