package capacityprovider

import (
	"fmt"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// However late AWS shows it and its tags, there is one capacity provider, and none after
// the deletion.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.CapacityProvider] {
		t.Helper()
		e := newEnv(t)
		c := testProvider(func(p *v1beta1.CapacityProviderParameters) { p.Tags = map[string]string{"team": "a"} })
		c.Spec.InitProvider = &v1beta1.CapacityProviderSettings{CapacityProviderScalingConfig: &v1beta1.CapacityProviderScalingConfig{MaxVCPUCount: ptr.To[int32](64)}}
		return steptest.Life[*v1beta1.CapacityProvider]{
			Env: e.Env, Resource: c, Create: opCreate, Delete: opDelete,
			Edit: func() {
				edit(c, func(p *v1beta1.CapacityProviderParameters) {
					p.Tags = map[string]string{"team": "b"}
					p.PropagateTags = &v1beta1.PropagateTags{Mode: "Explicit", ExplicitTags: map[string]string{"a": "b"}}
				})
			},
			There: func() []string {
				got, ok := e.Double.CapacityProvider(steptest.Region, "web")
				if !ok {
					return nil
				}
				return []string{fmt.Sprintf("%d vCPU, tags %s of %s, passed on %+v", *got.CapacityProviderScalingConfig.MaxVCpuCount, got.Tags["team"], got.Tags["crossplane-uid"], got.PropagateTags)}
			},
			Created: []string{"64 vCPU, tags a of uid-1, passed on <nil>"}, Edited: []string{"64 vCPU, tags b of uid-1, passed on &{ExplicitTags:map[a:b] Mode:Explicit}"},
		}
	})
}
