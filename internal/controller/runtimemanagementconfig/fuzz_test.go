package runtimemanagementconfig

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// Whatever AWS answers, and whatever the spec.
func FuzzReconcile(f *testing.F) {
	steptest.Fuzz(f, "runtimemanagementconfigs", func(t testing.TB) (*steptest.Env[*v1beta1.RuntimeManagementConfig], *v1beta1.RuntimeManagementConfig) {
		t.Helper()
		return newEnv(t).Env, newConfig()
	})
}
