package invocation

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// A run is an invocation of the function.
type run struct {
	N         int
	Lifecycle struct {
		Action    string
		PrevInput *struct{ N int } `json:"prev_input"`
	} `json:"tf"`
}

// TestRandomHistories checks that the function is invoked once for each input with which the Invocation becomes Ready,
// at most once for each other one, with what has succeeded before, and at last once for the deletion.
func TestRandomHistories(t *testing.T) {
	testenv.RandomHistories(t, func(t testing.TB, draw *rand.Rand) *testenv.History[*v1beta1.Invocation] {
		t.Helper()
		e, i, fresh := newEnv(t), newInvocation(crud), 10
		e.Lambda = e.TryingOnce()
		h := &testenv.History[*v1beta1.Invocation]{
			Env: e.Env, Draw: draw, Resource: i, Calls: []string{"GetFunctionConfiguration"},
		}
		failed := map[int]bool{} // Runs whose success is not known, by index.
		unanswered := func() bool {
			r := recorded(i)
			return r != nil && r.Outcome == unknown
		}
		h.Restart = func() {
			if unanswered() {
				failed[len(e.runs)-1] = true
			}
		}
		parsed := func(text string) (r run) {
			e.Must(json.Unmarshal([]byte(text), &r))
			return r
		}
		invoked := func() (all []run) {
			for _, text := range e.runs {
				all = append(all, parsed(text))
			}
			return all
		}
		check := func() {
			all, before := invoked(), -1
			for k, r := range all {
				if p := r.Lifecycle.PrevInput; p != nil && p.N != before {
					t.Errorf("%v: the last success before run %d was with %d", e.runs, k, before)
				}
				if k > 0 && r.N == all[k-1].N && r.Lifecycle.Action != actionDelete {
					t.Errorf("%v: run %d is a repetition", e.runs, k)
				}
				if !failed[k] {
					before = r.N
				}
			}
			if h.Seen && i.GetObservedGeneration() == i.GetGeneration() &&
				(len(all) == 0 || all[len(all)-1].N != parsed(*i.Spec.ForProvider.Payload).N) {
				t.Errorf("%v: the function was not invoked with %s", e.runs, *i.Spec.ForProvider.Payload)
			}
		}
		set := func(n int) string {
			check()
			h.Seen = false
			i.Spec.ForProvider.Payload = ptr.To(fmt.Sprintf(`{"n":%d}`, n))
			return *i.Spec.ForProvider.Payload
		}
		i.Spec.ForProvider.Payload = ptr.To(`{"n":0}`)
		edited := func() string { return set(draw.IntN(3)) }
		// Nobody may return to an input without success, which would be no other one if it is the last invoked.
		unique := func() string {
			fresh++
			return set(fresh)
		}
		do := func(what string, f awsdouble.Fault) string {
			if f.Operation != "" {
				e.Double.Fail(f)
			}
			_, err := e.Do(i)
			e.Double.ClearFaults()
			e.returns, e.unwritable = awsdouble.Returned{}, false
			return fmt.Sprintf("%s: %v", what, err)
		}
		unsuccessful := func(what string, f awsdouble.Fault) string {
			unique()
			before := len(e.runs)
			what = do(what, f)
			failed[before] = len(e.runs) > before
			return what + "; " + unique()
		}
		h.Changes = []func() string{
			edited, edited, edited,
			func() string {
				return unsuccessful("no answer", awsdouble.Fault{Operation: "Invoke", Drop: awsdouble.DropAfter})
			},
			func() string {
				e.returns = awsdouble.Returned{Error: "Unhandled"}
				return unsuccessful("the function returns an error", awsdouble.Fault{})
			},
			func() string {
				return do("throttled", awsdouble.Fault{Operation: "Invoke", Error: awsdouble.Throttle()})
			},
			func() string {
				stored := maps.Clone(i.GetAnnotations())
				defer i.SetAnnotations(stored)
				e.unwritable = true
				return do("annotations cannot be written", awsdouble.Fault{})
			},
		}
		h.Calm = func() {
			if unanswered() { // It is not invoked again with that input.
				unique()
				i.Generation++
			}
		}
		h.End = check
		h.Gone = func() {
			check()
			if all := invoked(); all[len(all)-1].Lifecycle.Action != actionDelete {
				t.Errorf("%v: the last run is not for the deletion", e.runs)
			}
		}
		return h
	})
}
