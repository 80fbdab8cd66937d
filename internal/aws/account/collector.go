package account

import (
	"cmp"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
)

// Collector shows the figures of accounts to Prometheus.
type Collector struct {
	book        *Book
	concurrency *prometheus.Desc
	unreserved  *prometheus.Desc
	codeLimit   *prometheus.Desc
	codeUsed    *prometheus.Desc
	functions   *prometheus.Desc
}

// NewCollector of a book.
func NewCollector(b *Book) *Collector {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("provider_lambda_account_"+name, help, []string{"account", "region"}, nil)
	}
	return &Collector{
		book:        b,
		concurrency: desc("concurrent_executions", "Executions of Lambda functions that may run at a time in the account"),
		unreserved:  desc("unreserved_concurrent_executions", "Those of them that no function has reserved"),
		codeLimit:   desc("code_storage_limit_bytes", "Code of functions, versions and layers that the account may store"),
		codeUsed:    desc("code_storage_used_bytes", "Code of functions, versions and layers that the account stores"),
		functions:   desc("functions", "Functions of the account, whoever made them"),
	}
}

// Describe the metrics.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.concurrency, c.unreserved, c.codeLimit, c.codeUsed, c.functions} {
		ch <- d
	}
}

// Collect what is known, once for each account and region.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	for scope, f := range c.book.byScope() {
		for d, v := range map[*prometheus.Desc]float64{
			c.concurrency: float64(f.ConcurrentExecutions),
			c.unreserved:  float64(f.UnreservedConcurrentExecutions),
			c.codeLimit:   float64(f.CodeStorageLimit),
			c.codeUsed:    float64(f.CodeStorageUsed),
			c.functions:   float64(f.Functions),
		} {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, scope.Account, scope.Region)
		}
	}
}

// byScope are the figures of each account and region: those that a ClusterProviderConfig
// has read, if any did, since a tenant's own endpoint may say what it likes, and of these
// the latest.
func (b *Book) byScope() map[quota.Scope]Figures {
	b.mu.Lock()
	defer b.mu.Unlock()
	best := map[quota.Scope]*record{}
	for _, r := range b.records {
		if r.read.IsZero() || b.now().Sub(r.used) > idle {
			continue
		}
		if was := best[r.session.Scope]; was == nil || better(r, was) > 0 {
			best[r.session.Scope] = r
		}
	}
	found := make(map[quota.Scope]Figures, len(best))
	for scope, r := range best {
		found[scope] = r.figures
	}
	return found
}

func better(x, y *record) int {
	rank := func(r *record) int {
		if r.session.Ref.Kind == v1beta1.ClusterProviderConfigKind {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(rank(x), rank(y)), x.read.Compare(y.read))
}
