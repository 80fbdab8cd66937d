package watch

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

func TestDesiredStateChanged(t *testing.T) {
	now := metav1.Now()
	annotate := func(k, v string) func(*samples.Sample) {
		return func(mg *samples.Sample) { meta.AddAnnotations(mg, map[string]string{k: v}) }
	}
	cases := map[string]struct {
		reason string
		old    func(*samples.Sample)
		change func(*samples.Sample)
		want   bool
	}{
		"Nothing": {reason: "A resync.", change: func(*samples.Sample) {}},
		"Status": {
			reason: "The provider writes status.",
			change: func(mg *samples.Sample) { mg.SetConditions(xpv2.Available()) },
		},
		"Spec": {reason: "The user's change.", change: func(mg *samples.Sample) { mg.Generation = 2 }, want: true},
		"Label": {
			reason: "A selector may now find it.",
			change: func(mg *samples.Sample) { mg.SetLabels(map[string]string{"a": "b"}) },
			want:   true,
		},
		"Adopt": {reason: "The user's word.", change: annotate(v1beta1.AnnotationAdopt, "true"), want: true},
		"Request": {
			reason: "The user's word.",
			change: annotate(meta.AnnotationKeyReconcileRequestedAt, "now"),
			want:   true,
		},
		"Tool": {
			reason: "Another tool may change an annotation at any rate, which decides nothing.",
			change: annotate("example.org/checked-at", "now"),
		},
		"ToolAndSpec": {reason: "The user's change does not wait.", change: func(mg *samples.Sample) {
			annotate("example.org/checked-at", "now")(mg)
			mg.Generation = 2
		}, want: true},
		"ToolAndUser": {reason: "The user's word does not wait.", change: func(mg *samples.Sample) {
			annotate("example.org/checked-at", "now")(mg)
			annotate(meta.AnnotationKeyReconcileRequestedAt, "now")(mg)
		}, want: true},
		"Import": {
			reason: "The user sets the external name.",
			change: annotate(meta.AnnotationKeyExternalName, "cart-fn"),
			want:   true,
		},
		"Created": {reason: "The provider remembers what it created.", change: func(mg *samples.Sample) {
			meta.SetExternalCreatePending(mg, time.Now())
			meta.SetExternalCreateSucceeded(mg, time.Now())
			meta.AddAnnotations(mg, ownership.Name(mg, "cart-fn"))
		}},
		"Failed": {
			reason: "The provider remembers that it failed.",
			change: func(mg *samples.Sample) { meta.SetExternalCreateFailed(mg, time.Now()) },
		},
		"Deleted": {
			reason: "The user deletes it.",
			change: func(mg *samples.Sample) { mg.SetDeletionTimestamp(&now); mg.Generation = 2 },
			want:   true,
		},
		"OthersFinalizerGone": {
			reason: "The deletion waits for the finalizers of others.",
			old: func(mg *samples.Sample) {
				mg.SetDeletionTimestamp(&now)
				mg.SetFinalizers([]string{"a", "b"})
			},
			change: func(mg *samples.Sample) { mg.SetFinalizers([]string{"a"}) },
			want:   true,
		},
		"FinalizerAdded": {
			reason: "The provider adds its own.",
			change: func(mg *samples.Sample) { mg.SetFinalizers([]string{"a"}) },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := samples.New()
			if tc.old != nil {
				tc.old(before)
			}
			after := before.DeepCopyObject().(*samples.Sample)
			tc.change(after)
			update := event.UpdateEvent{ObjectOld: before, ObjectNew: after}
			if got := DesiredStateChanged().Update(update); got != tc.want {
				t.Errorf("%s: want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
	p := DesiredStateChanged()
	if !p.Create(event.CreateEvent{Object: samples.New()}) || !p.Delete(event.DeleteEvent{Object: samples.New()}) {
		t.Error("what is new or gone is always looked at")
	}
}
