package memory

import (
	"fmt"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// A Drift is the state that distinguishes drift from changes by the user. Drift is a difference that appears although
// the desired state has not changed: one observation found AWS up to date, and the next one finds something else. The
// first observation after a start never reports drift, because what changed before it is unknown.
type Drift struct {
	// Synced is the desired state when AWS was last found up to date. It is empty if AWS has
	// something else, or if what spec refers to has changed since.
	Synced string

	// pendingFor is the desired state for which the present drift was found. It is empty if there is none.
	pendingFor string
	comparison reconcile.SyncState

	// mayUpdate reports whether the resource may correct the drift, and corrected whether a call has done so.
	mayUpdate, corrected bool
}

// Pending reports whether there is drift that is yet to be corrected.
func (d Drift) Pending() bool { return d.pendingFor != "" && d.mayUpdate }

// Cause returns the cause according to the state before an observation. It is empty if unknown.
func (r *Resource) Cause(mg reconcile.Managed) string {
	switch w := desiredState(mg); {
	case r.changedReference != "":
		return r.changedReference + " changed"
	case r.Events.Origin != "":
		return "changed in AWS by " + r.Events.Origin
	case r.drift.Synced == w, r.drift.pendingFor == w:
		return "changed in AWS by hand"
	}
	return ""
}

// A DriftChange is the contribution of an observation to the metrics: drift that was seen, or corrected.
type DriftChange struct {
	Seen, Corrected bool
	Comparison      reconcile.SyncState
}

// After returns the drift after an observation, given the present desired state and the action taken.
func (d Drift) After(c reconcile.SyncState, mayUpdate bool, desired string, did Action) (Drift, DriftChange) {
	if d.pendingFor != "" && d.pendingFor != desired {
		// The user has changed spec since, so it is unknown who corrected the drift.
		d = Drift{}
	}
	f := DriftChange{}
	switch c {
	case reconcile.Undecided:
	case reconcile.UpToDate:
		return Drift{Synced: desired}, DriftChange{Corrected: d.corrected, Comparison: d.comparison}
	case reconcile.SourceChanged:
		d.Synced = ""
	case reconcile.Differs, reconcile.Missing:
		if d.Synced == desired {
			d, f = Drift{pendingFor: desired, comparison: c, mayUpdate: mayUpdate},
				DriftChange{Seen: true, Comparison: c}
		}
		d.Synced = ""
	}
	d.corrected = d.corrected || d.pendingFor != "" && (did == ActionCreated || did == ActionUpdated)
	return d, f
}

// desiredState returns a key that identifies the desired state of a resource. A mere request
// to reconcile does not change it.
func desiredState(mg reconcile.Managed) string {
	return fmt.Sprintf("%s %d %s", mg.GetUID(), mg.GetGeneration(), meta.GetExternalName(mg))
}
