package campaign

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/figures"
)

// Labels of the shards.
const (
	shardLabel = "shard"
	ring       = "lambda"
	ringLabel  = "shard.alpha.sharding.timebertt.dev/" + ring
	drainLabel = "drain.alpha.sharding.timebertt.dev/" + ring
)

// A shardedFleet is several providers that share the resources of a cluster, which a test moves between
// them.
type shardedFleet struct {
	*walker

	random *rand.Rand
	mu     sync.Mutex

	// shards are the selectors of the shards, or their names in a ring.
	shards    []string
	ring      bool
	providers []*Provider

	// assigned are the shards that the sharder of a ring assigns resources to.
	assigned map[string]int

	// added counts the resources that were created, by the operation that creates them in AWS.
	added map[string]int
	moves int
}

func (f *shardedFleet) intn(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.random.IntN(n)
}

// start starts the provider of a shard. Its calls to AWS take seconds, so that some are in flight
// whenever a resource moves.
func (f *shardedFleet) start(i int) {
	f.Helper()
	shard, err := sharding.Parse(f.shards[i])
	if f.ring {
		shard, err = sharding.InRing(ring, f.shards[i])
	}
	if err != nil {
		f.Fatal(err)
	}
	n := &Network{Do: func(ctx context.Context, c Call, _ Side) error {
		if c.API != AWS {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(f.intn(2000)) * time.Millisecond):
			return nil
		}
	}}
	f.providers[i] = f.Start(n, func(o *manager.Options) {
		o.Shard, o.LeaderElection, o.LeaderElectionNamespace = shard, true, metav1.NamespaceSystem
	})
}

// objects returns everything that is assigned to a shard: all resources, and the config.
func (f *shardedFleet) objects() []*unstructured.Unstructured {
	config := &unstructured.Unstructured{}
	config.SetGroupVersionKind(v1beta1.ClusterProviderConfigGroupVersionKind)
	config.SetName(Config)
	out := []*unstructured.Unstructured{config}
	for _, k := range f.kinds {
		out = append(out, k.New())
	}
	return out
}

func (f *shardedFleet) relabel(o *unstructured.Unstructured, labels map[string]any) {
	f.Helper()
	f.Patch(o.DeepCopy(), map[string]any{"metadata": map[string]any{"labels": labels}})
}

// move moves an object to a shard.
func (f *shardedFleet) move(o *unstructured.Unstructured, to int) {
	f.Helper()
	f.moves++
	switch {
	case f.ring:
		f.assigned[o.GetKind()+o.GetName()] = to
		f.relabel(o, map[string]any{drainLabel: "true"})
	case to == 0:
		f.relabel(o, map[string]any{shardLabel: "a"})
	default:
		f.relabel(o, map[string]any{shardLabel: nil})
	}
}

// add creates a resource in a random shard.
func (f *shardedFleet) add(k Kind) {
	f.Helper()
	u, to := k.New(), f.intn(len(f.shards))
	f.assigned[u.GetKind()+u.GetName()] = to
	if !f.ring && to == 0 {
		u.SetLabels(map[string]string{shardLabel: "a"})
	}
	f.Create(u)
	f.added[k.Creates]++
}

// shardObjects labels the objects of the ring that have no shard, as the sharder's webhook does.
func (f *shardedFleet) shardObjects() {
	f.Helper()
	if !f.ring {
		return
	}
	for _, o := range f.objects() {
		if f.gone(o) || f.stored(o).GetLabels()[ringLabel] != "" {
			continue
		}
		f.relabel(o, map[string]any{ringLabel: f.shards[f.assigned[o.GetKind()+o.GetName()]]})
	}
}

// wait passes time, while the sharder works.
func (f *shardedFleet) wait(d time.Duration) {
	f.Helper()
	for ; d > 0; d -= time.Second {
		time.Sleep(min(d, time.Second))
		f.shardObjects()
	}
}

// kill kills the provider of a shard, and starts another one. The sharder of a ring moves the
// shard's objects once its lease has expired.
func (f *shardedFleet) kill(i int) {
	f.Helper()
	f.providers[i].Kill()
	if f.ring && f.intn(2) == 0 {
		f.wait(manager.DefaultLeaseDuration + 5*time.Second)
		for _, o := range f.objects() {
			if !f.gone(o) && f.stored(o).GetLabels()[ringLabel] == f.shards[i] {
				f.assigned[o.GetKind()+o.GetName()] = (i + 1) % len(f.shards)
				f.relabel(o, map[string]any{ringLabel: nil, drainLabel: nil})
			}
		}
	}
	f.wait(time.Duration(1+f.intn(10)) * time.Second)
	f.start(i)
}

// step makes a random change.
func (f *shardedFleet) step() {
	f.Helper()
	switch o := f.objects(); f.intn(10) {
	case 0:
		f.kill(f.intn(len(f.shards)))
	case 1:
		// Updates of these kinds do not create anything.
		k := f.kinds[f.intn(len(f.kinds))]
		if slices.Contains([]string{"Function", "EventSourceMapping", "Alias", "FunctionURL", "CodeSigningConfig"},
			k.Kind) {
			f.update(k, f.intn(10))
		}
	case 2, 3:
		k := f.kinds[f.intn(len(f.kinds))]
		if u := k.New(); f.gone(u) {
			f.add(k)
		} else {
			f.remove(u)
		}
	default:
		for range 1 + f.intn(4) {
			if m := o[f.intn(len(o))]; !f.gone(m) {
				f.move(m, f.intn(len(f.shards)))
			}
		}
	}
	f.wait(time.Duration(f.intn(12)) * time.Second)
}

// checkCreated checks that AWS was not asked to create anything twice. PublishVersion does not count: it creates
// nothing if the function is what the last version has, and Functions call it as well.
func (f *shardedFleet) checkCreated() {
	f.Helper()
	for op, n := range f.added {
		if op == "PublishVersion" {
			continue
		}
		if got := f.accepted(op); got > n {
			f.Errorf("%s was accepted %d times for %d resources", op, got, n)
		}
	}
}

// TestShards moves resources at random between providers that share a cluster, while these work on
// them, and kills the providers. Nothing is created twice, and nothing is left undone.
func TestShards(t *testing.T) {
	modes := map[string]struct {
		reason string
		ring   bool
		shards []string
	}{
		"Selectors": {
			reason: "Labels change at once, and both providers know only by their watches.",
			shards: []string{"shard=a", "shard!=a"},
		},
		"Ring": {
			reason: "The old shard confirms that it has stopped before the new one begins.", ring: true,
			shards: []string{"shard-0", "shard-1", "shard-2"},
		},
	}
	for name, mode := range modes {
		failed, moves := 0, 0
		for n := range *figures.Walks {
			ok := t.Run(fmt.Sprint(name, n+1), func(t *testing.T) {
				Run(t,
					awsdouble.Options{CreateDuration: 2 * time.Second, UpdateDuration: time.Second},
					func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
						f := newShardedFleet(t, s, mode.shards, mode.ring, //nolint:gosec // It is not negative.
							uint64(n))
						for range *steps {
							f.step()
						}
						f.finish(mode.reason)
						moves += f.moves
					})
			})
			if !ok {
				failed++
			}
		}
		figures.Record(t, figures.Figures{
			Campaign: "Moves between shards: " + name,
			Figures:  map[string]int{"walks": *figures.Walks, "moves": moves}, Findings: failed,
		})
	}
}

// newShardedFleet returns the providers of shards, and resources of all kinds that were just created.
func newShardedFleet(t *testing.T, s *Simulation, shards []string, inRing bool, n uint64) *shardedFleet {
	t.Helper()
	s.Prepare()
	f := &shardedFleet{
		walker: &walker{Simulation: s, kinds: cast(t, nil)}, //nolint:gosec // It is replayed.
		random: rand.New(rand.NewPCG(n, 1)),
		shards: shards, ring: inRing, providers: make([]*Provider, len(shards)), assigned: map[string]int{},
		added: map[string]int{},
	}
	for _, k := range f.kinds {
		f.add(k)
	}
	f.shardObjects()
	for i := range shards {
		f.start(i)
	}
	return f
}

// finish waits until everything has converged, and checks it.
func (f *shardedFleet) finish(reason string) {
	f.Helper()
	f.wait(5 * time.Minute)
	for _, k := range f.kinds {
		if f.gone(k.New()) {
			f.add(k)
		}
	}
	f.shardObjects()
	f.wait(5 * time.Minute)
	if !f.Until(2*time.Hour, f.converged) {
		f.Errorf("%s\ndoes not converge: %s", reason, f.statuses())
	}
	f.checkNoWrites(25 * time.Minute)
	f.checkCreated()
	f.checkAccount(awsdouble.DefaultAccount)
	for i, p := range f.providers {
		if p.Ended() {
			f.Errorf("the provider of %s has ended: %v", f.shards[i], p.Stop())
		}
	}
	if f.Failed() {
		f.Logf("%s\ncalls:\n%s", reason, f.history())
	}
}

// TestReferencesAcrossShards has resources of one shard refer to a resource of another one, and a
// config of one shard used in the other one.
func TestReferencesAcrossShards(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		f := newShardedFleet(t, s, []string{"shard=a", "shard!=a"}, false, 1)
		alias := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"forProvider": map[string]any{
			"region": Region, "functionNameRef": map[string]any{"name": "late"}, "functionVersion": "$LATEST",
		}}}}
		alias.SetGroupVersionKind(v1beta1.AliasGroupVersionKind)
		alias.SetNamespace(Namespace)
		alias.SetName("refers")
		f.Create(alias)
		f.wait(time.Minute)
		late := f.kinds[0].New()
		late.SetName("late")
		late.SetLabels(map[string]string{shardLabel: "a"})
		_ = unstructured.SetNestedField(late.Object, true, "spec", "forProvider", "publish")
		f.Create(late)
		if !f.Until(time.Minute, func() bool { return f.ready(alias) }) {
			t.Errorf("a reference to a resource of another shard is not followed at once: %v",
				f.stored(alias).Object["status"])
		}

		config := f.objects()[0]
		if !f.Until(time.Minute, func() bool { return is(f.stored(config), "Ready", "True") }) {
			t.Errorf("the shard that has the config does not check it: %v", f.stored(config).Object["status"])
		}
		f.remove(config)
		f.wait(10 * time.Minute)
		if f.gone(config) {
			t.Fatal("a config was deleted while resources of another shard use it")
		}
		if err := client.IgnoreNotFound(f.Kube.DeleteAllOf(f.Context(), &v1beta1.Alias{},
			client.InNamespace(Namespace))); err != nil {
			t.Fatal(err)
		}
	})
}
