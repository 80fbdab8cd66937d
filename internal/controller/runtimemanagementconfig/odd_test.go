package runtimemanagementconfig

import (
	"slices"
	"strings"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
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
		"EmptyGet": {reason: "It can neither be in order nor absent.", odd: odd{callGet: steptest.Body("{}")}, told: "lacks updateRuntimeOn"},
		"NullGet":  {reason: "The SDK does not take it for an answer.", odd: odd{callGet: steptest.Body("null")}, told: "cannot read the runtime management configuration"},
		"NoARN":    {reason: "That is no difference.", odd: odd{callGet: steptest.Without("FunctionArn", "RuntimeVersionArn")}, writes: []string{callPut}},
		"NotShown": {
			reason: "What is not shown is sent ever more slowly.", odd: odd{callGet: steptest.Refusal(404, "ResourceNotFoundException")},
			writes: slices.Repeat([]string{callPut}, 6), told: "at least 3 times, but it is not visible",
		},
		"Unknown": {reason: "What can't be looked at is not sent.", odd: odd{callGet: steptest.Refusal(501, "InternalFailure")}, told: "cannot read the runtime management configuration"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			newEnv(t).Bear(newConfig(), tc.odd, tc.writes, tc.told)
		})
	}
}

// An answer that does not say when the runtime is updated is not taken for what an edit asks for,
// nor for AWS's default, by which a resource that is being deleted would be let go.
func TestReadWithoutMode(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   []func(*v1beta1.RuntimeManagementConfig)
	}{
		"New":      {reason: "It may have been set."},
		"Edited":   {reason: "The edit may not have been sent.", edit: []func(*v1beta1.RuntimeManagementConfig){named}},
		"Deleted":  {reason: "It may not have been set back.", edit: []func(*v1beta1.RuntimeManagementConfig){named, deleted}},
		"Observed": {reason: "Nothing is known of it.", edit: []func(*v1beta1.RuntimeManagementConfig){named, policies(xpv2.ManagementActionObserve)}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := newExternal(&fakeLambda{get: answering("")}).Observe(t.Context(), newConfig(tc.edit...))
			if err == nil || !strings.Contains(err.Error(), "lacks updateRuntimeOn") {
				t.Errorf("%s: want an error that says what the answer lacks, got %v", tc.reason, err)
			}
		})
	}
}
