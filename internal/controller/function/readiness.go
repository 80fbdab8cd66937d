package function

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
)

const (
	// recreateAfter is how long a failed creation stands before it is deleted and
	// created anew. It doubles each time, up to recreateAtMost, which is well within
	// creationWindow.
	recreateAfter  = 1 * time.Minute
	recreateAtMost = creationWindow / 2

	// retryAfter is how long a failed update stands before it is sent again
	// unchanged: what made it fail may have been put right elsewhere. It doubles each
	// time, up to retryAtMost.
	retryAfter = 5 * time.Minute
	// retrySoon is that time where what made it fail is AWS's own.
	retrySoon   = 30 * time.Second
	retryAtMost = 1 * time.Hour
)

// creatingCode is AWS's code for what it is creating.
const creatingCode = types.LastUpdateStatusReasonCode(types.StateReasonCodeCreating)

// modifiedLayout is how AWS writes LastModified.
const modifiedLayout = "2006-01-02T15:04:05.000-0700"

// A decision is what an observation comes to: what users are told, and the calls
// that are due, if AWS would take any.
type decision struct {
	ready xpv2.Condition

	// due are the calls that may be made now, the one to make first.
	due []call

	// recreate says that the function is to be deleted now, and created anew.
	recreate bool

	// wait is when a call that is not due yet will be; 0 where the usual cadence
	// serves.
	wait time.Duration
}

// facts are what decide needs beside the observation.
type facts struct {
	generation int64
	// fresh says that the user changed the spec since it was last settled.
	fresh bool
	// activated says that AWS once reported the function Active.
	activated bool
	// ours says that what failed is what this resource has just tried to create.
	ours bool
	// updatable says that the management policies allow updates.
	updatable bool
	// recreatable says that they allow deletion and creation.
	recreatable bool
	// repairs is how often in a row what failed was tried again, last at repaired.
	repairs  int
	repaired time.Time
	now      time.Time
}

// rest is how long what failed is left alone yet, where that is least the first time.
func (f facts) rest(c *types.FunctionConfiguration, least, most time.Duration) time.Duration {
	since := lastModified(c)
	if f.repaired.After(since) {
		since = f.repaired
	}
	d := least
	for range f.repairs {
		d = min(2*d, most)
	}
	return max(d-max(f.now.Sub(since), 0), 0)
}

// decide is the whole of a function's state machine. calls are those that are due.
func decide(o observed, calls []call, changes diff.Changes, f facts) decision {
	c := o.config()
	switch {
	case c.State == types.StatePending && (!f.activated || c.StateReasonCode == types.StateReasonCodeCreating):
		return decision{ready: reconciler.Creating(f.generation, reason(c))}
	case c.LastUpdateStatusReasonCode == creatingCode && c.LastUpdateStatus == types.LastUpdateStatusInProgress:
		// AWS gives the reason of a creation for the update of a function, too.
		return decision{ready: reconciler.Updating(f.generation, "AWS is applying the change")}
	case c.State == types.StatePending, c.LastUpdateStatus == types.LastUpdateStatusInProgress:
		return decision{ready: reconciler.Updating(f.generation, reason(c))}
	case c.State == types.StateDeleting, c.State == types.StateDeactivating:
		return decision{ready: reconciler.Unavailable(f.generation, reason(c)), wait: retryAfter / 10}
	case c.State == types.StateFailed && !f.activated:
		return failedCreation(c, calls, f)
	case c.State == types.StateFailed, c.LastUpdateStatus == types.LastUpdateStatusFailed:
		return failedUpdate(c, "update failed: "+reason(c), calls, f)
	}
	d := decision{ready: readyCondition(o, changes, f)}
	if f.updatable {
		d.due = calls
	}
	return d
}

func readyCondition(o observed, changes diff.Changes, f facts) xpv2.Condition {
	c := o.config()
	switch {
	case len(changes) > 0 && f.updatable:
		return reconciler.Updating(f.generation, "changing "+changes.Names())
	case unreadable(c) != "":
		return reconciler.Unavailable(f.generation, unreadable(c))
	case o.publishing != nil && !prepared(o.publishing):
		return publishingCondition(o.publishing, f)
	case serves(c), c.State == "":
		return reconciler.Available(f.generation)
	default:
		return reconciler.Unavailable(f.generation, reason(c))
	}
}

// notDeleted is what Ready says of a failed creation that may be something else.
const notDeleted = "; it is not deleted and created again, because this resource may not have created it: delete it in AWS, and the provider creates it again"

