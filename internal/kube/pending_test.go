package kube

import (
	"context"
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// TestPendingCreation checks that what is recorded before a creation is one patch.
func TestPendingCreation(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	cases := map[string]struct {
		reason string
		intent bool
		// before changes the object before the write, as others do.
		before   func(*samples.Sample)
		outdated bool
		fails    bool
		want     bool
		writes   int
	}{
		"Alone":      {reason: "The finalizer and the annotation are one patch.", want: true, writes: 1},
		"WithIntent": {reason: "So is what the kind records itself.", intent: true, want: true, writes: 1},
		"Outdated": {
			reason: "A creation that is based on an outdated object leaves no trace.", intent: true, outdated: true,
			before: func(th *samples.Sample) { th.Spec.Value = "b" }, writes: 1,
		},
		"AnotherProcess": {
			reason: "Another process has recorded the same in the same second.", outdated: true, want: true, writes: 1,
			before: func(th *samples.Sample) {
				meta.AddFinalizer(th, "example.org/f")
				meta.SetExternalCreatePending(th, at)
			},
		},
		"AnotherTool": {
			reason: "Annotations of other tools decide nothing, and are kept.", want: true, writes: 2,
			before: func(th *samples.Sample) { meta.AddAnnotations(th, map[string]string{"example.org/checked-at": "2"}) },
		},
		"Failed": {
			reason: "A creation that failed after that is recorded.", intent: true, fails: true, want: true, writes: 2,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, nil)
			e.change(t, func(th *samples.Sample) {
				meta.AddAnnotations(th, map[string]string{"example.org/checked-at": "1"})
			})
			ctx, th := e.read(t)
			meta.AddFinalizer(th, "example.org/f")
			meta.SetExternalCreatePending(th, at)
			if tc.intent {
				meta.AddAnnotations(th, map[string]string{v1beta1.AnnotationIntent: "1"})
			}
			if tc.before != nil {
				e.change(t, tc.before)
			}
			if err := e.view.Update(ctx, th); kerrors.IsConflict(err) != tc.outdated || err != nil && !tc.outdated {
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
				(got.GetAnnotations()[v1beta1.AnnotationIntent] != "") == tc.intent
			if recorded != tc.want || e.calls.patches != tc.writes {
				t.Errorf("%s\nrecorded: want %t with %d writes, got %t with %d: %v", tc.reason, tc.want, tc.writes,
					recorded, e.calls.patches, got.ObjectMeta)
			}
			if tc.before != nil && !tc.outdated && got.GetAnnotations()["example.org/checked-at"] != "2" {
				t.Errorf("%s\nannotations: %v", tc.reason, got.GetAnnotations())
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
