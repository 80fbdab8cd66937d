package reconcile

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// ReasonAdopted is the reason of the event about an external resource that was adopted.
const ReasonAdopted event.Reason = "AdoptedExternalResource"

// busyDelay is the requeue interval after AWS reports a conflicting operation.
const busyDelay = time.Second

// External is the external client that all kinds share. It decides what to do if an external
// resource is absent, foreign, only observed, being changed, different from its spec or to be
// deleted. It lives for one reconcile.
//
// Observe reads everything first (ExternalResource.Read) and then decides without any call to
// Lambda. It ends with at most one mutating call that is due, for which it reserves quota.
// Create, Update and Delete make that one call.
type External[T Managed, O, S any] struct {
	resource ExternalResource[T, O, S]
	calls    Calls

	// observation is what Observe has read; plan and comparison are what it has decided.
	observation Observation[O, S]
	plan        Plan
	comparison  Comparison[S]

	// settings are the settings to create, if a creation is due.
	settings S
}

// NewExternal returns the external client of an external resource.
func NewExternal[T Managed, O, S any](r ExternalResource[T, O, S], calls Calls) *External[T, O, S] {
	return &External[T, O, S]{resource: r, calls: calls}
}

// Observe observes the external resource and decides which call is due.
func (e *External[T, O, S]) Observe(ctx context.Context, mg T) (managed.ExternalObservation, error) {
	if err := ownership.CheckName(mg); err != nil {
		return managed.ExternalObservation{}, err
	}
	var err error
	if e.observation, err = e.resource.Read(ctx, mg); err != nil {
		return managed.ExternalObservation{}, err
	}
	if !e.observation.Exists {
		return e.absent(ctx, mg)
	}
	ForgetCalls(ctx, absence)
	if ObserveOnly(mg) {
		return e.observeOnly(ctx, mg)
	}
	owned, err := e.checkOwnership(ctx, mg)
	if err != nil {
		return e.foreign(ctx, mg, err)
	}
	if meta.WasDeleted(mg) {
		Reserve(ctx, e.calls.Delete)
		return managed.ExternalObservation{ResourceExists: true}, nil
	}
	if err := e.name(ctx, mg, owned); err != nil {
		return managed.ExternalObservation{}, err
	}
	confirmTargets(ctx)
	return e.compare(ctx, mg)
}

// name writes the external name if it is not written yet, so that the next observation
// recognises the external resource as owned.
func (e *External[T, O, S]) name(ctx context.Context, mg T, v ownership.Ownership) error {
	if e.observation.Name == "" || ownership.WroteName(mg) && meta.GetExternalName(mg) == e.observation.Name {
		return nil
	}
	if v == ownership.Adopted {
		Emit(ctx, event.Normal(ReasonAdopted, "Adopted "+e.observation.Description))
	}
	return errors.Wrap(RecordIntent(ctx, mg, ownership.Name(mg, e.observation.Name)), "cannot write the external name")
}

// compare compares spec with the observation and decides which call is due.
func (e *External[T, O, S]) compare(ctx context.Context, mg T) (managed.ExternalObservation, error) {
	ForgetCalls(ctx, creation)
	e.resource.SetStatus(mg, e.observation)
	p, c, err := e.planned(ctx, mg)
	if err != nil {
		return managed.ExternalObservation{}, err
	}
	recordPlan(ctx, p.Changes)
	mayUpdate := Allows(mg, xpv2.ManagementActionUpdate)
	ReportSyncState(ctx, p.comparison(), mayUpdate)
	if !mayUpdate && (len(p.Changes) > 0 || p.Call != "") {
		p.Call, p.Ready = "", e.readyCondition(mg)
	}
	p = bounded(ctx, mg, p)
	p.Ready = explained(ctx, readyWithDifferences(ctx, mg, p.Changes, mayUpdate, p.Ready))
	e.plan, e.comparison = p, c
	mg.SetConditions(p.Ready)
	if p.Wait > 0 {
		RequeueAfter(ctx, p.Wait)
	}
	if p.Recreate && Allows(mg, xpv2.ManagementActionDelete) && Allows(mg, xpv2.ManagementActionCreate) {
		return e.recreate(ctx, mg)
	}
	if p.Call != "" && p.Call == e.calls.Create {
		if err := claimTargets(ctx); err != nil {
			return await(ctx, mg, err)
		}
	}
	if p.Call != "" {
		Reserve(ctx, p.Call)
	}
	return managed.ExternalObservation{
		ResourceExists:    true,
		ResourceUpToDate:  p.Call == "",
		Diff:              p.Changes.String(),
		ConnectionDetails: e.connectionDetails(mg),
	}, nil
}

