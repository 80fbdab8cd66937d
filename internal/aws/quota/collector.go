package quota

import (
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

// NewCollector returns a collector of the state of a limiter and of its calls.
func NewCollector(l *Limiter) prometheus.Collector {
	return metrics.Group{
		metrics.Computed(l.collect, metrics.QuotaTokens, metrics.QuotaWaitingCalls, metrics.QuotaRate), l.calls,
	}
}

// collect sends a snapshot. Scopes with the same labels are added up.
func (l *Limiter) collect(ch chan<- prometheus.Metric) {
	type key struct {
		labels

		bucket Bucket
	}
	sums := map[key]Stats{}
	for _, s := range l.Stats() {
		k := key{labelsOf(s.Scope), s.Bucket}
		sum := sums[k]
		sum.Tokens += s.Tokens
		sum.Rate += s.Rate
		sum.WaitingUsers += s.WaitingUsers
		sum.WaitingPolls += s.WaitingPolls
		sums[k] = sum
	}
	for of, s := range sums {
		send := func(d *prometheus.Desc, v float64, more ...string) {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, append([]string{
				of.account, of.region, of.bucket.String(),
			}, more...)...)
		}
		send(metrics.QuotaTokens, s.Tokens)
		send(metrics.QuotaRate, s.Rate)
		send(metrics.QuotaWaitingCalls, float64(s.WaitingUsers), "user")
		send(metrics.QuotaWaitingCalls, float64(s.WaitingPolls), "poll")
	}
}

// Stats are the state of one bucket at one moment.
type Stats struct {
	Scope  Scope
	Bucket Bucket

	// WaitingUsers and WaitingPolls are the numbers of tokens that callers wait for.
	WaitingUsers, WaitingPolls int
	// Reserved is the number of tokens that are reserved and unused.
	Reserved int
	// Tokens is the number of tokens, reserved ones included.
	Tokens float64
	// Rate is the number of tokens a second. It is reduced after a throttle.
	Rate float64
	// Paused is the time for which no call may be sent after a throttle.
	Paused time.Duration
}

// Stats returns a snapshot of all buckets, those of a scope in their order.
func (l *Limiter) Stats() []Stats {
	l.mu.Lock()
	l.sweep(l.now())
	keys := slices.Collect(maps.Keys(l.scopes))
	l.mu.Unlock()
	all := make([]Stats, 0, len(keys)*bucketCount)
	for _, s := range keys {
		kind := Bucket(0)
		l.each(s, func(b *bucket, now time.Time) {
			b.advance(now)
			all = append(all, Stats{
				Scope: s, Bucket: kind,
				WaitingUsers: b.queues[User].waiting(), WaitingPolls: b.queues[Poll].waiting(),
				Reserved: b.unused(), Tokens: b.level.tokens,
				Rate: b.level.rate(now), Paused: b.level.paused(now),
			})
			kind++
		})
	}
	return all
}
