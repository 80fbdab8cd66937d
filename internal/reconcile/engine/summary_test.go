package engine

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// TestSummaryIsWritten checks that the plain fields of status are written together with the
// conditions that they summarize.
func TestSummaryIsWritten(t *testing.T) {
	e := newEnv(t, samples.New())
	e.cloud.fail["Create"] = errInput
	e.reconcile()
	if got := e.stored().Status.Summary; got.Phase != v1beta1.PhaseError || got.Message == "" {
		t.Errorf("a failed creation: %+v", got)
	}
	delete(e.cloud.fail, "Create")
	e.converge()
	if diff := cmp.Diff(
		v1beta1.Summary{Phase: v1beta1.PhaseAvailable, ReconciledGeneration: 1},
		e.stored().Status.Summary,
	); diff != "" {
		t.Errorf("once it is there, -want +got: %s", diff)
	}
	e.delete()
	e.cloud.fail["Delete"] = errors.New("boom")
	e.reconcile()
	if got := e.stored().Status.Summary; got.Phase != v1beta1.PhaseDeleting || got.Message == "" {
		t.Errorf("a failed deletion: %+v", got)
	}
}

func TestCause(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(e *env)
		want   string
	}{
		"Spec": {
			reason: "The user has changed spec.",
			change: func(e *env) { e.change(func(mg *sample) { mg.Spec.Value, mg.Generation = "b", 2 }) },
			want:   "spec changed",
		},
		"ByHand": {
			reason: "Nothing has changed but AWS.",
			change: func(e *env) { e.cloud.value = "hand" },
			want:   "changed in AWS by hand",
		},
		"ReferenceTarget": {
			reason: "What spec refers to has changed.",
			change: func(e *env) { e.cloud.value = "old"; e.reconciler.states.MarkChanged(cart, "Secret db") },
			want:   "Secret db changed",
		},
		"Meanwhile": {
			reason: "The event about a change of what spec refers to arrives while AWS is read.",
			change: func(e *env) {
				e.cloud.value = "old"
				e.cloud.during = func() { e.reconciler.states.MarkChanged(cart, "Secret db") }
			},
			want: "Secret db changed",
		},
		"Served": {
			reason: "A change that was served is no cause any more.",
			change: func(e *env) { e.reconciler.states.MarkChanged(cart, "Secret db"); e.converge(); e.cloud.value = "hand" },
			want:   "changed in AWS by hand",
		},
		"FirstLook": {
			reason: "After a start, the cause of a difference is not known.",
			change: func(e *env) { e.cloud.value = "hand"; e.reconciler.states.Forget(cart) },
			want:   "differed from spec",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, samples.New())
			e.converge()
			tc.change(e)
			e.converge()
			if e.cloud.cause != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, e.cloud.cause)
			}
		})
	}
}
