package account

import (
	"cmp"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/regions"
	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

// NewCollector returns a collector of the figures of accounts.
func NewCollector(b *Limits) prometheus.Collector {
	return metrics.Computed(b.collect, metrics.AccountConcurrentExecutions,
		metrics.AccountUnreservedConcurrentExecutions, metrics.AccountCodeStorageLimit, metrics.AccountCodeStorageUsed,
		metrics.AccountFunctions)
}

// collect sends the figures, once for each account and region.
func (b *Limits) collect(ch chan<- prometheus.Metric) {
	for l, f := range b.byLabels() {
		for d, v := range map[*prometheus.Desc]float64{
			metrics.AccountConcurrentExecutions:           float64(f.ConcurrentExecutions),
			metrics.AccountUnreservedConcurrentExecutions: float64(f.UnreservedConcurrentExecutions),
			metrics.AccountCodeStorageLimit:               float64(f.CodeStorageLimit),
			metrics.AccountCodeStorageUsed:                float64(f.CodeStorageUsed),
			metrics.AccountFunctions:                      float64(f.Functions),
		} {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, l.account, l.region)
		}
	}
}

// labels are the labels of the metrics of an account.
type labels struct{ account, region string }

// byLabels returns the figures of each account and region: those that a ClusterProviderConfig has
// read, if any, and the latest of them. It leaves out the figures of tenants' endpoints, and
// regions that AWS is not known to have: one label would stand for several accounts or regions.
func (b *Limits) byLabels() map[labels]Figures {
	b.mu.Lock()
	defer b.mu.Unlock()
	best := map[labels]*record{}
	for _, r := range b.records {
		s := r.session.Scope
		l := labels{account: s.Account, region: regions.Label(s.Region)}
		if r.read.IsZero() || b.now().Sub(r.used) > idle || s.Account == quota.Unverified || l.region != s.Region {
			continue
		}
		if was := best[l]; was == nil || better(r, was) > 0 {
			best[l] = r
		}
	}
	found := make(map[labels]Figures, len(best))
	for l, r := range best {
		found[l] = r.figures
	}
	return found
}

// better compares records: those of AWS itself are better, then those that a ClusterProviderConfig
// has read, then later ones.
func better(x, y *record) int {
	rank := func(r *record) int {
		switch {
		case r.session.Scope.Endpoint != "":
			return 0
		case r.session.Ref.Kind == v1beta1.ClusterProviderConfigKind:
			return 2
		default:
			return 1
		}
	}
	return cmp.Or(cmp.Compare(rank(x), rank(y)), x.read.Compare(y.read))
}
