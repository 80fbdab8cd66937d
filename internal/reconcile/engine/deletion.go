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

// checkDeletion decides whether the deletion of a resource that exists in AWS waits until a person confirms it, and
// sets the condition DeletionHeld. If it waits, the result says why, and when it is considered again. It returns a
// LaterError if CloudWatch has yet to answer, or if the deletion cannot be recorded at once.
func (p *pass) checkDeletion(ctx context.Context, mg reconcile.Managed) (res reconcile.Result, waits bool, err error) {
	decision, err := p.decideDeletion(ctx, mg, p.DeletionLimiter.Admit)
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
			After:  protection.Delay(p.Now().Sub(mg.GetDeletionTimestamp().Time)),
		},
	}, true, nil
}

// decideDeletion decides whether the deletion of a resource waits. admit returns whether the limit allows the deletion:
// it may record the deletion. If that is not known now, decideDeletion returns a LaterError.
func (p *pass) decideDeletion(ctx context.Context, mg reconcile.Managed,
	admit func(context.Context, session.Ref, string, types.UID, time.Time) (bool, error),
) (protection.Decision, error) {
	now, s := p.Now(), p.session
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
	if p.kind.Invocations != nil {
		state.Measure = func() (protection.Invocations, error) {
			n, wait, err := p.kind.Invocations(ctx, mg, s, p.DeletionPolicy.InvokedWithin)
			if wait > 0 {
				return protection.Invocations{}, reconcile.WaitFor(wait)
			}
			return protection.Invocations{Count: n, Err: err}, nil
		}
	}
	return p.DeletionPolicy.Decide(state)
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
