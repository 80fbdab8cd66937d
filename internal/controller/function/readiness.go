package function

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

const (
	// recreateAfter is the delay before a function whose creation failed is deleted and created again. It doubles with
	// each attempt, up to recreateAtMost, which is well below creationWindow.
	recreateAfter  = 1 * time.Minute
	recreateAtMost = creationWindow / 2

	// retryAfter is the delay before a failed update is sent again unchanged: the cause may have been fixed outside of
	// the manifest. It doubles with each attempt, up to retryAtMost.
	retryAfter = 5 * time.Minute
	// retrySoon replaces retryAfter if the cause is a failure of AWS.
	retrySoon   = 30 * time.Second
	retryAtMost = 1 * time.Hour
)

// creatingCode is the reason code of AWS for a function that is being created.
const creatingCode = types.LastUpdateStatusReasonCode(types.StateReasonCodeCreating)

// A decision is the result of an observation: the Ready condition, and the calls that are
// due and that AWS would accept.
type decision struct {
	ready xpv2.Condition

	// due are the calls that may be made now, in order.
	due []call

	// recreate is true if the function is to be deleted and created again now.
	recreate bool

	// wait is the time until a call becomes due; 0 means the usual poll interval.
	wait time.Duration
}

// decisionInput are the inputs of decide besides the observation.
type decisionInput struct {
	generation int64
	// fresh is true if the user changed the spec since the last creation or update.
	fresh bool
	// activated is true if AWS once reported the function Active.
	activated bool
	// ours is true if the failed function is what this resource has just tried to create.
	ours bool
	// updatable is true if managementPolicies allow Update.
	updatable bool
	// recreatable is true if managementPolicies allow Delete and Create.
	recreatable bool
	// repairs counts the retries in a row, and repaired is the time of the last one.
	repairs  int
	repaired time.Time
	now      time.Time
}

// rest returns how long to wait before what failed is retried. The first delay is least; it
// doubles with each retry, up to most.
func (f decisionInput) rest(c *types.FunctionConfiguration, least, most time.Duration) time.Duration {
	since := lambdaapi.Modified(c.LastModified) // One that is no time counts as long ago.
	if f.repaired.After(since) {
		since = f.repaired
	}
	d := least
	for range f.repairs {
		d = min(2*d, most)
	}
	return max(d-max(f.now.Sub(since), 0), 0)
}

// decide implements the state machine of a function. calls are the calls that are due.
func decide(o observed, calls []call, changes diff.Changes, f decisionInput) decision {
	c := o.config()
	switch {
	case c.State == types.StatePending && (!f.activated || c.StateReasonCode == types.StateReasonCodeCreating):
		return decision{ready: reconcile.Creating(f.generation, cmp.Or(reason(c), "AWS is creating the function"))}
	case c.State == types.StatePending, c.LastUpdateStatus == types.LastUpdateStatusInProgress:
		why := reason(c)
		if why == "" || c.LastUpdateStatusReasonCode == creatingCode { // AWS also uses it for updates.
			why = "AWS is applying the change"
		}
		return decision{ready: reconcile.Updating(f.generation, why)}
	case c.State == types.StateDeleting, c.State == types.StateDeactivating:
		return decision{ready: reconcile.Unavailable(f.generation, reason(c)), wait: retryAfter / 10}
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

// readyCondition returns the Ready condition of a function that is neither changing nor failed.
func readyCondition(o observed, changes diff.Changes, f decisionInput) xpv2.Condition {
	c := o.config()
	switch {
	case len(changes) > 0 && f.updatable:
		return reconcile.UpdatingFields(f.generation, changes)
	case unreadable(c) != "":
		return reconcile.Unavailable(f.generation, unreadable(c))
	case o.publishing != nil && o.publishing.State == types.StateFailed:
		version := ptr.Deref(o.publishing.Version, "")
		return reconcile.Unavailable(f.generation, versions.Failed(version, reason(o.publishing)))
	case o.publishing != nil && !prepared(o.publishing.State):
		return reconcile.Updating(f.generation, "AWS is preparing version "+ptr.Deref(o.publishing.Version, ""))
	case serves(c), c.State == "":
		return reconcile.Available(f.generation)
	default:
		return reconcile.Unavailable(f.generation, reason(c))
	}
}

// notDeleted is added to Ready if a failed function may not be the result of the creation that this resource requested.
const notDeleted = "; it is not deleted and created again, because this resource may not have created it: " +
	"delete it in AWS, and the provider creates it again"

// failedCreation deletes and creates again a function that could not be created: immediately if the user changed the
// spec, otherwise after a delay. A function that may have another origin is updated instead.
func failedCreation(c *types.FunctionConfiguration, calls []call, f decisionInput) decision {
	message := "creation failed: " + reason(c)
	switch {
	case f.ours && f.recreatable:
		d := decision{ready: reconcile.Unavailable(f.generation, message)}
		if d.wait = f.rest(c, recreateAfter, recreateAtMost); d.wait == 0 || f.fresh {
			d.wait, d.recreate = 0, true
		}
		return d
	case f.recreatable:
		message += notDeleted
	}
	return failedUpdate(c, message, calls, f)
}

// failedUpdate sends the update again: immediately if the user changed the spec, otherwise
// after a delay. Calls that did not fail are not delayed.
func failedUpdate(c *types.FunctionConfiguration, message string, calls []call, f decisionInput) decision {
	d := decision{ready: reconcile.Unavailable(f.generation, message)}
	if !f.updatable {
		return d
	}
	var updates []call
	for _, c := range calls {
		switch {
		case c == opPublish: // A failed function is not published.
		case c.asynchronous():
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
	case retry == opUpdateConfiguration && slices.Contains(updates, opUpdateCode):
		updates = []call{opUpdateCode}
	case rest > 0:
		d.wait, updates = rest, nil
	case len(updates) == 0:
		updates = []call{retry}
	}
	d.due = append(d.due, updates...)
	return d
}

// retryOf returns the call that retries what failed.
func retryOf(c *types.FunctionConfiguration) call {
	code := reasonCode(c)
	if strings.Contains(code, "Image") || strings.Contains(code, "Zip") {
		return opUpdateCode
	}
	return opUpdateConfiguration
}
