package layerversion

import (
	"fmt"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// However late AWS shows them, each content is published once, and no version stays after
// the deletion.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.LayerVersion] {
		t.Helper()
		e := newEnv(t)
		l := testLayer()
		return steptest.Life[*v1beta1.LayerVersion]{
			Env: e.Env, Resource: l, Create: opPublish, Delete: opDelete, Publishes: true,
			Edit: func() { edit(l, func(p *v1beta1.LayerVersionParameters) { p.Content = inline("two") }) },
			There: func() []string {
				var all []string
				for _, n := range e.versions() {
					all = append(all, fmt.Sprint(n))
				}
				return all
			},
			Created: []string{"1"}, Edited: []string{"2"},
		}
	})
}
