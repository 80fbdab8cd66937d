package engine

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

func TestDesiredStateChanged(t *testing.T) {
	now := metav1.Now()
	annotate := func(k, v string) func(*sample) {
		return func(mg *sample) { meta.AddAnnotations(mg, map[string]string{k: v}) }
	}
	cases := map[string]struct {
		reason string
		old    func(*sample)
		change func(*sample)
		want   bool
	}{
		"Nothing": {reason: "A resync.", change: func(*sample) {}},
		"Status":  {reason: "The provider writes status.", change: func(mg *sample) { mg.SetConditions(xpv2.Available()) }},
		"Spec":    {reason: "The user's change.", change: func(mg *sample) { mg.Generation = 2 }, want: true},
		"Label":   {reason: "A selector may now find it.", change: func(mg *sample) { mg.SetLabels(map[string]string{"a": "b"}) }, want: true},
		"Adopt":   {reason: "The user's word.", change: annotate(ownership.AnnotationAdopt, "true"), want: true},
		"Request": {reason: "The user's word.", change: annotate(meta.AnnotationKeyReconcileRequestedAt, "now"), want: true},
		"Import":  {reason: "The user sets the external name.", change: annotate(meta.AnnotationKeyExternalName, "cart-fn"), want: true},
		"Created": {reason: "The provider remembers what it created.", change: func(mg *sample) {
			meta.SetExternalCreatePending(mg, time.Now())
			meta.SetExternalCreateSucceeded(mg, time.Now())
			meta.AddAnnotations(mg, ownership.Name(mg, "cart-fn"))
		}},
		"Failed": {reason: "The provider remembers that it failed.", change: func(mg *sample) { meta.SetExternalCreateFailed(mg, time.Now()) }},
		"Deleted": {
			reason: "The user deletes it.",
			change: func(mg *sample) { mg.SetDeletionTimestamp(&now); mg.Generation = 2 },
			want:   true,
		},
		"OthersFinalizerGone": {
			reason: "The deletion waits for the finalizers of others.",
			old: func(mg *sample) {
				mg.SetDeletionTimestamp(&now)
				mg.SetFinalizers([]string{"a", "b"})
			},
			change: func(mg *sample) { mg.SetFinalizers([]string{"a"}) },
			want:   true,
		},
		"FinalizerAdded": {reason: "The provider adds its own.", change: func(mg *sample) { mg.SetFinalizers([]string{"a"}) }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := newSample()
			if tc.old != nil {
				tc.old(before)
			}
			after := before.DeepCopyObject().(*sample)
			tc.change(after)
			if got := desiredStateChanged().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); got != tc.want {
				t.Errorf("%s: want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
	if !desiredStateChanged().Create(event.CreateEvent{Object: newSample()}) || !desiredStateChanged().Delete(event.DeleteEvent{Object: newSample()}) {
		t.Error("what is new or gone is always looked at")
	}
}
