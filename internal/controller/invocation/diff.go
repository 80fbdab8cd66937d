package invocation

import (
	"fmt"
	"time"

	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

const (
	scopeCRUD   = "CRUD"
	retryAlways = "Retry"

	// mostAttempts is the limit of calls after unknown outcomes.
	mostAttempts = 10

	// firstRetry is the delay before a function that returned an error is invoked again, if
	// that is allowed. It doubles with each retry, up to lastRetry.
	firstRetry = 5 * time.Second
	lastRetry  = 5 * time.Minute
)

// A decision is the next step of an Invocation.
type decision struct {
	// action is the action to invoke the function for. It is empty if no invocation is due now.
	action string

	// wait is the time until the next invocation, or 0 if there is none.
	wait time.Duration

	// done is true if a resource that is being deleted has nothing left to do.
	done bool

	// blocked is the reason why a deletion can't finish.
	blocked string

	ready xpv2.Condition
}

// decide returns what is due: one invocation for each input, and another only if the user allows it.
func decide(i *v1beta1.Invocation, r *record, input string, now time.Time) decision {
	switch {
	case r.neverInvoked() || r.Input != input:
		return fresh(i, r)
	case r.Outcome == notInvoked:
		return decision{action: r.Action, ready: reconcile.Updating(i.GetGeneration(),
			"the last call failed before the function ran")}
	case r.Outcome == succeeded:
		return decision{ready: reconcile.Available(i.GetGeneration())}
	case r.Outcome == functionError:
		return again(i, r, now, r.Attempts < attempts(i.Spec.ForProvider.RetryPolicy),
			"the function returned an error"+detail(i, r))
	}
	return again(i, r, now, repeatable(i.Spec.ForProvider) && r.Attempts < mostAttempts,
		"it is not known whether the function ran, because the call was interrupted; it is not invoked again, so "+
			"that it does not run twice: check its log, then change triggers to invoke it again, or set "+
			"retryPolicy.unknownOutcome to Retry")
}

// fresh returns the decision about a new input.
func fresh(i *v1beta1.Invocation, r *record) decision {
	if r.neverInvoked() {
		return decision{action: actionCreate, ready: reconcile.Creating(i.GetGeneration(), "")}
	}
	return decision{action: actionUpdate, ready: reconcile.Updating(i.GetGeneration(), "the input has changed")}
}

// again returns the decision about an input after an invocation without success.
func again(i *v1beta1.Invocation, r *record, now time.Time, may bool, why string) decision {
	if !may {
		return decision{ready: reconcile.Unavailable(i.GetGeneration(), why)}
	}
	d := decision{ready: reconcile.Updating(i.GetGeneration(), why)}
	if d.wait = r.At.Add(pause(r.Attempts)).Sub(now); d.wait <= 0 {
		d.action, d.wait = r.Action, 0
	}
	return d
}

// atTheEnd returns the decision about a resource that is being deleted: with lifecycleScope
// CRUD the function is invoked for the deletion, if it was ever invoked.
func atTheEnd(i *v1beta1.Invocation, r *record, input string, now time.Time) decision {
	invoked := r != nil && r.Action == actionDelete && r.Input == input
	switch {
	case r.neverInvoked() || !inCRUD(i.Spec.ForProvider):
		return decision{done: true}
	case !invoked || r.Outcome == notInvoked:
		return decision{action: actionDelete}
	case r.Outcome == succeeded:
		return decision{done: true}
	case r.Outcome == functionError:
		d := again(i, r, now, r.Attempts < attempts(i.Spec.ForProvider.RetryPolicy), "")
		if d.action == "" && d.wait == 0 {
			d.blocked = "the function returned an error when it was invoked for the deletion, see status.atProvider: " +
				"fix it and change triggers to invoke it again, or set lifecycleScope to CREATE_ONLY to delete the " +
				"Invocation without invoking it"
		}
		return d
	}
	d := again(i, r, now, repeatable(i.Spec.ForProvider) && r.Attempts < mostAttempts, "")
	d.done = d.action == "" && d.wait == 0
	return d
}

// attempts returns the maximum number of attempts while the function returns an error.
func attempts(p *v1beta1.InvocationRetryPolicy) int32 {
	if p == nil {
		return 1
	}
	return ptr.Deref(p.MaximumAttempts, 1)
}

// repeatable reports whether a call with unknown outcome may be repeated.
func repeatable(p v1beta1.InvocationParameters) bool {
	return p.DurableExecutionName != nil || (p.RetryPolicy != nil && ptr.Deref(p.RetryPolicy.UnknownOutcome,
		"") == retryAlways)
}

func inCRUD(p v1beta1.InvocationParameters) bool {
	return ptr.Deref(p.LifecycleScope, "") == scopeCRUD
}

// pause returns the delay before the next attempt.
func pause(attempts int32) time.Duration { return delay.Doubling(firstRetry, int(attempts), lastRetry) }

// detail returns the function's own error message, if status still has it.
func detail(i *v1beta1.Invocation, r *record) string {
	o := i.Status.AtProvider
	if o.FunctionErrorMessage == nil || o.LastInvokedTime == nil || !o.LastInvokedTime.Equal(&r.At) {
		return ""
	}
	return fmt.Sprintf(" (%s): %s", ptr.Deref(o.FunctionError, ""), *o.FunctionErrorMessage)
}
