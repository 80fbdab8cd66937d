package version

import (
	"slices"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// What an emulator answers oddly, or not at all, is told, and publishes no second version.
func TestOddAnswers(t *testing.T) {
	type odd = map[string]steptest.Answer
	gone := steptest.Refusal(404, "ResourceNotFoundException")
	one := []string{callPublish}
	// AWS answers the publication of what is published already with that version.
	some := slices.Repeat(one, 5)
	cases := map[string]struct {
		reason string
		odd    odd
		writes []string
		told   string
	}{
		"None":         {reason: "AWS as it is.", writes: one},
		"EmptyPublish": {reason: "A number that is not told is asked for ever more seldom.", odd: odd{callPublish: steptest.Body("{}")}, writes: some, told: "it is not visible yet"},
		"NullPublish":  {reason: "So it is here.", odd: odd{callPublish: steptest.Body("null")}, writes: one},
		"NoARN":        {reason: "The name is known.", odd: odd{callPublish: steptest.Without("FunctionArn"), callGet: steptest.Without("FunctionArn")}, writes: one},
		"EmptyGet":     {reason: "An answer without a configuration is no absence.", odd: odd{callGet: steptest.Body("{}")}, told: "AWS answered without its configuration"},
		"NoFunction":   {reason: "Of no function, nothing is published.", odd: odd{callGet: gone}, told: "function f does not exist"},
		"NoVersions":   {reason: "A list is not needed.", odd: odd{callList: gone}, writes: one},
		"EmptyList":    {reason: "And where nothing is listed.", odd: odd{callList: steptest.Body("{}"), callPublish: steptest.Body("{}")}, writes: some, told: "it is not visible yet"},
		"NoState":      {reason: "What has no state is there.", odd: odd{callGet: steptest.Without("State", "LastUpdateStatus")}, writes: some[:2]},
		"NoHash":       {reason: "What is not told is not compared.", odd: odd{callGet: steptest.Without("CodeSha256")}, writes: one},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			newEnv(t).Bear(testVersion(), tc.odd, tc.writes, tc.told)
		})
	}
}
