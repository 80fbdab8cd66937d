// Package condition holds the Ready conditions that every kind shares. A message
// says what AWS says, or nothing: it never holds a time, a request id or anything
// else that is another text each time, so that a condition changes only when what
// it tells has changed.
package condition

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// ReasonUpdating is the reason of a Ready condition while AWS applies a change.
const ReasonUpdating xpv2.ConditionReason = "Updating"

// ReasonDiffers is the reason of a Ready condition while AWS has something else than spec
// asks for, and managementPolicies do not allow changing it.
const ReasonDiffers xpv2.ConditionReason = "Differs"

// TypeStalled is True while only the user can help: the input is wrong. It is
// the name by which kstatus, and so Flux and kpt, know a failure from a delay.
const TypeStalled xpv2.ConditionType = "Stalled"

// Reasons of the Stalled condition.
const (
	ReasonInvalidInput xpv2.ConditionReason = "InvalidInput"
	ReasonProceeding   xpv2.ConditionReason = "Proceeding"
)

// Available says that AWS serves what the spec of this generation asks for.
func Available(generation int64) xpv2.Condition {
	return xpv2.Available().WithObservedGeneration(generation)
}

// Creating says that AWS has not finished creating. reason is AWS's own, or empty.
func Creating(generation int64, reason string) xpv2.Condition {
	return xpv2.Creating().WithObservedGeneration(generation).WithMessage(reason)
}

// Updating says that AWS does not yet serve what the spec asks for, and that this
// is on its way. reason is what is being changed, or AWS's own reason, or empty.
func Updating(generation int64, reason string) xpv2.Condition {
	return ready(corev1.ConditionFalse, ReasonUpdating, generation, reason)
}

// Differs says that AWS serves something else than spec asks for, and that nothing may
// change it. message is in which fields.
func Differs(generation int64, message string) xpv2.Condition {
	return ready(corev1.ConditionFalse, ReasonDiffers, generation, message)
}

// Deleting says that deletion has begun. reason is what it waits for, or empty.
func Deleting(generation int64, reason string) xpv2.Condition {
	return xpv2.Deleting().WithObservedGeneration(generation).WithMessage(reason)
}

// Unavailable says that AWS does not serve what the spec asks for, and that
// waiting does not help. reason is AWS's own.
func Unavailable(generation int64, reason string) xpv2.Condition {
	return xpv2.Unavailable().WithObservedGeneration(generation).WithMessage(reason)
}

// Stalled says what the user has to put right.
func Stalled(generation int64, message string) xpv2.Condition {
	c := ready(corev1.ConditionTrue, ReasonInvalidInput, generation, message)
	c.Type = TypeStalled
	return c
}

// Proceeding says that nothing waits for the user any more.
func Proceeding(generation int64) xpv2.Condition {
	c := ready(corev1.ConditionFalse, ReasonProceeding, generation, "")
	c.Type = TypeStalled
	return c
}

// NeverShownMessage is what Ready says of a thing that AWS has created and does not show.
const NeverShownMessage = "AWS confirmed the creation, but the resource has not appeared since"

// IsNeverShown tells whether a Ready condition says so.
func IsNeverShown(c xpv2.Condition) bool {
	return c.Reason == xpv2.ReasonUnavailable && strings.HasPrefix(c.Message, NeverShownMessage)
}

// InMotion tells whether a Ready condition speaks of something that ends by
// itself, and so is worth another look soon.
func InMotion(c xpv2.Condition) bool {
	if c.Type != xpv2.TypeReady || c.Status == corev1.ConditionTrue {
		return false
	}
	return c.Reason == xpv2.ReasonCreating || c.Reason == ReasonUpdating || c.Reason == xpv2.ReasonDeleting
}

func ready(s corev1.ConditionStatus, r xpv2.ConditionReason, generation int64, message string) xpv2.Condition {
	return xpv2.Condition{
		Type:               xpv2.TypeReady,
		Status:             s,
		LastTransitionTime: metav1.Now(),
		Reason:             r,
		Message:            message,
		ObservedGeneration: generation,
	}
}
