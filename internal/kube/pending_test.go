package kube

import (
	"context"
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestPendingCreation checks that what is recorded before a creation is one patch.
func TestPendingCreation(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	cases := map[string]struct {
		reason   string
		intent   bool
		outdated bool
		fails    bool
		want     bool
		writes   int
	}{
		"Alone":      {reason: "The finalizer and the annotation are one patch.", want: true, writes: 1},
		"WithIntent": {reason: "So is what the kind records itself.", intent: true, want: true, writes: 1},
		"Outdated": {
			reason: "A creation that is based on an outdated object leaves no trace.", intent: true, outdated: true,
			writes: 1,
		},
		"Failed": {
			reason: "A creation that failed after that is recorded.", intent: true, fails: true, want: true, writes: 2,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, nil)
			ctx, th := e.read(t)
			meta.AddFinalizer(th, "example.org/f")
			meta.SetExternalCreatePending(th, at)
			if tc.intent {
				meta.AddAnnotations(th, map[string]string{"intent": "1"})
			}
			if tc.outdated {
				th.SetResourceVersion("1")
			}
			if err := e.Update(ctx, th); kerrors.IsConflict(err) != tc.outdated || err != nil && !tc.outdated {
				t.Fatal(err)
			}
			if tc.fails {
				meta.SetExternalCreateFailed(th, at.Add(time.Second))
				if err := e.UpdateCriticalAnnotations(ctx, th); err != nil {
					t.Fatal(err)
				}
			}
			got := e.stored(t)
			recorded := meta.FinalizerExists(got, "example.org/f") && meta.GetExternalCreatePending(got).Equal(at) &&
				(got.GetAnnotations()["intent"] != "") == tc.intent
			if recorded != tc.want || e.calls.patches != tc.writes {
				t.Errorf("%s\nrecorded: want %t with %d writes, got %t with %d: %v", tc.reason, tc.want, tc.writes,
					recorded, e.calls.patches, got.ObjectMeta)
			}
			if failed := !meta.GetExternalCreateFailed(got).IsZero(); failed != (tc.fails && tc.want) {
				t.Errorf("%s\nfailed: %t", tc.reason, failed)
			}
		})
	}
}

// TestCriticalAnnotationsAreWrittenAtTheEnd checks that what a create has returned is written even
// if the process is being stopped.
func TestCriticalAnnotationsAreWrittenAtTheEnd(t *testing.T) {
	e := newEnv(t, nil)
	_, th := e.read(t)
	meta.AddAnnotations(th, map[string]string{v1beta1.AnnotationLastInvocation: "done"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.UpdateCriticalAnnotations(ctx, th); err != nil {
		t.Fatal(err)
	}
	if got := e.stored(t).GetAnnotations()[v1beta1.AnnotationLastInvocation]; got != "done" {
		t.Errorf("got %q", got)
	}
}
