// Package breaker has a circuit breaker for each AWS configuration and region. It opens
// when calls in a row get no answer, and then keeps resources from calling an endpoint
// that would only hold their workers. While it is open, one resource at a time probes
// whether there is an answer again; the first one closes it. Whatever AWS answers, errors
// and throttles included, is an answer.
//
// Nothing here waits. State is kept in memory only.
package breaker

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	// most is how many calls in a row may go without an answer.
	most = 5

	// firstPause and longestPause are how long a breaker stays open until the first
	// probe, and between two of them. It doubles with each probe in vain.
	firstPause   = 5 * time.Second
	longestPause = time.Minute

	// probing is how long others stay away from a probe that is under way.
	probing = 5 * time.Second

	// soon is when to probe again where a probe has told nothing.
	soon = time.Second

	// idle is how long a breaker is kept that nobody asks.
	idle = 10 * time.Minute
)

// A Key is what has a breaker: an AWS configuration in a region.
type Key struct {
	// Config is the UID of the ProviderConfig or ClusterProviderConfig.
	Config types.UID

	// Region such as eu-west-1.
	Region string
}

// Breakers of all configurations. They are safe for concurrent use. Nil lets all pass.
type Breakers struct {
	now    func() time.Time
	random func() float64

	mu       sync.Mutex
	circuits map[Key]*circuit
	swept    time.Time
	watchers []func(Key)
}

// A circuit that had a call without an answer since the last answer.
type circuit struct {
	// failures are the calls without an answer in a row.
	failures int

	// open says that no calls are to be made; until is when the next probe is due.
	open  bool
	pause time.Duration
	until time.Time

	// probe says that a probe is under way.
	probe bool

	used time.Time
}

// New breakers, all closed. random returns a number in [0, 1).
func New(now func() time.Time, random func() float64) *Breakers {
	return &Breakers{now: now, random: random, circuits: map[Key]*circuit{}, swept: now()}
}

// Watch has a function called whenever a breaker opens or closes. It must not block.
func (b *Breakers) Watch(changed func(Key)) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watchers = append(b.watchers, changed)
}

// Enter a reconcile that calls AWS. If the breaker is open it returns how long to stay
// away. Otherwise leave is to be called once the reconcile has ended: it may be a probe,
// and there is one at a time.
func (b *Breakers) Enter(k Key) (leave func(), wait time.Duration) {
	leave = func() {}
	if b == nil {
		return leave, 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.circuits[k]
	if c == nil {
		return leave, 0
	}
	now := b.now()
	c.used = now
	switch {
	case !c.open:
		return leave, 0
	case now.Before(c.until):
		return leave, c.until.Sub(now) + b.jitter(c.pause)
	case c.probe:
		return leave, probing + b.jitter(probing)
	}
	c.probe = true
	return sync.OnceFunc(func() { b.probed(k, c) }), 0
}

// probed notes that a probe has ended. If it has told nothing, another one is due.
func (b *Breakers) probed(k Key, c *circuit) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c.probe = false
	if now := b.now(); b.circuits[k] == c && c.open && !c.until.After(now) {
		c.until = now.Add(soon)
	}
}

// IsOpen says whether a breaker is open.
func (b *Breakers) IsOpen(k Key) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.circuits[k]
	return c != nil && c.open
}

// Open are the regions in which the breaker of a configuration is open, in order.
func (b *Breakers) Open(config types.UID) []string {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sweep()
	var regions []string
	for k, c := range b.circuits {
		if k.Config == config && c.open {
			regions = append(regions, k.Region)
		}
	}
	slices.Sort(regions)
	return regions
}

// Probe has the open breakers of a configuration let a probe pass now, since the
// configuration has changed or works again. Should that get no answer either, the next
// ones are due as after the first.
func (b *Breakers) Probe(config types.UID) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for k, c := range b.circuits {
		if k.Config == config && c.open {
			c.pause, c.until = 0, b.now()
		}
	}
}

// Forget the breakers of a configuration that is gone.
func (b *Breakers) Forget(config types.UID) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for k := range b.circuits {
		if k.Config == config {
			delete(b.circuits, k)
		}
	}
}

// answered closes a breaker.
func (b *Breakers) answered(k Key) {
	b.mu.Lock()
	c := b.circuits[k]
	delete(b.circuits, k)
	b.mu.Unlock()
	if c != nil && c.open {
		b.tell(k)
	}
}

// unanswered counts a call without an answer.
func (b *Breakers) unanswered(k Key) {
	if b.count(k) {
		b.tell(k)
	}
}

// count a call without an answer, and return whether that has opened the breaker.
func (b *Breakers) count(k Key) (opened bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sweep()
	now := b.now()
	c := b.circuits[k]
	if c == nil {
		c = &circuit{}
		b.circuits[k] = c
	}
	c.used = now
	c.failures++
	if c.failures < most || now.Before(c.until) {
		// Calls that were under way when the breaker opened tell nothing new.
		return false
	}
	opened = !c.open
	c.open = true
	c.pause = min(max(2*c.pause, firstPause), longestPause)
	c.until = now.Add(c.pause)
	return opened
}

func (b *Breakers) tell(k Key) {
	b.mu.Lock()
	watchers := slices.Clone(b.watchers)
	b.mu.Unlock()
	for _, changed := range watchers {
		changed(k)
	}
}

// jitter of up to half a time, so that not all come back at once. The lock is held.
func (b *Breakers) jitter(d time.Duration) time.Duration {
	return time.Duration(b.random() / 2 * float64(d))
}

// sweep out what nobody asks for any more. The lock is held.
func (b *Breakers) sweep() {
	now := b.now()
	if now.Sub(b.swept) < idle/2 {
		return
	}
	b.swept = now
	for k, c := range b.circuits {
		if now.Sub(c.used) > idle {
			delete(b.circuits, k)
		}
	}
}
