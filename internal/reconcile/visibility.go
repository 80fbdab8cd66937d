package reconcile

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// AWS is eventually consistent: for a while after a create, it may report that the new
// resource does not exist. During these intervals, such a report is not believed.
const (
	// graceNamed is for an external resource that AWS names and that was never seen: another
	// create would make a duplicate. After this interval, only the user can decide.
	graceNamed = 5 * time.Minute

	// graceNamedSeen is for an external resource that AWS names and that was seen. After this
	// interval, someone has deleted it.
	graceNamedSeen = time.Minute

	// GraceSeen is for an external resource of a known name that was seen. Another create
	// would do little harm, but would be reported as a deletion by someone else.
	GraceSeen = 10 * time.Second

	// graceUnanswered is for an external resource that AWS names and that an unanswered create
	// may have made: its entry in lists, or its tags, may be late.
	graceUnanswered = time.Minute

	// graceUnseen is for an external resource of a known name that was never seen: another
	// create does no harm. It doubles with each create that shows nothing, up to graceMost.
	graceUnseen = time.Minute
	GraceMost   = 10 * time.Minute

	// GraceDeletion is for an external resource with a deletion that AWS has not accepted yet: removing the finalizer
	// at once would leave it behind. One that was seen waits for graceSeen only, by when replicas of AWS agree: most
	// likely it was deleted with its function.
	GraceDeletion = time.Minute
)

// Reports that have to follow each other before an external resource that was seen counts as gone. A single one may be
// wrong, and believing it would leave things in AWS: one that AWS names is created again under another name, a function
// no longer knows the versions that it has published, and a managed resource that is being deleted loses its finalizer.
// The second report comes two seconds after the first one, and the third one ten seconds after the second.
const (
	AbsentReports      = 2
	AbsentReportsNamed = 3
)

// Names under which Repeats keeps reports of AWS that an external resource does not exist, and creates by the clocks of
// other processes.
const (
	absenceReport    = "absence"
	unansweredCreate = "unanswered create"
	answeredCreate   = "answered create"
)

// Messages of Ready for an external resource that AWS has created and does not show.
const (
	NotAnswered = "AWS did not answer the create request: the provider looks for the resource before creating it again"

	notConfirmed = "AWS reports that it does not exist: it is read again before it is created again"

	NotShown   = "AWS has created it, but it is not visible yet"
	NeverShown = NeverShownMessage + ". It is not created again, because that could make a duplicate: " +
		"look for it in AWS; if it exists, set the annotation " + meta.AnnotationKeyExternalName + " to its name; " +
		"if it does not, remove the annotation " + meta.AnnotationKeyExternalCreateSucceeded
)

// An absence is an answer of AWS that an external resource does not exist, and all that decides whether to believe it.
type absence struct {
	Calls

	facts Facts
	mg    Managed

	// created is the time at which the last create succeeded, or this process first knew of it if that is in the
	// future, and unanswered the time at which it first knew of one that was not answered. They are zero if there was
	// none.
	created, unanswered time.Time

	// unseen reports whether AWS has not shown the external resource since it was created, outdated whether it was last
	// seen for an earlier generation, and removed whether this process knows that AWS has accepted the deletion of all
	// that belongs to it, or its removal for a replacement.
	unseen, outdated, removed bool
}

// absence returns the absence of the external resource.
func (e *external[T, O, S]) absence() absence {
	mg, f := e.mg, e.facts
	a := absence{
		Calls: e.Calls, facts: f, mg: mg,
		unseen: unseen(mg) && (e.Shown == nil || !e.Shown(mg)), outdated: outOfDate(mg),
	}
	if at, ok := ownership.CreatedAt(mg); ok {
		a.created = at
		if f.Repeats != nil && at.After(f.Now()) { // By the clock of another process.
			a.created = f.Repeats.first(answeredCreate, at.String(), f.Now())
		}
	}
	if at, ok := ownership.UnansweredAt(mg); ok {
		a.unanswered = at
		if f.Repeats != nil && f.Now().Sub(at) < GraceMost { // By the clock of another process.
			a.unanswered = f.Repeats.first(unansweredCreate, at.String(), f.Now())
		}
	}
	_, deletions := f.Repeats.Delay(deletion, "", f.Now())
	a.removed = deletions > 0
	return a
}

