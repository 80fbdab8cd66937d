package testenv

import (
	"maps"
	"slices"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
	"github.com/crossplane-contrib/provider-lambda/internal/tagging"
)

// Answers are responses of an emulator that replace those of AWS, by operation.
type Answers = map[string]Answer

// An OddCase is a set of an emulator's responses, and the expected result.
type OddCase struct {
	Reason string
	Odd    Answers

	// Writes are the calls within an hour that may change something.
	Writes []string

	// Told is part of the last message to the user.
	Told string
}

// OddAnswers reconciles a new resource for an hour in each of several cases. Whatever an emulator returns, the user
// gets a message about what is wrong, nothing is created twice and no call is repeated without bound. begin returns a
// new env and a resource to create in it.
func OddAnswers[T reconciler.Managed](t *testing.T, begin func(testing.TB) (*Env[T], T), tables ...map[string]OddCase) {
	t.Helper()
	cases := map[string]OddCase{}
	for _, table := range tables {
		maps.Copy(cases, table)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.Reason)
			r, mg := begin(t)
			r.Bear(mg, tc.Odd, tc.Writes, tc.Told)
		})
	}
}

// The messages about a resource that was created and that AWS does not return.
const (
	NotVisible = "at least 3 times, but it is not visible"
	NotFound   = "it already exists, but it cannot be found"
)

// ListAnswers returns the cases of kinds that read all resources of a function with one list in the given field, and
// a resource alone if the list lacks it.
func ListAnswers(list, create, field string) map[string]OddCase {
	once := []string{create}
	return map[string]OddCase{
		"None":      {Reason: "AWS as it is.", Writes: once},
		"NoCreate":  {Reason: "The name is known.", Odd: Answers{create: Body("null")}, Writes: once},
		"EmptyList": {Reason: "What the list lacks is looked at alone.", Odd: Answers{list: Body("{}")}, Writes: once},
		"NullList":  {Reason: "So it is here.", Odd: Answers{list: Body(`{"` + field + `": null}`)}, Writes: once},
		"NoList":    {Reason: "And where there is no list.", Odd: Answers{list: Refusal(404, "ResourceNotFoundException")}, Writes: once},
		"Unknown":   {Reason: "Or no such operation.", Odd: Answers{list: Refusal(404, "UnknownOperationException")}, Writes: once},
	}
}

// PolicyAnswers returns the cases of kinds that are statements of a resource-based policy, which one call reads. A
// policy that never shows what was written is written a limited number of times an hour, which the message reports.
func PolicyAnswers(read, write string, times int, told string) map[string]OddCase {
	once, repeated := []string{write}, slices.Repeat([]string{write}, times)
	return map[string]OddCase{
		"None":          {Reason: "AWS as it is.", Writes: once},
		"EmptyAdd":      {Reason: "The name is known.", Odd: Answers{write: Body("null")}, Writes: once},
		"NoRevision":    {Reason: "It is not needed.", Odd: Answers{read: Without("RevisionId")}, Writes: once},
		"EmptyAnswer":   {Reason: "No policy shows what was sent, so that goes out ever more slowly.", Odd: Answers{read: Body("{}")}, Writes: repeated, Told: told},
		"EmptyText":     {Reason: "So it is here.", Odd: Answers{read: With("Policy", "")}, Writes: repeated, Told: told},
		"NoStatement":   {Reason: "And here.", Odd: Answers{read: With("Policy", `{"Version":"2012-10-17"}`)}, Writes: repeated, Told: told},
		"NullStatement": {Reason: "And here.", Odd: Answers{read: With("Policy", `{"Version":"2012-10-17","Statement":null}`)}, Writes: repeated, Told: told},
		"Broken":        {Reason: "What is no policy is told, and looked at again.", Odd: Answers{read: With("Policy", `{"Statement":`)}, Writes: once, Told: "the JSON is incomplete"},
		"Unknown":       {Reason: "What can't be looked at is not sent.", Odd: Answers{read: Refusal(501, "InternalFailure")}, Told: "cannot get the policy of"},
	}
}

// TagAnswers returns the cases of kinds whose tags are read by a separate call.
func TagAnswers(create string) map[string]OddCase {
	return map[string]OddCase{
		"None":       {Reason: "AWS as it is.", Writes: []string{create}},
		"NoTags":     {Reason: "Tags that are not told are no absence, and left alone.", Odd: Answers{"ListTags": Refusal(404, "ResourceNotFoundException")}, Writes: []string{create}, Told: tagging.NotReturned},
		"NoListTags": {Reason: "So they are where there is no such operation.", Odd: Answers{"ListTags": Refusal(501, "InternalFailure")}, Writes: []string{create}, Told: tagging.NotReturned},
	}
}
