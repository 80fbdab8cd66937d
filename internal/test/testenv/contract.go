package testenv

import (
	"maps"
	"slices"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// Answers are responses of an emulator that replace those of AWS, by operation.
type Answers = map[string]Answer

// An EmulatorCase is a set of an emulator's responses, and the expected result.
type EmulatorCase struct {
	Reason    string
	Responses Answers

	// Writes are the calls within an hour that may change something.
	Writes []string

	// Message is part of the last message to the user.
	Message string
}

// RunEmulatorCases reconciles a new resource for an hour in each of several cases. Whatever an emulator returns, the
// user gets a message about what is wrong, nothing is created twice and no call is repeated without bound. newCase
// returns a new env and a resource to create in it.
func RunEmulatorCases[T reconcile.Managed](
	t *testing.T, newCase func(testing.TB) (*Env[T], T), tables ...map[string]EmulatorCase,
) {
	t.Helper()
	cases := map[string]EmulatorCase{}
	for _, table := range tables {
		maps.Copy(cases, table)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.Reason)
			r, mg := newCase(t)
			r.ReconcileForAnHour(mg, tc.Responses, tc.Writes, tc.Message)
		})
	}
}

// The messages about a resource that was created and that AWS does not return.
const (
	NotVisible = "at least 3 times, but it is not visible"
	NotFound   = "it already exists, but it cannot be found"
)

// GetAnswers returns the cases of kinds of a known name that one operation reads.
func GetAnswers(get, create string) map[string]EmulatorCase {
	once := []string{create}
	return map[string]EmulatorCase{
		"None":     {Reason: "AWS as it is.", Writes: once},
		"NoCreate": {Reason: "The name is known.", Responses: Answers{create: Body("null")}, Writes: once},
		"EmptyGet": {
			Reason: "An empty answer is neither up to date nor absent.", Responses: Answers{get: Body("{}")},
			Writes: once, Message: "lacks",
		},
		"Unknown": {
			Reason:    "An operation that AWS lacks tells nothing.",
			Responses: Answers{get: Refusal(404, "UnknownOperationException")}, Message: "UnknownOperationException",
		},
	}
}

// PolicyAnswers returns the cases of kinds that are statements of a resource-based policy, which one call reads. A
// policy that never shows what was written is written a limited number of times an hour, which the message reports.
func PolicyAnswers(read, write string, times int, message string) map[string]EmulatorCase {
	once, repeated := []string{write}, slices.Repeat([]string{write}, times)
	return map[string]EmulatorCase{
		"None":     {Reason: "AWS as it is.", Writes: once},
		"EmptyAdd": {Reason: "The name is known.", Responses: Answers{write: Body("null")}, Writes: once},
		"NoRevision": {
			Reason: "The revision is optional.", Responses: Answers{read: Without("RevisionId")},
			Writes: once,
		},
		"EmptyAnswer": {
			Reason: "An empty answer does not say that there is no policy.", Responses: Answers{read: Body("{}")},
			Writes: once, Message: "lacks policy",
		},
		"EmptyText": {
			Reason: "No text is not a policy without statements.", Responses: Answers{read: With("Policy", "")},
			Writes: once, Message: "lacks policy",
		},
		"NoStatement": {
			Reason: "A policy without statements lacks the statement, which is sent again at growing " +
				"intervals.", Responses: Answers{read: With("Policy", `{"Version":"2012-10-17"}`)}, Writes: repeated,
			Message: message,
		},
		"NullStatement": {
			Reason: "A policy with null statements lacks the statement, which is sent again at growing " +
				"intervals.", Responses: Answers{read: With("Policy", `{"Version":"2012-10-17","Statement":null}`)},
			Writes:  repeated,
			Message: message,
		},
		"Broken": {
			Reason:    "An invalid policy is reported and read again.",
			Responses: Answers{read: With("Policy", `{"Statement":`)}, Writes: once, Message: "the JSON is incomplete",
		},
		"Unknown": {
			Reason:    "Nothing is sent if the state cannot be read.",
			Responses: Answers{read: Refusal(501, "InternalFailure")}, Message: "cannot get the policy of",
		},
	}
}

// TagAnswers returns the cases of kinds whose tags are read by a separate call.
func TagAnswers(create string) map[string]EmulatorCase {
	return map[string]EmulatorCase{
		"None": {Reason: "AWS as it is.", Writes: []string{create}},
		"NoTags": {
			Reason:    "Missing tags do not mean that the resource is absent, and are not set.",
			Responses: Answers{"ListTags": Refusal(404, "ResourceNotFoundException")}, Writes: []string{create},
			Message: tagging.NotReturned,
		},
		"NoListTags": {
			Reason:    "If AWS lacks ListTags, the tags are neither compared nor set.",
			Responses: Answers{"ListTags": Refusal(501, "InternalFailure")}, Writes: []string{create},
			Message: tagging.NotReturned,
		},
		"OnlyFunctions": {
			Reason:    "An emulator that has tags of functions only refuses the ARN.",
			Responses: Answers{"ListTags": Refusal(400, "InvalidParameterValueException")}, Writes: []string{create},
			Message: tagging.NotReturned,
		},
	}
}