// recreate makes the runtime call Create, by reporting that the external resource does not
// exist.
func (e *External[T, O, S]) recreate(ctx context.Context, mg T) (managed.ExternalObservation, error) {
	if err := e.prepareCreate(ctx, mg); err != nil {
		return managed.ExternalObservation{}, err
	}
	Reserve(ctx, e.calls.Delete, e.calls.Create)
	return managed.ExternalObservation{}, nil
}

// absent returns the observation of an external resource that AWS does not have.
func (e *External[T, O, S]) absent(ctx context.Context, mg T) (managed.ExternalObservation, error) {
	if ObserveOnly(mg) {
		return managed.ExternalObservation{}, nil
	}
	if e.unanswered(ctx, mg) {
		return managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}, nil
	}
	if e.late(ctx, mg) || e.unconfirmed(ctx, mg) {
		return managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true, ConnectionDetails: e.connectionDetails(mg)}, nil
	}
	if meta.WasDeleted(mg) {
		return managed.ExternalObservation{}, nil
	}
	e.reportGone(ctx, mg)
	mayUpdate := Allows(mg, xpv2.ManagementActionCreate)
	ReportSyncState(ctx, Missing, mayUpdate)
	if !mayUpdate {
		a := attemptFrom(ctx)
		mg.SetConditions(Unavailable(mg.GetGeneration(), withOrigin("it does not exist in AWS, and managementPolicies do not allow creating it", a.origin, a.readyBefore.Message)))
		return managed.ExternalObservation{ResourceUpToDate: true}, nil
	}
	if wait, count := RepeatDelay(ctx, creation, ""); wait > 0 {
		return notShownObservation(ctx, mg, e.calls.Create, wait, count), nil
	}
	err := e.prepareCreate(ctx, mg)
	if err == nil {
		err = claimTargets(ctx)
	}
	if err != nil {
		return await(ctx, mg, err)
	}
	mg.SetConditions(Creating(mg.GetGeneration(), ""))
	Reserve(ctx, e.calls.Create)
	return managed.ExternalObservation{}, nil
}

// await sets the Ready condition to what the creation waits for, if err is a
// NotReadyError. It reports to the runtime, which has no such state, that nothing is due:
// an aborted reconcile would drop the condition.
func await(ctx context.Context, mg Managed, err error) (managed.ExternalObservation, error) {
	var notReady *NotReadyError
	if !errors.As(err, &notReady) {
		return managed.ExternalObservation{}, err
	}
	mg.SetConditions(Creating(mg.GetGeneration(), notReady.Reason))
	if notReady.After > 0 {
		RequeueAfter(ctx, notReady.After)
	}
	return managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}, nil
}

// observeOnly returns the observation of a resource that may only observe. It checks no
// ownership, and reports how the external resource differs from spec.
func (e *External[T, O, S]) observeOnly(ctx context.Context, mg T) (managed.ExternalObservation, error) {
	changes, err := e.previewChanges(ctx, mg)
	e.resource.SetStatus(mg, e.observation)
	if err != nil {
		return managed.ExternalObservation{}, errors.Wrapf(err, "cannot compare %s with spec", e.observation.Description)
	}
	mg.SetConditions(readyWithDifferences(ctx, mg, changes, false, e.readyCondition(mg)))
	return managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true, ConnectionDetails: e.connectionDetails(mg)}, nil
}

// foreign returns the observation of an external resource that this resource does not own.
// If the managed resource is being deleted, it leaves the external resource in AWS.
func (e *External[T, O, S]) foreign(ctx context.Context, mg T, err error) (managed.ExternalObservation, error) {
	releaseTargets(ctx)
	if meta.WasDeleted(mg) && ownership.IsForeign(err) {
		Emit(ctx, event.Normal(ReasonNotDeleted, "Left in AWS, because this resource does not own it: "+err.Error()))
		return managed.ExternalObservation{}, nil
	}
	mg.SetConditions(Unavailable(mg.GetGeneration(), err.Error()))
	if !ownership.IsAdoptable(err) {
		return managed.ExternalObservation{}, err
	}
	if changes, ferr := e.previewChanges(ctx, mg); ferr == nil { // A failed comparison is reported after the adoption.
		ReportDifferences(ctx, "", compared(mg, changes).list())
	}
	return managed.ExternalObservation{}, err
}

