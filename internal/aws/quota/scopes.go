package quota

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// idle is the time for which an unused scope is kept.
const idle = 2 * time.Hour

// String returns a text that differs between scopes.
func (s Scope) String() string {
	return strings.Join([]string{s.Account, s.Region, s.Config, s.Endpoint}, "/")
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
