package eventsourcemapping

import (
	"strings"
	"time"

	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
)

// AWS's states of a mapping.
const (
	stateCreating  = "Creating"
	stateEnabling  = "Enabling"
	stateEnabled   = "Enabled"
	stateDisabling = "Disabling"
	stateDisabled  = "Disabled"
	stateUpdating  = "Updating"
	stateDeleting  = "Deleting"
)

// retryAfter is how long a mapping that AWS itself disabled stays so before it is
// enabled again: what made AWS disable it may have been put right elsewhere.
const retryAfter = 10 * time.Minute

// inMotion says that AWS takes no change of a mapping now.
func inMotion(state string) bool {
	switch state {
	case stateCreating, stateEnabling, stateDisabling, stateUpdating, stateDeleting:
		return true
	}
	return false
}

// byUser says that a user brought a state about, in any of AWS's spellings.
func byUser(reason string) bool {
	r := strings.ToLower(strings.ReplaceAll(reason, "_", " "))
	return r == "" || strings.HasPrefix(r, "user")
}

// failing says that AWS has stopped reading, though it calls the mapping enabled: its
// reason is then an error's code, such as EVENT_SOURCE_AUTHN_ERROR.
func failing(o observed) bool {
	r := o.reason()
	return o.state() == stateEnabled && (strings.HasSuffix(r, "_ERROR") || strings.HasSuffix(r, "_NOT_VALID"))
}

// ready is the Ready condition by what AWS says. want is nil where being enabled is left
// to AWS, which then counts as wanted.
func ready(generation int64, o observed, want *bool) xpv2.Condition {
	switch state := o.state(); {
	case state == stateCreating:
		return reconciler.Creating(generation, why(o))
	case state == stateDeleting:
		return reconciler.Unavailable(generation, "AWS is deleting the mapping")
	case inMotion(state):
		return reconciler.Updating(generation, join("AWS reports the state "+strings.ToLower(state), why(o)))
	case failing(o):
		return reconciler.Unavailable(generation, join("AWS has stopped reading the source", why(o)))
	case state == stateDisabled && ptr.Deref(want, true):
		return reconciler.Unavailable(generation, disabled(o, want))
	case state == stateDisabled, state == stateEnabled:
		return reconciler.Available(generation).WithMessage(problem(o))
	case state == "":
		return reconciler.Unavailable(generation, "AWS does not return a state")
	default:
		return reconciler.Unavailable(generation, join("AWS reports the state "+state, why(o)))
	}
}

// disabled says who disabled a mapping, why, and what to do.
func disabled(o observed, want *bool) string {
	who := "a user disabled the mapping"
	if !byUser(o.reason()) {
		who = "AWS disabled the mapping"
	}
	if want == nil {
		return join(who, why(o)) + "; set spec.forProvider.enabled to true to enable it again, or to false to keep it disabled"
	}
	return join(who, why(o))
}

// why is AWS's own account of a state: its reason, where that is more than that a user
// wanted it, and the last problem.
func why(o observed) string {
	reason := o.reason()
	if byUser(reason) {
		reason = ""
	}
	return join(reason, problem(o))
}

// problem is the result of the last attempt to read or process, where that is one.
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

// sinceModified is how long ago AWS says that the mapping or its state changed.
func sinceModified(o observed, now time.Time) time.Duration {
	if o.mapping.LastModified == nil {
		return retryAfter
	}
	return max(now.Sub(*o.mapping.LastModified), 0)
}

// pending is when to look again at a mapping that AWS has in motion.
func pending(o observed, now time.Time) time.Duration {
	return reconciler.PendingDelay(sinceModified(o, now))
}
