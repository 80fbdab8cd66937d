package functioneventinvokeconfig

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/test/functionconfigtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestRandomHistories checks that the configuration of $LATEST is as spec says, that the deletion leaves none, and that
// the configuration of an alias stays.
func TestRandomHistories(t *testing.T) {
	testenv.RandomHistories(
		t,
		func(t testing.TB, draw *rand.Rand) *testenv.History[*v1beta1.FunctionEventInvokeConfig] {
			t.Helper()
			e, c := newEnv(t), newConfig()
			e.Lambda = e.TryingOnce()
			p := &c.Spec.ForProvider
			h := &testenv.History[*v1beta1.FunctionEventInvokeConfig]{
				Env: e.Env, Draw: draw, Resource: c, Calls: []string{opGet, opPut, opDelete},
			}
			latest := functionname.Name{Function: functionconfigtest.Function, Qualifier: functionname.Latest}
			live := functionname.Name{Function: functionconfigtest.Function, Qualifier: functionconfigtest.Alias}
			put := func(n functionname.Name, s settings) {
				_, err := e.Lambda.PutFunctionEventInvokeConfig(e.Context(), putInput(s, n))
				e.Must(err)
			}
			get := func(n functionname.Name) (*answer, error) {
				return e.Lambda.GetFunctionEventInvokeConfig(e.Context(),
					&lambda.GetFunctionEventInvokeConfigInput{FunctionName: &n.Function, Qualifier: &n.Qualifier})
			}
			byHand := settings{MaximumEventAgeInSeconds: ptr.To[int32](1000)}
			byHand.DestinationConfig.OnSuccess.Destination = ptr.To(topicARN)
			put(live, byHand)
			edited := func() string {
				p.FunctionEventInvokeConfigSettings = generator{draw}.settings()
				if p.MaximumRetryAttempts == nil &&
					p.MaximumEventAgeInSeconds == nil { // AWS accepts none without settings.
					p.MaximumRetryAttempts = ptr.To[int32](2)
				}
				return fmt.Sprintf("settings %+v", p.FunctionEventInvokeConfigSettings)
			}
			h.Changes = []func() string{
				edited, edited, edited, functionconfigtest.Replaced(h, func(string) { put(live, byHand) }),
				h.ByHand(func() string {
					put(latest, byHand)
					return "someone changes the configuration"
				}),
				h.ByHand(func() string {
					_, err := e.Lambda.DeleteFunctionEventInvokeConfig(
						e.Context(),
						&lambda.DeleteFunctionEventInvokeConfigInput{
							FunctionName: &latest.Function,
							Qualifier:    &latest.Qualifier,
						},
					)
					return fmt.Sprint("someone deletes the configuration: ", err)
				}),
			}
			h.End = func() {
				o, err := get(latest)
				e.Must(err)
				resolved, err := refs.Resolve(e.Context(), testenv.Fields{"q": queueARN}, "", "spec.forProvider", *p)
				e.Must(err)
				if diff := cmp.Diff(fromSpec(resolved.FunctionEventInvokeConfigSettings), fromAWS(o)); diff != "" {
					t.Errorf("-spec +AWS:\n%s", diff)
				}
			}
			h.Gone = func() {
				if _, err := get(latest); !awserr.IsNotFound(err) {
					t.Errorf("the configuration is left: %v", err)
				}
				o, err := get(live)
				e.Must(err)
				if diff := cmp.Diff(byHand, fromAWS(o)); diff != "" {
					t.Errorf("configuration of the alias: -before +after:\n%s", diff)
				}
			}
			return h
		},
	)
}
