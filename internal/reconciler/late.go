package reconciler

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
	"github.com/crossplane-contrib/provider-lambda/internal/ownership"
)

// ReasonRecreating tells that AWS has no more what a resource had there, so that it is
// created again.
const ReasonRecreating event.Reason = "RecreatingExternalResource"

// AWS is eventually consistent: for a while after a create, it may answer that what was
// created does not exist. These say for how long after a create that is believed.
const (
	// graceNamed is for an external resource whose name AWS gives, so that another create would make
	// a second one, and that was never seen. After it, only the user can tell.
	graceNamed = 5 * time.Minute

	// graceNamedSeen is for such a resource that was seen since. After it, someone has
	// deleted it.
	graceNamedSeen = time.Minute

	// graceSeen is for an external resource of a known name that was seen since. To create it again
	// would do little harm, but would be told as somebody's deletion.
	graceSeen = 10 * time.Second

	// graceUnanswered is for an external resource whose name AWS gives and whose create was not
	// answered: what lists it, or its tags, may be late.
	graceUnanswered = time.Minute

	// graceUnseen is for an external resource of a known name that was never seen: another create can
	// do no harm. It doubles with each create that shows nothing, up to graceMost.
	graceUnseen = time.Minute
	graceMost   = 10 * time.Minute

	// graceDeletion is for an external resource that is to be deleted, and whose deletion AWS has not
	// accepted yet: whoever lets go of it at once leaves it behind. One that was seen waits
	// for graceSeen only, by when replicas of AWS agree: most likely it went with the
	// function that it was of.
	graceDeletion = time.Minute
)

// recurring is for how long after a create that found its external resource there another such one
// counts as the same trouble.
const recurring = 15 * time.Minute

// What Ready says of an external resource that AWS has created and does not show.
const (
	notAnswered = "AWS did not answer the create request: the provider looks for the resource before creating it again"

	notShown   = "AWS has created it, but it is not visible yet"
	neverShown = NeverShownMessage + ". It is not created again, because that could make a duplicate: " +
		"look for it in AWS; if it exists, set the annotation " + meta.AnnotationKeyExternalName + " to its name; " +
		"if it does not, remove the annotation " + meta.AnnotationKeyExternalCreateSucceeded
)

// late tells whether an external resource that AWS does not show may be there all the same, since it
// was created a moment ago, and then says so in Ready. An external resource that is gone for good is
// told of by an event.
func (e *External[T, O, S]) late(ctx context.Context, mg T) bool {
	now := Freshness(ctx).Now
	at, created := ownership.CreatedAt(mg)
	if !created || now.IsZero() {
		e.tellGone(ctx, mg, created && unseen(mg))
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
		if !available(mg) {
			mg.SetConditions(Creating(mg.GetGeneration(), notShown))
		}
		RequeueAfter(ctx, PendingDelay(since))
		return true
	case unseen && e.calls.NameGiven:
		mg.SetConditions(Unavailable(mg.GetGeneration(), neverShown))
		RequeueAfter(ctx, min(since/2, graceMost)) //nolint:mnd // Half as long again as it has been waited for.
		return true
	}
	e.tellGone(ctx, mg, unseen)
	return false
}

