package functioneventinvokeconfig

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/functionconfigtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// newCase returns an env and a resource to create in it.
func newCase(t testing.TB) (*testenv.Env[*v1beta1.FunctionEventInvokeConfig], *v1beta1.FunctionEventInvokeConfig) {
	t.Helper()
	return newEnv(t).Env, newConfig()
}

// FuzzReconcile reconciles random specs with random AWS responses.
func FuzzReconcile(f *testing.F) { testenv.Fuzz(f, "functioneventinvokeconfigs", newCase) }

// TestEmulatorResponses checks that malformed or missing responses of an emulator are reported and
// that no call is repeated without bound.
func TestEmulatorResponses(t *testing.T) {
	type answers = testenv.Answers
	testenv.RunEmulatorCases(t, newCase, testenv.GetAnswers(opGet, opPut), map[string]testenv.EmulatorCase{
		"Bare": {
			Reason:    "What AWS leaves out is its default.",
			Responses: answers{opGet: testenv.Without("DestinationConfig", "LastModified")},
			Writes:    []string{opPut},
		},
		"Nowhere": {
			Reason:    "A configuration that AWS never shows is created at growing intervals.",
			Responses: answers{opGet: testenv.Refusal(404, "ResourceNotFoundException")},
			Writes:    slices.Repeat([]string{opPut}, 6),
			Message:   testenv.NotVisible,
		},
	})
}

// TestLate checks that however late AWS shows it, one configuration is
// created, and none is left after the deletion.
func TestLate(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.FunctionEventInvokeConfig] {
		t.Helper()
		e := newEnv(t)
		c := newConfig(func(c *v1beta1.FunctionEventInvokeConfig) {
			c.Spec.InitProvider = &v1beta1.FunctionEventInvokeConfigSettings{
				MaximumEventAgeInSeconds: ptr.To[int32](60),
			}
		})
		return testenv.Lifecycle[*v1beta1.FunctionEventInvokeConfig]{
			Env: e.Env, Resource: c, Create: opPut, Delete: opDelete,
			Edit: func() { c.Spec.ForProvider.MaximumRetryAttempts = ptr.To[int32](2) },
			There: func() []string {
				out, err := e.Lambda.ListFunctionEventInvokeConfigs(
					e.Context(),
					&lambda.ListFunctionEventInvokeConfigsInput{FunctionName: ptr.To(functionconfigtest.Function)},
				)
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
