package quota

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/regions"
)

// idle is the time for which an unused scope is kept.
const idle = 2 * time.Hour

// A Limiter shares the request quotas of each account and region among callers. It is safe for
// concurrent use and never waits. A call costs O(n) for n waiting callers.
type Limiter struct {
	now   func() time.Time
	rates map[Bucket]Rate
	calls *prometheus.CounterVec

	mu     sync.Mutex
	scopes map[Scope]*scope
}

// A scope has the buckets of one account and region.
type scope struct {
	// used is the time when the scope was last used. The limiter's lock guards it.
	used time.Time

	mu      sync.Mutex
	buckets [bucketCount]*bucket
}

// scope returns a scope, created if it does not exist.
func (l *Limiter) scope(s Scope) *scope {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	sc, ok := l.scopes[s]
	if !ok {
		l.sweep(now)
		sc = &scope{}
		for b := range sc.buckets {
			rate, ok := l.rates[Bucket(b)]
			if !ok {
				rate = DefaultRates[Bucket(b)]
			}
			sc.buckets[b] = newBucket(rate, now)
			for _, result := range []string{"sent", "deferred", "throttled"} {
				l.counter(s, Bucket(b), result) // Prometheus sees an increase only if the series existed before.
			}
		}
		l.scopes[s] = sc
	}
	sc.used = now
	return sc
}

// sweep drops scopes that were unused for long and that are as good as new, and the counters of labels that no scope
// has any more. It is called when there is one more, and before they are counted. The caller holds the limiter's lock.
func (l *Limiter) sweep(now time.Time) {
	used := map[labels]bool{}
	for s, sc := range l.scopes {
		dropped := now.Sub(sc.used) >= idle && sc.fresh(now)
		used[labelsOf(s)] = used[labelsOf(s)] || !dropped
		if dropped {
			delete(l.scopes, s)
		}
	}
	for k, isUsed := range used {
		if !isUsed {
			l.calls.DeletePartialMatch(prometheus.Labels{"account": k.account, "region": k.region})
		}
	}
}

func (sc *scope) fresh(now time.Time) bool {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	for _, b := range sc.buckets {
		b.advance(now)
		if len(b.reserved)+len(b.waiting) > 0 || b.level.tokens < b.level.burst-rounding ||
			b.level.rate(now) < b.level.perSecond || b.level.paused(now) > 0 {
			return false
		}
	}
	return true
}

// labels are the labels of a scope's metrics. There are fewer than scopes, because tenants can make up any number of
// scopes.
type labels struct{ account, region string }

func labelsOf(s Scope) labels { return labels{account: s.Account, region: regions.Label(s.Region)} }

// counter returns the counter of a result of calls.
func (l *Limiter) counter(s Scope, b Bucket, result string) prometheus.Counter {
	of := labelsOf(s)
	return l.calls.WithLabelValues(of.account, of.region, b.String(), result)
}
