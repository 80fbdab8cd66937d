package invocation

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// Whatever AWS answers, and whatever the spec.
func FuzzReconcile(f *testing.F) {
	steptest.Fuzz(f, "invocations", func(t testing.TB) (*steptest.Rig[*v1beta1.Invocation], *v1beta1.Invocation) {
		t.Helper()
		return newWorld(t).Rig, newInvocation()
	})
}
