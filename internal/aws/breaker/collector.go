package breaker

import "github.com/prometheus/client_golang/prometheus"

// Collector exports the number of open breakers to Prometheus.
type Collector struct {
	breakers *Breakers
	open     *prometheus.Desc
}

// NewCollector returns a Collector of breakers.
func NewCollector(b *Breakers) *Collector {
	return &Collector{breakers: b, open: prometheus.NewDesc("provider_lambda_circuit_breakers_open",
		"Provider configs in regions where AWS does not answer, so that calls are paused and retried at intervals", nil,
		nil)}
}

// Describe sends the description of the metric.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) { ch <- c.open }

// Collect sends the number of open breakers.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	ch <- prometheus.MustNewConstMetric(c.open, prometheus.GaugeValue, float64(c.breakers.countOpen()))
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
