package function

import (
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

const (
	// creationWindow is the time after a creation was requested in which a function in state Failed can be its result.
	// A function that failed later may have served requests before.
	creationWindow = 30 * time.Minute

	// clockSkew is the largest expected difference between the clocks of AWS and the provider.
	clockSkew = 2 * time.Minute
)

// unreadable returns the message for Ready about settings that AWS does not return. It is
// empty if AWS returns all of them.
func unreadable(c *types.FunctionConfiguration) string {
	if why := versions.Unreadable(c); why != "" {
		return fmt.Sprintf(
			"AWS cannot read the environment of the function: %s; make its KMS key usable and grant the "+
				"provider kms:Decrypt on it, or set another kmsKeyArn",
			why,
		)
	}
	if i := c.ImageConfigResponse; i != nil && i.Error != nil {
		return "AWS cannot read the imageConfig of the function: " + awserr.InAnswer(i.Error.Message, i.Error.ErrorCode)
	}
	return ""
}

// prepared reports whether AWS can run a version in a state.
func prepared(s types.State) bool { return s != types.StatePending && s != types.StateFailed }

// passes reports whether AWS caused the failure, so that the user has nothing to fix.
func passes(c *types.FunctionConfiguration) bool {
	switch types.StateReasonCode(reasonCode(c)) {
	case types.StateReasonCodeDependencyError, types.StateReasonCodeInternalError,
		types.StateReasonCodeEC2RequestLimitExceeded, types.StateReasonCodeInsufficientCapacity:
		return true
	default:
		return false
	}
}

// reasonCode returns AWS's reason code for a failure.
func reasonCode(c *types.FunctionConfiguration) string {
	if c.State == types.StateFailed {
		return string(c.StateReasonCode)
	}
	return string(c.LastUpdateStatusReasonCode)
}

// failed reports whether the creation or the last update failed.
func failed(c *types.FunctionConfiguration) bool {
	return c.State == types.StateFailed || c.LastUpdateStatus == types.LastUpdateStatusFailed
}

// healthy reports whether no creation or update is in progress or has failed.
func healthy(c *types.FunctionConfiguration) bool {
	return (serves(c) || c.State == "") &&
		(c.LastUpdateStatus == types.LastUpdateStatusSuccessful || c.LastUpdateStatus == "")
}

// serves reports whether the function is in the final good state for its kind. $LATEST of a
// function on Lambda Managed Instances is never invoked: only its versions are.
func serves(c *types.FunctionConfiguration) bool {
	return c.State == types.StateActive || c.State == types.StateActiveNonInvocable && c.CapacityProviderConfig != nil
}

// reason returns AWS's explanation of a state or of an update.
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
	case state == string(types.StateFailed): // The condition says so.
		return why
	}
	return state + ": " + why
}

// isNew reports whether the function is to be created and nothing was tried yet.
func isNew(f *v1beta1.Function) bool {
	return ownership.Untried(f) && f.Status.AtProvider.FunctionArn == nil && reconcile.MayCreate(f)
}

// createdJustNow reports whether a function in state Failed is the result of the creation that this resource has just
// requested, so that deleting it loses nothing. Deletion also removes all versions and aliases, so the answer is no in
// every case of doubt: the function must carry this object's UID; the object must have requested a creation itself,
// which a restored or re-created object has not, and AWS must not have rejected it because the function existed; the
// function must never have been observed Active and must have no version; and it must not be older than that creation,
// as an imported function is.
func createdJustNow(f *v1beta1.Function, v ownership.Ownership, o observed, now time.Time) bool {
	requested := meta.GetExternalCreatePending(f)
	modified := lambdaapi.Modified(o.config().LastModified)
	return v == ownership.Ours && !f.Status.AtProvider.Activated && o.unversioned &&
		!requested.IsZero() && meta.GetExternalCreateFailed(f).Before(requested) &&
		!requested.Before(f.CreationTimestamp.Time) && now.Sub(requested) < creationWindow &&
		!modified.Before(requested.Add(-clockSkew))
}

// neverActive reports whether a function is in state Failed and was never observed Active.
func neverActive(f *v1beta1.Function, state types.State) bool {
	return state == types.StateFailed && !f.Status.AtProvider.Activated
}
