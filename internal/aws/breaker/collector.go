package breaker

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

// NewCollector returns a collector of the number of open breakers.
func NewCollector(b *Breakers) prometheus.Collector {
	return metrics.Computed(func(ch chan<- prometheus.Metric) {
		ch <- prometheus.MustNewConstMetric(metrics.CircuitBreakersOpen, prometheus.GaugeValue, float64(b.countOpen()))
	}, metrics.CircuitBreakersOpen)
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
