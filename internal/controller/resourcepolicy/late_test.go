package resourcepolicy

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// However late AWS shows it, there is one policy, and none after the deletion.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.ResourcePolicy] {
		t.Helper()
		e := newEnv(t)
		p := testPolicy(asking(accountPolicy))
		return steptest.Life[*v1beta1.ResourcePolicy]{
			Env: e.Env, Resource: p, Create: callPut, Delete: callDelete,
			Edit: func() {
				p.Spec.ForProvider.Policy = ptr.To(publicPolicy)
				p.Generation++
			},
			There: func() []string {
				return steptest.Mentioned(e.Double.Policy(testArn), "111122223333", `"Principal":"*"`)
			},
			Created: []string{"111122223333"}, Edited: []string{`"Principal":"*"`},
		}
	})
}
