package reconciler

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/sharding"
)

func TestHandover(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	whole := time.Minute + watchLag
	cases := map[string]struct {
		reason   string
		selector string
		finalize bool
		initial  bool
		pending  bool
		after    time.Duration
		want     time.Duration
	}{
		"New":       {reason: "Nobody has worked on a new resource.", selector: "shard=a"},
		"Arrived":   {reason: "The old shard may be in a reconcile.", selector: "shard=a", finalize: true, want: whole},
		"Later":     {reason: "It ends within its time limit.", selector: "shard=a", finalize: true, after: whole},
		"Start":     {reason: "A restart delays nothing.", selector: "shard=a", finalize: true, initial: true},
		"Pending":   {reason: "Another process may be creating it.", selector: "shard=a", finalize: true, initial: true, pending: true, want: whole},
		"Unsharded": {reason: "There is no other shard.", finalize: true, pending: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, err := sharding.Parse(tc.selector)
			if err != nil {
				t.Fatal(err)
			}
			clock := now
			h := newHandover(Options{Shard: s, Now: func() time.Time { return clock }})
			f := &v1beta1.Function{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cart"}}
			if tc.finalize {
				f.SetFinalizers([]string{managed.FinalizerName})
			}
			if tc.pending {
				meta.SetExternalCreatePending(f, now)
			}
			if !h.arrivals().Create(event.CreateEvent{Object: f, IsInInitialList: tc.initial}) {
				t.Error("every event is selected")
			}
			clock = clock.Add(tc.after)
			if got := h.delay(f); got != tc.want {
				t.Errorf("%s\ndelay() = %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}
