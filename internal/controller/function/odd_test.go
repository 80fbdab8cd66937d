package function

import (
	"slices"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// What an emulator answers oddly, or not at all, is told, and makes no second function.
func TestOddAnswers(t *testing.T) {
	type odd = map[string]steptest.Answer
	const tag, code = "TagResource", "UpdateFunctionCode"
	gone := steptest.Refusal(404, "ResourceNotFoundException")
	all := []string{callCreate, "PutFunctionConcurrency", "PutFunctionRecursionConfig"}
	cases := map[string]struct {
		reason string
		odd    odd
		writes []string
		told   string
	}{
		"None":        {reason: "AWS as it is.", writes: all},
		"EmptyCreate": {reason: "The name is known.", odd: odd{callCreate: steptest.Body("{}")}, writes: all},
		"NullCreate":  {reason: "So it is here.", odd: odd{callCreate: steptest.Body("null")}, writes: all},
		"EmptyGet":    {reason: "An answer without a configuration is no absence.", odd: odd{opGet: steptest.Body("{}")}, writes: all[:1], told: "AWS answered without its configuration"},
		"NoARN":       {reason: "The name is known.", odd: odd{opGet: steptest.Without("FunctionArn"), callCreate: steptest.Without("FunctionArn")}, writes: all},
		"NoState":     {reason: "What has no state is there.", odd: odd{opGet: steptest.Without("State", "LastUpdateStatus")}, writes: all},
		"NoTags": {
			reason: "Tags that are not shown are set ever more seldom, and hold nothing up.", odd: odd{opGet: steptest.Without("Tags")},
			writes: []string{callCreate, tag, all[1], tag, all[2], tag, tag, tag, tag}, told: "at least 3 times, but it is not visible",
		},
		"NoHash": {
			reason: "So it is with code.", odd: odd{opGet: steptest.Without("CodeSha256", "CodeSize", "Code")},
			writes: []string{callCreate, code, all[1], code, all[2], code, code, code, code}, told: "at least 3 times, but it is not visible",
		},
		"NoRecursion": {reason: "What is beside a function says nothing of the function.", odd: odd{opGetRecursion: gone}, writes: all[:1], told: "cannot read settings of function f"},
		"NotShown": {
			reason: "What AWS does not show is tried again ever more slowly, and is there.", odd: odd{opGet: gone},
			writes: slices.Repeat(all[:1], 11), told: "it already exists, but it cannot be found",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			newEnv(t).Bear(testFunction(func(f *v1beta1.Function) {
				f.Spec.ForProvider.RecursiveLoop, f.Spec.ForProvider.ReservedConcurrentExecutions = ptr.To("Allow"), ptr.To[int32](5)
			}), tc.odd, tc.writes, tc.told)
		})
	}
}
