package reconcile

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// Keys of the attempts that are recorded for creating, deleting, and changes that AWS has
// rejected as conflicting: some operations both create and update.
const (
	creation = "create"
	deletion = "delete"
	deferral = "put off"
)

// maxDeferrals is how often in a row AWS may reject a change as conflicting, once a
// second, before it is reported to users.
const maxDeferrals = 10

// deletionShare is the quotient of the time since the deletion and the interval until the
// next observation.
const deletionShare = 3

// bounded returns the plan with the first of its calls that may be made now. A call that
// AWS has accepted without showing its effect waits, longer each time, while others go
// ahead; Ready says so if only such calls are left.
func bounded(ctx context.Context, mg Managed, p Plan) Plan {
	switch {
	case len(p.Changes) == 0 && p.Ready.Status == corev1.ConditionTrue:
		ForgetCalls(ctx)
		return p
	case len(p.Changes) == 0, p.Call == "":
		return p
	case p.Carried == nil:
		p.Carried = p.Changes
	}
	shortest, most := time.Duration(0), 0
	steps := append([]Step{{Call: p.Call, Carried: p.Carried, Does: p.Does, Slow: p.Slow}}, p.Otherwise...)
	for i, s := range steps {
		wait, count := RepeatDelay(ctx, s.Call, s.Carried.String())
		if wait == 0 {
			return p.With(steps[i:]...)
		}
		if most = max(most, count); shortest == 0 || wait < shortest {
			shortest = wait
		}
	}
	p.Call, p.Wait = "", shortest
	p.Ready = acceptedNotShown(mg.GetGeneration(), "a change of "+p.Changes.Names(), most)
	return p
}

// notShownObservation returns the observation of a resource that AWS has accepted to
// create and does not show. It is not created again yet.
func notShownObservation(ctx context.Context, mg Managed, call string, wait time.Duration, count int) managed.ExternalObservation {
	ready := Creating(mg.GetGeneration(), "AWS has accepted "+call+", but the result is not visible yet")
	if count >= ManyRepeats {
		ready = acceptedNotShown(mg.GetGeneration(), call, count)
	}
	mg.SetConditions(ready)
	RequeueAfter(ctx, wait)
	return managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}
}

// acceptedNotShown returns the Ready condition of a resource with a change that AWS has
// accepted and does not show. It has no exact count, which would change the condition at
// each attempt.
func acceptedNotShown(generation int64, what string, count int) xpv2.Condition {
	if count < ManyRepeats {
		return Updating(generation, "AWS has accepted "+what+", but it is not visible yet")
	}
	return Unavailable(generation, fmt.Sprintf("AWS has accepted %s at least %d times, but it is not visible: it is sent again at growing intervals; AWS may not support it here, or something else may revert it", what, ManyRepeats))
}

// requeueBusy requeues a change that AWS has rejected because of a conflicting operation
// after a second. After several rejections in a row, it returns AWS's error, which is
// reported and retried with backoff.
func requeueBusy(ctx context.Context, err error) error {
	_, count := RepeatDelay(ctx, deferral, "")
	RecordCall(ctx, deferral, "")
	if count < maxDeferrals {
		Abort(ctx, busyDelay)
		return nil
	}
	return errors.Wrap(err, "AWS has rejected every change for a while")
}

// afterDeletion requeues a resource to observe whether it is gone: at once after the first
// deletion that AWS has accepted, and at growing intervals while AWS still shows it.
func afterDeletion(ctx context.Context, mg Managed) {
	_, count := RepeatDelay(ctx, deletion, "")
	RecordCall(ctx, deletion, "")
	after := time.Duration(0)
	if count > 0 {
		after = deleteAgain(Freshness(ctx).Now.Sub(mg.GetDeletionTimestamp().Time))
		mg.SetConditions(Deleting(mg.GetGeneration(), "AWS has accepted the deletion, but the resource still exists"))
	}
	RequeueAfter(ctx, after)
}

// deleteAgain returns the requeue interval of a resource that AWS still shows, by the time
// since its deletion. It grows faster than the polling interval, because each observation
// may delete it again.
func deleteAgain(since time.Duration) time.Duration {
	return min(max(since/deletionShare, MinPending), MaxWoken)
}

// DeletedPart clears the backoff of deletions. A kind's Delete calls it after it has
// deleted one of several external resources, so that the next one is deleted at once.
func DeletedPart(ctx context.Context) { ForgetCalls(ctx, deletion) }
