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

	// Same says that AWS has what spec asks for, and serves it.
	Same

	// Followed says that what spec points to has changed where it lies, such as an object
	// in S3: what differs is news, and no drift.
	Followed

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

// Compared tells what this look at AWS has come to, from which drift is told. mends says
// whether the resource may put right what differs. Told more than once, the last counts.
func Compared(ctx context.Context, c Comparison, mends bool) {
	t := turnOf(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.compared, t.mends = c, mends
}

// Comparison is what Compared was told.
func (t *Turn) Comparison() (c Comparison, mends bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.compared, t.mends
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

	// found is the drift that is there now, by what was wanted when it was seen.
	found string
	as    Comparison

	// mends says that the resource may put it right, and sent that a call did so.
	mends, sent bool
}

// pending tells whether there is drift that is yet to be put right.
func (d drift) pending() bool { return d.found != "" && d.mends }

// Cause says why AWS has something else than what is wanted, for the event that tells of the
// call that puts it right: spec or what it refers to has changed, someone has changed it in
// AWS, or nobody knows, as at the first look after a start.
func Cause(ctx context.Context, mg Managed) string {
	if !Settled(mg) {
		return "spec changed"
	}
	if t := turnOf(ctx); t.cause != "" {
		return t.cause
	}
	return "differed from spec"
}

// because is the cause by what was known before a look. Empty if nobody knows.
func (r *record) because(mg Managed) string {
	switch w := wanted(mg); {
	case r.cause != "":
		return r.cause + " changed"
	case r.drift.synced == w, r.drift.found == w:
		return "changed in AWS by hand"
	}
	return ""
}

// A finding is what a look adds to the metrics: drift of a kind that was seen, or put
// right.
type finding struct {
	seen, corrected bool
	as              Comparison
}

// after a look, given what is wanted now and whether a call was made.
func (d drift) after(c Comparison, mends bool, wanted string, did deed) (drift, finding) {
	if d.found != "" && d.found != wanted {
		// The user has changed spec since: who put it right, nobody can tell.
		d = drift{}
	}
	f := finding{}
	switch c {
	case Undecided:
	case Same:
		return drift{synced: wanted}, finding{corrected: d.sent, as: d.as}
	case Followed:
		d.synced = ""
	case Differs, Missing:
		if d.synced == wanted {
			d, f = drift{found: wanted, as: c, mends: mends}, finding{seen: true, as: c}
		}
		d.synced = ""
	}
	d.sent = d.sent || d.found != "" && (did == created || did == updated)
	return d, f
}

// wanted tells apart what a user may want of a resource. A mere request for a look is
// the same.
func wanted(mg Managed) string {
	return fmt.Sprintf("%s %d %s", mg.GetUID(), mg.GetGeneration(), meta.GetExternalName(mg))
}
