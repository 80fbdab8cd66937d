package reconciler

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A glimpse is one observation, with the desired state and the action at that time.
type glimpse struct {
	c      SyncState
	wanted string
	did    action
	poked  bool
	bound  bool
}

func TestDrift(t *testing.T) {
	const wanted, edited = "u1 1 cart", "u1 2 cart"
	same := glimpse{c: UpToDate, wanted: wanted}
	mended := glimpse{c: Differs, wanted: wanted, did: actionUpdated}
	cases := map[string]struct {
		reason  string
		looks   []glimpse
		want    []driftChange
		pending bool
	}{
		"ChangedByHand": {
			reason: "One drift is seen once, and put right once.",
			looks:  []glimpse{same, mended, {c: Undecided, wanted: wanted}, same, same},
			want:   []driftChange{{seen: true, comparison: Differs}, {corrected: true, comparison: Differs}},
		},
		"DeletedByHand": {
			reason: "A thing that is gone is drift too.",
			looks:  []glimpse{same, {c: Missing, wanted: wanted, did: actionCreated}, same},
			want:   []driftChange{{seen: true, comparison: Missing}, {corrected: true, comparison: Missing}},
		},
		"TwoCalls": {
			reason: "A drift that takes two calls is one.",
			looks:  []glimpse{same, mended, mended, same},
			want:   []driftChange{{seen: true, comparison: Differs}, {corrected: true, comparison: Differs}},
		},
		"Twice": {
			reason: "A second drift counts again.",
			looks:  []glimpse{same, mended, same, mended, same},
			want:   []driftChange{{seen: true, comparison: Differs}, {corrected: true, comparison: Differs}, {seen: true, comparison: Differs}, {corrected: true, comparison: Differs}},
		},
		"CannotBeMended": {
			reason:  "A call that fails puts nothing right, and each look sees the same drift.",
			looks:   []glimpse{same, {c: Differs, wanted: wanted}, {c: Differs, wanted: wanted}, {c: Undecided, wanted: wanted}},
			want:    []driftChange{{seen: true, comparison: Differs}},
			pending: true,
		},
		"MayNotBeMended": {
			reason: "Who asks for no update is told of the drift, and the provider owes nothing.",
			looks:  []glimpse{same, {c: Differs, wanted: wanted, bound: true}},
			want:   []driftChange{{seen: true, comparison: Differs}},
		},
		"RevertedByHand": {
			reason: "What went away by itself was not put right by the provider.",
			looks:  []glimpse{same, {c: Differs, wanted: wanted}, same},
			want:   []driftChange{{seen: true, comparison: Differs}},
		},
		"Created": {
			reason: "What was never there is no drift, nor is what a create leaves to be done.",
			looks:  []glimpse{{c: Missing, wanted: wanted, did: actionCreated}, mended, same},
		},
		"FirstLook": {
			reason: "Nobody knows what has changed before a start.",
			looks:  []glimpse{mended, same},
		},
		"Edited": {
			reason: "A change of spec is no drift.",
			looks:  []glimpse{same, {c: Differs, wanted: edited, did: actionUpdated}, {c: UpToDate, wanted: edited}},
		},
		"Poked": {
			reason: "Nor is one of a Secret, or of what else spec refers to.",
			looks:  []glimpse{same, {c: Differs, wanted: wanted, did: actionUpdated, poked: true}, mended, same},
		},
		"Followed": {
			reason: "Nor is new code in S3, whatever it takes to deploy it.",
			looks:  []glimpse{same, {c: SourceChanged, wanted: wanted, did: actionUpdated}, mended, same},
		},
		"EditedMeanwhile": {
			reason: "An edit before the drift was put right leaves it open who did that.",
			looks:  []glimpse{same, {c: Differs, wanted: wanted}, {c: Differs, wanted: edited, did: actionUpdated}, {c: UpToDate, wanted: edited}},
			want:   []driftChange{{seen: true, comparison: Differs}},
		},
		"AtWork": {
			reason: "While AWS is at work nothing can be told, and nothing is forgotten.",
			looks:  []glimpse{same, {c: Undecided, wanted: wanted}, mended, same},
			want:   []driftChange{{seen: true, comparison: Differs}, {corrected: true, comparison: Differs}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var d drift
			var got []driftChange
			for _, g := range tc.looks {
				if g.poked {
					d.synced = ""
				}
				var f driftChange
				if d, f = d.after(g.c, !g.bound, g.wanted, g.did); f.seen || f.corrected {
					got = append(got, f)
				}
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(driftChange{})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if d.pending() != tc.pending {
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
		"Referent": {reason: "What spec refers to has changed.", change: func(e *env) { e.cloud.value = "old"; e.gate.states.markChanged(cart, "Secret db") }, want: "Secret db changed"},
		"Served": {
			reason: "A change that was served is no cause any more.",
			change: func(e *env) { e.gate.states.markChanged(cart, "Secret db"); e.settle(); e.cloud.value = "hand" }, want: "changed in AWS by hand",
		},
		"FirstLook": {reason: "After a start nobody knows.", change: func(e *env) { e.cloud.value = "hand"; e.gate.states.forget(cart) }, want: "differed from spec"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, newSample())
			e.settle()
			tc.change(e)
			e.settle()
			if e.cloud.cause != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, e.cloud.cause)
			}
		})
	}
}
