package engine

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/google/go-cmp/cmp"
)

// A observation is one observation, with the desired state and the action at that time.
type observation struct {
	c       reconcile.SyncState
	wanted  string
	did     memory.Action
	changed bool
	bound   bool
}

func TestDrift(t *testing.T) {
	const wanted, edited = "u1 1 cart", "u1 2 cart"
	same := observation{c: reconcile.UpToDate, wanted: wanted}
	corrected := observation{c: reconcile.Differs, wanted: wanted, did: memory.ActionUpdated}
	cases := map[string]struct {
		reason       string
		observations []observation
		want         []memory.DriftChange
		pending      bool
	}{
		"ChangedByHand": {
			reason:       "Drift is counted once as seen and once as corrected.",
			observations: []observation{same, corrected, {c: reconcile.Undecided, wanted: wanted}, same, same},
			want:         []memory.DriftChange{{Seen: true, Comparison: reconcile.Differs}, {Corrected: true, Comparison: reconcile.Differs}},
		},
		"DeletedByHand": {
			reason:       "A deleted external resource is drift, too.",
			observations: []observation{same, {c: reconcile.Missing, wanted: wanted, did: memory.ActionCreated}, same},
			want:         []memory.DriftChange{{Seen: true, Comparison: reconcile.Missing}, {Corrected: true, Comparison: reconcile.Missing}},
		},
		"TwoCalls": {
			reason:       "A drift that takes two calls is one.",
			observations: []observation{same, corrected, corrected, same},
			want:         []memory.DriftChange{{Seen: true, Comparison: reconcile.Differs}, {Corrected: true, Comparison: reconcile.Differs}},
		},
		"Twice": {
			reason:       "A second drift counts again.",
			observations: []observation{same, corrected, same, corrected, same},
			want:         []memory.DriftChange{{Seen: true, Comparison: reconcile.Differs}, {Corrected: true, Comparison: reconcile.Differs}, {Seen: true, Comparison: reconcile.Differs}, {Corrected: true, Comparison: reconcile.Differs}},
		},
		"CannotBeCorrected": {
			reason:       "A failed call corrects nothing, and each observation sees the same drift.",
			observations: []observation{same, {c: reconcile.Differs, wanted: wanted}, {c: reconcile.Differs, wanted: wanted}, {c: reconcile.Undecided, wanted: wanted}},
			want:         []memory.DriftChange{{Seen: true, Comparison: reconcile.Differs}},
			pending:      true,
		},
		"MayNotBeCorrected": {
			reason:       "Drift that may not be corrected is seen, and is not pending.",
			observations: []observation{same, {c: reconcile.Differs, wanted: wanted, bound: true}},
			want:         []memory.DriftChange{{Seen: true, Comparison: reconcile.Differs}},
		},
		"RevertedByHand": {
			reason:       "Drift that disappears by itself was not corrected by the provider.",
			observations: []observation{same, {c: reconcile.Differs, wanted: wanted}, same},
			want:         []memory.DriftChange{{Seen: true, Comparison: reconcile.Differs}},
		},
		"Created": {
			reason:       "What was never there is no drift, nor is what a create leaves to be done.",
			observations: []observation{{c: reconcile.Missing, wanted: wanted, did: memory.ActionCreated}, corrected, same},
		},
		"FirstLook": {
			reason:       "It is not known what has changed before the start.",
			observations: []observation{corrected, same},
		},
		"Edited": {
			reason:       "A change of spec is no drift.",
			observations: []observation{same, {c: reconcile.Differs, wanted: edited, did: memory.ActionUpdated}, {c: reconcile.UpToDate, wanted: edited}},
		},
		"Referenced": {
			reason:       "A changed Secret or other referenced object is no drift.",
			observations: []observation{same, {c: reconcile.Differs, wanted: wanted, did: memory.ActionUpdated, changed: true}, corrected, same},
		},
		"Followed": {
			reason:       "New code in S3 is no drift, whatever its deployment takes.",
			observations: []observation{same, {c: reconcile.SourceChanged, wanted: wanted, did: memory.ActionUpdated}, corrected, same},
		},
		"EditedMeanwhile": {
			reason:       "After an edit of spec, it is not known what corrected the drift.",
			observations: []observation{same, {c: reconcile.Differs, wanted: wanted}, {c: reconcile.Differs, wanted: edited, did: memory.ActionUpdated}, {c: reconcile.UpToDate, wanted: edited}},
			want:         []memory.DriftChange{{Seen: true, Comparison: reconcile.Differs}},
		},
		"AtWork": {
			reason:       "While AWS applies a change, nothing is decided and nothing is forgotten.",
			observations: []observation{same, {c: reconcile.Undecided, wanted: wanted}, corrected, same},
			want:         []memory.DriftChange{{Seen: true, Comparison: reconcile.Differs}, {Corrected: true, Comparison: reconcile.Differs}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var d memory.Drift
			var got []memory.DriftChange
			for _, g := range tc.observations {
				if g.changed {
					d.Synced = ""
				}
				var f memory.DriftChange
				if d, f = d.After(g.c, !g.bound, g.wanted, g.did); f.Seen || f.Corrected {
					got = append(got, f)
				}
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(memory.DriftChange{})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if d.Pending() != tc.pending {
				t.Errorf("%s: want pending %t, got %+v", tc.reason, tc.pending, d)
			}
		})
	}
}

func TestCause(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(e *env)
		want   string
	}{
		"Spec":     {reason: "The user has changed spec.", change: func(e *env) { e.change(func(mg *sample) { mg.Spec.Value, mg.Generation = "b", 2 }) }, want: "spec changed"},
		"ByHand":   {reason: "Nothing has changed but AWS.", change: func(e *env) { e.cloud.value = "hand" }, want: "changed in AWS by hand"},
		"Referent": {reason: "What spec refers to has changed.", change: func(e *env) { e.cloud.value = "old"; e.reconciler.states.MarkChanged(cart, "Secret db") }, want: "Secret db changed"},
		"Served": {
			reason: "A change that was served is no cause any more.",
			change: func(e *env) { e.reconciler.states.MarkChanged(cart, "Secret db"); e.settle(); e.cloud.value = "hand" }, want: "changed in AWS by hand",
		},
		"FirstLook": {reason: "After a start, the cause of a difference is not known.", change: func(e *env) { e.cloud.value = "hand"; e.reconciler.states.Forget(cart) }, want: "differed from spec"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, samples.New())
			e.settle()
			tc.change(e)
			e.settle()
			if e.cloud.cause != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, e.cloud.cause)
			}
		})
	}
}
