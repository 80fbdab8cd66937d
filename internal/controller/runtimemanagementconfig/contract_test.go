package runtimemanagementconfig

import (
	"slices"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// begin returns an env and a resource to create in it.
func begin(t testing.TB) (*steptest.Env[*v1beta1.RuntimeManagementConfig], *v1beta1.RuntimeManagementConfig) {
	t.Helper()
	return newEnv(t).Env, newConfig()
}

// Whatever AWS answers, and whatever the spec.
func FuzzReconcile(f *testing.F) { steptest.Fuzz(f, "runtimemanagementconfigs", begin) }

// What an emulator answers oddly, or not at all, is told, and sent no call without end.
func TestOddAnswers(t *testing.T) {
	type odd = steptest.Answers
	steptest.OddAnswers(t, begin, map[string]steptest.OddCase{
		"None":     {Reason: "AWS as it is.", Writes: []string{opPut}},
		"NoPut":    {Reason: "The name is known.", Odd: odd{opPut: steptest.Body("null")}, Writes: []string{opPut}},
		"EmptyGet": {Reason: "It can neither be in order nor absent.", Odd: odd{opGet: steptest.Body("{}")}, Told: "lacks updateRuntimeOn"},
		"NullGet":  {Reason: "The SDK does not take it for an answer.", Odd: odd{opGet: steptest.Body("null")}, Told: "cannot read the runtime management configuration"},
		"NoARN":    {Reason: "That is no difference.", Odd: odd{opGet: steptest.Without("FunctionArn", "RuntimeVersionArn")}, Writes: []string{opPut}},
		"NotShown": {
			Reason: "What is not shown is sent ever more slowly.", Odd: odd{opGet: steptest.Refusal(404, "ResourceNotFoundException")},
			Writes: slices.Repeat([]string{opPut}, 6), Told: steptest.NotVisible,
		},
		"Unknown": {Reason: "What can't be looked at is not sent.", Odd: odd{opGet: steptest.Refusal(501, "InternalFailure")}, Told: "cannot read the runtime management configuration"},
	})
}

// An answer that does not say when the runtime is updated is not taken for what an edit asks for,
// nor for AWS's default, by which a resource that is being deleted would be let go.
func TestReadWithoutMode(t *testing.T) {
	type mg = *v1beta1.RuntimeManagementConfig
	cases := map[string]steptest.ObserveCase[env, mg]{
		"New":      {Reason: "It may have been set.", Resource: newConfig()},
		"Edited":   {Reason: "The edit may not have been sent.", Resource: newConfig(named)},
		"Deleted":  {Reason: "It may not have been set back.", Resource: newConfig(named, steptest.BeingDeleted)},
		"Observed": {Reason: "Nothing is known of it.", Resource: newConfig(named, steptest.ObserveOnly)},
	}
	for name, tc := range cases {
		tc.AWS = func(e env) { e.Odd = steptest.Answers{opGet: steptest.Without("UpdateRuntimeOn")} }
		tc.Want = steptest.Observation{Err: "lacks updateRuntimeOn"}
		cases[name] = tc
	}
	steptest.Observe(t, newEnv, cases)
}

// However late AWS shows it, it is set, and AWS's default after the deletion.
func TestLate(t *testing.T) {
	steptest.AtEveryLateness(t, func(t testing.TB) steptest.Life[*v1beta1.RuntimeManagementConfig] {
		t.Helper()
		e := newEnv(t)
		c := newConfig()
		return steptest.Life[*v1beta1.RuntimeManagementConfig]{
			Env: e.Env, Resource: c, Create: opPut, Delete: opPut, Sets: true,
			Edit: func() { c.Spec.ForProvider.RuntimeManagementConfigSettings = on(manual, runtimeA) },
			There: func() []string {
				s := e.there("$LATEST")
				return []string{*s.UpdateRuntimeOn + " " + ptr.Deref(s.RuntimeVersionArn, "")}
			},
			Created: []string{"FunctionUpdate "}, Edited: []string{manual + " " + runtimeA}, Leftover: []string{auto + " "},
		}
	})
}
