package permission

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// However late AWS shows it, there is one statement, and none after the deletion.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.Permission] {
		t.Helper()
		e := newEnv(t)
		p := testPermission()
		return steptest.Life[*v1beta1.Permission]{
			Env: e.Env, Resource: p, Create: callAdd, Delete: callRemove,
			Edit: func() {
				p.Spec.ForProvider.Principal = ptr.To("sns.amazonaws.com")
				p.Generation++
			},
			There: func() []string {
				return steptest.Mentioned(e.Double.Policy(functionArn), "s3.amazonaws.com", "sns.amazonaws.com")
			},
			Created: []string{"s3.amazonaws.com"}, Edited: []string{"sns.amazonaws.com"},
		}
	})
}
