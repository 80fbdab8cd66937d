package function

import (
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
)

const (
	// recreateAfter is how long a failed creation stands before it is deleted and
	// created anew, counted from AWS's own time of the last change. It bounds how
	// often a creation that can't succeed is tried.
	recreateAfter = 1 * time.Minute

	// retryAfter is how long a failed update stands before it is sent again
	// unchanged: what made it fail may have been put right elsewhere.
	retryAfter = 5 * time.Minute
)

// modifiedLayout is how AWS writes LastModified.
const modifiedLayout = "2006-01-02T15:04:05.000-0700"

// A decision is what an observation comes to: what users are told, and the one
// call that is due, if AWS would take any.
type decision struct {
	ready xpv2.Condition

	// due is the call to make now.
	due call

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
	// updatable says that the management policies allow updates.
	updatable bool
	// recreatable says that they allow deletion and creation.
	recreatable bool
	now         time.Time
}

// decide is the whole of a function's state machine.
func decide(o observed, changes diff.Changes, due call, f facts) decision {
	c := o.config()
	age := sinceModified(c, f.now)

	switch {
	case c.State == types.StatePending && !f.activated:
		return decision{ready: condition.Creating(f.generation, reason(c))}
	case c.State == types.StatePending, c.LastUpdateStatus == types.LastUpdateStatusInProgress:
		return decision{ready: condition.Updating(f.generation, reason(c))}
	case c.State == types.StateDeleting, c.State == types.StateDeactivating:
		return decision{ready: condition.Unavailable(f.generation, reason(c)), wait: retryAfter / 10}
	case c.State == types.StateFailed && !f.activated:
		return failedCreation(c, age, f)
	case c.State == types.StateFailed, c.LastUpdateStatus == types.LastUpdateStatusFailed:
		return failedUpdate(c, due, age, f)
	}
	d := decision{ready: readyCondition(o, changes, f)}
	if f.updatable {
		d.due = due
	}
	return d
}

func readyCondition(o observed, changes diff.Changes, f facts) xpv2.Condition {
	c := o.config()
	switch {
	case len(changes) > 0 && f.updatable:
		return condition.Updating(f.generation, "changing "+changes.Names())
	case o.publishing != nil && !prepared(o.publishing):
		return publishingCondition(o.publishing, f)
	case serves(c), c.State == "":
		return condition.Available(f.generation)
	default:
		return condition.Unavailable(f.generation, reason(c))
	}
}

// failedCreation deletes what could not be created, so that it is created anew.
func failedCreation(c *types.FunctionConfiguration, age time.Duration, f facts) decision {
	d := decision{ready: condition.Unavailable(f.generation, "creation failed: "+reason(c))}
	switch {
	case !f.recreatable:
	case f.fresh || age >= recreateAfter:
		d.due = callDelete
	default:
		d.wait = recreateAfter - age
	}
	return d
}

// failedUpdate sends the update again: at once where the user changed the spec,
// else after a while.
func failedUpdate(c *types.FunctionConfiguration, due call, age time.Duration, f facts) decision {
	d := decision{ready: condition.Unavailable(f.generation, "update failed: "+reason(c))}
	if due == callPublish {
		due = callNone // What failed is not worth a version.
	}
	switch {
	case !f.updatable:
	case f.fresh && due != callNone:
		d.due = due
	case age < retryAfter:
		d.wait = retryAfter - age
	case due != callNone:
		d.due = due
	default:
		d.due = retryOf(c)
	}
	return d
}

// retryOf is the call that makes AWS try again, by what failed.
func retryOf(c *types.FunctionConfiguration) call {
	code := string(c.LastUpdateStatusReasonCode)
	if strings.Contains(code, "Image") || strings.Contains(code, "Zip") {
		return callUpdateCode
	}
	return callUpdateConfiguration
}

// sinceModified is how long ago AWS says that the function was last changed. An
// unreadable time is long ago.
func sinceModified(c *types.FunctionConfiguration, now time.Time) time.Duration {
	t, err := time.Parse(modifiedLayout, ptr.Deref(c.LastModified, ""))
	if err != nil {
		return retryAfter
	}
	return max(now.Sub(t), 0)
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
