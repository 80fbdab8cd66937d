package reconcile

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/protection"
)

// TypeDeletionHeld is a condition that is True while a deletion waits for a person to confirm it.
const TypeDeletionHeld xpv2.ConditionType = "DeletionHeld"

// Reasons of the condition DeletionHeld.
const (
	// ReasonTooManyDeletions means that the limit of deletions is reached.
	ReasonTooManyDeletions xpv2.ConditionReason = "TooManyDeletions"

	// ReasonRecentlyInvoked means that the function was invoked recently.
	ReasonRecentlyInvoked xpv2.ConditionReason = "RecentlyInvoked"

	// ReasonInvocationsUnknown means that CloudWatch does not say whether the function was invoked.
	ReasonInvocationsUnknown xpv2.ConditionReason = "InvocationsUnknown"

	// ReasonDeletionProceeds means that the deletion no longer waits.
	ReasonDeletionProceeds xpv2.ConditionReason = "DeletionProceeds"
)

// Reasons of the events about deletions that wait for a confirmation.
const (
	reasonDeletionHeld      event.Reason = "DeletionHeld"
	reasonDeletionConfirmed event.Reason = "DeletionConfirmed"
)

// DeletionHeld returns whether the deletion of a resource waits for a confirmation, and the message that says why and how
// to confirm it.
func DeletionHeld(mg resource.Conditioned) (message string, held bool) {
	c := mg.GetCondition(TypeDeletionHeld)
	return c.Message, c.Status == corev1.ConditionTrue
}

// A brake holds deletions back until a person confirms them, as far as a policy asks for that.
type brake[T Managed] struct {
	policy      protection.Policy
	ledger      *DeletionLedger
	invocations func(ctx context.Context, mg T, s *session.Session, within time.Duration) (count float64, wait time.Duration, err error)
	now         func() time.Time
}

// newBrake returns the brake of a kind. It returns nil if no deletion may have to wait.
func newBrake[T Managed](o Options, k Kind[T]) *brake[T] {
	if !o.DeletionPolicy.Enabled() {
		return nil
	}
	return &brake[T]{policy: o.DeletionPolicy, ledger: o.DeletionLedger, invocations: k.Invocations, now: o.Now}
}

// holds returns whether the deletion of a resource that exists in AWS waits. It sets the conditions that say why, and
// requeues the resource. If CloudWatch has yet to answer, or the deletion cannot be recorded at once, it aborts the reconcile.
func (b *brake[T]) holds(ctx context.Context, mg T) (bool, error) {
	if b == nil {
		return false, nil
	}
	s, err := sessionOf(ctx)
	if err != nil {
		return false, err
	}
	now := b.now()
	d, aborted, err := b.decide(ctx, mg, s, now, b.ledger.Admit)
	switch {
	case aborted || err != nil:
		return aborted, err
	case d.Step == protection.Hold:
		hold(ctx, mg, d)
		RequeueAfter(ctx, protection.Delay(now.Sub(mg.GetDeletionTimestamp().Time)))
		return true, nil
	}
	proceed(ctx, mg, d.Confirmed)
	return false, nil
}

// wouldHold returns why the deletion of a resource would wait, empty if it would not. It records nothing. If CloudWatch has
// yet to answer, it aborts the reconcile.
func (b *brake[T]) wouldHold(ctx context.Context, mg T, s *session.Session) (string, error) {
	if b == nil {
		return "", nil
	}
	d, aborted, err := b.decide(ctx, mg, s, b.now(), b.ledger.Allows)
	switch {
	case aborted:
		return "", errAborted
	case err != nil || d.Step != protection.Hold:
		return "", err
	}
	return d.Message, nil
}

// decide decides whether the deletion of a resource waits. admit returns whether the limit allows the deletion. If that is
// not known now, decide aborts the reconcile and returns true.
func (b *brake[T]) decide(ctx context.Context, mg T, s *session.Session, now time.Time,
	admit func(context.Context, session.Ref, string, types.UID, time.Time) (bool, error),
) (d protection.Decision, aborted bool, err error) {
	state := protection.State{
		Now: now, DeletedAt: mg.GetDeletionTimestamp().Time, Confirmation: mg.GetAnnotations()[protection.AnnotationConfirm],
		Begun: deletionAccepted(mg), Held: heldBy(mg), Measurable: b.invocations != nil, Config: s.Ref.String(),
	}
	if s.Ref.Namespace == "" {
		state.Config += fmt.Sprintf(" in namespace %q", mg.GetNamespace())
	}
	for {
		switch d = b.policy.Decide(state); d.Step {
		case protection.Measure:
			n, wait, err := b.invocations(ctx, mg, s, b.policy.InvokedWithin)
			if wait > 0 {
				Abort(ctx, wait)
				return d, true, nil
			}
			state.Invocations = &protection.Invocations{Count: n, Err: err}
		case protection.Admit:
			ok, err := admit(ctx, s.Ref, mg.GetNamespace(), mg.GetUID(), now)
			switch {
			case kerrors.IsConflict(err): // Another shard records deletions of the config at the same time.
				Abort(ctx, busyDelay)
				return d, true, nil
			case err != nil:
				return d, false, err
			}
			state.Admitted = &ok
		case protection.Hold, protection.Proceed:
			return d, false, nil
		}
	}
}

// hold reports that a deletion waits.
func hold(ctx context.Context, mg Managed, d protection.Decision) {
	c := ready(corev1.ConditionTrue, xpv2.ConditionReason(d.Reason), mg.GetGeneration(), d.Message)
	c.Type = TypeDeletionHeld
	mg.SetConditions(c, Deleting(mg.GetGeneration(), d.Message))
	Emit(ctx, event.Warning(reasonDeletionHeld, errors.New(d.Message)))
}

// proceed reports that a deletion that has waited is sent.
func proceed(ctx context.Context, mg Managed, confirmed bool) {
	if heldBy(mg) == "" {
		return
	}
	c := ready(corev1.ConditionFalse, ReasonDeletionProceeds, mg.GetGeneration(), "")
	c.Type = TypeDeletionHeld
	mg.SetConditions(c)
	if confirmed {
		Emit(ctx, event.Normal(reasonDeletionConfirmed, "The deletion was confirmed by the annotation "+protection.AnnotationConfirm))
	}
}

// heldBy returns the reason why a deletion waits, empty if it does not.
func heldBy(mg resource.Conditioned) string {
	if c := mg.GetCondition(TypeDeletionHeld); c.Status == corev1.ConditionTrue {
		return string(c.Reason)
	}
	return ""
}
