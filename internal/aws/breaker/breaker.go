// Package breaker has a circuit breaker for each AWS configuration and region. It opens after
// consecutive calls without an answer, and then keeps resources from calling an endpoint that would
// only occupy their workers. While it is open, one resource at a time probes the endpoint. The
// first answer closes the breaker. Errors and throttles are answers too.
//
// Only a few reconciles of a tenant at a time may call a region that has not answered lately, so that a tenant whose
// endpoints never answer occupies a few workers only. Those that wait for STS count as well. After several calls of a
// configuration without an answer, in whichever regions, the breakers of such regions open after one call: a tenant can
// name all regions of AWS, and have an endpoint that answers in none.
//
// No function here waits. State is kept in memory only.
package breaker

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

// A Key identifies a breaker: an AWS configuration in a region.
type Key struct {
	// Config is the UID of the ProviderConfig or ClusterProviderConfig.
	Config types.UID

	// Region such as eu-west-1.
	Region string
}

// Breakers has the breakers of all configurations. It is safe for concurrent use. A session may
// have none: its calls are not counted, and never wait.
type Breakers struct {
	now    func() time.Time
	random func() float64

	mu       sync.Mutex
	configs  map[types.UID]*config
	swept    time.Time
	watchers []func(Key)

	// trying counts the reconciles that may call unproven regions, and failing those of them whose configuration has
	// had a call without an answer. tenants counts those of each tenant.
	trying, failing int
	tenants         map[string]int
}

// New returns closed breakers. random returns a number in [0, 1).
func New(now func() time.Time, random func() float64) *Breakers {
	return &Breakers{
		now: now, random: random, configs: map[types.UID]*config{}, swept: now(), tenants: map[string]int{},
	}
}

// Watch registers a function that is called after a breaker has opened or closed. It must not block.
func (b *Breakers) Watch(changed func(Key)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watchers = append(b.watchers, changed)
}

// Enter begins a reconcile of a tenant that calls AWS. If the breaker is open, or the tenant has too many reconciles in
// regions that have not answered lately, it returns how long to wait. Otherwise the caller must call release after the
// reconcile, which may be the one probe at a time.
func (b *Breakers) Enter(k Key, tenant string) (release func(), wait time.Duration) {
	release = func() {}
	if b == nil {
		return release, 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	cfg := b.config(k.Config)
	now, c := b.now(), cfg.circuits[k.Region]
	if c != nil {
		c.used = now
		switch {
		case !c.open:
		case now.Before(c.until):
			return release, c.until.Sub(now) + b.jitter(c.pause)
		case c.probe:
			return release, probing + b.jitter(probing)
		}
	}
	if !cfg.unproven(k.Region, now) {
		return release, 0
	}
	failing, probes, limit, ofTenant := cfg.failures() > 0, c != nil && c.open, maxUnproven, maxOfTenant
	if b.trying >= maxTrying/2 {
		limit, ofTenant = 1, 1
	}
	switch {
	case probes && cfg.trying[tenant] >= limit:
		return release, probing + b.jitter(probing)
	case cfg.trying[tenant] >= limit:
		wait = cfg.crowdedFor(now)
		return release, wait + b.jitter(wait)
	case b.tenants[tenant] >= ofTenant, b.trying >= maxTrying, failing && b.failing >= maxFailing:
		return release, soon + b.jitter(soon)
	}
	b.try(cfg, tenant, failing, 1)
	if probes {
		c.probe = true
	}
	return sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.try(cfg, tenant, failing, -1)
		if probes {
			b.probed(k, cfg, c)
		}
	}), 0
}

// try adds n to the reconciles that call unproven regions. The caller holds the lock.
func (b *Breakers) try(cfg *config, tenant string, failing bool, n int) {
	if len(cfg.trying) == 0 {
		cfg.since = b.now()
	}
	b.trying += n
	if failing {
		b.failing += n
	}
	for _, counts := range []map[string]int{cfg.trying, b.tenants} {
		if counts[tenant] += n; counts[tenant] == 0 {
			delete(counts, tenant)
		}
	}
}

