package memory

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// A observation is one observation, with the desired state and the action at that time.
type observation struct {
	c       reconcile.SyncState
	wanted  string
	did     reconcile.Verb
	changed bool
	bound   bool
}

func TestDrift(t *testing.T) {
	const wanted, edited = "u1 1 cart", "u1 2 cart"
	same := observation{c: reconcile.UpToDate, wanted: wanted}
	corrected := observation{c: reconcile.Differs, wanted: wanted, did: reconcile.ToUpdate}
	cases := map[string]struct {
		reason       string
		observations []observation
		want         []DriftChange
		pending      bool
	}{
		"ChangedByHand": {
			reason:       "Drift is counted once as seen and once as corrected.",
			observations: []observation{same, corrected, {c: reconcile.Undecided, wanted: wanted}, same, same},
			want: []DriftChange{
				{Seen: true, Comparison: reconcile.Differs},
				{Corrected: true, Comparison: reconcile.Differs},
			},
		},
		"DeletedByHand": {
			reason:       "A deleted external resource is drift, too.",
			observations: []observation{same, {c: reconcile.Missing, wanted: wanted, did: reconcile.ToCreate}, same},
			want: []DriftChange{
				{Seen: true, Comparison: reconcile.Missing},
				{Corrected: true, Comparison: reconcile.Missing},
			},
		},
		"NotReady": {
			reason:       "Drift is corrected, too, if something else keeps the resource from being Ready.",
			observations: []observation{same, corrected, {c: reconcile.Unserved, wanted: wanted}},
			want: []DriftChange{
				{Seen: true, Comparison: reconcile.Differs},
				{Corrected: true, Comparison: reconcile.Differs},
			},
		},
		"TwoCalls": {
			reason:       "A drift that takes two calls is one.",
			observations: []observation{same, corrected, corrected, same},
			want: []DriftChange{
				{Seen: true, Comparison: reconcile.Differs},
				{Corrected: true, Comparison: reconcile.Differs},
			},
		},
		"Twice": {
			reason:       "A second drift counts again.",
			observations: []observation{same, corrected, same, corrected, same},
			want: []DriftChange{
				{Seen: true, Comparison: reconcile.Differs},
				{Corrected: true, Comparison: reconcile.Differs},
				{Seen: true, Comparison: reconcile.Differs},
				{Corrected: true, Comparison: reconcile.Differs},
			},
		},
		"CannotBeCorrected": {
			reason: "A failed call corrects nothing, and each observation sees the same drift.",
			observations: []observation{
				same,
				{c: reconcile.Differs, wanted: wanted},
				{c: reconcile.Differs, wanted: wanted},
				{c: reconcile.Undecided, wanted: wanted},
			},
			want:    []DriftChange{{Seen: true, Comparison: reconcile.Differs}},
			pending: true,
		},
		"MayNotBeCorrected": {
			reason:       "Drift that may not be corrected is seen, and is not pending.",
			observations: []observation{same, {c: reconcile.Differs, wanted: wanted, bound: true}},
			want:         []DriftChange{{Seen: true, Comparison: reconcile.Differs}},
		},
		"RevertedByHand": {
			reason:       "Drift that disappears by itself was not corrected by the provider.",
			observations: []observation{same, {c: reconcile.Differs, wanted: wanted}, same},
			want:         []DriftChange{{Seen: true, Comparison: reconcile.Differs}},
		},
		"Created": {
			reason: "What was never there is no drift, nor is what a create leaves to be done.",
			observations: []observation{
				{c: reconcile.Missing, wanted: wanted, did: reconcile.ToCreate},
				corrected,
				same,
			},
		},
		"FirstLook": {
			reason:       "It is not known what has changed before the start.",
			observations: []observation{corrected, same},
		},
		"Edited": {
			reason: "A change of spec is no drift.",
			observations: []observation{
				same,
				{c: reconcile.Differs, wanted: edited, did: reconcile.ToUpdate},
				{c: reconcile.UpToDate, wanted: edited},
			},
		},
		"Referenced": {
			reason: "A changed Secret or other referenced object is no drift.",
			observations: []observation{
				same,
				{c: reconcile.Differs, wanted: wanted, did: reconcile.ToUpdate, changed: true},
				corrected,
				same,
			},
		},
		"Followed": {
			reason: "New code in S3 is no drift, whatever its deployment takes.",
			observations: []observation{
				same,
				{c: reconcile.SourceChanged, wanted: wanted, did: reconcile.ToUpdate},
				corrected,
				same,
			},
		},
		"EditedMeanwhile": {
			reason: "After an edit of spec, it is not known what corrected the drift.",
			observations: []observation{
				same,
				{c: reconcile.Differs, wanted: wanted},
				{c: reconcile.Differs, wanted: edited, did: reconcile.ToUpdate},
				{c: reconcile.UpToDate, wanted: edited},
			},
			want: []DriftChange{{Seen: true, Comparison: reconcile.Differs}},
		},
		"AtWork": {
			reason:       "While AWS applies a change, nothing is decided and nothing is forgotten.",
			observations: []observation{same, {c: reconcile.Undecided, wanted: wanted}, corrected, same},
			want: []DriftChange{
				{Seen: true, Comparison: reconcile.Differs},
				{Corrected: true, Comparison: reconcile.Differs},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var d Drift
			var got []DriftChange
			for _, g := range tc.observations {
				if g.changed {
					d.Synced = ""
				}
				var f DriftChange
				if d, f = d.After(g.c, !g.bound, g.wanted, g.did); f.Seen || f.Corrected {
					got = append(got, f)
				}
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(DriftChange{})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if d.Pending() != tc.pending {
				t.Errorf("%s: want pending %t, got %+v", tc.reason, tc.pending, d)
			}
		})
	}
}
