package eventsourcemapping

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
)

// What an emulator answers oddly, or not at all, is told, and makes no second mapping.
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
			reason: "Without an ARN, nobody can ask for tags. That is no absence.", odd: odd{opCreate: steptest.Without("EventSourceMappingArn"), opGet: steptest.Without("EventSourceMappingArn")},
			writes: []string{opCreate}, told: tagging.Untold,
		},
		"NoTags":     {reason: "Tags that are not told are no absence, and left alone.", odd: odd{opTags: steptest.Refusal(404, "ResourceNotFoundException")}, writes: []string{opCreate}, told: tagging.Untold},
		"NoListTags": {reason: "So they are where there is no such operation.", odd: odd{opTags: steptest.Refusal(501, "InternalFailure")}, writes: []string{opCreate}, told: tagging.Untold},
		"NotShown": {
			reason: "What AWS does not show is waited for.", odd: odd{opGet: steptest.Refusal(404, "ResourceNotFoundException")},
			writes: []string{opCreate}, told: "has not appeared since",
		},
		"NothingListed": {
			reason: "What has no name and is not listed is not created again.", odd: odd{opCreate: steptest.Body("{}"), opList: steptest.Body("{}")},
			writes: []string{opCreate}, told: "has not appeared since",
		},
		"Doubt": {
			reason: "Without ARNs, nobody knows which one was created.", odd: odd{opCreate: steptest.Body("{}"), opList: steptest.Without("EventSourceMappingArn")},
			writes: []string{opCreate}, told: "cannot tell whether this resource created event source mapping ",
		},
		"NoState":  {reason: "That is told.", odd: odd{opGet: steptest.Without("State")}, writes: []string{opCreate}, told: "does not return a state"},
		"EmptyGet": {reason: "That is all that can be told.", odd: odd{opGet: steptest.Body("{}")}, writes: []string{opCreate}, told: "does not return a state"},
		"Bare": {
			reason: "What every mapping has is taken as it is wanted where it is left out.",
			odd:    odd{opGet: steptest.Without("FunctionArn", "EventSourceArn", "StartingPosition", "LastModified", "StateTransitionReason", "FilterCriteria", "DestinationConfig")},
			writes: []string{opCreate},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			newEnv(t).Bear(testMapping(), tc.odd, tc.writes, tc.told)
		})
	}
}
