package capacityprovider

import (
	"slices"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
)

// What an emulator answers oddly, or not at all, is told, and makes no second capacity provider.
func TestOddAnswers(t *testing.T) {
	type odd = map[string]steptest.Answer
	cases := map[string]struct {
		reason string
		odd    odd
		writes []string
		told   string
	}{
		"None":        {reason: "AWS as it is.", writes: []string{opCreate}},
		"EmptyCreate": {reason: "The name is known.", odd: odd{opCreate: steptest.Body("null")}, writes: []string{opCreate}},
		"EmptyGet":    {reason: "An answer without a capacity provider is no absence.", odd: odd{opGet: steptest.Body("{}")}, writes: []string{opCreate}, told: "contains no CapacityProvider"},
		"NoARN":       {reason: "Without an ARN, nobody can ask for tags.", odd: odd{opGet: steptest.Without("CapacityProviderArn")}, writes: []string{opCreate}, told: tagging.Untold},
		"NoState":     {reason: "That is told.", odd: odd{opGet: steptest.Without("State")}, writes: []string{opCreate}, told: "does not return a state"},
		"Bare": {
			reason: "Blocks that are left out are AWS's defaults.", odd: odd{opGet: steptest.Without("CapacityProviderScalingConfig", "TelemetryConfig", "PropagateTags", "LastModified")},
			writes: []string{opCreate},
		},
		"NoTags":     {reason: "Tags that are not told are no absence, and left alone.", odd: odd{opTags: steptest.Refusal(404, "ResourceNotFoundException")}, writes: []string{opCreate}, told: tagging.Untold},
		"NoListTags": {reason: "So they are where there is no such operation.", odd: odd{opTags: steptest.Refusal(501, "InternalFailure")}, writes: []string{opCreate}, told: tagging.Untold},
		"NoGet":      {reason: "What can't be looked at is not created.", odd: odd{opGet: steptest.Refusal(404, "UnknownOperationException")}, told: "cannot read capacity provider web"},
		"NotShown": {
			reason: "What AWS does not show is tried again ever more slowly, and is there.", odd: odd{opGet: steptest.Refusal(404, "ResourceNotFoundException")},
			writes: slices.Repeat([]string{opCreate}, 11), told: "it already exists, but it cannot be found",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			newEnv(t).Bear(testProvider(), tc.odd, tc.writes, tc.told)
		})
	}
}

// One whose ARN AWS leaves out of an answer is deleted all the same, and not left behind.
func TestDeletedWithoutAnARN(t *testing.T) {
	e := newEnv(t)
	c := testProvider()
	e.Settle(c)
	e.Remove(c)
	e.Bear(c, map[string]steptest.Answer{opGet: steptest.Without("CapacityProviderArn")}, []string{opDelete}, "")
}
