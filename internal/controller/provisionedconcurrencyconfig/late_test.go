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
		r := newRig(t)
		c := newConfig()
		return steptest.Life[*v1beta1.ProvisionedConcurrencyConfig]{
			Rig: r.Rig, Resource: c, Create: callPut, Delete: callDelete,
			Edit: func() {
				c.Spec.ForProvider.ProvisionedConcurrentExecutions = ptr.To[int32](9)
				c.Generation++
			},
			There: func() []string {
				out, err := r.Lambda.ListProvisionedConcurrencyConfigs(r.Context(), &lambda.ListProvisionedConcurrencyConfigsInput{FunctionName: ptr.To(configuredtest.Function)})
				r.Must(err)
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
