package engine

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
)

// A paced error says when to try again, such as that of a registry that limits the rate of requests.
type paced interface {
	error
	RetryAfter() time.Duration
}

// backoff records that a resource has failed, and returns when it is reconciled next.
func (r *reconciler) backoff(key types.NamespacedName, changing bool, c backoff.Class, err error) time.Duration {
	failures, throttles := r.states.RecordFailure(key, c, awserr.IsThrottled(err))
	if open, ok := asCircuitOpen(err); ok && open.after > 0 {
		return open.after
	}
	if c == backoff.Ambiguous {
		return backoff.AmbiguousDelay(r.states.AmbiguousFor(key, r.Now()), backoff.GracePeriod(err))
	}
	after := backoff.Delay(c, failures)
	if e, ok := reconcile.AsType[paced](err); ok {
		after = max(after, e.RetryAfter())
	}
	if throttles > 0 {
		after = max(after, backoff.ThrottledDelay(throttles))
	}
	if changing {
		after = max(after, backoff.RefusedDelay(r.states.CountRefusal(key)))
	}
	return after
}

// conflictDelay records a write that was refused because the resource has changed, and returns when it is reconciled
// next. What has changed it enqueues it sooner than that, unless another process has written the status.
func (p *pass) conflictDelay() time.Duration {
	conflicts, _ := p.states.RecordFailure(client.ObjectKeyFromObject(p.read), backoff.Unclassified, false)
	return backoff.Delay(backoff.Unclassified, conflicts)
}

// fail ends the reconcile with an error. A call deferred for quota makes it a LaterError, and is not reported as an
// error, until many in a row were. Neither is a throttled call, until many in a row were throttled.
func (p *pass) fail(err error) error {
	p.returned = err
	if later, ok := reconcile.AsType[*reconcile.LaterError](err); ok {
		p.later = later
		return err
	}
	deferred, ok := reconcile.AsType[*quota.DeferredError](err)
	if ok && p.known.Deferrals < backoff.ManyDeferrals {
		p.later = &reconcile.LaterError{
			After:      max(deferred.After, reconcile.AtOnce),
			Operations: reconcile.Operations(deferred.Operation), Deferred: true,
		}
		return p.later
	}
	if awserr.IsThrottled(err) {
		after, _ := awserr.RetryAfter(err)
		if p.known.Throttled < backoff.ManyThrottles {
			p.later = &reconcile.LaterError{After: max(after, reconcile.AtOnce), Throttled: true}
			return p.later
		}
		err = errors.Wrap(awserr.Sanitize(err), "AWS has throttled the calls of this resource for a while")
	}
	p.err = awserr.CauseFirst(nameField(awserr.Sanitize(err)))
	return p.err
}

// nameField adds the field of spec that AWS does not accept, if its answer names one.
func nameField(err error) error {
	field, c := awserr.Field(err), backoff.Classify(err)
	switch {
	case field == "", field == "functionName", c != backoff.Terminal && c != backoff.Ambiguous:
		return err
	case c == backoff.Ambiguous && field == "role":
		// The role may be another resource's: the role of a mapping is that of its function.
		return err
	}
	return errors.Wrapf(err, "AWS does not accept spec.forProvider.%s", field)
}

// failed is the error of a reconcile. changing says that a call was about to change something, and within bounds the
// delay before the next reconcile.
type failed struct {
	err      error
	changing bool
	within   time.Duration
}

// failedResult records the error of a reconcile, and returns when to retry it.
func (r *reconciler) failedResult(ctx context.Context, key types.NamespacedName, f failed) ctrl.Result {
	c := backoff.Classify(f.err)
	r.Metrics.RecordReconcile(r.kind.GVK.Kind, reporting.ResultOf(c))
	after := r.backoff(key, f.changing, c, f.err)
	if f.within > 0 {
		after = min(after, f.within)
	}
	endSpanWithError(ctx, c, f.err)
	r.logPanic(key, f.err)
	traced(ctx, r.log).WithValues("request", ctrl.Request{NamespacedName: key}).Debug("Reconcile failed",
		"error", f.err, "requeue-after", after)
	return ctrl.Result{RequeueAfter: after}
}

// pollResult returns when a resource without an error is reconciled next.
func (p *pass) pollResult(res ctrl.Result) ctrl.Result {
	mg := p.read
	switch {
	case res.IsZero():
		return res
	case p.out.After > 0:
		return ctrl.Result{RequeueAfter: p.out.After}
	case meta.WasDeleted(mg):
		return ctrl.Result{RequeueAfter: reconcile.PendingDelay(p.Now().Sub(mg.GetDeletionTimestamp().Time))}
	case p.did != "", res.Requeue: //nolint:staticcheck // As above.
		return ctrl.Result{RequeueAfter: reconcile.MinPending}
	case reconcile.InMotion(p.ready):
		return ctrl.Result{RequeueAfter: reconcile.PendingDelay(p.Now().Sub(p.ready.LastTransitionTime.Time))}
	}
	requested, _ := meta.GetPollInterval(mg)
	return ctrl.Result{RequeueAfter: p.poll().Jittered(p.pollInterval(requested), p.Random())}
}

// pollInterval returns the interval after which a stable resource is reconciled, 0 for the usual one. Events make polls
// rare, if they are proven to arrive and if they tell of all changes.
func (p *pass) pollInterval(requested time.Duration) time.Duration {
	s := p.session
	if requested > 0 || s == nil || p.Events == nil || p.poll().WithEvents <= p.poll().Interval ||
		p.kind.Reported == nil || !p.kind.Reported(p.read) {
		return requested
	}
	if p.ready.Status != corev1.ConditionTrue || !p.Events.Proven(s.Ref.UID, s.Identity.Account, s.AWS.Region) {
		return requested
	}
	return p.poll().WithEvents
}

// waits ends a reconcile that has to wait, with an outcome for its span.
func (r *reconciler) waits(ctx context.Context, outcome string, wait time.Duration) ctrl.Result {
	endSpan(ctx, outcome)
	return r.waitingResult(wait)
}

func (r *reconciler) waitingResult(wait time.Duration) ctrl.Result {
	r.Metrics.RecordReconcile(r.kind.GVK.Kind, reporting.ResultWaiting)
	return ctrl.Result{RequeueAfter: wait}
}

// logPanic logs the stack of a panic, whether it occurred in the reconcile itself or in a call that it waited for.
func (r *reconciler) logPanic(key types.NamespacedName, err error) {
	var p *panics.Error
	if errors.As(err, &p) {
		r.log.Info("A reconcile panicked, which is a bug", "name", key, "error", p, "stack", slices.Clone(p.Stack()))
	}
}
