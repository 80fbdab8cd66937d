package engine

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/protection"
)

// deletionProtection has deletions wait until a person confirms them, as far as a policy asks for that. A nil one has
// none wait.
type deletionProtection[T reconcile.Managed] struct {
	policy      protection.Policy
	limiter     *DeletionLimiter
	invocations func(ctx context.Context, mg T, s *session.Session, within time.Duration) (
		count float64, wait time.Duration, err error)
	now func() time.Time
}

// newDeletionProtection returns that of a kind. It returns nil if no deletion may have to wait.
func newDeletionProtection[T reconcile.Managed](o Options, k reconcile.Kind[T]) *deletionProtection[T] {
	if !o.DeletionPolicy.Enabled() {
		return nil
	}
	return &deletionProtection[T]{
		policy: o.DeletionPolicy, limiter: o.DeletionLimiter, invocations: k.Invocations,
		now: o.Now,
	}
}

// check decides whether the deletion of a resource that exists in AWS waits, and sets the condition DeletionHeld. If it
// waits, the result says why, and when it is considered again. It returns a LaterError if CloudWatch has yet to answer,
// or if the deletion cannot be recorded at once.
func (d *deletionProtection[T]) check(
	ctx context.Context, mg T, s *session.Session,
) (res reconcile.Result, waits bool, err error) {
	if d == nil {
		return reconcile.Result{}, false, nil
	}
	decision, err := d.decide(ctx, mg, s, d.limiter.Admit)
	switch {
	case err != nil:
		return reconcile.Result{}, false, err
	case decision.Reason == "":
		return proceeding(mg, decision.Confirmed), false, nil
	}
	mg.SetConditions(reconcile.NewCondition(v1beta1.TypeDeletionHeld, corev1.ConditionTrue, decision.Reason,
		mg.GetGeneration(), decision.Message))
	return reconcile.Result{
		Ready: reconcile.Deleting(mg.GetGeneration(), decision.Message),
		Effects: reconcile.Effects{
			Events: []event.Event{event.Warning(v1beta1.EventDeletionHeld, errors.New(decision.Message))},
			After:  protection.Delay(d.now().Sub(mg.GetDeletionTimestamp().Time)),
		},
	}, true, nil
}

// preview returns why the deletion of a resource would wait, empty if it would not. It records nothing. It returns a
// LaterError if CloudWatch has yet to answer.
func (d *deletionProtection[T]) preview(ctx context.Context, mg T, s *session.Session) (string, error) {
	if d == nil {
		return "", nil
	}
	decision, err := d.decide(ctx, mg, s, d.limiter.Allows)
	return decision.Message, err
}

// decide decides whether the deletion of a resource waits. admit returns whether the limit allows the deletion. If that
// is not known now, decide returns a LaterError.
func (d *deletionProtection[T]) decide(ctx context.Context, mg T, s *session.Session,
	admit func(context.Context, session.Ref, string, types.UID, time.Time) (bool, error),
) (protection.Decision, error) {
	now := d.now()
	state := protection.State{
		Now: now, DeletedAt: mg.GetDeletionTimestamp().Time,
		Confirmation: mg.GetAnnotations()[v1beta1.AnnotationConfirmDeletion],
		Begun:        reconcile.DeletionAccepted(mg), Held: reconcile.PendingReason(mg),
		Config: s.Ref.String(),
		Admit: func() (bool, error) {
			ok, err := admit(ctx, s.Ref, mg.GetNamespace(), mg.GetUID(), now)
			if kerrors.IsConflict(err) { // Another shard records deletions of the config at the same time.
				return false, reconcile.WaitFor(reconcile.BusyDelay)
			}
			return ok, err
		},
	}
	if s.Ref.Namespace == "" {
		state.Config += fmt.Sprintf(" in namespace %q", mg.GetNamespace())
	}
	if d.invocations != nil {
		state.Measure = func() (protection.Invocations, error) {
			n, wait, err := d.invocations(ctx, mg, s, d.policy.InvokedWithin)
			if wait > 0 {
				return protection.Invocations{}, reconcile.WaitFor(wait)
			}
			return protection.Invocations{Count: n, Err: err}, nil
		}
	}
	return d.policy.Decide(state)
}

// proceeding reports that a deletion that has waited is sent.
func proceeding(mg reconcile.Managed, confirmed bool) reconcile.Result {
	if reconcile.PendingReason(mg) == "" {
		return reconcile.Result{}
	}
	mg.SetConditions(reconcile.NewCondition(v1beta1.TypeDeletionHeld, corev1.ConditionFalse,
		v1beta1.ReasonDeletionProceeds, mg.GetGeneration(), ""))
	if !confirmed {
		return reconcile.Result{}
	}
	return reconcile.Result{Effects: reconcile.Effects{Events: []event.Event{
		event.Normal(v1beta1.EventDeletionConfirmed,
			"The deletion was confirmed by the annotation "+v1beta1.AnnotationConfirmDeletion),
	}}}
}
