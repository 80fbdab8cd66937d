package runtimemanagementconfig

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// However late AWS shows it, it is set, and AWS's default after the deletion.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.RuntimeManagementConfig] {
		t.Helper()
		e := newEnv(t)
		c := newConfig()
		return steptest.Life[*v1beta1.RuntimeManagementConfig]{
			Env: e.Env, Resource: c, Create: callPut, Delete: callPut, Sets: true,
			Edit: func() {
				c.Spec.ForProvider.RuntimeManagementConfigSettings = on(manual, runtimeA)
				c.Generation++
			},
			There: func() []string {
				s := e.there("$LATEST")
				return []string{*s.UpdateRuntimeOn + " " + ptr.Deref(s.RuntimeVersionArn, "")}
			},
			Created: []string{"FunctionUpdate "}, Edited: []string{manual + " " + runtimeA}, Leftover: []string{auto + " "},
		}
	})
}
