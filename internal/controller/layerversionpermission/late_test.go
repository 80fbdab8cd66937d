package layerversionpermission

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// However late AWS shows it, there is one statement, and none after the deletion.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.LayerVersionPermission] {
		t.Helper()
		e := newEnv(t)
		p := testPermission()
		return steptest.Life[*v1beta1.LayerVersionPermission]{
			Env: e.Env, Resource: p, Create: callAdd, Delete: callRemove,
			Edit: func() {
				p.Spec.ForProvider.Principal = ptr.To("444455556666")
				p.Generation++
			},
			There: func() []string {
				return steptest.Mentioned(e.Double.LayerPolicy(layerArn+":1"), "111122223333", "444455556666")
			},

			Created: []string{"111122223333"}, Edited: []string{"444455556666"},
		}
	})
}
