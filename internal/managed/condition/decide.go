package condition

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A Failure says how a reconcile ended, by what the status has to say of it.
type Failure int

const (
	// Succeeded reconciles had no error.
	Succeeded Failure = iota

	// Passing errors say that AWS, or the API server, could not be asked or could not do it
	// now. They say nothing of the resource.
	Passing

	// Awaited errors say what a resource waits for that is not in AWS yet.
	Awaited

	// Refused reconciles ended with any other error.
	Refused

	// Stuck reconciles ended with one that only the user can help with.
	Stuck
)

// Input are all that the status of a resource is decided from.
type Input struct {
	// Generation of the resource.
	Generation int64

	// Deleted says that it has a deletion timestamp, Paused that nothing is done for it.
	Deleted, Paused bool

	// Ready is what was seen in AWS: as this reconcile has set it, or the last one.
	Ready xpv2.Condition

	// Differs says how AWS differs from spec in what nothing may change. Empty if it does
	// not.
	Differs string

	// Changed says that a call was made that changes something.
	Changed bool

	// Unseen says that AWS has accepted the creation and has not shown the result yet.
	Unseen bool

	// WaitsFor is what a deletion waits for, if anything.
	WaitsFor string

	// Failure of the reconcile, and its error.
	Failure Failure
	Error   string

	// Observed and Settled generations so far.
	Observed, Settled int64
}

// A Decision is what the status says of a resource, in its conditions and in plain fields.
type Decision struct {
	// Ready condition. Its type is empty where nothing is known.
	Ready xpv2.Condition

	// Phase and Message of the summary.
	Phase, Message string

	// Observed and Settled generations.
	Observed, Settled int64
}

// phases of resources by the reason of their Ready condition.
var phases = map[xpv2.ConditionReason]string{
	xpv2.ReasonCreating:      v1beta1.PhaseCreating,
	xpv2.ReasonAvailable:     v1beta1.PhaseAvailable,
	xpv2.ReasonUnavailable:   v1beta1.PhaseError,
	xpv2.ReasonDeleting:      v1beta1.PhaseDeleting,
	ReasonUpdating:           v1beta1.PhaseUpdating,
	ReasonDiffers:            v1beta1.PhaseError,
	xpv2.ConditionReason(""): v1beta1.PhasePending,
}

// Decide what the status says. Nothing else decides on Ready, the phase and the observed
// generation, so that they cannot contradict each other.
func Decide(f Input) Decision {
	d := Decision{Ready: f.ready(), Observed: f.Generation, Settled: f.Settled}
	if f.Paused {
		d.Observed = f.Observed // Nothing was looked at.
	}
	if f.settles(d.Ready) {
		d.Settled = f.Generation
	}
	d.Phase, d.Message = phases[d.Ready.Reason], f.Error
	switch reason := d.Ready.Reason; {
	case reason == xpv2.ReasonCreating && (f.Failure == Awaited || f.Paused && f.Observed == 0):
		d.Phase = v1beta1.PhasePending
	case reason == xpv2.ReasonUnavailable, reason == xpv2.ReasonDeleting, reason == ReasonDiffers:
		d.Message = cmp.Or(f.Error, d.Ready.Message)
	}
	return d
}

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
		return Differs(f.Generation, f.Differs)
	case f.Failure == Succeeded && f.Changed && r.Status == corev1.ConditionTrue && f.Settled != f.Generation:
		return Updating(f.Generation, "") // What was sent is yet to be seen.
	case f.Failure == Succeeded:
		return r
	case f.Unseen && r.Reason == xpv2.ReasonUnavailable:
		return r // It tells the user how to go on.
	case f.Unseen:
		return Creating(f.seen(), f.Error)
	case f.Failure == Passing:
		return f.unasked()
	case f.Failure == Awaited:
		return f.awaited()
	}
	return Unavailable(f.seen(), f.Error)
}

// awaited is the Ready condition of a resource that waits for what it refers to. What was
// served as it is asked for waits for nothing: something is broken.
func (f Input) awaited() xpv2.Condition {
	r := f.Ready
	switch {
	case r.Reason == "", r.Reason == xpv2.ReasonCreating, r.Reason == xpv2.ReasonUnavailable && f.Settled == 0:
		return Creating(f.seen(), f.Error)
	case r.Reason == ReasonUpdating, r.Reason == ReasonDiffers, r.Status == corev1.ConditionTrue && r.ObservedGeneration != f.Generation:
		return Updating(f.seen(), f.Error)
	}
	return Unavailable(f.seen(), f.Error)
}

// seen is the generation that was last compared with AWS: an error may come before that.
func (f Input) seen() int64 { return cmp.Or(f.Ready.ObservedGeneration, f.Generation) }

// unasked is the Ready condition of a resource that could not be looked at, or not be
// changed for now. What AWS was last seen to serve is served as far as is known, unless the
// spec has changed since.
func (f Input) unasked() xpv2.Condition {
	r := f.Ready
	current := r.ObservedGeneration == f.Generation
	switch {
	case r.Status == corev1.ConditionTrue && current, r.Reason == ReasonDiffers && current:
		return r
	case r.Reason == "", r.Reason == xpv2.ReasonCreating:
		return Creating(f.seen(), f.Error)
	case r.Status == corev1.ConditionTrue, r.Reason == ReasonUpdating, r.Reason == ReasonDiffers:
		return Updating(f.seen(), f.Error)
	}
	return Unavailable(f.seen(), f.Error)
}

// settles tells whether this generation has come to its end: AWS serves it, or says that
// it does not and waiting is of no use, or only the user can help.
func (f Input) settles(ready xpv2.Condition) bool {
	switch {
	case f.Failure == Stuck:
		return true
	case f.Failure != Succeeded, f.Paused, f.Changed, ready.ObservedGeneration != f.Generation:
		return false
	}
	return ready.Status == corev1.ConditionTrue || ready.Reason == xpv2.ReasonUnavailable || ready.Reason == ReasonDiffers
}
