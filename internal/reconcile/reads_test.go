package reconcile

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

func TestReads(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*samples.Sample)
		want   int
	}{
		"New": {"Its creation will follow.", func(*samples.Sample) {}, 2},
		"Made": {
			"It was made.",
			func(mg *samples.Sample) { meta.AddAnnotations(mg, ownership.Name(mg, "cart")) },
			1,
		},
		"Deleted": {
			"Nothing will be made.",
			func(mg *samples.Sample) { mg.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} },
			1,
		},
		"ObserveOnly": {"Nothing may be made.", func(mg *samples.Sample) {
			mg.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
		}, 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := &samples.Sample{ObjectMeta: metav1.ObjectMeta{UID: "u1"}}
			tc.edit(mg)
			if got := Reads(mg, "List", "Create"); len(got) != tc.want || got[0] != "List" {
				t.Errorf("%s\ngot %v", tc.reason, got)
			}
		})
	}
}
