package reconcile

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// ReasonRecreating is the reason of the event about an external resource that no longer
// exists in AWS and is created again.
const ReasonRecreating event.Reason = "RecreatingExternalResource"

// AWS is eventually consistent: for a while after a create, it may report that the new
// resource does not exist. During these intervals, such a report is not believed.
const (
	// graceNamed is for an external resource that AWS names and that was never seen: another
	// create would make a duplicate. After this interval, only the user can decide.
	graceNamed = 5 * time.Minute

	// graceNamedSeen is for an external resource that AWS names and that was seen. After this
	// interval, someone has deleted it.
	graceNamedSeen = time.Minute

	// graceSeen is for an external resource of a known name that was seen. Another create
	// would do little harm, but would be reported as a deletion by someone else.
	graceSeen = 10 * time.Second

	// graceUnanswered is for an external resource that AWS names and that an unanswered create
	// may have made: its entry in lists, or its tags, may be late.
	graceUnanswered = time.Minute

	// graceUnseen is for an external resource of a known name that was never seen: another
	// create does no harm. It doubles with each create that shows nothing, up to graceMost.
	graceUnseen = time.Minute
	graceMost   = 10 * time.Minute

	// graceDeletion is for an external resource with a deletion that AWS has not accepted yet:
	// removing the finalizer at once would leave it behind. One that was seen waits for
	// graceSeen only, by when replicas of AWS agree: most likely it was deleted with its
	// function.
	graceDeletion = time.Minute
)

// recurring is how long after a failed create a second one that finds the external
// resource existing counts as the same failure.
const recurring = 15 * time.Minute

// Messages of Ready for an external resource that AWS has created and does not show.
const (
	notAnswered = "AWS did not answer the create request: the provider looks for the resource before creating it again"

	notShown   = "AWS has created it, but it is not visible yet"
	neverShown = NeverShownMessage + ". It is not created again, because that could make a duplicate: " +
		"look for it in AWS; if it exists, set the annotation " + meta.AnnotationKeyExternalName + " to its name; " +
		"if it does not, remove the annotation " + meta.AnnotationKeyExternalCreateSucceeded
)

// late returns whether an external resource that AWS does not show may exist all the same,
// because it was created recently, and sets Ready accordingly.
func (e *External[T, O, S]) late(ctx context.Context, mg T) bool {
	now := Freshness(ctx).Now
	at, created := ownership.CreatedAt(mg)
	if !created || now.IsZero() {
		return false
	}
	since, unseen := max(now.Sub(at), 0), unseen(mg)
	switch {
	case meta.WasDeleted(mg) && !deletionAccepted(mg) && since < deletionGrace(mg, unseen):
		Abort(ctx, PendingDelay(since))
		return true
	case meta.WasDeleted(mg):
		return false
	case since < e.grace(mg, at, unseen):
		switch {
		case !available(mg):
			mg.SetConditions(Creating(mg.GetGeneration(), notShown))
		case outOfDate(mg):
			mg.SetConditions(Updating(mg.GetGeneration(), notShown)) // It was seen with an earlier spec.
		}
		RequeueAfter(ctx, PendingDelay(since))
		return true
	case unseen && e.calls.NameGiven:
		mg.SetConditions(Unavailable(mg.GetGeneration(), neverShown))
		RequeueAfter(ctx, min(since/2, graceMost)) //nolint:mnd // Half of the time that has passed.
		return true
	}
	return false
}

// unanswered returns whether an external resource that is not found may exist, because its
// create was not answered recently. If AWS gives the name, another create would make a
// duplicate; if the resource is being deleted, the external resource would be left behind.
// A kind that records its intent before the create does not need this interval.
func (e *External[T, O, S]) unanswered(ctx context.Context, mg T) bool {
	now := Freshness(ctx).Now
	at, unknown := ownership.UnansweredAt(mg)
	since := max(now.Sub(at), 0)
	_, recorded := mg.GetAnnotations()[ownership.AnnotationIntent]
	if !unknown || recorded || now.IsZero() || since >= graceUnanswered {
		return false
	}
	if meta.WasDeleted(mg) && !deletionAccepted(mg) {
		Abort(ctx, PendingDelay(since))
		return true
	}
	if meta.WasDeleted(mg) || !e.calls.NameGiven {
		return false
	}
	if !available(mg) {
		mg.SetConditions(Creating(mg.GetGeneration(), notAnswered))
	}
	RequeueAfter(ctx, PendingDelay(since))
	return true
}

// isUnanswered returns whether a create that failed may have created something.
func isUnanswered(err error) bool {
	_, unsent := quota.Deferred(err)
	return !unsent && !kerrors.IsConflict(err) && !awserr.IsRefused(err) && !ownership.IsForeign(err)
}

// grace returns how long after a create AWS may be late in showing the external resource.
// at is the time of the create.
func (e *External[T, O, S]) grace(mg T, at time.Time, unseen bool) time.Duration {
	switch made := mg.GetCreationTimestamp(); {
	case e.calls.NameGiven && unseen:
		return graceNamed
	case e.calls.NameGiven:
		return graceNamedSeen
	case unseen && made.IsZero():
		return graceUnseen
	case unseen:
		return min(max(at.Sub(made.Time), graceUnseen), graceMost)
	case available(mg), !e.calls.Replaces:
		return graceSeen
	}
	return 0
}

