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
	absentReportsNamed = 3
)

// Names under which Repeats keeps reports of AWS that an external resource does not exist, and creates that were not
// answered.
const (
	absence          = "absence"
	unansweredCreate = "unanswered create"
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

// An absenceReport is everything that determines whether to believe AWS that an external resource does not exist.
type absenceReport struct {
	now time.Time

	// nameGiven has the value of Calls, and named reports whether the resource has an external name.
	nameGiven, named bool

	// created is the time at which the last create succeeded, and unanswered the time at which this process first
	// knew of one that was not answered. They are zero if there was none. recorded reports whether the kind has
	// recorded its intent before a create, by which it finds the result.
	created, unanswered time.Time
	recorded            bool

	// objectCreated is the time at which the managed resource was created.
	objectCreated time.Time

	// unseen reports whether AWS has not shown the external resource since it was created, available whether it was
	// ready when it was last seen, and outdated whether that was for an earlier generation.
	unseen, available, outdated bool

	// deleting reports whether the managed resource is being deleted, deletionSent whether Ready says so, and
	// deletionAccepted whether this process knows that AWS has accepted the deletion of all that belongs to it, or its
	// removal for a replacement.
	deleting, deletionSent, deletionAccepted bool

	// confirm counts the report. It returns how long to wait for the next one, and 0 once there were so many in a row.
	confirm func(needed int) time.Duration
}

// A verdict is the decision about the report that an external resource does not exist.
type verdict struct {
	// believed is true if the external resource does not exist.
	believed bool

	// after is the delay before the next observation.
	after time.Duration

	// silent is true if the reconcile is to leave no trace meanwhile.
	silent bool

	// reason and message are those of the Ready condition meanwhile. If the reason is empty, it stays as it is.
	reason  xpv2.ConditionReason
	message string
}

// believe decides whether an external resource that AWS does not show exists all the same: because its create was not
// answered, because it was created a moment ago, or because AWS has said so too few times.
func believe(a absenceReport) verdict {
	for _, doubt := range []func(absenceReport) (verdict, bool){
		absenceReport.notAnswered, absenceReport.late, absenceReport.unconfirmed,
	} {
		if v, ok := doubt(a); ok {
			return v
		}
	}
	return verdict{believed: true}
}

// notAnswered decides about an external resource whose create was not answered recently. If AWS gives the name,
// another create would make a duplicate; if the resource is being deleted, the external resource would be left behind.
// A kind that records its intent before the create does not need this interval.
func (a absenceReport) notAnswered() (verdict, bool) {
	since := max(a.now.Sub(a.unanswered), 0)
	if a.unanswered.IsZero() || a.recorded || since >= graceUnanswered {
		return verdict{}, false
	}
	v := verdict{after: PendingDelay(since)}
	switch {
	case a.deleting && !a.deletionAccepted:
		v.silent = true
		return v, true
	case a.deleting || !a.nameGiven:
		return verdict{}, false
	case !a.available:
		v.reason, v.message = xpv2.ReasonCreating, NotAnswered
	}
	return v, true
}

// late decides about an external resource that was created recently.
func (a absenceReport) late() (verdict, bool) {
	if a.created.IsZero() {
		return verdict{}, false
	}
	since := max(a.now.Sub(a.created), 0)
	switch {
	case a.deleting:
		return verdict{after: PendingDelay(since), silent: true}, !a.deletionAccepted && since < a.deletionGrace()
	case since < a.grace():
		v := verdict{after: PendingDelay(since), message: NotShown}
		switch {
		case !a.available:
			v.reason = xpv2.ReasonCreating
		case a.outdated:
			v.reason = v1beta1.ReasonUpdating // It was seen with an earlier spec.
		}
		return v, true
	case a.unseen && a.nameGiven:
		const half = 2 // Of the time that has passed.
		return verdict{after: min(since/half, GraceMost), reason: xpv2.ReasonUnavailable, message: NeverShown}, true
	}
	return verdict{}, false
}

// grace returns how long after a create AWS may be late in showing the external resource.
func (a absenceReport) grace() time.Duration {
	switch {
	case a.nameGiven && a.unseen:
		return graceNamed
	case a.nameGiven:
		return graceNamedSeen
	case a.unseen && a.objectCreated.IsZero():
		return graceUnseen
	case a.unseen:
		return min(max(a.created.Sub(a.objectCreated), graceUnseen), GraceMost)
	case a.deletionAccepted:
		return 0
	}
	return GraceSeen
}

// deletionGrace returns how long after a create a resource that is being deleted keeps its
// finalizer although AWS does not show the external resource.
func (a absenceReport) deletionGrace() time.Duration {
	if a.unseen || a.deletionSent { // That hides whether it was seen before.
		return GraceDeletion
	}
	return GraceSeen
}

// unconfirmed decides about an external resource that was seen: AWS has to report again that it does not exist, before
// it is created again or its managed resource is deleted. One without an external name was never created.
func (a absenceReport) unconfirmed() (verdict, bool) {
	named := a.nameGiven && a.named
	if a.unseen && a.created.IsZero() || a.deletionAccepted || !a.deleting && !a.named {
		return verdict{}, false
	}
	needed := AbsentReports
	if named {
		needed = absentReportsNamed
	}
	v := verdict{after: a.confirm(needed), silent: a.deleting}
	if a.outdated { // It was seen with an earlier spec.
		v.reason, v.message = v1beta1.ReasonUpdating, notConfirmed
	}
	return v, v.after > 0
}

// mayExist reports whether an external resource that AWS does not show may exist all the same, and sets what the
// reconcile does meanwhile. It returns a LaterError if the reconcile is to leave no trace.
func (e *external[T, O, S]) mayExist() (bool, error) {
	v := believe(e.absenceReport())
	if v.believed {
		return false, nil
	}
	if v.silent {
		return true, WaitFor(v.after)
	}
	if v.reason != "" {
		e.out.Ready = NewCondition(xpv2.TypeReady, corev1.ConditionFalse, v.reason, e.mg.GetGeneration(), v.message)
	}
	e.out.Add(Effects{After: v.after})
	e.out.Details = e.details()
	return true, nil
}

func (e *external[T, O, S]) absenceReport() absenceReport {
	mg := e.mg
	created, ok := ownership.CreatedAt(mg)
	if !ok {
		created = time.Time{}
	}
	unanswered, ok := ownership.UnansweredAt(mg)
	switch {
	case !ok:
		unanswered = time.Time{}
	case e.facts.Repeats != nil && e.facts.Now().Sub(unanswered) < GraceMost: // By the clock of another process.
		unanswered = e.facts.Repeats.first(unansweredCreate, unanswered.String(), e.facts.Now())
	}
	_, recorded := mg.GetAnnotations()[v1beta1.AnnotationIntent]
	_, deletions := e.facts.Repeats.Delay(deletion, "", e.facts.Now())
	return absenceReport{
		now: e.facts.Now(), nameGiven: e.NameGiven, named: ExternalName(mg) != "",
		created: created, unanswered: unanswered, recorded: recorded, objectCreated: mg.GetCreationTimestamp().Time,
		unseen: unseen(mg) && (e.Shown == nil || !e.Shown(mg)), available: available(mg), outdated: outOfDate(mg),
		deleting: meta.WasDeleted(mg), deletionSent: mg.GetCondition(xpv2.TypeReady).Reason == xpv2.ReasonDeleting,
		deletionAccepted: deletions > 0,
		confirm: func(needed int) time.Duration {
			return e.facts.Repeats.Confirm(absence, needed, e.facts.Now())
		},
	}
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
// emits none about one that this resource itself removed to change it.
func (e *external[T, O, S]) reportGone() {
	mg := e.mg
	r := mg.GetCondition(xpv2.TypeReady)
	unseen := Unseen(mg)
	switch {
	case meta.WasDeleted(mg) || !ownership.WroteName(mg) || !MayCreate(mg) || e.NameGiven && unseen:
	case unseen && r.Reason == xpv2.ReasonCreating && r.Message == NotShown:
		e.out.Events = append(e.out.Events, event.Warning(v1beta1.EventRecreating, errors.Errorf(
			"AWS confirmed the creation of %s, but it has not appeared since: it is created again",
			meta.GetExternalName(mg))))
	case available(mg):
		by := DeletedBy(e.facts.Origin)
		e.out.Events = append(e.out.Events, event.Warning(v1beta1.EventRecreating, errors.Errorf(
			"%s was deleted in AWS%s: it is created again", meta.GetExternalName(mg), by)))
		e.recreates = "recreated: it was deleted in AWS" + by
	}
}
