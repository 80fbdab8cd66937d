package functionurl

import (
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/functionconfigtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// newCase returns an env and a resource to create in it.
func newCase(t testing.TB) (*testenv.Env[*v1beta1.FunctionURL], *v1beta1.FunctionURL) {
	t.Helper()
	return newEnv(t).Env, newURL()
}

// FuzzReconcile reconciles random specs with random AWS responses.
func FuzzReconcile(f *testing.F) { testenv.Fuzz(f, "functionurls", newCase) }

// TestEmulatorResponses checks that malformed or missing responses of an emulator are reported and
// that no call is repeated without bound.
func TestEmulatorResponses(t *testing.T) {
	type answers = testenv.Answers
	testenv.RunEmulatorCases(t, newCase, testenv.GetAnswers(opGet, opCreate), map[string]testenv.EmulatorCase{
		"Bare": {
			Reason:    "What AWS leaves out is its default.",
			Responses: answers{opGet: testenv.Without("Cors", "InvokeMode", "CreationTime", "LastModifiedTime")},
			Writes:    []string{opCreate},
		},
		"Nowhere": {
			Reason:    "A configuration that AWS never shows is created at growing intervals.",
			Responses: answers{opGet: testenv.Refusal(404, "ResourceNotFoundException")},
			Writes:    slices.Repeat([]string{opCreate}, 11),
			Message:   testenv.NotFound,
		},
	})
}

// TestLate checks that however late AWS shows it, one URL is created, and none is left
// after the deletion.
func TestLate(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.FunctionURL] {
		t.Helper()
		e := newEnv(t)
		u := newURL(func(u *v1beta1.FunctionURL) {
			u.Spec.InitProvider = &v1beta1.FunctionURLSettings{InvokeMode: ptr.To("RESPONSE_STREAM")}
		})
		return testenv.Lifecycle[*v1beta1.FunctionURL]{
			Env: e.Env, Resource: u, Create: opCreate, Delete: opDelete,
			Edit: func() { u.Spec.ForProvider.AuthType = ptr.To("NONE") },
			There: func() []string {
				out, err := e.Lambda.ListFunctionUrlConfigs(
					e.Context(),
					&lambda.ListFunctionUrlConfigsInput{FunctionName: ptr.To(functionconfigtest.Function)},
				)
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
