package quota

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/regions"
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

// labels are the labels of a scope's metrics. There are fewer than scopes, because tenants can make up any number of
// scopes.
type labels struct{ account, region string }

func labelsOf(s Scope) labels { return labels{account: s.Account, region: regions.Label(s.Region)} }

// counter returns the counter of a result of calls.
func (l *Limiter) counter(s Scope, b Bucket, result string) prometheus.Counter {
	of := labelsOf(s)
	return l.calls.WithLabelValues(of.account, of.region, b.String(), result)
}
