package quota

import (
	"maps"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/regions"
	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

// NewCollector returns a collector of the state of a limiter.
func NewCollector(l *Limiter) prometheus.Collector {
	return metrics.Computed(l.collect, metrics.QuotaTokens, metrics.QuotaWaitingCalls, metrics.QuotaCalls,
		metrics.QuotaRate)
}

// collect sends a snapshot. Scopes with the same labels are added up.
func (l *Limiter) collect(ch chan<- prometheus.Metric) {
	for of, s := range l.labelled() {
		send := func(d *prometheus.Desc, t prometheus.ValueType, v float64, more ...string) {
			ch <- prometheus.MustNewConstMetric(d, t, v, append([]string{of.account, of.region, of.bucket.String()},
				more...)...)
		}
		send(metrics.QuotaTokens, prometheus.GaugeValue, s.Tokens)
		send(metrics.QuotaRate, prometheus.GaugeValue, s.Rate)
		send(metrics.QuotaWaitingCalls, prometheus.GaugeValue, float64(s.WaitingUsers), "user")
		send(metrics.QuotaWaitingCalls, prometheus.GaugeValue, float64(s.WaitingPolls), "poll")
		send(metrics.QuotaCalls, prometheus.CounterValue, float64(s.Sent), "sent")
		send(metrics.QuotaCalls, prometheus.CounterValue, float64(s.Deferred), "deferred")
		send(metrics.QuotaCalls, prometheus.CounterValue, float64(s.Throttled), "throttled")
	}
}

// labels are the labels of a bucket's metrics. There are fewer than scopes, because tenants can
// make up any number of scopes.
type labels struct {
	account, region string
	bucket          Bucket
}

func labelsOf(s Scope, b Bucket) labels {
	return labels{account: s.Account, region: regions.Label(s.Region), bucket: b}
}

// labelled returns the stats by labels, including the counts of scopes that were dropped.
func (l *Limiter) labelled() map[labels]Stats {
	sums := map[labels]Stats{}
	for _, s := range l.Stats() {
		k := labelsOf(s.Scope, s.Bucket)
		sum := sums[k]
		sum.Tokens += s.Tokens
		sum.Rate += s.Rate
		sum.WaitingUsers += s.WaitingUsers
		sum.WaitingPolls += s.WaitingPolls
		sum.Counts = sum.add(s.Counts)
		sums[k] = sum
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// Counters of labels that still exist must not decrease. The others start from 0 if they return.
	maps.DeleteFunc(l.gone, func(k labels, _ Counts) bool { _, there := sums[k]; return !there })
	for k, c := range l.gone {
		sum := sums[k]
		sum.Counts = sum.add(c)
		sums[k] = sum
	}
	return sums
}
