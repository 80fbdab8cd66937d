package eventsourcemapping

import (
	"strings"
	"time"

	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// retryAfter is the delay before a mapping that AWS itself disabled is enabled again: the cause may have been fixed
// outside of the manifest.
const retryAfter = 10 * time.Minute

// inMotion reports whether AWS rejects changes of a mapping in this state.
func inMotion(state string) bool {
	switch state {
	case stateCreating, stateEnabling, stateDisabling, stateUpdating, stateDeleting:
		return true
	}
	return false
}

// ready returns the Ready condition for the state in AWS. want is nil if spec does not set
// enabled, which counts as true.
func ready(generation int64, o observed, want *bool) xpv2.Condition {
	switch state := o.state(); {
	case state == stateCreating:
		return reconcile.Creating(generation, explanation(o))
	case state == stateDeleting:
		return reconcile.Unavailable(generation, "AWS is deleting the mapping")
	case inMotion(state):
		return reconcile.Updating(generation, join("AWS reports the state "+strings.ToLower(state), explanation(o)))
	case advice.HasStoppedReading(o.state(), o.reason()):
		return reconcile.Unavailable(generation, join("AWS has stopped reading the source", explanation(o)))
	case state == stateDisabled && ptr.Deref(want, true):
		return reconcile.Unavailable(generation, disabled(o, want))
	case state == stateDisabled, state == stateEnabled:
		return reconcile.Available(generation).WithMessage(problem(o))
	case state == "":
		return reconcile.Unavailable(generation, "AWS does not return a state")
	default:
		return reconcile.Unavailable(generation, join("AWS reports the state "+state, explanation(o)))
	}
}

// disabled returns the message about who disabled a mapping, why, and what to do.
func disabled(o observed, want *bool) string {
	who := "a user disabled the mapping"
	if !advice.IsUserAction(o.reason()) {
		who = "AWS disabled the mapping"
	}
	if want == nil {
		return join(who, explanation(o)) +
			"; set spec.forProvider.enabled to true to enable it again, or to false to keep it disabled"
	}
	return join(who, explanation(o))
}

// explanation returns AWS's explanation of a state: its reason, unless that only names a user
// action, and the last problem.
func explanation(o observed) string {
	reason := o.reason()
	if advice.IsUserAction(reason) {
		reason = ""
	}
	return join(reason, problem(o))
}

// problem returns the result of the last attempt to read or process, if it is a problem.
func problem(o observed) string {
	if r := o.result(); strings.HasPrefix(strings.ToUpper(r), "PROBLEM") {
		return r
	}
	return ""
}

func join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + ": " + b
}

// sinceModified returns how long ago AWS changed the mapping or its state.
func sinceModified(o observed, now time.Time) time.Duration {
	if o.mapping.LastModified == nil {
		return retryAfter
	}
	return max(now.Sub(*o.mapping.LastModified), 0)
}

// pending returns the delay before the next observation of a mapping that AWS is changing.
func pending(o observed, now time.Time) time.Duration {
	return reconcile.PendingDelay(sinceModified(o, now))
}
