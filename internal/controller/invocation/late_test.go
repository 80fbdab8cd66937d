package invocation

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// However late AWS shows its function, it is invoked once for each input, and for the
// deletion.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.Invocation] {
		t.Helper()
		e := newEnv(t)
		i := newInvocation(crud)
		seen := 0
		return steptest.Life[*v1beta1.Invocation]{
			Env: e.Env, Resource: i, Create: "Invoke", Delete: "Invoke", Publishes: true,
			Edit: func() {
				i.Spec.ForProvider.Payload = ptr.To(`{"a":2}`)
				i.Generation++
			},
			There: func() []string {
				var actions []string
				for range e.runs[seen:] {
					actions = append(actions, *i.Status.AtProvider.Action)
				}
				seen = len(e.runs)
				return actions
			},
			Created: []string{actionCreate}, Edited: []string{actionUpdate}, Leftover: []string{actionDelete},
		}
	})
}
