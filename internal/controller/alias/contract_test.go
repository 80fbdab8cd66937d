package alias

import (
	"slices"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// begin returns an env and a resource to create in it.
func begin(t testing.TB) (*testenv.Env[*v1beta1.Alias], *v1beta1.Alias) {
	t.Helper()
	return newEnv(t).Env, testAlias()
}

// FuzzReconcile reconciles random specs with random AWS responses.
func FuzzReconcile(f *testing.F) { testenv.Fuzz(f, "aliases", begin) }

// TestOddAnswers checks that malformed or missing responses of an emulator are reported and
// that no call is repeated without bound.
func TestOddAnswers(t *testing.T) {
	type odd = testenv.Answers
	once := []string{opCreate}
	testenv.RunEmulatorCases(t, begin, map[string]testenv.EmulatorCase{
		"None":     {Reason: "AWS as it is.", Writes: once},
		"NoCreate": {Reason: "The name is known.", Responses: odd{opCreate: testenv.Body("null")}, Writes: once},
		"EmptyList": {
			Reason:    "A resource that the list lacks is read alone.",
			Responses: odd{opList: testenv.Body("{}")}, Writes: once,
		},
		"NullList": {
			Reason:    "A null list counts as an empty one.",
			Responses: odd{opList: testenv.Body(`{"Aliases": null}`)}, Writes: once,
		},
		"NoList": {
			Reason:    "If the list fails, the resource is read alone.",
			Responses: odd{opList: testenv.Refusal(404, "ResourceNotFoundException")}, Writes: once,
		},
		"Unknown": {
			Reason:    "If AWS lacks the list operation, the resource is read alone.",
			Responses: odd{opList: testenv.Refusal(404, "UnknownOperationException")}, Writes: once,
		},
		"Bare": {
			Reason:    "What AWS leaves out is not there.",
			Responses: odd{opList: testenv.Without("AliasArn", "Description", "RoutingConfig", "RevisionId")},
			Writes:    []string{opCreate},
		},
		"Nowhere": {
			Reason:    "What is shown nowhere is tried ever more slowly.",
			Responses: odd{opList: testenv.Body("{}"), opGet: testenv.Refusal(404, "ResourceNotFoundException")},
			Writes:    slices.Repeat([]string{opCreate}, 11),
			Message:   testenv.NotFound,
		},
	})
}

// TestLate checks that however late AWS shows it, one alias is
// created, and none is left after the deletion.
func TestLate(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Lifecycle[*v1beta1.Alias] {
		t.Helper()
		e := newEnv(t)
		a := testAlias(func(a *v1beta1.Alias) {
			a.Spec.InitProvider = &v1beta1.AliasSettings{Description: ptr.To("first")}
		})
		return testenv.Lifecycle[*v1beta1.Alias]{
			Env: e.Env, Resource: a, Create: opCreate, Delete: opDelete,
			Edit: func() { a.Spec.ForProvider.FunctionVersion = ptr.To("2") },
			There: func() []string {
				if got, ok := e.Double.Alias("f", "live"); ok {
					return []string{got.FunctionVersion + " " + got.Description}
				}
				return nil
			},
			Created: []string{"1 first"}, Edited: []string{"2 first"},
		}
	})
}
