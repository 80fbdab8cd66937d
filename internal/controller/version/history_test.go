package version

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestRandomHistories checks that the last version is always that of the function, that no more are kept than the limit
// says, and that the deletion leaves none.
func TestRandomHistories(t *testing.T) {
	testenv.RandomHistories(t, func(t testing.TB, draw *rand.Rand) *testenv.History[*v1beta1.Version] {
		t.Helper()
		e, memory, limit := newEnv(t), int32(128), draw.Int32N(3)
		v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.HistoryLimit = &limit })
		h := &testenv.History[*v1beta1.Version]{
			Env: e.Env, Draw: draw, Resource: v, Calls: []string{opGet, opPublish, opDelete, opList},
		}
		changed := func() string {
			memory = 128 + 64*draw.Int32N(3)
			e.change(memory)
			return fmt.Sprintf("the function has %d MB", memory)
		}
		h.Changes = []func() string{
			changed, changed,
			func() string {
				v.Spec.ForProvider.PublishTrigger = ptr.To(fmt.Sprint(v.Generation))
				return "another trigger"
			},
			func() string {
				v.Spec.ForProvider.Description = ptr.To(fmt.Sprint(draw.IntN(3)))
				return "description " + *v.Spec.ForProvider.Description
			},
			h.ByHand(func() string {
				all := e.versions()
				if len(all) == 0 {
					return "nothing"
				}
				version := all[draw.IntN(len(all))]
				e.deleteInAWS(version)
				return "someone deletes version " + version
			}),
		}
		h.End = func() {
			name, all := meta.GetExternalName(v), e.versions()
			if len(all) == 0 || all[len(all)-1] != name || len(all)-1 > int(limit) {
				t.Errorf("there are %v, want version %s and at most %d before it", all, name, limit)
			}
			o, err := e.Lambda.GetFunctionConfiguration(e.Context(),
				&lambda.GetFunctionConfigurationInput{FunctionName: ptr.To("f"), Qualifier: &name})
			e.Must(err)
			if *o.MemorySize != memory {
				t.Errorf("version %s has %d MB, want %d", name, *o.MemorySize, memory)
			}
		}
		h.Gone = func() {
			if all := e.versions(); len(all) > 0 {
				t.Errorf("versions are left: %v", all)
			}
		}
		return h
	})
}
