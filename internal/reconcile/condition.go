package reconcile

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// ReasonUpdating is the reason of a Ready condition while AWS applies a change.
const ReasonUpdating xpv2.ConditionReason = "Updating"

// ReasonDiffers is the reason of a Ready condition while AWS has something else than spec asks
// for, and managementPolicies do not allow changing it.
const ReasonDiffers xpv2.ConditionReason = "Differs"

// ReasonRolledBack is the reason of a Ready condition after a rollout has failed: AWS serves the version before it.
const ReasonRolledBack xpv2.ConditionReason = "RolledBack"

// TypeStalled is a condition that is True while only the user can help because the input is
// invalid, or a rollout has failed. kstatus, and therefore Flux and kpt, use it to distinguish a failure from a delay.
const TypeStalled xpv2.ConditionType = "Stalled"

// Reasons of the Stalled condition.
const (
	ReasonInvalidInput xpv2.ConditionReason = "InvalidInput"
	ReasonProceeding   xpv2.ConditionReason = "Proceeding"
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
	return ReadyCondition(corev1.ConditionFalse, ReasonUpdating, generation, reason)
}

// Differing returns a Ready condition that is False because AWS has something else than spec
// asks for and managementPolicies do not allow changing it. message lists the fields.
func Differing(generation int64, message string) xpv2.Condition {
	return ReadyCondition(corev1.ConditionFalse, ReasonDiffers, generation, message)
}

// RolledBack returns a Ready condition that is False because a rollout has failed, and AWS serves the
// version before it. message says which, and why.
func RolledBack(generation int64, message string) xpv2.Condition {
	return ReadyCondition(corev1.ConditionFalse, ReasonRolledBack, generation, message)
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
	c := ReadyCondition(corev1.ConditionTrue, ReasonInvalidInput, generation, message)
	c.Type = TypeStalled
	return c
}

// StalledRolledBack returns a Stalled condition that is True because a rollout has failed, and only the
// user can publish another version. message is that of Ready.
func StalledRolledBack(generation int64, message string) xpv2.Condition {
	c := ReadyCondition(corev1.ConditionTrue, ReasonRolledBack, generation, message)
	c.Type = TypeStalled
	return c
}

// Proceeding returns a Stalled condition that is False.
func Proceeding(generation int64) xpv2.Condition {
	c := ReadyCondition(corev1.ConditionFalse, ReasonProceeding, generation, "")
	c.Type = TypeStalled
	return c
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
	return c.Reason == xpv2.ReasonCreating || c.Reason == ReasonUpdating || c.Reason == xpv2.ReasonDeleting
}

// ReadyCondition returns a condition of type Ready of a generation.
func ReadyCondition(s corev1.ConditionStatus, r xpv2.ConditionReason, generation int64, message string) xpv2.Condition {
	return xpv2.Condition{
		Type:               xpv2.TypeReady,
		Status:             s,
		LastTransitionTime: metav1.Now(),
		Reason:             r,
		Message:            message,
		ObservedGeneration: generation,
	}
}

// ReasonNotDeleted is the reason of the event about an external resource that was left in
// AWS when its managed resource was deleted, because the managed resource does not own it.
const ReasonNotDeleted event.Reason = "LeftForeignResource"

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

// DeletionHeld reports whether the deletion of a resource waits for a confirmation, and the message that says why and
// how to confirm it.
func DeletionHeld(mg resource.Conditioned) (message string, held bool) {
	c := mg.GetCondition(TypeDeletionHeld)
	return c.Message, c.Status == corev1.ConditionTrue
}

// PendingReason returns the reason why a deletion waits for a confirmation, empty if it does not.
func PendingReason(mg resource.Conditioned) string {
	if c := mg.GetCondition(TypeDeletionHeld); c.Status == corev1.ConditionTrue {
		return string(c.Reason)
	}
	return ""
}
