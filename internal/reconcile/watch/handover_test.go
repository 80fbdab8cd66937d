package watch

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
)

// TestHandoverIsBounded has resources that pass through the shard faster than a handover takes.
func TestHandoverIsBounded(t *testing.T) {
	s, err := sharding.Parse("shard=a")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	h := NewHandover(s, time.Minute, func() time.Time { return now })
	most := 0
	for i := range 1000 {
		key := types.NamespacedName{Namespace: "shop", Name: fmt.Sprint(i)}
		h.Arrivals().Create(event.CreateEvent{Object: &v1beta1.Function{ObjectMeta: metav1.ObjectMeta{
			Namespace: key.Namespace, Name: key.Name, Finalizers: []string{managed.FinalizerName},
		}}})
		now = now.Add(time.Second)
		h.Forget(key)
		most = max(most, len(h.arrived))
	}
	if limit := int(h.lasts/time.Second) + 1; most > limit {
		t.Errorf("%d resources are remembered at a time, want %d at most", most, limit)
	}
}
