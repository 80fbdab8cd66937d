package function

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// Whatever AWS answers, and whatever the spec.
func FuzzReconcile(f *testing.F) {
	steptest.Fuzz(f, "functions", func(t testing.TB) (*steptest.Env[*v1beta1.Function], *v1beta1.Function) {
		t.Helper()
		return newEnv(t).Env, testFunction()
	})
}
