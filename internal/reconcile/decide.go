package reconcile

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A Failure is the kind of error that a reconcile ended with, as far as status is concerned.
type Failure int

const (
	// Succeeded means that there was no error.
	Succeeded Failure = iota

	// Passing errors mean that AWS or the API server is temporarily unable to answer or to
	// make the change. They say nothing about the resource.
	Passing

	// Awaited errors say what a resource that is not in AWS yet waits for.
	Awaited

	// Refused is any other error.
	Refused

	// Stuck errors are those that only the user can correct.
	Stuck
)

// Input is everything that determines the status of a resource.
type Input struct {
	// Generation is the generation of the resource.
	Generation int64

	// Deleted reports whether the resource has a deletion timestamp, Paused whether it is paused.
	Deleted, Paused bool

	// Ready is the state observed in AWS: as set by this reconcile, or by the last one.
	Ready xpv2.Condition

	// Differs describes how AWS differs from spec in fields that may not be changed. It is empty if it does not.
	Differs string

	// Changed reports whether a call that changes something was made.
	Changed bool

	// Unseen reports whether AWS has accepted the create and has not returned the result yet.
	Unseen bool

	// WaitsFor describes what a deletion waits for. It is empty if it waits for nothing.
	WaitsFor string

	// Failure and Error are the kind of error of the reconcile, and its message.
	Failure Failure
	Error   string

	// Observed and Reconciled are the observed and the completed generation so far.
	Observed, Reconciled int64
}

// A Decision is the status of a resource, in its conditions and in plain fields.
type Decision struct {
	// Ready is the Ready condition. Its type is empty if nothing is known.
	Ready xpv2.Condition

	// Phase and Message are those of the summary.
	Phase, Message string

	// Observed and Reconciled are the new observed and completed generations.
	Observed, Reconciled int64
}

// phases maps the reason of a Ready condition to the phase.
var phases = map[xpv2.ConditionReason]string{
	xpv2.ReasonCreating:      v1beta1.PhaseCreating,
	xpv2.ReasonAvailable:     v1beta1.PhaseAvailable,
	xpv2.ReasonUnavailable:   v1beta1.PhaseError,
	xpv2.ReasonDeleting:      v1beta1.PhaseDeleting,
	v1beta1.ReasonUpdating:   v1beta1.PhaseUpdating,
	v1beta1.ReasonDiffers:    v1beta1.PhaseDiffers,
	v1beta1.ReasonRolledBack: v1beta1.PhaseRolledBack,
	xpv2.ConditionReason(""): v1beta1.PhasePending,
}

// Decide returns the status. Ready, the phase and the observed generation are only set here,
// so that they cannot contradict each other.
func Decide(f Input) Decision {
	d := Decision{Ready: f.ready(), Observed: f.Generation, Reconciled: f.Reconciled}
	if f.Paused {
		d.Observed = f.Observed // Nothing was observed.
	}
	if f.completes(d.Ready) {
		d.Reconciled = f.Generation
	}
	d.Phase, d.Message = phases[d.Ready.Reason], f.Error
	switch creating := d.Ready.Reason == xpv2.ReasonCreating; {
	case creating && (f.Failure == Awaited || f.Paused && f.Observed == 0):
		d.Phase = v1beta1.PhasePending
	case creating && f.Failure == Stuck:
		d.Phase = v1beta1.PhaseError
	}
	if d.Ready.Status == corev1.ConditionFalse {
		d.Message = cmp.Or(f.Error, d.Ready.Message)
	}
	return d
}

// ready returns the Ready condition.
func (f Input) ready() xpv2.Condition {
	r := f.Ready
	switch {
	case f.Deleted && f.Paused:
		return Deleting(f.Generation, "reconciliation is paused; the deletion continues when it is resumed")
	case f.Deleted:
		return Deleting(f.Generation, cmp.Or(f.Error, f.WaitsFor))
	case f.Paused && r.Reason == "":
		return Creating(f.Generation, "reconciliation is paused; it starts when it is resumed")
	case f.Paused && InMotion(r):
		return r.WithMessage("reconciliation is paused")
	case f.Paused:
		return r
	case f.Failure == Succeeded && f.Differs != "" && r.Status == corev1.ConditionTrue:
		return Differing(f.Generation, f.Differs)
	case f.Failure == Succeeded && f.Changed && r.Status == corev1.ConditionTrue && f.Reconciled != f.Generation:
		return Updating(f.Generation, "") // The result was not observed yet.
	case f.Failure == Succeeded:
		return r
	case f.Unseen && r.Reason == xpv2.ReasonUnavailable:
		return r // Its message says what the user can do.
	case f.Unseen:
		return Creating(f.seen(), f.Error)
	case f.Failure == Passing:
		return f.unasked()
	case f.Failure == Awaited:
		return f.awaited()
	}
	return Unavailable(f.seen(), f.Error)
}

// awaited returns the Ready condition of a resource that waits for what it refers to. A
// resource that AWS has served already does not wait: a missing reference is then an error.
func (f Input) awaited() xpv2.Condition {
	r := f.Ready
	switch {
	case r.Reason == "", r.Reason == xpv2.ReasonCreating, r.Reason == xpv2.ReasonUnavailable && f.Reconciled == 0:
		return Creating(f.seen(), f.Error)
	case r.Reason == v1beta1.ReasonUpdating, r.Reason == v1beta1.ReasonDiffers,
		r.Status == corev1.ConditionTrue && r.ObservedGeneration != f.Generation:
		return Updating(f.seen(), f.Error)
	}
	return Unavailable(f.seen(), f.Error)
}

// seen returns the generation that was last compared with AWS, because an error may occur before the comparison.
func (f Input) seen() int64 { return cmp.Or(f.Ready.ObservedGeneration, f.Generation) }

// unasked returns the Ready condition of a resource that could not be observed, or could not be changed for now. AWS
// probably still serves what was observed last, so Ready remains, unless the spec has changed since.
func (f Input) unasked() xpv2.Condition {
	r := f.Ready
	current := r.ObservedGeneration == f.Generation
	switch {
	case r.Status == corev1.ConditionTrue && current, r.Reason == v1beta1.ReasonDiffers && current:
		return r
	case r.Reason == "", r.Reason == xpv2.ReasonCreating:
		return Creating(f.seen(), f.Error)
	case r.Status == corev1.ConditionTrue, r.Reason == v1beta1.ReasonUpdating, r.Reason == v1beta1.ReasonDiffers:
		return Updating(f.seen(), f.Error)
	}
	return Unavailable(f.seen(), f.Error)
}

// completes reports whether this reconcile completes the generation: AWS serves it, or refuses it
// and waiting does not help, or only the user can help.
func (f Input) completes(ready xpv2.Condition) bool {
	switch {
	case f.Failure == Stuck:
		return true
	case f.Failure != Succeeded, f.Paused, f.Changed, ready.ObservedGeneration != f.Generation:
		return false
	}
	return ready.Status == corev1.ConditionTrue || ready.Reason == xpv2.ReasonUnavailable ||
		ready.Reason == v1beta1.ReasonDiffers || ready.Reason == v1beta1.ReasonRolledBack
}
