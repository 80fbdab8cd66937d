// Package flow is the external client that most kinds share: what to do when a thing
// is absent, foreign, only observed, in motion, different from its spec or to be
// deleted. What a kind itself has to know is its Thing.
//
// An observation gathers all first (Thing.Read), then goes by pure calls; it ends
// with at most one mutating call that is due, for which it reserves quota. Create,
// Update and Delete make that one call.
package flow

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

// Reasons of the events that are emitted for every kind.
const (
	// ReasonAdopted tells of a thing that was taken over.
	ReasonAdopted event.Reason = "AdoptedExternalResource"

	// ReasonNotDeleted tells of a thing that was left in AWS, since it is not ours.
	ReasonNotDeleted = managed.ReasonNotDeleted
)

// again is when to look again after AWS said that it is busy, or that someone else
// was quicker.
const again = time.Second

// Found is what one look at AWS has found.
type Found[O any] struct {
	// Thing as AWS answered.
	Thing O

	// Exists is false where AWS does not have it.
	Exists bool

	// Name that the thing has, for the annotation crossplane.io/external-name.
	Name string

	// What names the thing to users, such as "alias live of function cart".
	What string
}

// A Thing is how a kind sees its thing in AWS. It lives for one reconcile, so that it
// may keep what Read found for the call that follows.
type Thing[T managed.Managed, O any] interface {
	// Read from AWS. It finds a thing by its external name, by what spec tells, or, where
	// AWS gives the name and none is known yet, by what a create whose answer was lost
	// may have left. A resource that is being deleted, and of which nothing can exist, is
	// not found. An error says why AWS could not be asked.
	Read(ctx context.Context, mg T) (Found[O], error)

	// Judge whose a found thing is. An error says why it is not ours to touch, see
	// ownership.NewForeignError.
	Judge(ctx context.Context, mg T, f Found[O]) (ownership.Verdict, error)

	// Show what was found in status.atProvider. It makes no call.
	Show(mg T, f Found[O])

	// State is the Ready condition by what AWS says alone, whatever spec asks for.
	State(mg T, f Found[O]) xpv2.Condition

	// Plan compares spec with what was found. It makes no call to Lambda.
	Plan(ctx context.Context, mg T, f Found[O]) (Plan, error)

	// Prepare checks what is to be created, and resolves what spec refers to, before
	// quota is reserved for it. It may return an error that names the field at fault, or
	// a NotReadyError.
	Prepare(ctx context.Context, mg T) error

	// Create the thing, and return the name that AWS knows it by.
	Create(ctx context.Context, mg T) (name string, err error)

	// Update makes the plan's Call.
	Update(ctx context.Context, mg T, f Found[O], p Plan) error

	// Delete the thing. One that is gone is no error.
	Delete(ctx context.Context, mg T, f Found[O]) error

	// Connection is what those who use the thing need to know.
	Connection(mg T) xpmanaged.ConnectionDetails
}

// A NotReadyError is what Prepare returns while something that ends by itself keeps the
// thing from being created. It is no failure: the Ready condition says what is waited for,
// and the resource comes back.
type NotReadyError struct {
	// Reason is what is waited for.
	Reason string

	// After is when to look again. 0 leaves it to the pace at which things in motion are
	// looked at.
	After time.Duration
}

// Error is what is waited for.
func (e *NotReadyError) Error() string { return e.Reason }

// Calls are the AWS operations by which a kind creates and deletes.
type Calls struct {
	Create, Delete string

	// NameGiven says that AWS gives the name, so that each create makes another thing.
	NameGiven bool

	// Replaces says that an update deletes the thing, so that it is created again after.
	Replaces bool
}

// External is the external client of a Thing. It lives for one reconcile.
type External[T managed.Managed, O any] struct {
	thing Thing[T, O]
	calls Calls

	found Found[O]
	plan  Plan
}

// New external client of a thing.
func New[T managed.Managed, O any](thing Thing[T, O], calls Calls) *External[T, O] {
	return &External[T, O]{thing: thing, calls: calls}
}

// Found is what the last Observe has found.
func (e *External[T, O]) Found() Found[O] { return e.found }

// Observe a thing, and decide what is due.
func (e *External[T, O]) Observe(ctx context.Context, mg T) (xpmanaged.ExternalObservation, error) {
	if err := ownership.CheckName(mg); err != nil {
		return xpmanaged.ExternalObservation{}, err
	}
	f, err := e.thing.Read(ctx, mg)
	if err != nil {
		return xpmanaged.ExternalObservation{}, err
	}
	if !f.Exists {
		return e.absent(ctx, mg)
	}
	e.found = f
	if ObserveOnly(mg) {
		return e.look(ctx, mg)
	}
	verdict, err := e.thing.Judge(ctx, mg, f)
	if err != nil {
		return e.foreign(ctx, mg, err)
	}
	if meta.WasDeleted(mg) {
		managed.Reserve(ctx, e.calls.Delete)
		return xpmanaged.ExternalObservation{ResourceExists: true}, nil
	}
	if err := e.name(ctx, mg, verdict); err != nil {
		return xpmanaged.ExternalObservation{}, err
	}
	return e.compare(ctx, mg)
}