// mayExist reports whether an external resource that AWS does not show may exist all the same: because its create was
// not answered, because it was created a moment ago, or because AWS has said so too few times. It sets what the
// reconcile does meanwhile. For a resource that is being deleted, it returns a LaterError.
func (e *external[T, O, S]) mayExist(a absence) (bool, error) {
	for _, doubt := range []func(absence) (time.Duration, xpv2.Condition){
		absence.notAnswered, absence.late, absence.unconfirmed,
	} {
		after, ready := doubt(a)
		switch {
		case after == 0:
			continue
		case meta.WasDeleted(e.mg):
			return true, WaitFor(after)
		}
		e.out.Ready = ready
		e.out.Add(Effects{After: after})
		e.out.Details = e.details()
		return true, nil
	}
	return false, nil
}

// notAnswered decides about an external resource whose create was not answered recently: it returns the delay before
// the next observation, 0 to believe AWS, and the Ready condition meanwhile, empty to leave it as it is. If AWS gives
// the name, another create would make a duplicate; if the resource is being deleted, the external resource would be
// left behind. A kind that records its intent before the create finds the result before another create.
func (a absence) notAnswered() (after time.Duration, ready xpv2.Condition) {
	since := a.since(a.unanswered)
	if a.unanswered.IsZero() || since >= graceUnanswered {
		return 0, ready
	}
	switch deleting := meta.WasDeleted(a.mg); {
	case deleting && a.removed, !deleting && (!a.NameGiven || isRecorded(a.mg)):
		return 0, ready
	case !available(a.mg):
		ready = Creating(a.mg.GetGeneration(), NotAnswered)
	}
	return PendingDelay(since), ready
}

// late decides about an external resource that was created recently, as notAnswered does.
func (a absence) late() (after time.Duration, ready xpv2.Condition) {
	since, generation := a.since(a.created), a.mg.GetGeneration()
	switch {
	case a.created.IsZero(), meta.WasDeleted(a.mg) && (a.removed || since >= a.deletionGrace()):
		return 0, ready
	case meta.WasDeleted(a.mg):
	case since < a.grace() && !available(a.mg):
		ready = Creating(generation, NotShown)
	case since < a.grace() && a.outdated:
		ready = Updating(generation, NotShown) // It was seen with an earlier spec.
	case since < a.grace():
	case a.unseen && a.NameGiven:
		const half = 2 // Of the time that has passed.
		return min(since/half, GraceMost), Unavailable(generation, NeverShown)
	default:
		return 0, ready
	}
	return PendingDelay(since), ready
}

// since returns the time since a create, which the clock of another process may have stamped.
func (a absence) since(at time.Time) time.Duration { return max(a.facts.Now().Sub(at), 0) }

// grace returns how long after a create AWS may be late in showing the external resource.
func (a absence) grace() time.Duration {
	objectCreated := a.mg.GetCreationTimestamp()
	switch {
	case a.NameGiven && a.unseen:
		return graceNamed
	case a.NameGiven:
		return graceNamedSeen
	case a.unseen && objectCreated.IsZero():
		return graceUnseen
	case a.unseen:
		return min(max(a.created.Sub(objectCreated.Time), graceUnseen), GraceMost)
	case a.removed:
		return 0
	}
	return GraceSeen
}

// deletionGrace returns how long after a create a resource that is being deleted keeps its
// finalizer although AWS does not show the external resource.
func (a absence) deletionGrace() time.Duration {
	// The reason Deleting hides whether it was seen before.
	if a.unseen || a.mg.GetCondition(xpv2.TypeReady).Reason == xpv2.ReasonDeleting {
		return GraceDeletion
	}
	return GraceSeen
}

// unconfirmed decides about an external resource that was seen, as notAnswered does: AWS has to report again that it
// does not exist, before it is created again or its managed resource is deleted. One without an external name was never
// created.
func (a absence) unconfirmed() (after time.Duration, ready xpv2.Condition) {
	named := ExternalName(a.mg) != ""
	if a.unseen && a.created.IsZero() || a.removed || !named && !meta.WasDeleted(a.mg) {
		return 0, ready
	}
	needed := AbsentReports
	if a.NameGiven && named {
		needed = AbsentReportsNamed
	}
	if a.outdated { // It was seen with an earlier spec.
		ready = Updating(a.mg.GetGeneration(), notConfirmed)
	}
	return a.facts.Repeats.Confirm(absenceReport, needed, a.facts.Now()), ready
}

