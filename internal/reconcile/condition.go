package reconcile

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// Available returns a Ready condition that is True: AWS serves what the spec of this generation asks for.
func Available(generation int64) xpv2.Condition {
	return xpv2.Available().WithObservedGeneration(generation)
}

// Creating returns a Ready condition that is False while AWS creates the external resource.
// reason is AWS's own reason, or empty.
func Creating(generation int64, reason string) xpv2.Condition {
	return xpv2.Creating().WithObservedGeneration(generation).WithMessage(reason)
}

// Updating returns a Ready condition that is False while a change is being applied. reason is
// what is being changed, AWS's own reason, or empty.
func Updating(generation int64, reason string) xpv2.Condition {
	return NewCondition(xpv2.TypeReady, corev1.ConditionFalse, v1beta1.ReasonUpdating, generation, reason)
}

// Differing returns a Ready condition that is False because AWS has something else than spec
// asks for and managementPolicies do not allow changing it. message lists the fields.
func Differing(generation int64, message string) xpv2.Condition {
	return NewCondition(xpv2.TypeReady, corev1.ConditionFalse, v1beta1.ReasonDiffers, generation, message)
}

// RolledBack returns a Ready condition that is False because a rollout has failed, and AWS serves the
// version before it. message says which, and why.
func RolledBack(generation int64, message string) xpv2.Condition {
	return NewCondition(xpv2.TypeReady, corev1.ConditionFalse, v1beta1.ReasonRolledBack, generation, message)
}

// Deleting returns a Ready condition that is False during deletion. reason is what the deletion waits for, or empty.
func Deleting(generation int64, reason string) xpv2.Condition {
	return xpv2.Deleting().WithObservedGeneration(generation).WithMessage(reason)
}

// Unavailable returns a Ready condition that is False because AWS does not serve what the spec
// asks for, and waiting does not help. reason is AWS's own reason.
func Unavailable(generation int64, reason string) xpv2.Condition {
	return xpv2.Unavailable().WithObservedGeneration(generation).WithMessage(reason)
}

// Stalled returns a Stalled condition that is True. message is what the user has to correct.
func Stalled(generation int64, message string) xpv2.Condition {
	return NewCondition(v1beta1.TypeStalled, corev1.ConditionTrue, v1beta1.ReasonInvalidInput, generation, message)
}

// Proceeding returns a Stalled condition that is False.
func Proceeding(generation int64) xpv2.Condition {
	return NewCondition(v1beta1.TypeStalled, corev1.ConditionFalse, v1beta1.ReasonProceeding, generation, "")
}

// NeverShownMessage is the message of Ready for an external resource that AWS has created but does not return.
const NeverShownMessage = "AWS confirmed the creation, but the resource has not appeared since"

// IsNeverShown reports whether a Ready condition has NeverShownMessage.
func IsNeverShown(c xpv2.Condition) bool {
	return c.Reason == xpv2.ReasonUnavailable && strings.HasPrefix(c.Message, NeverShownMessage)
}

// InMotion reports whether a Ready condition is about an operation in progress, so that the
// resource is reconciled again soon.
func InMotion(c xpv2.Condition) bool {
	if c.Type != xpv2.TypeReady || c.Status == corev1.ConditionTrue {
		return false
	}
	return c.Reason == xpv2.ReasonCreating || c.Reason == v1beta1.ReasonUpdating || c.Reason == xpv2.ReasonDeleting
}

// NewCondition returns a condition of a generation.
func NewCondition(
	t xpv2.ConditionType, s corev1.ConditionStatus, r xpv2.ConditionReason, generation int64, message string,
) xpv2.Condition {
	return xpv2.Condition{
		Type:               t,
		Status:             s,
		LastTransitionTime: metav1.Now(),
		Reason:             r,
		Message:            message,
		ObservedGeneration: generation,
	}
}

// PendingReason returns the reason why a deletion waits for a confirmation, empty if it does not.
func PendingReason(mg resource.Conditioned) xpv2.ConditionReason {
	if c := mg.GetCondition(v1beta1.TypeDeletionHeld); c.Status == corev1.ConditionTrue {
		return c.Reason
	}
	return ""
}

// separator precedes the description of a call in a condition.
const separator = "; changed by "

// WithOrigin returns the message of a condition about a difference with the call that explains it. was is the message
// so far: what it names is kept, because it is not known after a restart.
func WithOrigin(message, origin, was string) string {
	switch {
	case message == "":
		return ""
	case origin != "":
		return message + separator + origin
	case strings.HasPrefix(was, message+separator):
		return was
	}
	return message
}

// explained returns the Ready condition while a difference is corrected, with the call that explains it.
func explained(origin string, ready xpv2.Condition) xpv2.Condition {
	if ready.Reason != v1beta1.ReasonUpdating || origin == "" {
		return ready
	}
	return ready.WithMessage(WithOrigin(ready.Message, origin, ""))
}

// DeletedBy returns the end of a sentence about a deletion, given the last call by someone else. It is empty if that
// call deletes nothing.
func DeletedBy(origin string) string {
	if !strings.Contains(origin, " (Delete") && !strings.Contains(origin, " (Remove") {
		return ""
	}
	return " by " + origin
}
