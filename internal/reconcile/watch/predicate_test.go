package watch

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

func TestDesiredStateChanged(t *testing.T) {
	now := metav1.Now()
	annotate := func(k, v string) func(*samples.Sample) {
		return func(mg *samples.Sample) { meta.AddAnnotations(mg, map[string]string{k: v}) }
	}
	const shard, drain = "shard.alpha.sharding.timebertt.dev/lambda", "drain.alpha.sharding.timebertt.dev/lambda"
	ring, err := sharding.InRing("lambda", "a")
	if err != nil {
		t.Fatal(err)
	}
	p := DesiredStateChanged(ring)
	cases := map[string]struct {
		reason string
		old    func(*samples.Sample)
		change func(*samples.Sample)
		want   bool
	}{
		"Nothing": {reason: "A resync.", change: func(*samples.Sample) {}},
		"Status":  {reason: "The provider writes status.", change: func(mg *samples.Sample) { mg.SetConditions(xpv2.Available()) }},
		"Spec":    {reason: "The user's change.", change: func(mg *samples.Sample) { mg.Generation = 2 }, want: true},
		"Label":   {reason: "No label changes what it asks for.", change: func(mg *samples.Sample) { mg.SetLabels(map[string]string{"a": "b"}) }},
		"Drain":   {reason: "The sharder moves it.", change: func(mg *samples.Sample) { mg.SetLabels(map[string]string{shard: "a", drain: "true"}) }, want: true},
		"Foreign": {reason: "No annotation of others changes what it asks for.", change: annotate("argocd.argoproj.io/tracking-id", "cart")},
		"Similar": {reason: "It is not Crossplane's domain.", change: annotate("notcrossplane.io/paused", "true")},
		"Paused":  {reason: "The user's word.", change: annotate(meta.AnnotationKeyReconciliationPaused, "true"), want: true},
		"Rollout": {reason: "The user's word.", change: annotate(v1beta1.RolloutAnnotationPrefix+"abort", "now"), want: true},
		"Adopt":   {reason: "The user's word.", change: annotate(v1beta1.AnnotationAdopt, "true"), want: true},
		"Request": {reason: "The user's word.", change: annotate(meta.AnnotationKeyReconcileRequestedAt, "now"), want: true},
		"Import":  {reason: "The user sets the external name.", change: annotate(meta.AnnotationKeyExternalName, "cart-fn"), want: true},
		"Created": {reason: "The provider remembers what it created.", change: func(mg *samples.Sample) {
			meta.SetExternalCreatePending(mg, time.Now())
			meta.SetExternalCreateSucceeded(mg, time.Now())
			meta.AddAnnotations(mg, ownership.Name(mg, "cart-fn"))
		}},
		"Failed": {reason: "The provider remembers that it failed.", change: func(mg *samples.Sample) { meta.SetExternalCreateFailed(mg, time.Now()) }},
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
		"FinalizerAdded": {reason: "The provider adds its own.", change: func(mg *samples.Sample) { mg.SetFinalizers([]string{"a"}) }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := samples.New()
			if tc.old != nil {
				tc.old(before)
			}
			after := before.DeepCopyObject().(*samples.Sample)
			tc.change(after)
			if got := p.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); got != tc.want {
				t.Errorf("%s: want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
	if !p.Create(event.CreateEvent{Object: samples.New()}) || !p.Delete(event.DeleteEvent{Object: samples.New()}) {
		t.Error("what is new or gone is always looked at")
	}
}
