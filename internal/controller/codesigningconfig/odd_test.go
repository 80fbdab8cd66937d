package codesigningconfig

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
)

// What an emulator answers oddly, or not at all, is told, and makes no second configuration.
func TestOddAnswers(t *testing.T) {
	type odd = map[string]steptest.Answer
	cases := map[string]struct {
		reason string
		odd    odd
		writes []string
		told   string
	}{
		"None":        {reason: "AWS as it is.", writes: []string{opCreate}},
		"EmptyCreate": {reason: "What was created is found by its tags.", odd: odd{opCreate: steptest.Body("{}")}, writes: []string{opCreate}},
		"NullCreate":  {reason: "So it is here.", odd: odd{opCreate: steptest.Body("null")}, writes: []string{opCreate}},
		"NoARN": {
			reason: "Without any ARN it can't be found, and another create would make a second one.",
			odd:    odd{opCreate: steptest.Without("CodeSigningConfigArn"), opList: steptest.Without("CodeSigningConfigArn")},
			writes: []string{opCreate}, told: "has not appeared since",
		},
		"NothingListed": {
			reason: "Nor can it without a list.", odd: odd{opCreate: steptest.Body("{}"), opList: steptest.Body("{}")},
			writes: []string{opCreate}, told: "has not appeared since",
		},
		"NoList": {
			reason: "Nor where there is no such operation.", odd: odd{opCreate: steptest.Body("{}"), opList: steptest.Refusal(404, "UnknownOperationException")},
			writes: []string{opCreate}, told: "cannot list code signing configurations",
		},
		"NotShown": {
			reason: "What AWS does not show is waited for.", odd: odd{opGet: steptest.Refusal(404, "ResourceNotFoundException")},
			writes: []string{opCreate}, told: "has not appeared since",
		},
		"EmptyGet":   {reason: "An answer without a configuration is no absence.", odd: odd{opGet: steptest.Body("{}")}, writes: []string{opCreate}, told: "contains no CodeSigningConfig"},
		"BareGet":    {reason: "What AWS leaves out is its default.", odd: odd{opGet: steptest.Without("CodeSigningConfigArn", "CodeSigningConfigId", "CodeSigningPolicies", "Description", "LastModified")}, writes: []string{opCreate}},
		"NoTags":     {reason: "Tags that are not told are no absence, and left alone.", odd: odd{opTags: steptest.Refusal(404, "ResourceNotFoundException")}, writes: []string{opCreate}, told: tagging.Untold},
		"NoListTags": {reason: "So they are where there is no such operation.", odd: odd{opTags: steptest.Refusal(501, "InternalFailure")}, writes: []string{opCreate}, told: tagging.Untold},
		"Doubt": {
			reason: "Without tags, nobody knows which one was created.", odd: odd{opCreate: steptest.Body("{}"), opTags: steptest.Refusal(404, "ResourceNotFoundException")},
			writes: []string{opCreate}, told: "cannot tell whether this resource created code signing configuration arn:",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			newEnv(t).Bear(testConfig(), tc.odd, tc.writes, tc.told)
		})
	}
}
