package engine

import (
	"sync"
)

// configShare is the number of workers that one config may occupy for each free one.
const configShare = 3

// InFlight counts the reconciles of a kind that are in flight, and limits how many workers one namespace or one config
// may occupy. Without a limit, reconciles with calls that hang would occupy all of them. Both limits depend on the free
// workers, so that one remains for the next namespace, however many namespaces use their full share.
//
//   - A namespace may occupy as many workers as are free: half of all if it is the only one,
//     a third each if there are two.
//   - A config may occupy three times as many workers as are free, and each namespace as many
//     of these as the others leave.
type InFlight struct {
	workers int

	mu sync.Mutex
	// counts has the reconciles by namespace and config, by either alone, and of all.
	counts map[pair]int
}

// A pair is a config used in a namespace. An empty part stands for all.
type pair struct{ namespace, config string }

// NewInFlight returns an InFlight without reconciles.
func NewInFlight(workers int) *InFlight {
	return &InFlight{workers: max(1, workers), counts: map[pair]int{}}
}

// Enter starts a reconcile with a config in a namespace, and returns false if either occupies too many workers. The
// caller calls release when the reconcile has ended.
func (f *InFlight) Enter(namespace, config string) (release func(), ok bool) {
	p := pair{namespace: namespace, config: config}
	f.mu.Lock()
	defer f.mu.Unlock()
	free := f.workers - f.counts[pair{}]
	if f.counts[pair{namespace: namespace}] >= free || f.counts[p] >= configShare*free-f.counts[pair{config: config}] {
		return func() {}, false
	}
	f.add(p, 1)
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.add(p, -1)
	}), true
}

// add adds n to the counts of a pair. It removes counts of 0.
func (f *InFlight) add(p pair, n int) {
	for _, k := range []pair{{}, {namespace: p.namespace}, {config: p.config}, p} {
		if f.counts[k] += n; f.counts[k] == 0 {
			delete(f.counts, k)
		}
	}
}
