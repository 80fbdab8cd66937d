package memory

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// Causes returns which referenced object has changed since AWS was last found up to date, and what has changed the
// resource in AWS. Each is empty if it is unknown, or if nothing has.
func (s *Store) Causes(mg reconcile.Managed) (changed, drifted string) {
	r, unlock := s.lock(client.ObjectKeyFromObject(mg))
	defer unlock()
	if r.changedReference != "" {
		changed = r.changedReference + " changed"
	}
	switch w := desiredState(mg); {
	case r.Events.Origin != "":
		drifted = "changed in AWS by " + r.Events.Origin
	case r.drift.Synced == w, r.drift.pendingFor == w:
		drifted = "changed in AWS by hand"
	}
	return changed, drifted
}

// A DriftChange is the contribution of an observation to the metrics: drift that was seen, or corrected.
type DriftChange struct {
	Seen, Corrected bool
	Comparison      reconcile.SyncState

	// Compared is the time of the comparison before one that found a difference. It is zero if there was none.
	Compared time.Time
}

// After returns the drift after an observation, given the present desired state and the action taken.
func (d Drift) After(c reconcile.SyncState, mayUpdate bool, desired string, did reconcile.Verb) (Drift, DriftChange) {
	if d.pendingFor != "" && d.pendingFor != desired {
		// The user has changed spec since, so it is unknown who corrected the drift.
		d = Drift{}
	}
	f := DriftChange{}
	switch c {
	case reconcile.Undecided:
	case reconcile.UpToDate, reconcile.Unserved:
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
	d.corrected = d.corrected || d.pendingFor != "" && (did == reconcile.ToCreate || did == reconcile.ToUpdate)
	return d, f
}

// desiredState returns a key that identifies the desired state of a resource. A mere request
// to reconcile does not change it.
func desiredState(mg reconcile.Managed) string {
	return fmt.Sprintf("%s %d %s", mg.GetUID(), mg.GetGeneration(), meta.GetExternalName(mg))
}

// CompareResult is the result of comparing AWS with spec in one reconcile, as far as drift is concerned.
type CompareResult struct {
	State     reconcile.SyncState
	MayUpdate bool
	Did       reconcile.Verb

	// UpToDate reports whether AWS was found up to date, by answers not older than Since, and Failed whether there was
	// an error.
	UpToDate, Failed bool
	Since, Now       time.Time
}

// RecordComparison records the result of an observation, and returns what it adds to the
// metrics. known is the state at the start of the observation: if something changed since, the
// observation may or may not have seen the change, so no drift is derived from it.
func (s *Store) RecordComparison(mg reconcile.Managed, c CompareResult, known Resource) DriftChange {
	r, unlock := s.lock(client.ObjectKeyFromObject(mg))
	defer unlock()
	var f DriftChange
	if r.drift, f = r.drift.After(c.State, c.MayUpdate, desiredState(mg), c.Did); r.Changes != known.Changes {
		r.drift.Synced = ""
	} else if c.State == reconcile.UpToDate {
		r.changedReference = ""
	}
	switch {
	case c.UpToDate && r.Changes == known.Changes && !c.Since.IsZero():
		r.Events.recordUpToDate(c.Since)
	case !c.Failed:
		r.Events.upToDateAt = time.Time{}
	}
	f.Compared = r.recordInSync(c.State, c.Now)
	return f
}

// ForgetDrift clears the drift of a resource that is not managed any more.
func (s *Store) ForgetDrift(key types.NamespacedName) {
	r, unlock := s.lock(key)
	defer unlock()
	r.drift = Drift{}
}

// CountDrifting returns the number of resources with drift that is yet to be corrected.
func (s *Store) CountDrifting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.states {
		if r.drift.Pending() {
			n++
		}
	}
	return n
}
