package functionurl

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
		"None":      {reason: "AWS as it is.", writes: []string{callCreate}},
		"NoCreate":  {reason: "The name is known.", odd: odd{callCreate: steptest.Body("null")}, writes: []string{callCreate}},
		"EmptyList": {reason: "What the list lacks is looked at alone.", odd: odd{callList: steptest.Body("{}")}, writes: []string{callCreate}},
		"NullList":  {reason: "So it is here.", odd: odd{callList: steptest.Body(`{"FunctionUrlConfigs": null}`)}, writes: []string{callCreate}},
		"NoList":    {reason: "And where there is no list.", odd: odd{callList: steptest.Refusal(404, "ResourceNotFoundException")}, writes: []string{callCreate}},
		"Unknown":   {reason: "Or no such operation.", odd: odd{callList: steptest.Refusal(404, "UnknownOperationException")}, writes: []string{callCreate}},
		"NoARN":     {reason: "The list does not say whose it is.", odd: odd{callList: steptest.Without("FunctionArn")}, writes: []string{callCreate}},
		"Bare":      {reason: "What AWS leaves out is its default.", odd: odd{callList: steptest.Without("Cors", "InvokeMode", "CreationTime", "LastModifiedTime")}, writes: []string{callCreate}},
		"Nowhere": {
			reason: "What is shown nowhere is tried ever more slowly.", odd: odd{callList: steptest.Body("{}"), callGet: steptest.Refusal(404, "ResourceNotFoundException")},
			writes: slices.Repeat([]string{callCreate}, 11), told: "it already exists, but it cannot be found",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			newEnv(t).Bear(newURL(), tc.odd, tc.writes, tc.told)
		})
	}
}
