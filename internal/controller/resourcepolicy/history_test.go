package resourcepolicy

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestRandomHistories checks that the policy is that of spec, and that there is none after the deletion.
func TestRandomHistories(t *testing.T) {
	testenv.RandomHistories(t, func(t testing.TB, draw *rand.Rand) *testenv.History[*v1beta1.ResourcePolicy] {
		t.Helper()
		e, p := newEnv(t), testPolicy()
		e.Lambda = e.TryingOnce()
		h := &testenv.History[*v1beta1.ResourcePolicy]{
			Env: e.Env, Draw: draw, Resource: p, Calls: []string{opRead, opPut, opDelete},
		}
		edited := func() string {
			const statement = `{"Sid":"s%d","Effect":"Allow","Principal":"*","Action":"lambda:*","Resource":"*"}`
			text := fmt.Sprintf(statement, draw.IntN(2))
			if draw.IntN(2) == 0 {
				text += "," + fmt.Sprintf(statement, 2)
			}
			p.Spec.ForProvider.Policy = ptr.To(`{"Version":"2012-10-17","Statement":[` + text + `]}`)
			return "policy " + text
		}
		h.Changes = []func() string{
			edited, edited,
			h.ByHand(func() string {
				_, err := e.Lambda.PutResourcePolicy(e.Context(), putInput(testArn, publicPolicy, ""))
				return fmt.Sprint("someone replaces the policy: ", err)
			}),
			h.ByHand(func() string {
				_, err := e.Lambda.DeleteResourcePolicy(e.Context(), deleteInput(observed{arn: testArn}))
				return fmt.Sprint("someone deletes the policy: ", err)
			}),
		}
		h.End = func() {
			want, err := policy.Parse(*p.Spec.ForProvider.Policy)
			e.Must(err)
			is, err := policy.Parse(e.Double.Policy(testArn))
			e.Must(err)
			if cs := policy.Compare(want, is); len(cs) > 0 {
				t.Errorf("the policy differs: %s", cs)
			}
		}
		h.Gone = func() {
			if is := e.Double.Policy(testArn); is != "" {
				t.Errorf("the policy is left: %s", is)
			}
		}
		return h
	})
}
