package invocation

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// What an emulator answers oddly, or not at all, has no function invoked twice.
func TestOddAnswers(t *testing.T) {
	const look, invoke = "GetFunctionConfiguration", "Invoke"
	type odd = map[string]steptest.Answer
	cases := map[string]struct {
		reason string
		odd    odd
		writes []string
		told   string
	}{
		"None":          {reason: "AWS as it is.", writes: []string{invoke}},
		"EmptyFunction": {reason: "Nothing says that it takes too long.", odd: odd{look: steptest.Body("{}")}, writes: []string{invoke}},
		"NoLook":        {reason: "It is not needed.", odd: odd{look: steptest.Refusal(501, "InternalFailure")}, writes: []string{invoke}},
		"NoFunction":    {reason: "What is not there is not invoked.", odd: odd{look: steptest.Refusal(404, "ResourceNotFoundException")}, told: "cannot read function f"},
		"NoResult":      {reason: "A function may return nothing.", odd: odd{invoke: steptest.Body("")}, writes: []string{invoke}},
		"NullResult":    {reason: "Or null.", odd: odd{invoke: steptest.Body("null")}, writes: []string{invoke}},
		"BrokenResult":  {reason: "Or what is no JSON.", odd: odd{invoke: steptest.Body("{")}, writes: []string{invoke}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			newEnv(t).Bear(newInvocation(), tc.odd, tc.writes, tc.told)
		})
	}
}
