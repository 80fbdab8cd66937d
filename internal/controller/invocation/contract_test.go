package invocation

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// newCase returns an env and a resource to create in it.
func newCase(t testing.TB) (*testenv.Env[*v1beta1.Invocation], *v1beta1.Invocation) {
	t.Helper()
	return newEnv(t).Env, newInvocation()
}

// FuzzReconcile checks the contract of a reconcile for any answers of AWS and any spec.
func FuzzReconcile(f *testing.F) { testenv.Fuzz(f, "invocations", newCase) }

// TestEmulatorResponses checks that unusual or missing answers of an emulator do not lead to a
// second invocation.
func TestEmulatorResponses(t *testing.T) {
	const observe, invoke = "GetFunctionConfiguration", "Invoke"
	type answers = testenv.Answers
	testenv.RunEmulatorCases(t, newCase, map[string]testenv.EmulatorCase{
		"None": {Reason: "AWS as it is.", Writes: []string{invoke}},
		"EmptyFunction": {
			Reason:    "The function's timeout is not known, so the payload is sent.",
			Responses: answers{observe: testenv.Body("{}")},
			Writes:    []string{invoke},
		},
		"NoLook": {
			Reason:    "The read of the function is optional.",
			Responses: answers{observe: testenv.Refusal(501, "InternalFailure")},
			Writes:    []string{invoke},
		},
		"NoFunction": {
			Reason:    "What is not there is not invoked.",
			Responses: answers{observe: testenv.Refusal(404, "ResourceNotFoundException")},
			Message:   "cannot read function f",
		},
		"NoResult": {
			Reason:    "A function may return nothing.",
			Responses: answers{invoke: testenv.Body("")},
			Writes:    []string{invoke},
		},
		"NullResult": {
			Reason:    "A function may return null.",
			Responses: answers{invoke: testenv.Body("null")},
			Writes:    []string{invoke},
		},
		"BrokenResult": {
			Reason:    "A function may return text that is not JSON.",
			Responses: answers{invoke: testenv.Body("{")},
			Writes:    []string{invoke},
		},
	})
}

// TestLate checks that, however late AWS returns the function, it is invoked once for each
// input and once for the deletion.
func TestLate(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.Invocation] {
		t.Helper()
		e := newEnv(t)
		i := newInvocation(crud)
		seen := 0
		return testenv.Lifecycle[*v1beta1.Invocation]{
			Env: e.Env, Resource: i, Create: "Invoke", Delete: "Invoke", Publishes: true,
			Edit: func() { i.Spec.ForProvider.Payload = ptr.To(`{"a":2}`) },
			There: func() []string {
				var actions []string
				for range e.runs[seen:] {
					actions = append(actions, *i.Status.AtProvider.Action)
				}
				seen = len(e.runs)
				return actions
			},
			Created: []string{actionCreate}, Edited: []string{actionUpdate}, Leftover: []string{actionDelete},
		}
	})
}
