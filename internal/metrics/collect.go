package metrics

import "github.com/prometheus/client_golang/prometheus"

// Computed returns a collector of metrics that a function computes and sends when they are collected.
func Computed(send func(ch chan<- prometheus.Metric), descs ...*prometheus.Desc) prometheus.Collector {
	return computed{send: send, descs: descs}
}

type computed struct {
	send  func(ch chan<- prometheus.Metric)
	descs []*prometheus.Desc
}

// Describe sends the descriptions of the metrics.
func (c computed) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		ch <- d
	}
}

// Collect sends the present values of the metrics.
func (c computed) Collect(ch chan<- prometheus.Metric) { c.send(ch) }

// A Group collects the metrics of several collectors.
type Group []prometheus.Collector

// Describe sends the descriptions of the metrics.
func (g Group) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range g {
		c.Describe(ch)
	}
}

// Collect sends the present values of the metrics.
func (g Group) Collect(ch chan<- prometheus.Metric) {
	for _, c := range g {
		c.Collect(ch)
	}
}
