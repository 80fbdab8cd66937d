package runtimemanagementconfig

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/test/functionconfigtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestRandomHistories checks that the configuration of $LATEST is as spec says, that the deletion leaves AWS's default,
// and that the configuration of a version stays.
func TestRandomHistories(t *testing.T) {
	testenv.RandomHistories(t, func(t testing.TB, draw *rand.Rand) *testenv.History[*v1beta1.RuntimeManagementConfig] {
		t.Helper()
		e, c := newEnv(t), newConfig()
		e.Lambda = e.TryingOnce()
		h := &testenv.History[*v1beta1.RuntimeManagementConfig]{
			Env: e.Env, Draw: draw, Resource: c, Calls: []string{opGet, opPut},
		}
		other := "1"
		put := func(qualifier string, s settings) {
			_, err := e.Lambda.PutRuntimeManagementConfig(e.Context(),
				putInput(s, functionname.Name{Function: functionconfigtest.Function, Qualifier: qualifier}))
			e.Must(err)
		}
		check := func(latest settings) {
			if diff := cmp.Diff(latest, e.there(functionname.Latest)); diff != "" {
				t.Errorf("-want +AWS:\n%s", diff)
			}
			if diff := cmp.Diff(on(manual, runtimeB), e.there(other)); diff != "" {
				t.Errorf("version %s: -before +after:\n%s", other, diff)
			}
		}
		put(other, on(manual, runtimeB))
		all := []settings{on(auto, ""), on("FunctionUpdate", ""), on(manual, runtimeA), on(manual, runtimeB)}
		edited := func() string {
			c.Spec.ForProvider.RuntimeManagementConfigSettings = all[draw.IntN(len(all))]
			return fmt.Sprintf("mode %s", *c.Spec.ForProvider.UpdateRuntimeOn)
		}
		h.Changes = []func() string{
			edited, edited,
			functionconfigtest.Replaced(h, func(first string) {
				other = first
				put(other, on(manual, runtimeB))
			}),
			h.ByHand(func() string {
				s := all[draw.IntN(len(all))]
				put(functionname.Latest, s)
				return "someone sets the mode " + *s.UpdateRuntimeOn
			}),
		}
		h.End = func() { check(c.Spec.ForProvider.RuntimeManagementConfigSettings) }
		h.Gone = func() { check(on(auto, "")) }
		return h
	})
}
