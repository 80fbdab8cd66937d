package listpoll

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

// Collector exports to Prometheus how many resources are polled by list.
type Collector struct {
	poller *Poller
}

// NewCollector returns a Collector of a Poller. A nil Poller has no metrics.
func NewCollector(p *Poller) *Collector {
	return &Collector{poller: p}
}

// Describe sends the description of the metric.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) { ch <- metrics.ItemsPolledByList }

// Collect sends the number of items by operation.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	for operation, n := range c.poller.countItems() {
		ch <- prometheus.MustNewConstMetric(metrics.ItemsPolledByList, prometheus.GaugeValue, float64(n), operation)
	}
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
