package permission

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// begin returns an env and a resource to create in it.
func begin(t testing.TB) (*steptest.Env[*v1beta1.Permission], *v1beta1.Permission) {
	t.Helper()
	return newEnv(t).Env, testPermission()
}

// Whatever AWS answers, and whatever the spec.
func FuzzReconcile(f *testing.F) { steptest.Fuzz(f, "permissions", begin) }

// What an emulator answers oddly, or not at all, is told, and sent no call without end.
func TestOddAnswers(t *testing.T) {
	steptest.OddAnswers(t, begin, steptest.PolicyAnswers(opRead, opAdd, 11, steptest.NotFound))
}

// However late AWS shows it, there is one statement, and none after the deletion.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.Permission] {
		t.Helper()
		e := newEnv(t)
		p := testPermission()
		return steptest.Life[*v1beta1.Permission]{
			Env: e.Env, Resource: p, Create: opAdd, Delete: opRemove,
			Edit: func() { p.Spec.ForProvider.Principal = ptr.To("sns.amazonaws.com") },
			There: func() []string {
				return steptest.Mentioned(e.Double.Policy(functionArn), "s3.amazonaws.com", "sns.amazonaws.com")
			},
			Created: []string{"s3.amazonaws.com"}, Edited: []string{"sns.amazonaws.com"},
		}
	})
}
