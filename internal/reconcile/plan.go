package reconcile

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// A Plan is the result of comparing spec with the observation.
type Plan struct {
	Effects

	// Ready is the Ready condition to set. If changes are due, it says that they are being made.
	Ready xpv2.Condition

	// Changes are the differences between spec and AWS.
	Changes diff.Changes

	// Followed is the subset of Changes whose cause is a change of something that spec refers to, such as a new object
	// in S3, rather than a change in AWS.
	Followed diff.Changes

	// PlannedCall is the call that makes the changes, or the first of several. Its Call is empty if nothing is due or
	// nothing can be sent yet.
	PlannedCall

	// Reserve are AWS operations to reserve besides the Call.
	Reserve []string

	// Intent is written before the Call.
	Intent Record

	// Otherwise are the calls that may be made, in order, while AWS accepts the Call without
	// showing its effect: a change that AWS does not apply must not block the others.
	Otherwise []PlannedCall

	// Recreate says that what was observed is the remainder of a failed creation, which Create is to delete and create
	// again. This needs management policies that allow both, whether or not they allow updates.
	Recreate bool

	// Wait is the requeue interval. 0 selects the polling interval for pending or stable external resources.
	Wait time.Duration
}

// AfterStatus returns the plan without its call, which the next reconcile makes at once. Meanwhile status is written:
// it has what the call replaces elsewhere, such as in the intent.
func (p Plan) AfterStatus() Plan {
	p.Call, p.Reserve, p.Intent, p.Otherwise = "", nil, Record{}, nil
	p.Add(Effects{After: AtOnce, Keep: true})
	return p
}

// A PlannedCall is one of the calls of a Plan.
type PlannedCall struct {
	// Call is the AWS operation.
	Call string

	// Applies is the subset of the plan's Changes that the Call makes. Nil means all.
	Applies diff.Changes

	// Does describes the call in the event about it. If it is empty, the event lists the changes of Applies.
	Does string

	// Slow says that AWS takes a while over the call, so that an immediate observation would show nothing new.
	Slow bool
}

// With returns the plan with the first of the calls as its call, and the others as those that may be made while AWS
// does not show its effect.
func (p Plan) With(calls ...PlannedCall) Plan {
	if len(calls) > 0 {
		p.PlannedCall, p.Otherwise = calls[0], calls[1:]
	}
	return p
}

// UpdatingFields returns the Ready condition while changes are being made. It names the
// fields: the values are in status.differences and in events.
func UpdatingFields(generation int64, changes diff.Changes) xpv2.Condition {
	return Updating(generation, "changing "+changes.Names())
}

// Comparison returns what the plan says about drift.
func (p Plan) Comparison() SyncState {
	switch {
	case len(p.Changes) > len(p.Followed):
		return Differs
	case len(p.Changes) > 0:
		return SourceChanged
	case p.Ready.Status == corev1.ConditionTrue:
		return UpToDate
	case p.Ready.Reason == xpv2.ReasonUnavailable:
		return Unserved
	}
	return Undecided
}

// Cause returns why AWS differs from the desired state, for the event of the correction that is planned: spec or what
// it refers to has changed, someone has changed the resource in AWS, or the cause is unknown, as in the first
// observation after a start or of what is adopted.
func (f Facts) Cause(mg Managed, p Plan) string {
	changed, drifted := "", ""
	if f.CausesFn != nil {
		changed, drifted = f.CausesFn()
	}
	switch {
	case !IsReconciled(mg) && mg.GetGeneration() > 1:
		return "spec changed"
	case changed != "":
		return changed
	case p.Comparison() == SourceChanged:
		return "the source changed"
	}
	return cmp.Or(drifted, "differed from spec")
}