// isRecorded reports whether the kind has recorded its intent before a create, by which it finds the result.
func isRecorded(mg Managed) bool {
	_, recorded := mg.GetAnnotations()[v1beta1.AnnotationIntent]
	return recorded
}

// isUnanswered reports whether a create that failed may have created something.
func isUnanswered(err error) bool {
	_, unsent := quota.Deferred(err)
	_, later := AsType[*LaterError](err)
	return !unsent && !later && !kerrors.IsConflict(err) && !awserr.IsRefused(err) && !ownership.IsForeign(err)
}

// available reports whether an external resource was ready when it was last seen. Its Ready condition stays unchanged
// while replicas of AWS disagree, so that it still records that the external resource was seen; one of an earlier
// generation is replaced by an update of what is not visible.
func available(mg resource.Conditioned) bool {
	r := mg.GetCondition(xpv2.TypeReady)
	return r.Status == corev1.ConditionTrue || r.Reason == v1beta1.ReasonUpdating && r.Message == NotShown
}

// outOfDate reports whether the Ready condition is about an earlier generation.
func outOfDate(mg resource.Managed) bool {
	g := mg.GetCondition(xpv2.TypeReady).ObservedGeneration
	return g != 0 && g != mg.GetGeneration()
}

// DeletionAccepted reports whether AWS has accepted the deletion of an external resource, or of a part of it, by the
// conditions that were set then.
func DeletionAccepted(mg resource.Conditioned) bool {
	return mg.GetCondition(xpv2.TypeReady).Reason == xpv2.ReasonDeleting &&
		mg.GetCondition(xpv2.TypeSynced).Status != corev1.ConditionFalse && PendingReason(mg) == ""
}

// unseen reports whether AWS has not shown an external resource since it was created:
// Ready is not set, or says that it is being created or was never shown.
func unseen(mg resource.Conditioned) bool {
	return NotCreated(mg) || IsNeverShown(mg.GetCondition(xpv2.TypeReady))
}

// NotCreated reports whether Ready says no more of a resource than that it is being created.
func NotCreated(mg resource.Conditioned) bool {
	r := mg.GetCondition(xpv2.TypeReady)
	return r.Status == corev1.ConditionUnknown || r.Reason == xpv2.ReasonCreating
}

// reportGone emits an event about an external resource that existed, or that should exist, and is created again. It
// emits none about one that this resource itself removed to change it, as an earlier process may have done while Ready
// is Updating, nor again after its creation has failed, which makes Ready Unavailable.
func (e *external[T, O, S]) reportGone(a absence) {
	name, ready := meta.GetExternalName(e.mg), e.mg.GetCondition(xpv2.TypeReady)
	switch {
	case !ownership.WroteName(e.mg) || !MayCreate(e.mg) || a.removed:
	case a.unseen && !a.created.IsZero() && ready.Reason == xpv2.ReasonCreating && ready.Message == NotShown:
		e.out.Events = append(e.out.Events, event.Warning(v1beta1.EventRecreating, errors.Errorf(
			"AWS confirmed the creation of %s, but it has not appeared since: it is created again", name)))
	case a.unseen, e.Replaces && ready.Reason == v1beta1.ReasonUpdating && !available(e.mg),
		a.created.IsZero() && ready.Reason == xpv2.ReasonUnavailable:
	default:
		by := DeletedBy(e.facts.Origin)
		e.out.Events = append(e.out.Events, event.Warning(v1beta1.EventRecreating, errors.Errorf(
			"%s was deleted in AWS%s: it is created again", name, by)))
		e.recreates = "recreated: it was deleted in AWS" + by
	}
}

// Unseen reports whether AWS has accepted the create of a resource and has not returned the
// external resource since, or not as complete.
func Unseen(mg Managed) bool {
	_, created := ownership.CreatedAt(mg)
	return created && unseen(mg)
}
