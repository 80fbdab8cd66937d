package provisionedconcurrencyconfig

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/configured/configuredtest"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// However late AWS shows it, concurrency is asked for once, and none is left after the
// deletion.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.ProvisionedConcurrencyConfig] {
		t.Helper()
		e := newEnv(t)
		c := newConfig()
		return steptest.Life[*v1beta1.ProvisionedConcurrencyConfig]{
			Env: e.Env, Resource: c, Create: callPut, Delete: callDelete,
			Edit: func() {
				c.Spec.ForProvider.ProvisionedConcurrentExecutions = ptr.To[int32](9)
				c.Generation++
			},
			There: func() []string {
				out, err := e.Lambda.ListProvisionedConcurrencyConfigs(e.Context(), &lambda.ListProvisionedConcurrencyConfigsInput{FunctionName: ptr.To(configuredtest.Function)})
				e.Must(err)
				var all []string
				for _, c := range out.ProvisionedConcurrencyConfigs {
					all = append(all, fmt.Sprint(*c.RequestedProvisionedConcurrentExecutions, " ", c.Status))
				}
				return all
			},
			Created: []string{"5 READY"}, Edited: []string{"9 READY"},
		}
	})
}
