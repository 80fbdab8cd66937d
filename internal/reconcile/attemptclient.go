package reconcile

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// attemptClient is the external client that the runtime calls. It wraps each call of a kind's
// external client in a span, records in the Attempt what the call did, translates errors for
// the runtime, and ends aborted reconciles.
type attemptClient[T Managed] struct {
	inner    managed.TypedExternalClient[T]
	policies bool
	tracer   trace.Tracer

	kind     Kind[T]
	referral *referral[T]
	brake    *brake[T]
}

// Observe observes the external resource. It returns an error if the resource does not exist
// and managementPolicies do not allow creating it, because the runtime would go on to update
// it.
func (c *attemptClient[T]) Observe(ctx context.Context, mg T) (managed.ExternalObservation, error) {
	a := attemptFrom(ctx)
	o, err := c.observe(ctx, mg)
	if err != nil {
		return managed.ExternalObservation{}, toRuntimeError(a, a.explainUnanswered(err))
	}
	if _, aborted := a.Aborted(); aborted {
		return managed.ExternalObservation{}, errAborted
	}
	if !o.ResourceExists && !o.ResourceUpToDate && !meta.WasDeleted(mg) && !c.mayCreate(mg) {
		return managed.ExternalObservation{}, toRuntimeError(a, errCannotCreate)
	}
	a.creates = !o.ResourceExists && !meta.WasDeleted(mg) && c.resolvePolicies(mg).ShouldCreate()
	if s, _ := a.SyncState(); s == UpToDate {
		a.referred = c.referral.fingerprint(ctx, mg)
		if c.kind.Listed != nil {
			a.listed = c.kind.Listed(mg)
		}
	}
	return o, nil
}

func (c *attemptClient[T]) observe(ctx context.Context, mg T) (managed.ExternalObservation, error) {
	ctx, span := c.tracer.Start(ctx, "Observe")
	defer span.End()
	o, err := c.inner.Observe(ctx, mg)
	if err == nil {
		span.SetAttributes(keyExists.Bool(o.ResourceExists), keyUpToDate.Bool(o.ResourceUpToDate))
	}
	conclude(span, err)
	return o, err
}

// Create creates the external resource.
func (c *attemptClient[T]) Create(ctx context.Context, mg T) (out managed.ExternalCreation, err error) {
	err = c.change(ctx, "Create", actionCreated, func(ctx context.Context) error {
		out, err = c.inner.Create(ctx, mg)
		return err
	})
	if p := attemptFrom(ctx).permission; err == nil && p != nil && c.kind.ActsOn != nil {
		p.book.RecordCreated(p.kind, p.user, ownership.WrittenName(mg))
	}
	return out, err
}

// Update updates the external resource.
func (c *attemptClient[T]) Update(ctx context.Context, mg T) (out managed.ExternalUpdate, err error) {
	err = c.change(ctx, "Update", actionUpdated, func(ctx context.Context) error {
		out, err = c.inner.Update(ctx, mg)
		return err
	})
	return out, err
}

// Delete deletes the external resource, unless the deletion waits for a confirmation.
func (c *attemptClient[T]) Delete(ctx context.Context, mg T) (out managed.ExternalDelete, err error) {
	before := mg.GetCondition(xpv2.TypeReady)
	switch held, err := c.brake.holds(ctx, mg); {
	case err != nil:
		return out, toRuntimeError(attemptFrom(ctx), err)
	case held:
		attemptFrom(ctx).recordDeletion(before, mg.GetCondition(xpv2.TypeReady))
		return out, attemptFrom(ctx).recordAction(actionHeld)
	}
	err = c.change(ctx, "Delete", actionDeleted, func(ctx context.Context) error {
		out, err = c.inner.Delete(ctx, mg)
		attemptFrom(ctx).recordDeletion(before, mg.GetCondition(xpv2.TypeReady))
		return err
	})
	return out, err
}

// Disconnect disconnects from the external resource.
func (c *attemptClient[T]) Disconnect(ctx context.Context) error { return c.inner.Disconnect(ctx) }

// change makes a call that changes AWS, and records it as an action.
func (c *attemptClient[T]) change(ctx context.Context, name string, done action, call func(context.Context) error) error {
	a := attemptFrom(ctx)
	a.beginChange()
	ctx, span := c.tracer.Start(ctx, name)
	defer span.End()
	err := call(ctx)
	if s := a.ChangeSummary(); s != "" {
		span.SetAttributes(keyChange.String(s))
	}
	conclude(span, err)
	if err != nil {
		return toRuntimeError(a, err)
	}
	return a.recordAction(done)
}

// mayCreate returns whether the policies allow creating the external resource. It also returns
// true if they only allow observing, because the runtime reports that case itself.
func (c *attemptClient[T]) mayCreate(mg resource.Managed) bool {
	p := c.resolvePolicies(mg)
	return p.ShouldCreate() || p.ShouldOnlyObserve()
}

func (c *attemptClient[T]) resolvePolicies(mg resource.Managed) managed.ManagementPoliciesChecker {
	return managed.NewManagementPoliciesResolver(c.policies, mg.GetManagementPolicies())
}

// conclude marks a span as failed unless the error only defers the call.
func conclude(span trace.Span, err error) {
	if err != nil && !isPassing(err) {
		failedSpan(span, err)
	}
}
