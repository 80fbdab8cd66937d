package engine

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/watch"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

func TestHandover(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	whole := time.Minute + watch.WatchLag
	cases := map[string]struct {
		reason   string
		selector string
		finalize bool
		initial  bool
		pending  bool
		after    time.Duration
		want     time.Duration
	}{
		"New":     {reason: "Nobody has worked on a new resource.", selector: "shard=a"},
		"Arrived": {reason: "The old shard may be in a reconcile.", selector: "shard=a", finalize: true, want: whole},
		"Later":   {reason: "It ends within its time limit.", selector: "shard=a", finalize: true, after: whole},
		"Start":   {reason: "A restart delays nothing.", selector: "shard=a", finalize: true, initial: true},
		"Pending": {
			reason:   "Another process may be creating it.",
			selector: "shard=a",
			finalize: true,
			initial:  true,
			pending:  true,
			want:     whole,
		},
		"Unsharded": {reason: "There is no other shard.", finalize: true, pending: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, err := sharding.Parse(tc.selector)
			if err != nil {
				t.Fatal(err)
			}
			clock := now
			h := watch.NewHandover(s, timeout, func() time.Time { return clock })
			f := &v1beta1.Function{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cart"}}
			if tc.finalize {
				f.SetFinalizers([]string{managed.FinalizerName})
			}
			if tc.pending {
				meta.SetExternalCreatePending(f, now)
			}
			if !h.Arrivals().Create(event.CreateEvent{Object: f, IsInInitialList: tc.initial}) {
				t.Error("every event is selected")
			}
			clock = clock.Add(tc.after)
			if got := h.Delay(f); got != tc.want {
				t.Errorf("%s\ndelay() = %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

// TestHandoverBeforeStart has a resource that arrives before its controller has started, because there was none of its
// kind, or because another replica was the leader. The controller sees it as if it had always existed.
func TestHandoverBeforeStart(t *testing.T) {
	cases := map[string]struct {
		reason  string
		initial bool
		want    time.Duration
	}{
		"Arrived": {reason: "The old shard may be in a reconcile.", want: time.Minute + watch.WatchLag},
		"Existed": {reason: "It was in this shard when the process started.", initial: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &v1beta1.Function{
				ObjectMeta: metav1.ObjectMeta{
					Namespace:  "shop",
					Name:       "cart",
					Finalizers: []string{managed.FinalizerName},
				},
			}
			s, err := sharding.Parse("shard=a")
			if err != nil {
				t.Fatal(err)
			}
			now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
			h := watch.NewHandover(s, timeout, func() time.Time { return now })
			informers := &startedInformers{}
			if err := h.Watch(t.Context(), informers, f); err != nil {
				t.Fatal(err)
			}
			informers.handler.OnAdd(f, tc.initial)
			h.Arrivals().Create(event.CreateEvent{Object: f, IsInInitialList: true})
			if got := h.Delay(f); got != tc.want {
				t.Errorf("%s\ndelay() = %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

// startedInformers are informers that keep the handler that is added to one of them.
type startedInformers struct {
	cache.Informers
	cache.Informer

	handler toolscache.ResourceEventHandler
}

// GetInformer returns the informer of a type.
func (i *startedInformers) GetInformer(
	context.Context,
	client.Object,
	...cache.InformerGetOption,
) (cache.Informer, error) {
	return i, nil
}

// AddEventHandler adds a handler.
func (i *startedInformers) AddEventHandler(
	handler toolscache.ResourceEventHandler,
) (toolscache.ResourceEventHandlerRegistration, error) {
	i.handler = handler
	return nil, nil //nolint:nilnil // Nobody uses it.
}

// TestDrain checks that a shard confirms that it has stopped working on a resource, without a call,
// and that nothing which it has found before is written after that.
func TestDrain(t *testing.T) {
	const assigned, drain = "shard.alpha.sharding.timebertt.dev/lambda", "drain.alpha.sharding.timebertt.dev/lambda"
	member, err := sharding.InRing("lambda", "pod-0")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason string
		before func(e *env)
		labels map[string]string
		calls  bool
		want   map[string]string
		status xpv2.ConditionReason
	}{
		"Drained": {
			reason: "The labels of the ring are removed.",
			labels: map[string]string{assigned: "pod-0", drain: "true", "team": "x"},
			want:   map[string]string{"team": "x"},
		},
		"Paused": {reason: "A paused resource is handed over as well.", before: func(e *env) {
			e.change(func(mg *sample) {
				meta.AddAnnotations(mg, map[string]string{meta.AnnotationKeyReconciliationPaused: "true"})
			})
		}, labels: map[string]string{assigned: "pod-0", drain: ""}},
		"Assigned": {
			reason: "Without the drain label, it is reconciled.",
			labels: map[string]string{assigned: "pod-0"},
			calls:  true,
			want:   map[string]string{assigned: "pod-0"},
			status: xpv2.ReasonCreating,
		},
		"HeldBack": {
			reason: "A status that is held back is written first.",
			before: func(e *env) { e.reconcile() },
			labels: map[string]string{assigned: "pod-0", drain: "true"},
			status: xpv2.ReasonCreating,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			mg.Labels = map[string]string{assigned: "pod-0"}
			e := newEnv(t, mg, func(o *Options, _ *reconcile.Kind[*sample]) {
				o.Shard = member
				if name == "HeldBack" {
					o.StatusDelay = StatusDelay
				}
			})
			if tc.before != nil {
				tc.before(e)
			}
			e.cloud.calls = nil
			e.change(func(mg *sample) { mg.Labels = tc.labels })
			for next := e.reconcile(); next == reconcile.AtOnce && !tc.calls; next = e.reconcile() {
				e.clock = e.clock.Add(next)
			}
			if diff := cmp.Diff(tc.want, e.stored().GetLabels()); diff != "" {
				t.Errorf("%s\nlabels: -want, +got:\n%s", tc.reason, diff)
			}
			if called := len(e.cloud.calls) > 0; called != tc.calls {
				t.Errorf("%s\ncalls: %v", tc.reason, e.cloud.calls)
			}
			if got := e.stored().GetCondition(xpv2.TypeReady).Reason; got != tc.status {
				t.Errorf("%s\nstored: want %q, got %q", tc.reason, tc.status, got)
			}
			if e.reconciler.kube.HasDeferred(cart) {
				t.Errorf("%s\na status is held back, and would be written later", tc.reason)
			}
		})
	}
}
