package version

import (
	"slices"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// begin returns an env and a resource to create in it.
func begin(t testing.TB) (*testenv.Env[*v1beta1.Version], *v1beta1.Version) {
	t.Helper()
	return newEnv(t).Env, testVersion()
}

// FuzzReconcile checks the contract of a reconcile for any answers of AWS and any spec.
func FuzzReconcile(f *testing.F) { testenv.Fuzz(f, "versions", begin) }

// TestOddAnswers checks that unusual or missing answers of an emulator are reported, and do
// not lead to a second version.
func TestOddAnswers(t *testing.T) {
	type odd = testenv.Answers
	gone := testenv.Refusal(404, "ResourceNotFoundException")
	one := []string{opPublish}
	// If the content is already published, AWS returns that version.
	some := slices.Repeat(one, 5)
	testenv.OddAnswers(t, begin, map[string]testenv.OddCase{
		"None":         {Reason: "AWS as it is.", Writes: one},
		"EmptyPublish": {Reason: "A number that is not told is asked for ever more seldom.", Odd: odd{opPublish: testenv.Body("{}")}, Writes: some, Told: "it is not visible yet"},
		"NullPublish":  {Reason: "So it is here.", Odd: odd{opPublish: testenv.Body("null")}, Writes: one},
		"NoARN":        {Reason: "The name is known.", Odd: odd{opPublish: testenv.Without("FunctionArn"), opGet: testenv.Without("FunctionArn")}, Writes: one},
		"EmptyGet":     {Reason: "An answer without a configuration is no absence.", Odd: odd{opGet: testenv.Body("{}")}, Told: "AWS answered without its configuration"},
		"NoFunction":   {Reason: "Of no function, nothing is published.", Odd: odd{opGet: gone}, Told: "function f does not exist"},
		"NoVersions":   {Reason: "A list is not needed.", Odd: odd{opList: gone}, Writes: one},
		"EmptyList":    {Reason: "And where nothing is listed.", Odd: odd{opList: testenv.Body("{}"), opPublish: testenv.Body("{}")}, Writes: some, Told: "it is not visible yet"},
		"NoState":      {Reason: "What has no state is there.", Odd: odd{opGet: testenv.Without("State", "LastUpdateStatus")}, Writes: some[:2]},
		"NoHash":       {Reason: "What is not told is not compared.", Odd: odd{opGet: testenv.Without("CodeSha256")}, Writes: one},
	})
}

// TestLate checks that, however late AWS returns the versions, each state of the function
// is published once, and the version is deleted with the resource.
func TestLate(t *testing.T) {
	testenv.AtEveryLateness(t, func(t testing.TB) testenv.Life[*v1beta1.Version] {
		t.Helper()
		e := newEnv(t)
		v := testVersion()
		return testenv.Life[*v1beta1.Version]{
			Env: e.Env, Resource: v, Create: opPublish, Delete: opDelete, Publishes: true,
			Edit:    func() { e.change(256) },
			There:   e.versions,
			Created: []string{"1"}, Edited: []string{"1", "2"}, Leftover: []string{"1"},
		}
	})
}
