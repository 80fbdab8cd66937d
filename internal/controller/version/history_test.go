package version

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
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
		failed, until, observer := false, time.Time{}, e.Observer
		e.Observer = func() reconcile.Observer[*v1beta1.Version] {
			if failed && e.Now().After(until) { // Someone corrects it.
				failed = false
				memory++
				e.change(memory)
			}
			return observer()
		}
		changed := func() string {
			memory = 128 + 64*draw.Int32N(3)
			e.change(memory)
			return fmt.Sprintf("the function has %d MB", memory)
		}
		const failing = 1024 // The least memory that the function has after an update that failed.
		h.Changes = []func() string{
			changed, changed,
			func() string {
				e.Double.FailUpdate("f", "no access", "InvalidSubnet")
				e.change(failing + draw.Int32N(3))
				failed, until = true, e.Now().Add(time.Duration(draw.IntN(300))*time.Second)
				return "an update of the function fails"
			},
			func() string {
				e.Double.FailVersion("f", "no snapshot", "FunctionError")
				failed, until = true, e.Now().Add(time.Duration(60+draw.IntN(240))*time.Second)
				return "the next version fails"
			},
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
			for _, version := range all {
				o, err := e.Lambda.GetFunctionConfiguration(e.Context(),
					&lambda.GetFunctionConfigurationInput{FunctionName: ptr.To("f"), Qualifier: &version})
				e.Must(err)
				if *o.MemorySize >= failing {
					t.Errorf("version %s is of an update that failed", version)
				}
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
