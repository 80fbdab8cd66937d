package breaker

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

// Collector exports the number of open breakers to Prometheus.
type Collector struct {
	breakers *Breakers
}

// NewCollector returns a Collector of breakers.
func NewCollector(b *Breakers) *Collector {
	return &Collector{breakers: b}
}

// Describe sends the description of the metric.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) { ch <- metrics.CircuitBreakersOpen }

// Collect sends the number of open breakers.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	ch <- prometheus.MustNewConstMetric(metrics.CircuitBreakersOpen, prometheus.GaugeValue,
		float64(c.breakers.countOpen()))
}

func (b *Breakers) countOpen() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sweep()
	n := 0
	for _, cfg := range b.configs {
		for _, c := range cfg.circuits {
			if c.open {
				n++
			}
		}
	}
	return n
}
