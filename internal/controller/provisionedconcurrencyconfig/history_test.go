package provisionedconcurrencyconfig

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/test/functionconfigtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestRandomHistories checks that the alias gets the concurrency of spec, also after failures and moves, that the
// deletion leaves none, and that another alias keeps its own.
func TestRandomHistories(t *testing.T) {
	type mg = *v1beta1.ProvisionedConcurrencyConfig
	testenv.RandomHistories(t, func(t testing.TB, draw *rand.Rand) *testenv.History[mg] {
		t.Helper()
		e, c := newEnv(t), newConfig()
		e.Lambda = e.TryingOnce()
		p := &c.Spec.ForProvider
		h := &testenv.History[mg]{
			Env: e.Env, Draw: draw, Resource: c, Calls: []string{opGet, opPut, opDelete},
		}
		put := func(qualifier string, n int32) error {
			_, err := e.Lambda.PutProvisionedConcurrencyConfig(e.Context(), putInput(
				settings{ProvisionedConcurrentExecutions: &n},
				functionname.Name{Function: functionconfigtest.Function, Qualifier: qualifier}))
			return err
		}
		get := func(qualifier string) (*answer, error) {
			return e.Lambda.GetProvisionedConcurrencyConfig(e.Context(), &lambda.GetProvisionedConcurrencyConfigInput{
				FunctionName: ptr.To(functionconfigtest.Function), Qualifier: &qualifier,
			})
		}
		first := 0
		others := func(version string) {
			var err error
			first, err = strconv.Atoi(version)
			e.Must(err)
			e.AddAlias(functionconfigtest.Function, "other", version)
			e.Double.ClearFaults() // A failure is that of the next provisioning, whoever asks for it.
			e.Must(put("other", 3))
		}
		others("1")
		edited := func() string {
			p.ProvisionedConcurrentExecutions = ptr.To(1 + draw.Int32N(3))
			return fmt.Sprintf("%d executions", *p.ProvisionedConcurrentExecutions)
		}
		h.Changes = []func() string{
			edited, edited, functionconfigtest.Replaced(h, others),
			func() string {
				e.Double.FailProvisioning(functionconfigtest.Function, "FUNCTION_ERROR_INIT_FAILURE")
				return "the next provisioning will fail"
			},
			func() string {
				// A move that fails leaves weights on the alias, with which AWS refuses the configuration until the
				// owner of the alias removes them.
				e.Double.ClearFaults()
				version := fmt.Sprint(first + draw.IntN(2))
				_, err := e.Lambda.UpdateAlias(e.Context(), &lambda.UpdateAliasInput{
					FunctionName: ptr.To(functionconfigtest.Function), Name: ptr.To(functionconfigtest.Alias),
					FunctionVersion: &version,
				})
				return fmt.Sprintf("the alias moves to version %s: %v", version, err)
			},
			h.ByHand(func() string {
				return fmt.Sprintf("someone changes the number: %v", put(functionconfigtest.Alias, 4))
			}),
			h.ByHand(func() string {
				e.Advance(time.Minute) // A move that is not over would leave weights, too.
				_, err := e.Lambda.DeleteProvisionedConcurrencyConfig(e.Context(),
					&lambda.DeleteProvisionedConcurrencyConfigInput{
						FunctionName: ptr.To(functionconfigtest.Function), Qualifier: ptr.To(functionconfigtest.Alias),
					})
				return fmt.Sprint("someone deletes it: ", err)
			}),
		}
		check := func(qualifier string, n int32) {
			o, err := get(qualifier)
			e.Must(err)
			if o.Status != types.ProvisionedConcurrencyStatusEnumReady ||
				*o.RequestedProvisionedConcurrentExecutions != n {
				t.Errorf("%s has %d executions, %s, want %d", qualifier, *o.RequestedProvisionedConcurrentExecutions,
					o.Status, n)
			}
		}
		h.End = func() { check(functionconfigtest.Alias, *p.ProvisionedConcurrentExecutions) }
		h.Gone = func() {
			if _, err := get(functionconfigtest.Alias); !awserr.IsNotFound(err) {
				t.Errorf("it is left: %v", err)
			}
			check("other", 3)
		}
		return h
	})
}