// unanswered tells whether an external resource may have been created that is not found, since its
// create was not answered a moment ago. Where AWS gives the name, another create would make
// a second one; where the external resource is to be deleted, it would be left behind. A kind that
// notes what it is about to create waits by that itself.
func (e *External[T, O, S]) unanswered(ctx context.Context, mg T) bool {
	now := Freshness(ctx).Now
	at, unknown := ownership.UnansweredAt(mg)
	since := max(now.Sub(at), 0)
	_, noted := mg.GetAnnotations()[ownership.AnnotationIntent]
	if !unknown || noted || now.IsZero() || since >= graceUnanswered {
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

// isUnanswered tells whether a create that failed may have created something all the same.
func isUnanswered(err error) bool {
	_, unsent := quota.Deferred(err)
	return !unsent && !kerrors.IsConflict(err) && !awserr.IsRefused(err) && !ownership.IsForeign(err)
}

// grace is how long after a create AWS may be late in showing the external resource. at is when it
// was created.
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

// deletionGrace is for how long after a create a resource is not let go of whose external resource AWS
// does not show.
func deletionGrace(mg resource.Conditioned, unseen bool) time.Duration {
	if unseen || mg.GetCondition(xpv2.TypeReady).Reason == xpv2.ReasonDeleting { // What was seen before, it does not tell.
		return graceDeletion
	}
	return graceSeen
}

// available tells whether an external resource was in order when it was last seen. Its Ready condition
// stays as it is while replicas of AWS disagree on it, so that it still tells that the
// external resource was seen.
func available(mg resource.Conditioned) bool {
	return mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue
}

// deletionAccepted tells whether AWS has accepted to delete an external resource, by what was said when
// it did.
func deletionAccepted(mg resource.Conditioned) bool {
	return mg.GetCondition(xpv2.TypeReady).Reason == xpv2.ReasonDeleting && mg.GetCondition(xpv2.TypeSynced).Status != corev1.ConditionFalse
}

// unseen tells whether AWS has not shown an external resource since it was created: Ready says
// nothing, that it is being created, or that it was never shown.
func unseen(mg resource.Conditioned) bool {
	r := mg.GetCondition(xpv2.TypeReady)
	return r.Status == corev1.ConditionUnknown || r.Reason == xpv2.ReasonCreating ||
		IsNeverShown(r)
}

// tellGone emits an event about an external resource that was there, or that should be, and is
// created again. What this resource itself took away to change it is no news.
func (e *External[T, O, S]) tellGone(ctx context.Context, mg T, unseen bool) {
	r := mg.GetCondition(xpv2.TypeReady)
	switch {
	case meta.WasDeleted(mg) || !ownership.WroteName(mg) || !MayCreate(mg) || e.calls.NameGiven && unseen:
	case unseen && r.Reason == xpv2.ReasonCreating && r.Message == notShown:
		Emit(ctx, event.Warning(ReasonRecreating, errors.Errorf("AWS confirmed the creation of %s, but it has not appeared since: it is created again", meta.GetExternalName(mg))))
	case available(mg):
		Emit(ctx, event.Warning(ReasonRecreating, errors.Errorf("%s was deleted in AWS: it is created again", meta.GetExternalName(mg))))
		DescribeChange(ctx, "recreated: it was deleted in AWS")
	}
}

// taken is the outcome of a create that found the external resource there. The next observation
// tells whose it is; where that has not found it before, it is said, and tried again
// ever more slowly.
func (e *External[T, O, S]) taken(ctx context.Context, mg T, err error) (managed.ExternalCreation, error) {
	failed := meta.GetExternalCreateFailed(mg)
	if now := Freshness(ctx).Now; !failed.IsZero() && failed.After(meta.GetExternalCreateSucceeded(mg)) && now.Sub(failed) < recurring {
		return managed.ExternalCreation{}, Invalid(errors.Wrap(awserr.Clean(err), "AWS answers that it already exists, but it cannot be found"))
	}
	Abort(ctx, busyDelay)
	return managed.ExternalCreation{}, nil
}

// unname takes the name of an external resource that is gone off its resource, before AWS gives another
// one to what is created in its place. Should that not be answered, what was created is
// looked for, rather than that of the old name. A kind that notes what it is about to
// create finds it by that.
func (e *External[T, O, S]) unname(ctx context.Context, mg T) error {
	_, noted := mg.GetAnnotations()[ownership.AnnotationIntent]
	if !e.calls.NameGiven || noted || e.observation.Exists || ExternalName(mg) == "" {
		return nil
	}
	none := map[string]string{meta.AnnotationKeyExternalName: "", ownership.AnnotationNamedBy: ""}
	return errors.Wrap(RecordIntent(ctx, mg, none), "cannot remove the external name of the deleted resource")
}

// nameless is the outcome of a create whose answer lacks the name that AWS gave. It
// notes that something was created, so that it is looked for and not created again.
func (e *External[T, O, S]) nameless(ctx context.Context, mg T) (managed.ExternalCreation, error) {
	note := map[string]string{ownership.AnnotationNamedBy: ownership.Name(mg, "")[ownership.AnnotationNamedBy]}
	err := Annotate(context.WithoutCancel(ctx), mg, note)
	return managed.ExternalCreation{}, errors.Wrap(err, "AWS's answer to the create request has no name, and this cannot be recorded")
}

// CreatedAgain are the annotations by which an object keeps the name of what an Update
// has created in place of what it had: as after a create, AWS may be late in showing it.
func CreatedAgain(ctx context.Context, mg resource.Managed, name string) map[string]string {
	a := ownership.Name(mg, name)
	if now := Freshness(ctx).Now; !now.IsZero() {
		a[meta.AnnotationKeyExternalCreateSucceeded] = now.Format(time.RFC3339)
	}
	return a
}