// name writes the thing's name where it is not written yet, so that the next look
// knows the thing for ours.
func (e *External[T, O]) name(ctx context.Context, mg T, v ownership.Verdict) error {
	if e.found.Name == "" || ownership.WroteName(mg) && meta.GetExternalName(mg) == e.found.Name {
		return nil
	}
	if v == ownership.Adopted {
		managed.Emit(ctx, event.Normal(ReasonAdopted, "Adopted "+e.found.What))
	}
	return errors.Wrap(managed.RecordIntent(ctx, mg, ownership.Name(mg, e.found.Name)), "cannot write the external name")
}

// compare spec with what was found.
func (e *External[T, O]) compare(ctx context.Context, mg T) (xpmanaged.ExternalObservation, error) {
	managed.ForgetCalls(ctx, creation)
	e.thing.Show(mg, e.found)
	p, err := e.thing.Plan(ctx, mg, e.found)
	if err != nil {
		return xpmanaged.ExternalObservation{}, err
	}
	mends := Allows(mg, xpv2.ManagementActionUpdate)
	managed.ReportComparison(ctx, p.comparison(), mends)
	if !mends && (len(p.Changes) > 0 || p.Call != "") {
		p.Call, p.Ready = "", e.thing.State(mg, e.found)
	}
	p = bounded(ctx, mg, p)
	p.Ready = tell(ctx, mg, p.Changes, mends, p.Ready)
	e.plan = p
	mg.SetConditions(p.Ready)
	if p.Wait > 0 {
		managed.RequeueAfter(ctx, p.Wait)
	}
	if p.Recreate && Allows(mg, xpv2.ManagementActionDelete) && Allows(mg, xpv2.ManagementActionCreate) {
		return e.recreate(ctx, mg)
	}
	if p.Call != "" {
		managed.Reserve(ctx, p.Call)
	}
	return xpmanaged.ExternalObservation{
		ResourceExists:    true,
		ResourceUpToDate:  p.Call == "",
		Diff:              p.Changes.String(),
		ConnectionDetails: e.thing.Connection(mg),
	}, nil
}

// recreate has Create called for what was found, as if it were not there.
func (e *External[T, O]) recreate(ctx context.Context, mg T) (xpmanaged.ExternalObservation, error) {
	if err := e.thing.Prepare(ctx, mg); err != nil {
		return xpmanaged.ExternalObservation{}, err
	}
	managed.Reserve(ctx, e.calls.Delete, e.calls.Create)
	return xpmanaged.ExternalObservation{}, nil
}

// absent is the observation of a thing that AWS does not have.
func (e *External[T, O]) absent(ctx context.Context, mg T) (xpmanaged.ExternalObservation, error) {
	if ObserveOnly(mg) {
		return xpmanaged.ExternalObservation{}, nil
	}
	if e.unanswered(ctx, mg) {
		return xpmanaged.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}, nil
	}
	if e.late(ctx, mg) {
		return xpmanaged.ExternalObservation{ResourceExists: true, ResourceUpToDate: true, ConnectionDetails: e.thing.Connection(mg)}, nil
	}
	if meta.WasDeleted(mg) {
		return xpmanaged.ExternalObservation{}, nil
	}
	mends := Allows(mg, xpv2.ManagementActionCreate)
	managed.ReportComparison(ctx, managed.Missing, mends)
	if !mends {
		mg.SetConditions(condition.Unavailable(mg.GetGeneration(), "it does not exist in AWS, and managementPolicies do not allow creating it"))
		return xpmanaged.ExternalObservation{ResourceUpToDate: true}, nil
	}
	if wait, count := managed.RepeatDelay(ctx, creation, ""); wait > 0 {
		return unshown(ctx, mg, e.calls.Create, wait, count), nil
	}
	if err := e.thing.Prepare(ctx, mg); err != nil {
		return await(ctx, mg, err)
	}
	mg.SetConditions(condition.Creating(mg.GetGeneration(), ""))
	managed.Reserve(ctx, e.calls.Create)
	return xpmanaged.ExternalObservation{}, nil
}

// await what keeps a thing from being created, if err is a NotReadyError. The runtime,
// which knows no such state, is told that there is nothing to do: a held reconcile would
// drop the condition.
func await(ctx context.Context, mg managed.Managed, err error) (xpmanaged.ExternalObservation, error) {
	var notReady *NotReadyError
	if !errors.As(err, &notReady) {
		return xpmanaged.ExternalObservation{}, err
	}
	mg.SetConditions(condition.Creating(mg.GetGeneration(), notReady.Reason))
	if notReady.After > 0 {
		managed.RequeueAfter(ctx, notReady.After)
	}
	return xpmanaged.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}, nil
}

// look is an observation without any claim: whatever is there is shown, and how it differs
// from spec.
func (e *External[T, O]) look(ctx context.Context, mg T) (xpmanaged.ExternalObservation, error) {
	changes, err := e.foresee(ctx, mg)
	e.thing.Show(mg, e.found)
	if err != nil {
		return xpmanaged.ExternalObservation{}, errors.Wrapf(err, "cannot compare %s with spec", e.found.What)
	}
	mg.SetConditions(tell(ctx, mg, changes, false, e.thing.State(mg, e.found)))
	return xpmanaged.ExternalObservation{ResourceExists: true, ResourceUpToDate: true, ConnectionDetails: e.thing.Connection(mg)}, nil
}

