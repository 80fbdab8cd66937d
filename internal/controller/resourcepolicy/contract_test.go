package resourcepolicy

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// newCase returns an env and a resource to create in it.
func newCase(t testing.TB) (*testenv.Env[*v1beta1.ResourcePolicy], *v1beta1.ResourcePolicy) {
	t.Helper()
	return newEnv(t).Env, testPolicy(asking(accountPolicy))
}

// FuzzReconcile reconciles random specs with random AWS responses.
func FuzzReconcile(f *testing.F) { testenv.Fuzz(f, "resourcepolicies", newCase) }

// TestEmulatorResponses checks that malformed or missing responses of an emulator are reported and
// that no call is repeated without bound.
func TestEmulatorResponses(t *testing.T) {
	testenv.RunEmulatorCases(t, newCase, testenv.PolicyAnswers(opRead, opPut, 6, testenv.NotVisible))
}

// TestLate checks that however late AWS shows it, one policy is
// created, and none is left after the deletion.
func TestLate(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.ResourcePolicy] {
		t.Helper()
		e := newEnv(t)
		p := testPolicy(asking(accountPolicy))
		return testenv.Lifecycle[*v1beta1.ResourcePolicy]{
			Env: e.Env, Resource: p, Create: opPut, Delete: opDelete,
			Edit: func() { p.Spec.ForProvider.Policy = ptr.To(publicPolicy) },
			There: func() []string {
				return testenv.Mentioned(e.Double.Policy(testArn), "111122223333", `"Principal":"*"`)
			},
			Created: []string{"111122223333"}, Edited: []string{`"Principal":"*"`},
		}
	})
}
