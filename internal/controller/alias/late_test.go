package alias

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// However late AWS shows it, there is one alias, and none after the deletion.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.Alias] {
		t.Helper()
		e := newEnv(t)
		a := testAlias(func(a *v1beta1.Alias) {
			a.Spec.InitProvider = &v1beta1.AliasSettings{Description: ptr.To("first")}
		})
		return steptest.Life[*v1beta1.Alias]{
			Env: e.Env, Resource: a, Create: callCreate, Delete: callDelete,
			Edit: func() {
				a.Spec.ForProvider.FunctionVersion = ptr.To("2")
				a.Generation++
			},
			There: func() []string {
				if got, ok := e.Double.Alias("f", "live"); ok {
					return []string{got.FunctionVersion + " " + got.Description}
				}
				return nil
			},
			Created: []string{"1 first"}, Edited: []string{"2 first"},
		}
	})
}
