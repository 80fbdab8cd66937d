package capacityprovider

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// newCase returns an env and a resource to create in it.
func newCase(t testing.TB) (*testenv.Env[*v1beta1.CapacityProvider], *v1beta1.CapacityProvider) {
	t.Helper()
	return newEnv(t).Env, testProvider()
}

// FuzzReconcile reconciles random specs with random AWS responses.
func FuzzReconcile(f *testing.F) { testenv.Fuzz(f, "capacityproviders", newCase) }

// TestEmulatorResponses checks that malformed or missing responses of an emulator are reported and
// create no second capacity provider.
func TestEmulatorResponses(t *testing.T) {
	type answers = testenv.Answers
	testenv.RunEmulatorCases(t, newCase, testenv.TagAnswers(opCreate), map[string]testenv.EmulatorCase{
		"EmptyCreate": {
			Reason:    "The name is known.",
			Responses: answers{opCreate: testenv.Body("null")},
			Writes:    []string{opCreate},
		},
		"EmptyGet": {
			Reason:    "An answer without a capacity provider is no absence.",
			Responses: answers{opGet: testenv.Body("{}")},
			Writes:    []string{opCreate},
			Message:   "cannot read capacity provider web: AWS's answer to GetCapacityProvider contains no CapacityProvider",
		},
		"NoARN": {
			Reason:    "Without an ARN, tags cannot be read.",
			Responses: answers{opGet: testenv.Without("CapacityProviderArn")},
			Writes:    []string{opCreate},
			Message:   tagging.NotReturned,
		},
		"NoState": {
			Reason:    "A missing state is reported.",
			Responses: answers{opGet: testenv.Without("State")},
			Writes:    []string{opCreate},
			Message:   "does not return a state",
		},
		"Bare": {
			Reason: "Blocks that are left out are AWS's defaults.",
			Responses: answers{
				opGet: testenv.Without(
					"CapacityProviderScalingConfig",
					"TelemetryConfig",
					"PropagateTags",
					"LastModified",
				),
			},
			Writes: []string{opCreate},
		},
		"NoGet": {
			Reason:    "What can't be looked at is not created.",
			Responses: answers{opGet: testenv.Refusal(404, "UnknownOperationException")},
			Message:   "cannot read capacity provider web",
		},
		"NotShown": {
			Reason:    "A resource that AWS does not show is created again at growing intervals, and exists.",
			Responses: answers{opGet: testenv.Refusal(404, "ResourceNotFoundException")},
			Writes:    slices.Repeat([]string{opCreate}, 11),
			Message:   testenv.NotFound,
		},
	})
}

// TestDeletedWithoutAnARN checks that a capacity provider without an ARN in AWS's response
// is deleted, and not left behind.
func TestDeletedWithoutAnARN(t *testing.T) {
	e := newEnv(t)
	c := testProvider()
	e.Converge(c)
	e.Remove(c)
	e.ReconcileForAnHour(
		c,
		map[string]testenv.Answer{opGet: testenv.Without("CapacityProviderArn")},
		[]string{opDelete},
		"",
	)
}

// TestLate checks that however late AWS shows it and its tags, one capacity provider is
// created, and none is left after the deletion.
func TestLate(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.CapacityProvider] {
		t.Helper()
		e := newEnv(t)
		c := testProvider(func(p *v1beta1.CapacityProviderParameters) { p.Tags = map[string]string{"team": "a"} })
		c.Spec.InitProvider = &v1beta1.CapacityProviderSettings{
			CapacityProviderScalingConfig: &v1beta1.CapacityProviderScalingConfig{MaxVCPUCount: ptr.To[int32](64)},
		}
		return testenv.Lifecycle[*v1beta1.CapacityProvider]{
			Env:      e.Env,
			Resource: c,
			Create:   opCreate,
			Delete:   opDelete,
			Edit: func() {
				c.Spec.ForProvider.Tags = map[string]string{"team": "b"}
				c.Spec.ForProvider.PropagateTags = &v1beta1.PropagateTags{
					Mode:         "Explicit",
					ExplicitTags: map[string]string{"a": "b"},
				}
			},
			There: func() []string {
				got, ok := e.Double.CapacityProvider(testenv.Region, "web")
				if !ok {
					return nil
				}
				passed := "none"
				if p := got.PropagateTags; p != nil {
					passed = fmt.Sprintf("%v %s", p.ExplicitTags, p.Mode)
				}
				return []string{
					fmt.Sprintf(
						"%d vCPU, tags %s of %s, passed on %s",
						*got.CapacityProviderScalingConfig.MaxVCpuCount,
						got.Tags["team"],
						got.Tags["crossplane-uid"],
						passed,
					),
				}
			},
			Created: []string{
				"64 vCPU, tags a of uid-1, passed on none",
			},
			Edited: []string{"64 vCPU, tags b of uid-1, passed on map[a:b] Explicit"},
		}
	})
}
