package breaker

import (
	"maps"
	"slices"
	"time"
)

const (
	// most is the number of consecutive calls without an answer that opens a breaker, or makes one call enough in the
	// regions of a configuration that have not answered lately.
	most = 5

	// firstPause and longestPause bound the time until the next probe. It doubles with each probe that gets no answer.
	firstPause   = 5 * time.Second
	longestPause = time.Minute

	// probing is the time for which other resources wait for a probe that is under way.
	probing = 5 * time.Second

	// soon is the wait after a probe without a result.
	soon = time.Second

	// briefly and crowded are the shortest and the longest wait of a reconcile while too many call unproven regions.
	briefly = 50 * time.Millisecond
	crowded = 2 * time.Second

	// maxUnproven is the maximum number of reconciles of a tenant that call unproven regions of a configuration at a
	// time. It is 1 while more than half of maxTrying do.
	maxUnproven = 3

	// maxTrying is the maximum number of reconciles of all tenants that call unproven regions at a time, and maxFailing
	// that of those whose configuration has had a call without an answer: others are left for new configurations.
	maxTrying  = 60
	maxFailing = 20

	// maxOfTenant is the maximum number of reconciles of a tenant that call unproven regions of all configurations: a
	// tenant may have any number of them. It is 1 while more than half of maxTrying do.
	maxOfTenant = 15

	// maxRegions is the maximum number of regions of a configuration that have a breaker. AWS has fewer.
	maxRegions = 100

	// reliable is the time for which AWS counts as reachable after an answer.
	reliable = time.Minute

	// idle is the time for which an unused breaker is kept, and after which a region that has answered is unproven.
	idle = 10 * time.Minute
)

// A config has the breakers of a configuration.
type config struct {
	// circuits and served are by region. served is the time at which AWS last served a call, if it has answered all
	// since.
	circuits map[string]*circuit
	served   map[string]time.Time

	// trying counts the reconciles that may call unproven regions, by tenant, and since is the time at which the first
	// of them began.
	trying map[string]int
	since  time.Time
}

// A circuit is a breaker with at least one call without an answer since the last answer.
type circuit struct {
	// failures is the number of consecutive calls without an answer, and most the number that opens the breaker.
	failures, most int

	// open is true if no calls must be made; until is the time at which the next probe is due.
	open  bool
	pause time.Duration
	until time.Time

	// probe is true while a probe is under way.
	probe bool

	used time.Time
}

// unproven reports whether AWS has served no call in a region lately, or has failed one since.
func (c *config) unproven(region string, now time.Time) bool {
	at, ok := c.served[region]
	return !ok || now.Sub(at) >= idle
}

// crowdedFor returns the wait of a reconcile while too many of its tenant call unproven regions: as long as they have
// tried.
func (c *config) crowdedFor(now time.Time) time.Duration {
	return min(max(now.Sub(c.since), briefly), crowded)
}

// failures returns the number of calls without an answer in regions that have not answered since.
func (c *config) failures() (n int) {
	for _, circuit := range c.circuits {
		n += circuit.failures
	}
	return n
}

// circuit returns the circuit of a region, made if there is none. If there are too many, it drops the least recently
// used one.
func (c *config) circuit(region string, now time.Time) *circuit {
	if found := c.circuits[region]; found != nil {
		return found
	}
	if len(c.circuits) >= maxRegions {
		delete(c.circuits, slices.MinFunc(slices.Collect(maps.Keys(c.circuits)), func(a, b string) int {
			return c.circuits[a].used.Compare(c.circuits[b].used)
		}))
	}
	made := &circuit{most: most}
	if c.failures() >= most && c.unproven(region, now) {
		made.most = 1
	}
	c.circuits[region] = made
	return made
}
