// Package breaker has a circuit breaker for each AWS configuration and region. It opens after
// consecutive calls without an answer, and then keeps resources from calling an endpoint that would
// only occupy their workers. While it is open, one resource at a time probes the endpoint. The
// first answer closes the breaker. Errors and throttles are answers too.
//
// No function here waits. State is kept in memory only.
package breaker

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	// most is how many consecutive calls may get no answer.
	most = 5

	// firstPause and longestPause bound the time until the next probe. It doubles with each probe
	// that gets no answer.
	firstPause   = 5 * time.Second
	longestPause = time.Minute

	// probing is how long other resources wait for a probe that is under way.
	probing = 5 * time.Second

	// soon is when to probe again after a probe without a result.
	soon = time.Second

	// reliable is how long after an answer AWS counts as reachable.
	reliable = time.Minute

	// idle is how long an unused breaker is kept.
	idle = 10 * time.Minute
)

// A Key identifies a breaker: an AWS configuration in a region.
type Key struct {
	// Config is the UID of the ProviderConfig or ClusterProviderConfig.
	Config types.UID

	// Region such as eu-west-1.
	Region string
}

// Breakers has the breakers of all configurations. It is safe for concurrent use. A nil *Breakers
// is always closed.
type Breakers struct {
	now    func() time.Time
	random func() float64

	mu       sync.Mutex
	circuits map[Key]*circuit
	served   map[Key]time.Time // When AWS last served a call, if it has answered all since.
	swept    time.Time
	watchers []func(Key)
}

// A circuit is a breaker with at least one call without an answer since the last answer.
type circuit struct {
	// failures is the number of consecutive calls without an answer.
	failures int

	// open is true if no calls must be made; until is when the next probe is due.
	open  bool
	pause time.Duration
	until time.Time

	// probe is true while a probe is under way.
	probe bool

	used time.Time
}

// New returns closed breakers. random returns a number in [0, 1).
func New(now func() time.Time, random func() float64) *Breakers {
	return &Breakers{now: now, random: random, circuits: map[Key]*circuit{}, served: map[Key]time.Time{}, swept: now()}
}

// Watch registers a function that is called after a breaker has opened or closed. It must not
// block.
func (b *Breakers) Watch(changed func(Key)) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watchers = append(b.watchers, changed)
}

// Enter begins a reconcile that calls AWS. If the breaker is open, it returns how long to wait.
// Otherwise the caller must call leave after the reconcile, which may be the one probe at a time.
func (b *Breakers) Enter(k Key) (release func(), wait time.Duration) {
	release = func() {}
	if b == nil {
		return release, 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.circuits[k]
	if c == nil {
		return release, 0
	}
	now := b.now()
	c.used = now
	switch {
	case !c.open:
		return release, 0
	case now.Before(c.until):
		return release, c.until.Sub(now) + b.jitter(c.pause)
	case c.probe:
		return release, probing + b.jitter(probing)
	}
	c.probe = true
	return sync.OnceFunc(func() { b.probed(k, c) }), 0
}

// probed ends a probe. If it had no result, the next one is due soon.
func (b *Breakers) probed(k Key, c *circuit) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c.probe = false
	if now := b.now(); b.circuits[k] == c && c.open && !c.until.After(now) {
		c.until = now.Add(soon)
	}
}

// IsOpen reports whether a breaker is open.
func (b *Breakers) IsOpen(k Key) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.circuits[k]
	return c != nil && c.open
}

// Reachable reports whether AWS has served a call within the last minute, and has answered each
// call since. A call made now is then unlikely to have an unknown result.
func (b *Breakers) Reachable(k Key) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	at, ok := b.served[k]
	return ok && b.now().Sub(at) < reliable
}

// Open returns the regions in which the breaker of a configuration is open, in order.
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

// Probe lets a probe of each open breaker of a configuration pass now, because the configuration
// has changed or works again. If it gets no answer, the pauses start from the first one again.
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

// Forget drops the breakers of a configuration that is deleted.
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
	maps.DeleteFunc(b.served, func(k Key, _ time.Time) bool { return k.Config == config })
}

// answered closes a breaker. served is whether the answer is other than a failure of the server.
func (b *Breakers) answered(k Key, served bool) {
	b.mu.Lock()
	b.sweep()
	c := b.circuits[k]
	delete(b.circuits, k)
	if served {
		b.served[k] = b.now()
	} else {
		delete(b.served, k)
	}
	b.mu.Unlock()
	if c != nil && c.open {
		b.notify(k)
	}
}

// unanswered counts a call without an answer.
func (b *Breakers) unanswered(k Key) {
	if b.count(k) {
		b.notify(k)
	}
}

// count counts a call without an answer, and reports whether the breaker opened.
func (b *Breakers) count(k Key) (opened bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sweep()
	now := b.now()
	delete(b.served, k)
	c := b.circuits[k]
	if c == nil {
		c = &circuit{}
		b.circuits[k] = c
	}
	c.used = now
	c.failures++
	if c.failures < most || now.Before(c.until) {
		// Calls that were under way when the breaker opened mean nothing new.
		return false
	}
	opened = !c.open
	c.open = true
	c.pause = min(max(2*c.pause, firstPause), longestPause)
	c.until = now.Add(c.pause)
	return opened
}

func (b *Breakers) notify(k Key) {
	b.mu.Lock()
	watchers := slices.Clone(b.watchers)
	b.mu.Unlock()
	for _, changed := range watchers {
		changed(k)
	}
}

// jitter returns up to half of a time, so that resources do not all return at once. The caller
// holds the lock.
func (b *Breakers) jitter(d time.Duration) time.Duration {
	return time.Duration(b.random() / 2 * float64(d))
}

// sweep drops breakers that were unused for long. The caller holds the lock.
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
	maps.DeleteFunc(b.served, func(_ Key, at time.Time) bool { return now.Sub(at) > reliable })
}
