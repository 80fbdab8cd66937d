package providerconfig

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
)

// TestConfigsOfShards checks that a shard reconciles only the configs that it has, hands over those
// that a sharder drains, and receives no drift events for either.
func TestConfigsOfShards(t *testing.T) {
	const assigned, drain = "shard.alpha.sharding.timebertt.dev/lambda", "drain.alpha.sharding.timebertt.dev/lambda"
	selected, err := sharding.Parse("shard=a")
	if err != nil {
		t.Fatal(err)
	}
	member, err := sharding.InRing("lambda", "pod-0")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason     string
		shard      sharding.Shard
		labels     map[string]string
		deleted    bool
		want       map[string]string
		reconciled bool
		left       bool
		forgotten  int
	}{
		"All": {
			reason:     "Without shards, labels do not matter.",
			labels:     map[string]string{"shard": "b"},
			want:       map[string]string{"shard": "b"},
			reconciled: true,
		},
		"Selected": {
			reason:     "The selector matches the config.",
			shard:      selected,
			labels:     map[string]string{"shard": "a"},
			want:       map[string]string{"shard": "a"},
			reconciled: true,
		},
		"Other": {
			reason: "Another shard reconciles it, but this one may use it.",
			shard:  selected,
			labels: map[string]string{"shard": "b"},
			want:   map[string]string{"shard": "b"},
			left:   true,
		},
		"Deleted": {
			reason:    "Nothing is kept of a config of another shard that is being deleted.",
			shard:     selected,
			deleted:   true,
			left:      true,
			forgotten: 1,
		},
		"Assigned": {
			reason:     "The sharder has assigned it to this shard.",
			shard:      member,
			labels:     map[string]string{assigned: "pod-0"},
			want:       map[string]string{assigned: "pod-0"},
			reconciled: true,
		},
		"Drained": {
			reason: "Both labels are removed, and no others.",
			shard:  member,
			labels: map[string]string{assigned: "pod-0", drain: "true", "team": "x"},
			want:   map[string]string{"team": "x"},
			left:   true,
		},
		"NotOurs": {
			reason: "Another shard confirms it.",
			shard:  member,
			labels: map[string]string{assigned: "pod-1", drain: "true"},
			want:   map[string]string{assigned: "pod-1", drain: "true"},
			left:   true,
		},
	}
	for n, tc := range cases {
		t.Run(n, func(t *testing.T) {
			c := pc()
			c.Labels = tc.labels
			if tc.deleted {
				c.Finalizers = []string{Finalizer}
			}
			e, q := newEnv(t, namespacedKind, c, secret("aws")), &queues{}
			e.shard, e.Reconciler.events = tc.shard, q
			if tc.deleted {
				e.delete(c)
			}
			e.reconcile(name(c))
			e.get(c)
			if got := c.Status.ObservedGeneration != 0; got != tc.reconciled {
				t.Errorf("%s\nreconciled: %t", tc.reason, got)
			}
			if diff := cmp.Diff(tc.want, c.GetLabels()); diff != "" {
				t.Errorf("%s\nlabels: -want, +got:\n%s", tc.reason, diff)
			}
			if got := len(q.forgot) > 0; got != tc.left || len(e.resolver.forgot) != tc.forgotten {
				t.Errorf(
					"%s\nits queue is left: %t, its sessions are forgotten %d times",
					tc.reason,
					got,
					len(e.resolver.forgot),
				)
			}
		})
	}
}

// TestConfigChanged checks which updates of a config reconcile it.
func TestConfigChanged(t *testing.T) {
	s, err := sharding.Parse("shard=a")
	if err != nil {
		t.Fatal(err)
	}
	before, after := pc(), pc()
	after.Labels = map[string]string{"shard": "a"}
	moved := event.UpdateEvent{ObjectOld: before, ObjectNew: after}
	if !configChanged(s).Update(moved) {
		t.Error("a config that arrives from another shard is reconciled")
	}
	if configChanged(sharding.Shard{}).Update(moved) {
		t.Error("without shards, labels do not matter")
	}
	changed := pc()
	changed.Generation++
	for _, s := range []sharding.Shard{s, {}} {
		if !configChanged(s).Update(event.UpdateEvent{ObjectOld: before, ObjectNew: changed}) {
			t.Error("a change of spec is reconciled")
		}
	}
	paused := pc()
	paused.Annotations = map[string]string{meta.AnnotationKeyReconciliationPaused: "true"}
	for _, s := range []sharding.Shard{s, {}} {
		if !configChanged(s).Update(event.UpdateEvent{ObjectOld: paused, ObjectNew: before}) {
			t.Error("a config whose pause ends is reconciled: no later reconcile of it is due")
		}
	}
}
