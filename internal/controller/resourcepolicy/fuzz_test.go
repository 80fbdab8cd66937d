package resourcepolicy

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// Whatever AWS answers, and whatever the spec.
func FuzzReconcile(f *testing.F) {
	steptest.Fuzz(f, "resourcepolicies", func(t testing.TB) (*steptest.Env[*v1beta1.ResourcePolicy], *v1beta1.ResourcePolicy) {
		t.Helper()
		return newEnv(t).Env, testPolicy(asking(accountPolicy))
	})
}