// deletionGrace returns how long after a create a resource that is being deleted keeps its
// finalizer although AWS does not show the external resource.
func deletionGrace(mg resource.Conditioned, unseen bool) time.Duration {
	if unseen || mg.GetCondition(xpv2.TypeReady).Reason == xpv2.ReasonDeleting { // This reason hides whether it was seen before.
		return graceDeletion
	}
	return graceSeen
}

// available returns whether an external resource was ready when it was last seen. Its
// Ready condition stays unchanged while replicas of AWS disagree, so that it still records
// that the external resource was seen.
func available(mg resource.Conditioned) bool {
	return mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue
}

// outOfDate returns whether the Ready condition is about an earlier generation.
func outOfDate(mg resource.Managed) bool {
	g := mg.GetCondition(xpv2.TypeReady).ObservedGeneration
	return g != 0 && g != mg.GetGeneration()
}

// deletionAccepted returns whether AWS has accepted the deletion of an external resource,
// by the conditions that were set then.
func deletionAccepted(mg resource.Conditioned) bool {
	return mg.GetCondition(xpv2.TypeReady).Reason == xpv2.ReasonDeleting && mg.GetCondition(xpv2.TypeSynced).Status != corev1.ConditionFalse && heldBy(mg) == ""
}

// unseen returns whether AWS has not shown an external resource since it was created:
// Ready is not set, or says that it is being created or was never shown.
func unseen(mg resource.Conditioned) bool {
	r := mg.GetCondition(xpv2.TypeReady)
	return r.Status == corev1.ConditionUnknown || r.Reason == xpv2.ReasonCreating ||
		IsNeverShown(r)
}

// reportGone emits an event about an external resource that existed, or that should exist,
// and is created again. It emits none about one that this resource itself removed to
// change it.
func (e *External[T, O, S]) reportGone(ctx context.Context, mg T) {
	r := mg.GetCondition(xpv2.TypeReady)
	_, created := ownership.CreatedAt(mg)
	unseen := created && unseen(mg)
	switch {
	case meta.WasDeleted(mg) || !ownership.WroteName(mg) || !MayCreate(mg) || e.calls.NameGiven && unseen:
	case unseen && r.Reason == xpv2.ReasonCreating && r.Message == notShown:
		Emit(ctx, event.Warning(ReasonRecreating, errors.Errorf("AWS confirmed the creation of %s, but it has not appeared since: it is created again", meta.GetExternalName(mg))))
	case available(mg):
		by := deletedBy(attemptFrom(ctx).origin)
		Emit(ctx, event.Warning(ReasonRecreating, errors.Errorf("%s was deleted in AWS%s: it is created again", meta.GetExternalName(mg), by)))
		DescribeChange(ctx, "recreated: it was deleted in AWS"+by)
	}
}

// alreadyExists returns the result of a create that found the external resource existing. The next
// observation checks the ownership. If an earlier one has not found it, this returns an
// error, which is retried with backoff.
func (e *External[T, O, S]) alreadyExists(ctx context.Context, mg T, err error) (managed.ExternalCreation, error) {
	failed := meta.GetExternalCreateFailed(mg)
	if now := Freshness(ctx).Now; !failed.IsZero() && failed.After(meta.GetExternalCreateSucceeded(mg)) && now.Sub(failed) < recurring {
		return managed.ExternalCreation{}, Invalid(errors.Wrap(awserr.Sanitize(err), "AWS answers that it already exists, but it cannot be found"))
	}
	Abort(ctx, busyDelay)
	// The pending create must not be mistaken later for what has made the external resource.
	rejected := map[string]string{meta.AnnotationKeyExternalCreateFailed: Freshness(ctx).Now.Format(time.RFC3339)}
	return managed.ExternalCreation{}, errors.Wrap(Annotate(ctx, mg, rejected), "cannot record that the external resource exists already")
}

// unname removes the external name of a resource that was deleted, before AWS gives its
// replacement another name. If that create is not answered, the provider then searches for
// the replacement instead of the old name. A kind that records its intent before the
// create finds the replacement by that.
func (e *External[T, O, S]) unname(ctx context.Context, mg T) error {
	_, recorded := mg.GetAnnotations()[ownership.AnnotationIntent]
	if !e.calls.NameGiven || recorded || e.observation.Exists || ExternalName(mg) == "" {
		return nil
	}
	none := map[string]string{meta.AnnotationKeyExternalName: "", ownership.AnnotationNamedBy: ""}
	return errors.Wrap(RecordIntent(ctx, mg, none), "cannot remove the external name of the deleted resource")
}

// nameless returns the result of a create with a response that lacks the name that AWS
// gave. It records that something was created, so that it is searched for and not created
// again.
func (e *External[T, O, S]) nameless(ctx context.Context, mg T) (managed.ExternalCreation, error) {
	annotations := map[string]string{ownership.AnnotationNamedBy: ownership.Name(mg, "")[ownership.AnnotationNamedBy]}
	err := Annotate(context.WithoutCancel(ctx), mg, annotations)
	return managed.ExternalCreation{}, errors.Wrap(err, "AWS's answer to the create request has no name, and this cannot be recorded")
}

// CreatedAgain returns the annotations that record the name of a replacement that an
// Update has created. As after a create, AWS may be late in showing it.
func CreatedAgain(ctx context.Context, mg resource.Managed, name string) map[string]string {
	a := ownership.Name(mg, name)
	if now := Freshness(ctx).Now; !now.IsZero() {
		a[meta.AnnotationKeyExternalCreateSucceeded] = now.Format(time.RFC3339)
	}
	return a
}
