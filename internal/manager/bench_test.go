package manager

import (
	"fmt"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// BenchmarkCreate applies 300 Functions at once, with Lambda's real quotas and 30 ms a call. It reports how long it
// takes until all are Ready, as a multiple of the time that the quota of 15 calls a second needs for 300 creations.
// It fails if that is more than 1.5, or if AWS throttled a call.
func BenchmarkCreate(b *testing.B) {
	const (
		functions = 300
		most      = 1.5
	)
	quota := time.Duration(float64(functions) / awsdouble.LambdaQuotas().ControlPlane * float64(time.Second))
	for b.Loop() {
		e := newEnv(b, awsdouble.Options{
			Quotas: awsdouble.LambdaQuotas(), Latency: 30 * time.Millisecond,
			CreateDuration: time.Second, UpdateDuration: time.Second,
		})
		began := time.Now()
		for i := range functions {
			e.create(e.function(fmt.Sprintf("f-%03d", i)))
		}
		list := &v1beta1.FunctionList{}
		for ready := 0; ready < functions; {
			if err := e.kube.List(b.Context(), list, client.InNamespace(e.ns)); err != nil {
				b.Fatal(err)
			}
			ready = 0
			for i := range list.Items {
				if isReady(&list.Items[i]) {
					ready++
				}
			}
			if time.Since(began) > 10*quota {
				b.Fatalf("only %d of %d Functions are Ready after %s", ready, functions, time.Since(began))
			}
			time.Sleep(100 * time.Millisecond)
		}
		ratio := float64(time.Since(began)) / float64(quota)
		b.ReportMetric(ratio, "x-quota")
		b.ReportMetric(float64(e.double.Throttled()), "throttled")
		b.ReportMetric(float64(e.double.Count(""))/functions, "calls/function")
		if ratio > most || e.double.Throttled() > 0 {
			b.Errorf("took %.2f times the quota's own time (at most %.1f), with %d throttled calls (at most 0)", ratio,
				most, e.double.Throttled())
		}
		e.stop()
	}
}
