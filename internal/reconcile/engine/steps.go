package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/cloudtrail"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// resolveReferences resolves the references of a resource that is not being deleted.
func (p *pass) resolveReferences(ctx context.Context, mg reconcile.Managed) error {
	err := awserr.CauseFirst(p.references.resolve(ctx, mg, p.session))
	if err == nil {
		return nil
	}
	if p.removal = p.refusedReference(ctx, mg, err); p.removal != nil {
		return nil
	}
	p.err = err
	p.await(mg, err)
	return err
}

// await reports that a resource that does not exist in AWS yet waits for something.
func (p *pass) await(mg resource.Managed, err error) {
	p.awaits = true
	ready := mg.GetCondition(xpv2.TypeReady)
	if ready.Status == corev1.ConditionUnknown || ready.Reason == xpv2.ReasonCreating {
		mg.SetConditions(reconcile.Creating(mg.GetGeneration(), err.Error()))
	}
}

// connect determines the observer of a resource, and tracks it as a user of its config. If the resource is denied what
// spec names, it is not tracked, unless it may have created something with that config.
func (p *pass) connect(ctx context.Context, mg reconcile.Managed) error {
	plans, asked := p.planning(mg)
	o, err := p.connected(ctx, mg)
	if plans && err == nil {
		o = &planObserver{pass: p, inner: o, asked: asked}
	}
	track := p.Tracker.Track
	if session.IsRefused(err) || reconcile.IsDenied(err) && !mayHaveCreated(mg) {
		track = p.Tracker.Drop
	}
	if err := track(ctx, mg); err != nil {
		return p.fail(err)
	}
	if err != nil {
		return p.fail(reconcile.Ambiguous(err))
	}
	p.observer = o
	return nil
}

// mayHaveCreated reports whether the resource may have created or adopted something in AWS.
func mayHaveCreated(mg resource.Managed) bool {
	return ownership.WrittenName(mg) != "" || !meta.GetExternalCreatePending(mg).IsZero()
}

// connected returns the observer of a resource. It makes no AWS call.
func (p *pass) connected(ctx context.Context, mg reconcile.Managed) (reconcile.UntypedObserver, error) {
	if open, ok := asCircuitOpen(p.unusable); ok {
		return observerFunc(func(context.Context, reconcile.Facts, reconcile.Managed) (reconcile.Outcome, error) {
			return reconcile.Outcome{}, open
		}), nil
	}
	if p.unusable != nil {
		return nil, p.unusable
	}
	if p.session == nil {
		return nil, errors.New("no AWS configuration was resolved for this reconcile")
	}
	if err := p.checkAccount(); err != nil {
		return nil, err
	}
	if p.removal != nil {
		return p.kind.Observer(mg, p.session), nil
	}
	if meta.WasDeleted(mg) {
		p.references.resolveDeleted(ctx, mg, p.session)
	}
	if err := reconcile.PlainFunctionName(mg, p.session); err != nil {
		return nil, err
	}
	return p.permitted(ctx, mg)
}

// permitted returns the kind's observer if the resource has the permission to use its
// targets. A resource without permission that is being deleted leaves them in AWS.
func (p *pass) permitted(ctx context.Context, mg reconcile.Managed) (reconcile.UntypedObserver, error) {
	p.facts.Others = p.others(mg, p.session)
	err := p.permit(ctx, mg, p.facts.Others)
	switch {
	case err == nil:
		return p.kind.Observer(mg, p.session), nil
	case meta.WasDeleted(mg) && reconcile.IsDenied(err):
		return releasing(err, p.has(p.facts.Others.User) != ""), nil
	}
	mg.SetConditions(reconcile.Unavailable(mg.GetGeneration(), err.Error()))
	if p.removal = p.refused(ctx, mg, err, err); p.removal != nil {
		return p.kind.Observer(mg, p.session), nil
	}
	return nil, err
}

// observe observes the external resource, and reserves the call that is due.
func (p *pass) observe(ctx context.Context, mg reconcile.Managed) error {
	ctx, span := p.Tracer.Start(ctx, "Observe")
	defer span.End()
	var err error
	if p.removal == nil {
		p.out, err = p.observer.Observe(ctx, p.facts, mg)
	} else {
		p.out, err = p.removeRefused(ctx, mg)
	}
	if werr := p.annotate(ctx, mg, p.out.Annotate); err == nil || reconcile.IsLater(werr) {
		err = werr
	}
	if err = p.waiting(mg, err); p.out.Ready.Type != "" {
		mg.SetConditions(p.out.Ready)
	}
	if err == nil {
		span.SetAttributes(keyExists.Bool(p.out.Exists), keyUpToDate.Bool(p.out.Call == nil))
		err = p.due(mg)
	}
	if err != nil {
		if later, ok := reconcile.AsType[*reconcile.LaterError](err); ok && len(later.Operations) > 0 {
			addDeferredEvent(ctx, later.After, later.Operations...)
		}
		conclude(span, err)
		return p.fail(p.explainUnanswered(err))
	}
	if p.found() {
		p.recordActs(mg)
	}
	if p.out.State == reconcile.UpToDate && p.references != nil {
		p.fingerprint = p.references.fingerprint(ctx, mg, p.session)
		if p.kind.Listed != nil {
			p.listed = p.kind.Listed(mg)
		}
	}
	return nil
}