// failedCreation has what could not be created deleted and created anew: at once where
// the user changed the spec, else after a while. What may be anything else is updated.
func failedCreation(c *types.FunctionConfiguration, calls []call, f facts) decision {
	message := "creation failed: " + reason(c)
	switch {
	case f.ours && f.recreatable:
		d := decision{ready: reconciler.Unavailable(f.generation, message)}
		if d.wait = f.rest(c, recreateAfter, recreateAtMost); d.wait == 0 || f.fresh {
			d.wait, d.recreate = 0, true
		}
		return d
	case f.recreatable:
		message += notDeleted
	}
	return failedUpdate(c, message, calls, f)
}

// failedUpdate sends the update again: at once where the user changed the spec, else
// after a while. What did not fail is not held up.
func failedUpdate(c *types.FunctionConfiguration, message string, calls []call, f facts) decision {
	d := decision{ready: reconciler.Unavailable(f.generation, message)}
	if !f.updatable {
		return d
	}
	var updates []call
	for _, c := range calls {
		switch {
		case c == opPublish: // What failed is not worth a version.
		case c.settles():
			updates = append(updates, c)
		default:
			d.due = append(d.due, c)
		}
	}
	least := retryAfter
	if passes(c) {
		least = retrySoon
	}
	retry, rest := retryOf(c), f.rest(c, least, retryAtMost)
	switch {
	case f.fresh && len(updates) > 0:
	case retry == opUpdateConfiguration && slices.Contains(updates, opUpdateConfiguration) && slices.Contains(updates, opUpdateCode):
		updates = []call{opUpdateCode}
	case rest > 0:
		d.wait, updates = rest, nil
	case len(updates) == 0:
		updates = []call{retry}
	}
	d.due = append(d.due, updates...)
	return d
}

// retryOf is the call that makes AWS try again, by what failed.
func retryOf(c *types.FunctionConfiguration) call {
	code := reasonCode(c)
	if strings.Contains(code, "Image") || strings.Contains(code, "Zip") {
		return opUpdateCode
	}
	return opUpdateConfiguration
}

// passes says that what failed is AWS's own, and not for the user to put right.
func passes(c *types.FunctionConfiguration) bool {
	switch types.StateReasonCode(reasonCode(c)) {
	case types.StateReasonCodeDependencyError, types.StateReasonCodeInternalError, types.StateReasonCodeEC2RequestLimitExceeded, types.StateReasonCodeInsufficientCapacity:
		return true
	default:
		return false
	}
}

// reasonCode is AWS's code for what failed.
func reasonCode(c *types.FunctionConfiguration) string {
	if c.State == types.StateFailed {
		return string(c.StateReasonCode)
	}
	return string(c.LastUpdateStatusReasonCode)
}

// lastModified is when AWS says that the function was last changed. An unreadable time
// is long ago.
func lastModified(c *types.FunctionConfiguration) time.Time {
	t, err := time.Parse(modifiedLayout, ptr.Deref(c.LastModified, ""))
	if err != nil {
		return time.Time{}
	}
	return t
}

// failed says that creation or update has failed.
func failed(c *types.FunctionConfiguration) bool {
	return c.State == types.StateFailed || c.LastUpdateStatus == types.LastUpdateStatusFailed
}

// healthy says that neither creation nor update has failed or is under way.
func healthy(c *types.FunctionConfiguration) bool {
	return (serves(c) || c.State == "") && (c.LastUpdateStatus == types.LastUpdateStatusSuccessful || c.LastUpdateStatus == "")
}

// serves says that the function is in the good state for one of its kind. $LATEST of a
// function on Lambda Managed Instances is never invoked: only versions of it are.
func serves(c *types.FunctionConfiguration) bool {
	return c.State == types.StateActive || c.State == types.StateActiveNonInvocable && c.CapacityProviderConfig != nil
}

// reason is AWS's own account of a state or of an update.
func reason(c *types.FunctionConfiguration) string {
	state, why, code := string(c.State), ptr.Deref(c.StateReason, ""), string(c.StateReasonCode)
	if serves(c) || c.State == "" {
		state, why, code = "", ptr.Deref(c.LastUpdateStatusReason, ""), string(c.LastUpdateStatusReasonCode)
	}
	if code != "" {
		why = strings.TrimSpace(fmt.Sprintf("%s (%s)", why, code))
	}
	switch {
	case state == "" || state == string(types.StatePending):
		return why
	case why == "":
		return state
	}
	return state + ": " + why
}
