package version

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// Whatever AWS answers, and whatever the spec.
func FuzzReconcile(f *testing.F) {
	steptest.Fuzz(f, "versions", func(t testing.TB) (*steptest.Env[*v1beta1.Version], *v1beta1.Version) {
		t.Helper()
		return newEnv(t).Env, testVersion()
	})
}
