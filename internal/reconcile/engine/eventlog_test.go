package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// TestDeletionLog checks that the events of a resource that is being deleted are logged too, with annotations or
// without: in a namespace that is being deleted, they are only there.
func TestDeletionLog(t *testing.T) {
	e, log := &events{}, &lines{}
	r := reporting.NewRecorder(e, log, time.Now)
	mg := samples.New()
	r.Event(mg, event.Normal("Available", "It serves."))
	mg.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
	r.Event(mg, event.Normal(v1beta1.EventLeftForeignResource, "Left in AWS."))
	r.WithAnnotations("by", "test").Event(mg, event.Normal(v1beta1.EventDeleted, "Deleted."))
	if diff := cmp.Diff(
		[]string{"Available: It serves.", "LeftForeignResource: Left in AWS.", "DeletedExternalResource: Deleted."},
		e.all,
	); diff != "" {
		t.Errorf("events: -want, +got:\n%s", diff)
	}
	const begin = "Event of a resource that is being deleted namespace shop name cart type Normal reason "
	want := begin + "LeftForeignResource message Left in AWS.\n" + begin + "DeletedExternalResource message Deleted.\n"
	if diff := cmp.Diff(want, log.String()); diff != "" {
		t.Errorf("log: -want, +got:\n%s", diff)
	}
}
