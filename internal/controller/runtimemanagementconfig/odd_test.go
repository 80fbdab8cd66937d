package runtimemanagementconfig

import (
	"slices"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// What an emulator answers oddly, or not at all, is told, and sent no call without end.
func TestOddAnswers(t *testing.T) {
	type odd = map[string]steptest.Answer
	cases := map[string]struct {
		reason string
		odd    odd
		writes []string
		told   string
	}{
		"None":     {reason: "AWS as it is.", writes: []string{callPut}},
		"NoPut":    {reason: "The name is known.", odd: odd{callPut: steptest.Body("null")}, writes: []string{callPut}},
		"EmptyGet": {reason: "What is not shown is not compared.", odd: odd{callGet: steptest.Body("{}")}, writes: []string{callPut}, told: "does not tell how the runtime is managed"},
		"NullGet":  {reason: "The SDK does not take it for an answer.", odd: odd{callGet: steptest.Body("null")}, told: "cannot read the runtime management configuration"},
		"NoARN":    {reason: "That is no difference.", odd: odd{callGet: steptest.Without("FunctionArn", "RuntimeVersionArn")}, writes: []string{callPut}},
		"NotShown": {
			reason: "What is not shown is sent ever more slowly.", odd: odd{callGet: steptest.Refusal(404, "ResourceNotFoundException")},
			writes: slices.Repeat([]string{callPut}, 6), told: "3 times or more and does not show it",
		},
		"Unknown": {reason: "What can't be looked at is not sent.", odd: odd{callGet: steptest.Refusal(501, "InternalFailure")}, told: "cannot read the runtime management configuration"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			newRig(t).Bear(newConfig(), tc.odd, tc.writes, tc.told)
		})
	}
}
