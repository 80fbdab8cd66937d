package provisionedconcurrencyconfig

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
func newCase(
	t testing.TB,
) (*testenv.Env[*v1beta1.ProvisionedConcurrencyConfig], *v1beta1.ProvisionedConcurrencyConfig) {
	t.Helper()
	return newEnv(t).Env, newConfig()
}

// FuzzReconcile reconciles random specs with random AWS responses.
func FuzzReconcile(f *testing.F) { testenv.Fuzz(f, "provisionedconcurrencyconfigs", newCase) }

// TestEmulatorResponses checks that malformed or missing responses of an emulator are reported and
// that no call is repeated without bound.
func TestEmulatorResponses(t *testing.T) {
	type answers = testenv.Answers
	testenv.RunEmulatorCases(t, newCase, testenv.GetAnswers(opGet, opPut), map[string]testenv.EmulatorCase{
		"NoStatus": {
			Reason:    "The numbers show that the allocation is complete.",
			Responses: answers{opGet: testenv.Without("Status", "LastModified")},
			Writes:    []string{opPut},
		},
		"Bare": {
			Reason: "Without status and numbers, the state is unknown.",
			Responses: answers{
				opGet: testenv.Without("Status", "LastModified", "AllocatedProvisionedConcurrentExecutions"),
			},
			Writes:  []string{opPut},
			Message: "does not return a status",
		},
		"Nowhere": {
			Reason:    "A configuration that AWS never shows is created at growing intervals.",
			Responses: answers{opGet: testenv.Refusal(404, "ResourceNotFoundException")},
			Writes:    slices.Repeat([]string{opPut}, 6),
			Message:   testenv.NotVisible,
		},
	})
}

// TestLate checks that however late AWS shows it, concurrency is requested once, and none
// is left after the deletion.
func TestLate(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.ProvisionedConcurrencyConfig] {
		t.Helper()
		e := newEnv(t)
		c := newConfig()
		return testenv.Lifecycle[*v1beta1.ProvisionedConcurrencyConfig]{
			Env: e.Env, Resource: c, Create: opPut, Delete: opDelete,
			Edit: func() { c.Spec.ForProvider.ProvisionedConcurrentExecutions = ptr.To[int32](9) },
			There: func() []string {
				out, err := e.Lambda.ListProvisionedConcurrencyConfigs(
					e.Context(),
					&lambda.ListProvisionedConcurrencyConfigsInput{FunctionName: ptr.To(functionconfigtest.Function)},
				)
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
