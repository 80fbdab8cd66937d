package managed

import (
	"context"
	"fmt"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
)

// A Comparison is what a look at AWS comes to.
type Comparison int

const (
	// Undecided looks tell nothing: AWS was not asked, or is at work.
	Undecided Comparison = iota

	// UpToDate says that AWS has what spec asks for, and serves it.
	UpToDate

	// SourceChanged says that what spec points to has changed where it lies, such as an object
	// in S3: what differs is news, and no drift.
	SourceChanged

	// Differs says that AWS has something else than spec asks for.
	Differs

	// Missing says that AWS does not have the thing.
	Missing
)

// String is the value of the label change, for the two that can be drift.
func (c Comparison) String() string {
	if c == Missing {
		return "missing"
	}
	return "changed"
}

// ReportComparison tells what this look at AWS has come to, from which drift is told. mends says
// whether the resource may put right what differs. Told more than once, the last counts.
func ReportComparison(ctx context.Context, c Comparison, mends bool) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.comparison, a.mayUpdate = c, mends
}

// Comparison is what Compared was told.
func (a *Attempt) Comparison() (c Comparison, mends bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.comparison, a.mayUpdate
}

// A drift is what is remembered of a resource to tell drift from what its user has
// changed. Drift is a difference that comes up while nothing has changed that the user
// has a hand in: AWS had what was wanted at one look, has something else at the next, and
// the same is wanted still. So the first look after a start tells nothing, for nobody
// knows what has changed before it.
type drift struct {
	// synced is what was wanted when AWS was last found to have it. Empty if something
	// else is there, or if what spec refers to has changed since.
	synced string

	// pendingFor is the drift that is there now, by what was wanted when it was seen.
	pendingFor string
	comparison Comparison

	// mayUpdate says that the resource may put it right, and sent that a call did so.
	mayUpdate, corrected bool
}

// pending tells whether there is drift that is yet to be put right.
func (d drift) pending() bool { return d.pendingFor != "" && d.mayUpdate }

// Cause says why AWS has something else than what is wanted, for the event that tells of the
// call that puts it right: spec or what it refers to has changed, someone has changed it in
// AWS, or nobody knows, as at the first look after a start.
func Cause(ctx context.Context, mg Managed) string {
	if !Settled(mg) {
		return "spec changed"
	}
	if a := attemptFrom(ctx); a.cause != "" {
		return a.cause
	}
	return "differed from spec"
}

// cause is the cause by what was known before a look. Empty if nobody knows.
func (r *resourceState) cause(mg Managed) string {
	switch w := desiredState(mg); {
	case r.changedReference != "":
		return r.changedReference + " changed"
	case r.drift.synced == w, r.drift.pendingFor == w:
		return "changed in AWS by hand"
	}
	return ""
}

// A finding is what a look adds to the metrics: drift of a kind that was seen, or put
// right.
type driftChange struct {
	seen, corrected bool
	comparison      Comparison
}

// after a look, given what is wanted now and whether a call was made.
func (d drift) after(c Comparison, mends bool, wanted string, did action) (drift, driftChange) {
	if d.pendingFor != "" && d.pendingFor != wanted {
		// The user has changed spec since: who put it right, nobody can tell.
		d = drift{}
	}
	f := driftChange{}
	switch c {
	case Undecided:
	case UpToDate:
		return drift{synced: wanted}, driftChange{corrected: d.corrected, comparison: d.comparison}
	case SourceChanged:
		d.synced = ""
	case Differs, Missing:
		if d.synced == wanted {
			d, f = drift{pendingFor: wanted, comparison: c, mayUpdate: mends}, driftChange{seen: true, comparison: c}
		}
		d.synced = ""
	}
	d.corrected = d.corrected || d.pendingFor != "" && (did == actionCreated || did == actionUpdated)
	return d, f
}

// desiredState tells apart what a user may want of a resource. A mere request for a look is
// the same.
func desiredState(mg Managed) string {
	return fmt.Sprintf("%s %d %s", mg.GetUID(), mg.GetGeneration(), meta.GetExternalName(mg))
}
