package function

import (
	"fmt"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// However late AWS shows it and its tags, there is one function, with what initProvider
// says of what CreateFunction does not take, and none after the deletion.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.Function] {
		t.Helper()
		e := newEnv(t)
		f := testFunction(func(f *v1beta1.Function) {
			f.Spec.ForProvider.Tags = map[string]string{"team": "a"}
			f.Spec.InitProvider = &v1beta1.FunctionSettings{Description: ptr.To("first"), ReservedConcurrentExecutions: ptr.To[int32](7)}
		})
		return steptest.Life[*v1beta1.Function]{
			Env: e.Env, Resource: f, Create: callCreate, Delete: opDelete,
			Edit: func() {
				f.Spec.ForProvider.MemorySize, f.Spec.ForProvider.Tags = ptr.To[int32](256), map[string]string{"team": "b"}
				f.Spec.ForProvider.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "y"}}
				f.Generation++
			},
			There: func() []string {
				got, ok := e.Double.Function("f")
				if !ok {
					return nil
				}
				return []string{fmt.Sprintf("%s %d %d %s %s", got.Description, got.MemorySize, *got.ReservedConcurrentExecutions, got.Tags["team"], got.Tags["crossplane-uid"])}
			},
			Created: []string{"first 128 7 a uid-1"}, Edited: []string{"first 256 7 b uid-1"},
		}
	})
}
