package reconcile

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// MaxDeferrals is the number of times in a row that AWS may reject a change as conflicting, once a second, before it is
// reported to users.
const MaxDeferrals = 10

// deletionShare is the quotient of the time since the deletion and the interval until the next observation.
const deletionShare = 3

// recurring is the time after a failed create in which a second one that finds an existing external resource counts as
// the same failure.
const recurring = 15 * time.Minute

// bounded returns the plan with the first of its calls that may be made now. A call that AWS has accepted without
// showing its effect waits, longer each time, while others go ahead; Ready says so if only such calls are left.
func bounded(f Facts, mg Managed, p Plan) Plan {
	switch {
	case len(p.Changes) == 0 && p.Ready.Status == corev1.ConditionTrue:
		f.Repeats.Forget()
		return p
	case len(p.Changes) == 0, p.Call == "":
		return p
	case p.Applies == nil:
		p.Applies = p.Changes
	}
	calls := append([]PlannedCall{p.PlannedCall}, p.Otherwise...)
	due, wait, count := f.Due(calls...)
	if len(due) > 0 {
		return p.With(due...)
	}
	ready := acceptedNotShown(mg.GetGeneration(), "a change of "+p.Changes.Names(), count)
	if m := p.Ready.Message; m != "" && m != UpdatingFields(mg.GetGeneration(), p.Changes).Message {
		ready.Message = m + "; " + ready.Message // The kind says why the change is made.
	}
	p.Call, p.Wait, p.Ready = "", wait, ready
	return p
}

// Due returns the calls of a plan from the first that may be made now. The calls before it were accepted by AWS
// without showing their effect. If all of them wait, it returns none, the time until the first of them may be made
// again, and how many times in a row at most one of them was made.
func (f Facts) Due(calls ...PlannedCall) (due []PlannedCall, wait time.Duration, count int) {
	for i, c := range calls {
		after, times := f.Repeats.Delay(c.Call, c.Applies.String(), f.Now())
		if after == 0 {
			return calls[i:], 0, 0
		}
		if count = max(count, times); wait == 0 || after < wait {
			wait = after
		}
	}
	return nil, wait, count
}

// createdNotShown returns the Ready condition of a resource that AWS has accepted to
// create and does not show. It is not created again yet.
func createdNotShown(generation int64, call string, count int) xpv2.Condition {
	if count >= ManyRepeats {
		return acceptedNotShown(generation, call, count)
	}
	return Creating(generation, "AWS has accepted "+call+", but the result is not visible yet")
}

// acceptedNotShown returns the Ready condition of a resource with a change that AWS has accepted and does not show. It
// has no exact count, which would change the condition at each attempt.
func acceptedNotShown(generation int64, what string, count int) xpv2.Condition {
	if count < ManyRepeats {
		return Updating(generation, "AWS has accepted "+what+", but it is not visible yet")
	}
	return Unavailable(generation, fmt.Sprintf("AWS has accepted %s at least %d times, but it is not visible: "+
		"it is sent again at growing intervals; AWS may not support it here, or something else may revert it", what,
		ManyRepeats))
}

// busy returns a LaterError for a change that AWS has rejected because of a conflicting operation. After several
// rejections in a row, it returns AWS's error, which is reported and retried with backoff.
func (e *external[T, O, S]) busy(err error) error {
	_, count := e.facts.Repeats.Delay(deferral, "", e.facts.Now())
	e.facts.Repeats.Record(deferral, "", e.facts.Now())
	if count < MaxDeferrals {
		return WaitFor(BusyDelay)
	}
	return errors.Wrap(err, "AWS has rejected every change for a while")
}

// afterDeletion requeues a resource to observe whether it is gone: at once after the first
// deletion that AWS has accepted, and at growing intervals while AWS still shows it.
func (e *external[T, O, S]) afterDeletion(res Result) Result {
	_, count := e.facts.Repeats.Delay(deletion, "", e.facts.Now())
	e.facts.Repeats.Record(deletion, "", e.facts.Now())
	after := AtOnce
	if count > 0 {
		since := e.facts.Now().Sub(e.mg.GetDeletionTimestamp().Time)
		after = min(max(since/deletionShare, MinPending), MaxWoken) // Each observation may delete it again.
		res.Ready = Deleting(e.mg.GetGeneration(), "AWS has accepted the deletion, but the resource still exists")
	}
	res.Add(Effects{After: after})
	return res
}

// alreadyExists returns the result of a create that found the external resource existing. The next observation checks
// the ownership. If an earlier one has not found it, this returns an error, which is retried with backoff.
func (e *external[T, O, S]) alreadyExists(res Result, err error) (Result, error) {
	failed, now := meta.GetExternalCreateFailed(e.mg), e.facts.Now()
	if !failed.IsZero() && failed.After(meta.GetExternalCreateSucceeded(e.mg)) && now.Sub(failed) < recurring {
		return res,
			Invalid(errors.Wrap(awserr.Sanitize(err), "AWS answers that it already exists, but it cannot be found"))
	}
	return res, WaitFor(BusyDelay)
}

// unname removes the external name of a resource that was deleted, before AWS gives its replacement another name. If
// that create is not answered, the provider then searches for the replacement instead of the old name. A kind that
// records its intent before the create finds the replacement by that.
func (e *external[T, O, S]) unname() Record {
	if !e.NameGiven || isRecorded(e.mg) || e.observation.Exists || ExternalName(e.mg) == "" {
		return Record{}
	}
	return Record{
		Annotations: map[string]string{meta.AnnotationKeyExternalName: "", v1beta1.AnnotationNamedBy: ""},
		Failure:     "cannot remove the external name of the deleted resource",
	}
}

// nameless returns the result of a create with a response that lacks the name that AWS gave. It records that something
// was created, so that it is searched for and not created again.
func (e *external[T, O, S]) nameless(res Result) Result {
	res.Annotate = Record{
		Annotations: map[string]string{v1beta1.AnnotationNamedBy: ownership.Name(e.mg, "")[v1beta1.AnnotationNamedBy]},
		Failure:     "AWS's answer to the create request has no name, and this cannot be recorded",
	}
	return res
}

// createdAgain returns the annotations that record the name of a replacement that an
// Update has created. As after a create, AWS may be late in showing it.
func createdAgain(mg resource.Managed, name string, now time.Time) map[string]string {
	a := ownership.Name(mg, name)
	a[meta.AnnotationKeyExternalCreateSucceeded] = now.Format(time.RFC3339)
	return a
}
