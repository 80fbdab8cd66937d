package permission

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
		"None":        {reason: "AWS as it is.", writes: []string{callAdd}},
		"EmptyAdd":    {reason: "The name is known.", odd: odd{callAdd: steptest.Body("null")}, writes: []string{callAdd}},
		"NoRevision":  {reason: "It is not needed.", odd: odd{callRead: steptest.Without("RevisionId")}, writes: []string{callAdd}},
		"EmptyAnswer": {reason: "No policy shows what was sent, so that goes out ever more slowly.", odd: odd{callRead: steptest.Body("{}")}, writes: slices.Repeat([]string{callAdd}, 11), told: "it already exists, but it cannot be found"},
		"EmptyText":   {reason: "So it is here.", odd: odd{callRead: steptest.With("Policy", "")}, writes: slices.Repeat([]string{callAdd}, 11), told: "it already exists, but it cannot be found"},
		"NoStatement": {reason: "And here.", odd: odd{callRead: steptest.With("Policy", `{"Version":"2012-10-17"}`)}, writes: slices.Repeat([]string{callAdd}, 11), told: "it already exists, but it cannot be found"},
		"NullStatement": {
			reason: "And here.", odd: odd{callRead: steptest.With("Policy", `{"Version":"2012-10-17","Statement":null}`)},
			writes: slices.Repeat([]string{callAdd}, 11), told: "it already exists, but it cannot be found",
		},
		"Broken":  {reason: "What is no policy is told, and looked at again.", odd: odd{callRead: steptest.With("Policy", `{"Statement":`)}, writes: []string{callAdd}, told: "the JSON is incomplete"},
		"Unknown": {reason: "What can't be looked at is not sent.", odd: odd{callRead: steptest.Refusal(501, "InternalFailure")}, told: "cannot get the policy of"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			newEnv(t).Bear(testPermission(), tc.odd, tc.writes, tc.told)
		})
	}
}