// probed ends the probe of an open breaker. If it had no result, the next one is due soon. The caller holds the lock.
func (b *Breakers) probed(k Key, cfg *config, c *circuit) {
	c.probe = false
	if now := b.now(); cfg.circuits[k.Region] == c && c.open && !c.until.After(now) {
		c.until = now.Add(soon)
	}
}

// IsOpen reports whether a breaker is open.
func (b *Breakers) IsOpen(k Key) bool { return b != nil && slices.Contains(b.Open(k.Config), k.Region) }

// Reachable reports whether AWS has served a call within the last minute, and has answered each
// call since. A call made now is then unlikely to have an unknown result.
func (b *Breakers) Reachable(k Key) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.configs[k.Config]
	if c == nil {
		return false
	}
	at, ok := c.served[k.Region]
	return ok && b.now().Sub(at) < reliable
}

// Open returns the regions in which the breaker of a configuration is open, in order.
func (b *Breakers) Open(uid types.UID) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sweep()
	var regions []string
	if cfg := b.configs[uid]; cfg != nil {
		for region, c := range cfg.circuits {
			if c.open {
				regions = append(regions, region)
			}
		}
	}
	slices.Sort(regions)
	return regions
}

// Probe lets a probe of each open breaker of a configuration pass now, because the configuration
// has changed or works again. If it gets no answer, the pauses start from the first one again.
func (b *Breakers) Probe(uid types.UID) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	cfg := b.configs[uid]
	if cfg == nil {
		return
	}
	for _, c := range cfg.circuits {
		if c.open {
			c.pause, c.until = 0, b.now()
		}
	}
}

// Forget drops the breakers of a configuration that is deleted.
func (b *Breakers) Forget(uid types.UID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.configs, uid)
}

// answered closes a breaker. served reports whether the answer is other than a failure of the server.
func (b *Breakers) answered(k Key, served bool) {
	b.mu.Lock()
	b.sweep()
	cfg := b.config(k.Config)
	c := cfg.circuits[k.Region]
	delete(cfg.circuits, k.Region)
	if served {
		cfg.served[k.Region] = b.now()
	} else {
		delete(cfg.served, k.Region)
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
	cfg := b.config(k.Config)
	c := cfg.circuit(k.Region, now)
	delete(cfg.served, k.Region)
	c.used = now
	c.failures++
	if c.failures < c.most || now.Before(c.until) {
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

// jitter returns up to half of a time, so that resources do not all return at once. The caller holds the lock.
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
	maps.DeleteFunc(b.configs, func(_ types.UID, cfg *config) bool {
		maps.DeleteFunc(cfg.circuits, func(_ string, c *circuit) bool { return now.Sub(c.used) > idle })
		maps.DeleteFunc(cfg.served, func(_ string, at time.Time) bool { return now.Sub(at) >= idle })
		return len(cfg.circuits)+len(cfg.served)+len(cfg.trying) == 0
	})
}

// NewCollector returns a collector of the number of open breakers.
func NewCollector(b *Breakers) prometheus.Collector {
	return metrics.Computed(func(ch chan<- prometheus.Metric) {
		ch <- prometheus.MustNewConstMetric(metrics.CircuitBreakersOpen, prometheus.GaugeValue, float64(b.countOpen()))
	}, metrics.CircuitBreakersOpen)
}

func (b *Breakers) countOpen() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sweep()
	n := 0
	for _, cfg := range b.configs {
		for _, c := range cfg.circuits {
			if c.open {
				n++
			}
		}
	}
	return n
}

// config returns the breakers of a configuration. The caller holds the lock.
func (b *Breakers) config(uid types.UID) *config {
	c := b.configs[uid]
	if c == nil {
		c = &config{circuits: map[string]*circuit{}, served: map[string]time.Time{}, trying: map[string]int{}}
		b.configs[uid] = c
	}
	return c
}
