package runtimemanagementconfig

import (
	"slices"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// newCase returns an env and a resource to create in it.
func newCase(t testing.TB) (*testenv.Env[*v1beta1.RuntimeManagementConfig], *v1beta1.RuntimeManagementConfig) {
	t.Helper()
	return newEnv(t).Env, newConfig()
}

// FuzzReconcile reconciles random specs with random AWS responses.
func FuzzReconcile(f *testing.F) { testenv.Fuzz(f, "runtimemanagementconfigs", newCase) }

// TestEmulatorResponses checks that malformed or missing responses of an emulator are reported and
// that no call is repeated without bound.
func TestEmulatorResponses(t *testing.T) {
	type answers = testenv.Answers
	testenv.RunEmulatorCases(t, newCase, map[string]testenv.EmulatorCase{
		"None": {Reason: "AWS as it is.", Writes: []string{opPut}},
		"NoPut": {
			Reason:    "The name is known.",
			Responses: answers{opPut: testenv.Body("null")},
			Writes:    []string{opPut},
		},
		"EmptyGet": {
			Reason:    "An empty response is neither up to date nor absent.",
			Responses: answers{opGet: testenv.Body("{}")},
			Message:   "lacks updateRuntimeOn",
		},
		"NullGet": {
			Reason:    "The SDK does not take it for an answer.",
			Responses: answers{opGet: testenv.Body("null")},
			Message:   "cannot read the runtime management configuration",
		},
		"NoARN": {
			Reason:    "ARNs that AWS leaves out are no difference.",
			Responses: answers{opGet: testenv.Without("FunctionArn", "RuntimeVersionArn")},
			Writes:    []string{opPut},
		},
		"NotShown": {
			Reason:    "A setting that AWS never shows is sent at growing intervals.",
			Responses: answers{opGet: testenv.Refusal(404, "ResourceNotFoundException")},
			Writes:    slices.Repeat([]string{opPut}, 6),
			Message:   testenv.NotVisible,
		},
		"Unknown": {
			Reason:    "Nothing is sent if the state cannot be read.",
			Responses: answers{opGet: testenv.Refusal(501, "InternalFailure")},
			Message:   "cannot read the runtime management configuration",
		},
	})
}

// TestReadWithoutMode checks that a response without an update mode equals neither the
// desired mode nor AWS's default, which would end a deletion early.
func TestReadWithoutMode(t *testing.T) {
	type mg = *v1beta1.RuntimeManagementConfig
	cases := map[string]testenv.ObserveCase[env, mg]{
		"New":    {Reason: "The mode of a new resource may have been set.", Resource: newConfig()},
		"Edited": {Reason: "The edit may not have been sent.", Resource: newConfig(named)},
		"Deleted": {
			Reason:   "The mode of a resource that is being deleted may not have been reset.",
			Resource: newConfig(named, testenv.BeingDeleted),
		},
		"Observed": {Reason: "Nothing is known of it.", Resource: newConfig(named, testenv.ObserveOnly)},
	}
	for name, tc := range cases {
		tc.AWS = func(e env) { e.Responses = testenv.Answers{opGet: testenv.Without("UpdateRuntimeOn")} }
		tc.Want = testenv.Observation{Err: "lacks updateRuntimeOn"}
		cases[name] = tc
	}
	testenv.Observe(t, newEnv, cases)
}

// TestLate checks that however late AWS shows it, the configuration is set, and reset to
// AWS's default by the deletion.
func TestLate(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.RuntimeManagementConfig] {
		t.Helper()
		e := newEnv(t)
		c := newConfig()
		return testenv.Lifecycle[*v1beta1.RuntimeManagementConfig]{
			Env:      e.Env,
			Resource: c,
			Create:   opPut,
			Delete:   opPut,
			Sets:     true,
			Edit:     func() { c.Spec.ForProvider.RuntimeManagementConfigSettings = on(manual, runtimeA) },
			There: func() []string {
				s := e.there("$LATEST")
				return []string{*s.UpdateRuntimeOn + " " + ptr.Deref(s.RuntimeVersionArn, "")}
			},
			Created: []string{
				"FunctionUpdate ",
			},
			Edited:   []string{manual + " " + runtimeA},
			Leftover: []string{auto + " "},
		}
	})
}
