package version

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// However late AWS shows them, each state of the function is published once, and the
// version goes with the resource.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.Version] {
		t.Helper()
		e := newEnv(t)
		v := testVersion()
		return steptest.Life[*v1beta1.Version]{
			Env: e.Env, Resource: v, Create: callPublish, Delete: callDelete, Publishes: true,
			Edit:    func() { e.change(256) },
			There:   e.versions,
			Created: []string{"1"}, Edited: []string{"1", "2"}, Leftover: []string{"1"},
		}
	})
}