// foreign is the observation of a thing that is not ours. A resource that is being
// deleted just lets go of it.
func (e *External[T, O]) foreign(ctx context.Context, mg T, err error) (xpmanaged.ExternalObservation, error) {
	if meta.WasDeleted(mg) && ownership.IsForeign(err) {
		managed.Emit(ctx, event.Normal(ReasonNotDeleted, "Left in AWS, because this resource does not own it: "+err.Error()))
		return xpmanaged.ExternalObservation{}, nil
	}
	mg.SetConditions(condition.Unavailable(mg.GetGeneration(), err.Error()))
	if !ownership.IsAdoptable(err) {
		return xpmanaged.ExternalObservation{}, err
	}
	if changes, ferr := e.foresee(ctx, mg); ferr == nil { // What keeps it from being compared is told once it is its own.
		managed.ReportDifferences(ctx, "", compared(mg, changes).list())
	}
	return xpmanaged.ExternalObservation{}, err
}

// Create the thing. If AWS has it already, the next observation tells whose it is: it
// may be ours, of a call whose answer was lost.
func (e *External[T, O]) Create(ctx context.Context, mg T) (xpmanaged.ExternalCreation, error) {
	if err := e.unname(ctx, mg); err != nil {
		return xpmanaged.ExternalCreation{}, err
	}
	name, err := e.thing.Create(ctx, mg)
	switch {
	case busy(err):
		return xpmanaged.ExternalCreation{}, later(ctx, err)
	case awserr.IsAlreadyExists(err):
		return e.taken(ctx, mg, err)
	case err != nil:
		if unknown(err) {
			meta.AddAnnotations(mg, ownership.Unanswered(mg))
		}
		return xpmanaged.ExternalCreation{}, err
	case name == "":
		return e.nameless(ctx, mg)
	}
	managed.ForgetCalls(ctx, putOff)
	managed.RecordCall(ctx, creation, "")
	meta.AddAnnotations(mg, ownership.Name(mg, name))
	return xpmanaged.ExternalCreation{ConnectionDetails: e.thing.Connection(mg)}, nil
}

// Update makes the one call that is due.
func (e *External[T, O]) Update(ctx context.Context, mg T) (xpmanaged.ExternalUpdate, error) {
	err := e.thing.Update(ctx, mg, e.found, e.plan)
	if busy(err) {
		return xpmanaged.ExternalUpdate{}, later(ctx, err)
	}
	if err != nil {
		return xpmanaged.ExternalUpdate{}, err
	}
	managed.ForgetCalls(ctx, putOff)
	managed.RecordCall(ctx, e.plan.Call, e.plan.Carried.String())
	managed.DescribeChange(ctx, e.plan.describe(ctx, mg))
	if !e.plan.Slow {
		managed.RequeueAfter(ctx, 0)
	}
	return xpmanaged.ExternalUpdate{ConnectionDetails: e.thing.Connection(mg)}, nil
}

// Delete the thing.
func (e *External[T, O]) Delete(ctx context.Context, mg T) (xpmanaged.ExternalDelete, error) {
	mg.SetConditions(condition.Deleting(mg.GetGeneration(), ""))
	err := e.thing.Delete(ctx, mg, e.found)
	if busy(err) {
		return xpmanaged.ExternalDelete{}, later(ctx, err)
	}
	if err != nil && !awserr.IsNotFound(err) {
		return xpmanaged.ExternalDelete{}, err
	}
	managed.ForgetCalls(ctx, putOff)
	afterDeletion(ctx, mg)
	return xpmanaged.ExternalDelete{}, nil
}

// Disconnect does nothing: connections are shared and outlive a reconcile.
func (e *External[T, O]) Disconnect(context.Context) error { return nil }

// Name is the external name of a resource: the one that the user set, or the one that
// the resource itself wrote. Empty if there is none yet.
func Name(mg resource.Managed) string {
	return cmp.Or(meta.GetExternalName(mg), ownership.WrittenName(mg))
}

// busy says that AWS takes the call later: something else is under way, or someone
// else changed the thing since it was observed.
func busy(err error) bool { return awserr.IsInProgress(err) || awserr.IsPreconditionFailed(err) }

// Allows tells whether the management policies of a resource include an action.
func Allows(mg resource.Managed, a xpv2.ManagementAction) bool {
	p := mg.GetManagementPolicies()
	return len(p) == 0 || slices.Contains(p, xpv2.ManagementActionAll) || slices.Contains(p, a)
}

// MayCreate tells whether a resource may make its thing, should there be none.
func MayCreate(mg resource.Managed) bool {
	return Allows(mg, xpv2.ManagementActionCreate) && !meta.WasDeleted(mg)
}

// ObserveOnly tells whether a resource may do nothing but observe.
func ObserveOnly(mg resource.Managed) bool {
	return ownership.ObserveOnly(mg)
}
