package rollout

import (
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// An Observation is the state that the caller has observed.
type Observation struct {
	// Route of the alias, and the RevisionID that it has with it.
	Route      Route
	RevisionID string

	// Moving says that AWS has accepted the last change of the alias and still moves it, as it
	// does while provisioned concurrency moves to another version. Route is where it moves to.
	Moving bool

	// Target is the number of the version that the alias is to invoke. Empty if spec names none: then the
	// alias stays as it is.
	Target string

	// Versions are the versions that are known, by number.
	Versions map[string]Version

	// Revisions are the revisions of the versions' code that are known, by number.
	Revisions map[string]string

	// Commands are the values of the command annotations, by their key.
	Commands map[string]string

	// Measurements are the results of what was due. What is due and has none is measured after Wait,
	// or after a second if that is longer.
	Measurements []Measurement
	Wait         time.Duration

	// Took is the duration of the observation.
	Took time.Duration
}

// A Version is the state of a version, as far as it matters for a rollout.
type Version struct {
	// Fingerprint is a hash of its code and configuration. Empty if it is not known.
	Fingerprint string

	// Timeout of the version's invocations.
	Timeout time.Duration

	// Pending is the reason why the version can't be invoked yet, or why that is unknown. Empty if it can.
	Pending string

	// Missing says that AWS has no such version.
	Missing bool

	// Inactive says that AWS has released the version's resources, because it was not invoked for long.
	// The next invocation fails, and makes AWS prepare the version.
	Inactive bool

	// Invalid is the reason why the version can never be invoked. Empty if it may be.
	Invalid string

	// Role and DeadLetter are the ARNs of the execution role and of the dead letter queue or topic.
	// AWS requires that two versions of an alias have the same.
	Role, DeadLetter string
}

// unusable returns why a version can't be invoked now. Empty if it can.
func (v Version) unusable(number string) string {
	switch {
	case v.Invalid != "":
		return v.Invalid
	case v.Missing:
		return "version " + number + " does not exist"
	case v.Inactive:
		return "version " + number + " is Inactive: it is invoked once, so that AWS prepares it"
	}
	return v.Pending
}

// An Action is the caller's next action.
type Action string

// The actions.
const (
	// None is nothing but to persist the state.
	None Action = ""
	// Update changes the alias to Decision.Route, if it still has the revision of the intent.
	Update Action = "Update"
	// Invoke invokes the target version by its number for Decision.Test, and records the result.
	Invoke Action = "Invoke"
	// Wake invokes Decision.Version, which is Inactive, by its number. The invocation fails without running
	// code, and AWS prepares the version.
	Wake Action = "Wake"
)

// An Event is something that users are told.
type Event struct {
	Warning         bool
	Reason, Message string
}

// A Decision is the result of Next.
type Decision struct {
	// State to persist. If it differs from the former one, it is persisted before anything else.
	State *v1beta1.AliasRolloutStatus

	// Action is one that the former state has recorded.
	Action Action

	// Route that Update gives to the alias.
	Route Route

	// Test that Invoke makes.
	Test *v1beta1.RolloutSmokeTest

	// Version that Wake invokes.
	Version string

	// After is the wait before the next decision, zero if only a change requires one.
	After time.Duration

	// Events about what has changed.
	Events []Event
}
