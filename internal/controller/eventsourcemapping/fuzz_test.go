package eventsourcemapping

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// Whatever AWS answers, and whatever the spec.
func FuzzReconcile(f *testing.F) {
	steptest.Fuzz(f, "eventsourcemappings", func(t testing.TB) (*steptest.Env[*v1beta1.EventSourceMapping], *v1beta1.EventSourceMapping) {
		t.Helper()
		return newEnv(t).Env, testMapping()
	})
}
