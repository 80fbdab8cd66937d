package listpoll

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

// NewCollector returns a collector of the number of items that are polled by list, by operation. A nil Poller has no
// metrics.
func NewCollector(p *Poller) prometheus.Collector {
	return metrics.Computed(func(ch chan<- prometheus.Metric) {
		for operation, n := range p.countItems() {
			ch <- prometheus.MustNewConstMetric(metrics.ItemsPolledByList, prometheus.GaugeValue, float64(n), operation)
		}
	}, metrics.ItemsPolledByList)
}

// countItems counts the items of the lists that are read, by operation.
func (p *Poller) countItems() map[string]int {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := map[string]int{}
	for _, l := range p.lists {
		count := 0
		if p.pays(l) {
			count = len(l.items)
		}
		n[l.definition.Operation] += count
	}
	return n
}