// removeRefused deletes what a refused resource has created in AWS, as if the resource were being deleted. It returns
// why the resource is refused.
func (p *pass) removeRefused(ctx context.Context, mg reconcile.Managed) (reconcile.Outcome, error) {
	deleted := reconcile.CopyOf(mg)
	deleted.SetDeletionTimestamp(&metav1.Time{Time: p.facts.Now()})
	out, err := p.observer.Observe(ctx, p.facts, deleted)
	switch {
	case err != nil:
	case !out.Exists:
		out.Events = append(out.Events, p.removal.done())
	case out.Call != nil:
		if err := p.facts.Reserve(out.Call.Reserve...); err != nil {
			return reconcile.Outcome{}, err
		}
		var res reconcile.Result
		res, err = out.Call.Do(ctx)
		out.Add(res.Effects)
	}
	if err == nil {
		err = p.removal.why
	}
	return reconcile.Outcome{Effects: out.Effects}, err
}

// waiting turns an error that says what the resource waits for into its Ready condition.
func (p *pass) waiting(mg reconcile.Managed, err error) error {
	if e, ok := reconcile.AsType[*reconcile.NotReadyError](err); ok {
		ready := reconcile.Creating(mg.GetGeneration(), e.Reason)
		if p.out.Ready.Reason == v1beta1.ReasonUpdating { // What exists is to be replaced.
			ready = reconcile.Updating(mg.GetGeneration(), e.Reason)
		}
		p.out.Ready, p.out.Exists, p.out.Call = ready, true, nil
		p.out.Add(reconcile.Effects{After: e.After})
		return nil
	}
	if _, ok := reconcile.AsType[*reconcile.AwaitedError](err); ok {
		p.await(mg, err)
	}
	return err
}

// due prepares the call that is due: it checks the policies, and reserves it.
func (p *pass) due(mg reconcile.Managed) error {
	call := p.out.Call
	if call == nil {
		return nil
	}
	policies := p.managementPolicies(mg)
	if call.Verb == reconcile.ToCreate && !policies.ShouldCreate() && !policies.ShouldOnlyObserve() {
		return backoff.ErrCannotCreate // The runtime would go on to update it.
	}
	if err := p.facts.Reserve(call.Reserve...); err != nil {
		return err
	}
	if p.creates = call.Verb == reconcile.ToCreate && policies.ShouldCreate(); p.creates {
		meta.AddAnnotations(mg, call.Intent.Annotations)
	}
	return nil
}

// act makes the call that is due.
func (p *pass) act(ctx context.Context, mg reconcile.Managed) error {
	p.changing = true
	call := p.out.Call
	ctx, span := p.Tracer.Start(ctx, string(call.Verb))
	defer span.End()
	var err error
	if call.Verb != reconcile.ToCreate {
		err = p.annotate(ctx, mg, call.Intent)
	}
	if err == nil {
		p.result, err = call.Do(ctx)
		if werr := p.record(ctx, mg, p.result.Annotate); err == nil {
			err = werr
		}
	}
	p.out.Add(p.result.Effects)
	if p.does = cmp.Or(p.result.Does, call.Does); p.does != "" {
		span.SetAttributes(keyChange.String(p.does))
	}
	conclude(span, err)
	if err != nil {
		return p.fail(err)
	}
	p.did = call.Verb
	if p.did != reconcile.ToDelete {
		p.recordActs(mg)
	}
	p.expectEvent(call.Reserve)
	if p.did == reconcile.ToCreate && p.facts.Others != nil && p.kind.ActsOn != nil {
		p.Tenants.RecordCreated(p.kind.GVK.Kind, p.facts.Others.User, ownership.WrittenName(mg))
	}
	return nil
}

// expectEvent records that a drift event about calls that were made is expected, if CloudTrail records them.
func (p *pass) expectEvent(operations []string) {
	changes := func(operation string) bool { return !cloudtrail.IsRead(operation) }
	if p.Events == nil || p.session == nil || p.kind.Reported == nil || !slices.ContainsFunc(operations, changes) {
		return
	}
	p.Events.Called(p.session.Ref.UID, p.session.Identity.Account, p.session.AWS.Region)
}

// remove deletes the external resource, unless the deletion waits for a confirmation.
func (p *pass) remove(ctx context.Context, mg reconcile.Managed) error {
	res, waits, err := p.checkDeletion(ctx, mg)
	p.out.Add(res.Effects)
	switch {
	case err != nil:
		return p.fail(err)
	case waits:
		p.did, p.result = reconcile.ToConfirm, res
		return nil
	}
	return p.act(ctx, mg)
}

// annotate writes annotations, on condition that the resource has not changed since it was read. Otherwise what was
// decided is outdated: it returns a LaterError, and the next reconcile reads the resource live.
func (p *pass) annotate(ctx context.Context, mg reconcile.Managed, r reconcile.Record) error {
	if len(r.Annotations) == 0 {
		return nil
	}
	err := p.annotations.AnnotateIfUnchanged(ctx, mg, r.Annotations)
	if kerrors.IsConflict(err) {
		return reconcile.WaitFor(p.conflictDelay())
	}
	return errors.Wrap(err, r.Failure)
}

// record writes annotations about what was done, even if the reconcile is cancelled.
func (p *pass) record(ctx context.Context, mg reconcile.Managed, r reconcile.Record) error {
	if len(r.Annotations) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	return errors.Wrap(p.annotations.Annotate(ctx, mg, r.Annotations), r.Failure)
}

// recordTimeout bounds the write of what a call has done.
const recordTimeout = 10 * time.Second
