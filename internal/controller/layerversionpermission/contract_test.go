package layerversionpermission

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// newCase returns an env and a resource to create in it.
func newCase(t testing.TB) (*testenv.Env[*v1beta1.LayerVersionPermission], *v1beta1.LayerVersionPermission) {
	t.Helper()
	return newEnv(t).Env, testPermission()
}

// FuzzReconcile reconciles random specs with random AWS responses.
func FuzzReconcile(f *testing.F) { testenv.Fuzz(f, "layerversionpermissions", newCase) }

// TestEmulatorResponses checks that malformed or missing responses of an emulator are reported and
// that no call is repeated without bound.
func TestEmulatorResponses(t *testing.T) {
	testenv.RunEmulatorCases(t, newCase, testenv.PolicyAnswers(opRead, opAdd, 11, testenv.NotFound))
}

// TestLate checks that however late AWS shows it, one statement is
// created, and none is left after the deletion.
func TestLate(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.LayerVersionPermission] {
		t.Helper()
		e := newEnv(t)
		p := testPermission()
		return testenv.Lifecycle[*v1beta1.LayerVersionPermission]{
			Env: e.Env, Resource: p, Create: opAdd, Delete: opRemove,
			Edit: func() { p.Spec.ForProvider.Principal = ptr.To("444455556666") },
			There: func() []string {
				return testenv.Mentioned(e.Double.Policy(layerArn+":1"), "111122223333", "444455556666")
			},

			Created: []string{"111122223333"}, Edited: []string{"444455556666"},
		}
	})
}
