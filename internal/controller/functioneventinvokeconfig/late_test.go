package functioneventinvokeconfig

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/configured/configuredtest"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// However late AWS shows it, there is one configuration, and none after the deletion.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.FunctionEventInvokeConfig] {
		t.Helper()
		e := newEnv(t)
		c := newConfig(func(c *v1beta1.FunctionEventInvokeConfig) {
			c.Spec.InitProvider = &v1beta1.FunctionEventInvokeConfigSettings{MaximumEventAgeInSeconds: ptr.To[int32](60)}
		})
		return steptest.Life[*v1beta1.FunctionEventInvokeConfig]{
			Env: e.Env, Resource: c, Create: callPut, Delete: callDelete,
			Edit: func() {
				c.Spec.ForProvider.MaximumRetryAttempts = ptr.To[int32](2)
				c.Generation++
			},
			There: func() []string {
				out, err := e.Lambda.ListFunctionEventInvokeConfigs(e.Context(), &lambda.ListFunctionEventInvokeConfigsInput{FunctionName: ptr.To(configuredtest.Function)})
				e.Must(err)
				var all []string
				for _, c := range out.FunctionEventInvokeConfigs {
					all = append(all, fmt.Sprint(*c.MaximumRetryAttempts, " ", *c.MaximumEventAgeInSeconds))
				}
				return all
			},
			Created: []string{"1 60"}, Edited: []string{"2 60"},
		}
	})
}
