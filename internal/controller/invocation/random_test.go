package invocation

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestRandomSpecs checks that a random spec invokes the function once, and that a random
// change invokes it again only if it changes the input. Another reconcile makes no call.
func TestRandomSpecs(t *testing.T) {
	const pairs = 60
	e := newEnv(t)
	e.function("g", 3)
	for n := range pairs {
		r := rand.New(rand.NewPCG(uint64(n), 7))
		i := newInvocation()
		i.SetName(fmt.Sprintf("i%d", n))
		var before string
		for range 2 {
			randomize(r, &i.Spec.ForProvider)
			input, err := fingerprint(
				string(i.GetUID()),
				i.Spec.ForProvider,
				event{payload: []byte(*i.Spec.ForProvider.Payload)},
			)
			if err != nil {
				t.Fatal(err)
			}
			want := 1
			if input == before || ptr.Deref(i.Spec.ForProvider.InvocationType, "") == "DryRun" {
				want = 0
			}
			if got := e.converge(i); len(got) != want {
				t.Fatalf("%d: want %d invocations, got %v of %+v", n, want, got, i.Spec.ForProvider)
			}
			calls := e.Double.Count("")
			if got := e.converge(i); len(got) != 0 || e.Double.Count("") != calls {
				t.Fatalf("%d: another look must do nothing, got %v", n, got)
			}
			before = input
		}
	}
}

func randomize(r *rand.Rand, p *v1beta1.InvocationParameters) {
	p.FunctionName = pick(r, ptr.To("f"), ptr.To("g"))
	p.Payload = pick(r, ptr.To(`{"a":1}`), ptr.To(`{"b":[1,2]}`))
	p.Qualifier = pick(r, nil, ptr.To("$LATEST"))
	p.InvocationType = pick(r, nil, ptr.To("RequestResponse"), ptr.To("Event"), ptr.To("DryRun"))
	p.LogType = pick(r, nil, ptr.To("Tail"), ptr.To("None"))
	p.ClientContext = pick(r, nil, ptr.To("e30="))
	p.LifecycleScope = pick(r, nil, ptr.To("CREATE_ONLY"), ptr.To(scopeCRUD))
	p.TerraformKey = pick(r, nil, ptr.To("cp"))
	p.RecordResult = pick(r, nil, ptr.To(true), ptr.To(false))
	p.Triggers = pick(r, nil, map[string]string{"a": "1"}, map[string]string{"a": "2"})
	p.RetryPolicy = pick(
		r,
		nil,
		&v1beta1.InvocationRetryPolicy{MaximumAttempts: ptr.To[int32](2)},
		&v1beta1.InvocationRetryPolicy{UnknownOutcome: ptr.To(retryAlways)},
	)
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }
