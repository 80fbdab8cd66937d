package managed

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// configShare is how many workers one config may have for each that is free.
	configShare = 3

	// minWorkerDelay and maxCrowded are how long a resource stays away, on average, for which
	// there is no worker.
	minWorkerDelay = 50 * time.Millisecond
	maxWorkerDelay = 2 * time.Second
)

// inFlight counts the reconciles of a kind that are in flight, and bounds how many of the
// workers one namespace or one config may hold: those whose calls hang would hold all of
// them. Both bounds go by the workers that are free, so that however many namespaces hold
// what they may, there is a worker for the next one.
//
//   - A namespace may hold as many as are free: half of all where it is alone, a third
//     each where there are two.
//   - A config may hold three times as many as are free, and any namespace as many of
//     these as it leaves to others.
type inFlight struct {
	workers int

	mu         sync.Mutex
	total      int
	namespaces map[string]int
	configs    map[string]int
	pairs      map[pair]int
}

// A pair is a config used in a namespace.
type pair struct{ namespace, config string }

func newInFlight(workers int) *inFlight {
	return &inFlight{workers: max(1, workers), namespaces: map[string]int{}, configs: map[string]int{}, pairs: map[pair]int{}}
}

// enter a reconcile, unless its namespace or its config holds too many workers. leave is to be
// called when the reconcile has ended.
func (f *inFlight) enter(p pair) (leave func(), ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	free := f.workers - f.total
	if f.namespaces[p.namespace] >= free || f.pairs[p] >= configShare*free-f.configs[p.config] {
		return func() {}, false
	}
	f.add(p, 1)
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.add(p, -1)
	}), true
}

func (f *inFlight) add(p pair, n int) {
	f.total += n
	add(f.namespaces, p.namespace, n)
	add(f.configs, p.config, n)
	add(f.pairs, p, n)
}

// add to a count. One of nothing is not kept.
func add[K comparable](counts map[K]int, k K, n int) {
	counts[k] += n
	if counts[k] == 0 {
		delete(counts, k)
	}
}

// enter a reconcile of a resource. If its share of the workers is taken it returns how long the
// resource stays away.
func (r *reconciler[T]) enter(mg T) (leave func(), wait time.Duration) {
	p := pair{namespace: mg.GetNamespace()}
	if ref := mg.GetProviderConfigReference(); ref != nil {
		p.config = configKey(ref.Kind, p.namespace, ref.Name)
	}
	leave, ok := r.inFlight.enter(p)
	n := r.states.countWorkerDelay(client.ObjectKeyFromObject(mg), !ok)
	if ok {
		return leave, 0
	}
	wait = doubling(minWorkerDelay, n, maxWorkerDelay)
	return leave, wait/2 + time.Duration(r.random()*float64(wait)) //nolint:mnd // From half of it to half more.
}

// countWorkerDelay notes whether a resource was sent away, and returns how often it was in a row.
func (s *stateStore) countWorkerDelay(key client.ObjectKey, crowded bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	r.workerDelays++
	if !crowded {
		r.workerDelays = 0
	}
	return r.workerDelays
}