// Create creates the external resource. If AWS has it already, the next observation checks
// the ownership: an unanswered create may have made it.
func (e *External[T, O, S]) Create(ctx context.Context, mg T) (managed.ExternalCreation, error) {
	if err := e.unname(ctx, mg); err != nil {
		return managed.ExternalCreation{}, err
	}
	callCreates(ctx)
	name, err := e.resource.Create(ctx, mg, e.settings)
	if err != nil && !isUnanswered(err) {
		releaseTargets(ctx)
	}
	switch {
	case isBusy(err):
		return managed.ExternalCreation{}, requeueBusy(ctx, err)
	case awserr.IsAlreadyExists(err):
		return e.alreadyExists(ctx, mg, err)
	case err != nil:
		if isUnanswered(err) {
			meta.AddAnnotations(mg, ownership.Unanswered(mg))
		}
		return managed.ExternalCreation{}, err
	case name == "":
		return e.nameless(ctx, mg)
	}
	ForgetCalls(ctx, deferral)
	RecordCall(ctx, creation, "")
	meta.AddAnnotations(mg, ownership.Name(mg, name))
	if e.calls.NameGiven {
		confirmTargets(ctx) // Nobody could claim the name before AWS gave it.
	}
	return managed.ExternalCreation{ConnectionDetails: e.connectionDetails(mg)}, nil
}

// Update makes the one call that is due.
func (e *External[T, O, S]) Update(ctx context.Context, mg T) (managed.ExternalUpdate, error) {
	if e.plan.Call == e.calls.Create {
		callCreates(ctx)
	}
	err := e.resource.Update(ctx, mg, e.observation, Update[S]{Comparison: e.comparison, Call: e.plan.Call, Carried: e.plan.Carried})
	if err != nil && !isUnanswered(err) {
		releaseTargets(ctx)
	}
	if isBusy(err) {
		return managed.ExternalUpdate{}, requeueBusy(ctx, err)
	}
	if err != nil {
		return managed.ExternalUpdate{}, err
	}
	ForgetCalls(ctx, deferral)
	RecordCall(ctx, e.plan.Call, e.plan.Carried.String())
	DescribeChange(ctx, e.plan.describe(ctx, mg))
	if !e.plan.Slow {
		RequeueAfter(ctx, 0)
	}
	return managed.ExternalUpdate{ConnectionDetails: e.connectionDetails(mg)}, nil
}

// Delete deletes the external resource.
func (e *External[T, O, S]) Delete(ctx context.Context, mg T) (managed.ExternalDelete, error) {
	if p, ok := e.resource.(DeletionPreparer[T, O, S]); ok {
		if ready, err := p.PrepareDelete(ctx, mg, e.observation); !ready || err != nil {
			return managed.ExternalDelete{}, err
		}
	}
	mg.SetConditions(Deleting(mg.GetGeneration(), ""))
	err := e.resource.Delete(ctx, mg, e.observation)
	if isBusy(err) {
		return managed.ExternalDelete{}, requeueBusy(ctx, err)
	}
	if err != nil && !awserr.IsNotFound(err) {
		return managed.ExternalDelete{}, err
	}
	ForgetCalls(ctx, deferral)
	afterDeletion(ctx, mg)
	return managed.ExternalDelete{}, nil
}

// Disconnect does nothing: connections are shared and outlive a reconcile.
func (e *External[T, O, S]) Disconnect(context.Context) error { return nil }

// ExternalName returns the external name of a resource: the one that the user set, or the
// one that the resource itself wrote. It is empty if there is none yet.
func ExternalName(mg resource.Managed) string {
	return cmp.Or(meta.GetExternalName(mg), ownership.WrittenName(mg))
}

// isBusy returns whether AWS accepts the call later, because another operation is in
// progress or the external resource was changed since it was observed.
func isBusy(err error) bool { return awserr.IsInProgress(err) || awserr.IsPreconditionFailed(err) }

// Allows returns whether the management policies of a resource allow an action, as the
// runtime decides it. The runtime pauses a resource without any policy. It reconciles one
// only if management policies are turned off, and then allows everything.
func Allows(mg resource.Managed, a xpv2.ManagementAction) bool {
	p := mg.GetManagementPolicies()
	return len(p) == 0 || slices.Contains(p, xpv2.ManagementActionAll) || slices.Contains(p, a)
}

// MayCreate returns whether a resource may create its external resource if there is none.
func MayCreate(mg resource.Managed) bool {
	return Allows(mg, xpv2.ManagementActionCreate) && !meta.WasDeleted(mg)
}

// ObserveOnly returns whether the management policies allow nothing but observing.
func ObserveOnly(mg resource.Managed) bool {
	return ownership.ObserveOnly(mg)
}
