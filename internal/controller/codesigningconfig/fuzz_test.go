package codesigningconfig

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// Whatever AWS answers, and whatever the spec.
func FuzzReconcile(f *testing.F) {
	steptest.Fuzz(f, "codesigningconfigs", func(t testing.TB) (*steptest.Env[*v1beta1.CodeSigningConfig], *v1beta1.CodeSigningConfig) {
		t.Helper()
		return newEnv(t).Env, testConfig()
	})
}
