package functionurl

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/configured/configuredtest"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// However late AWS shows it, there is one URL, and none after the deletion.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.FunctionURL] {
		t.Helper()
		e := newEnv(t)
		u := newURL(func(u *v1beta1.FunctionURL) {
			u.Spec.InitProvider = &v1beta1.FunctionURLSettings{InvokeMode: ptr.To("RESPONSE_STREAM")}
		})
		return steptest.Life[*v1beta1.FunctionURL]{
			Env: e.Env, Resource: u, Create: callCreate, Delete: callDelete,
			Edit: func() {
				u.Spec.ForProvider.AuthType = ptr.To("NONE")
				u.Generation++
			},
			There: func() []string {
				out, err := e.Lambda.ListFunctionUrlConfigs(e.Context(), &lambda.ListFunctionUrlConfigsInput{FunctionName: ptr.To(configuredtest.Function)})
				e.Must(err)
				var all []string
				for _, u := range out.FunctionUrlConfigs {
					all = append(all, string(u.AuthType)+" "+string(u.InvokeMode))
				}
				return all
			},
			Created: []string{"AWS_IAM RESPONSE_STREAM"}, Edited: []string{"NONE RESPONSE_STREAM"},
		}
	})
}
