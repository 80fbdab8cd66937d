package driftevents

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

// Values of the label result of messages, beyond those of an Outcome.
const (
	resultInvalid = "invalid"
	resultIgnored = "ignored"
	resultRetried = "retried"
)

// Values of the label state of queues.
const (
	stateReceiving = "receiving"
	stateFailing   = "failing"
	stateMissing   = "events_missing"
)

// results are the values for outcomes.
var results = map[Outcome]string{Unmatched: "unmatched", Outdated: "outdated", Own: "own", Matched: "matched"}

// Metrics are the metrics of drift events. They are a prometheus.Collector, and safe for concurrent use.
type Metrics struct {
	metrics.Group

	messages  *prometheus.CounterVec
	receives  *prometheus.CounterVec
	deletions *prometheus.CounterVec
	lag       *prometheus.HistogramVec
	receiving func() map[string]int
}

// NewMetrics returns metrics that are all 0.
func NewMetrics() *Metrics {
	m := &Metrics{
		messages: metrics.DriftEventMessages(), receives: metrics.DriftEventReceives(),
		deletions: metrics.DriftEventDeletions(), lag: metrics.DriftEventLag(),
	}
	m.Group = metrics.Group{
		m.messages, m.receives, m.deletions, m.lag, metrics.Computed(m.collectQueues, metrics.DriftEventQueues),
	}
	m.lag.WithLabelValues()
	for _, r := range []string{resultInvalid, resultIgnored, resultRetried} {
		m.messages.WithLabelValues(r)
	}
	for _, r := range results {
		m.messages.WithLabelValues(r)
	}
	for _, r := range []string{"ok", "error"} {
		m.receives.WithLabelValues(r)
		m.deletions.WithLabelValues(r)
	}
	return m
}

// collectQueues sends the number of queues in each state.
func (m *Metrics) collectQueues(ch chan<- prometheus.Metric) {
	var counts map[string]int
	if m.receiving != nil {
		counts = m.receiving()
	}
	for _, state := range []string{stateReceiving, stateFailing, stateMissing} {
		ch <- prometheus.MustNewConstMetric(metrics.DriftEventQueues, prometheus.GaugeValue, float64(counts[state]),
			state)
	}
}

func (m *Metrics) count(result string) { m.messages.WithLabelValues(result).Inc() }

// countReceive counts a call that receives messages.
func (m *Metrics) countReceive(err error) {
	result := "ok"
	if err != nil {
		result = "error"
	}
	m.receives.WithLabelValues(result).Inc()
}

// countDeletions counts messages that were deleted, and those that were not.
func (m *Metrics) countDeletions(ok, failed int) {
	m.deletions.WithLabelValues("ok").Add(float64(ok))
	m.deletions.WithLabelValues("error").Add(float64(failed))
}

func (m *Metrics) observe(lag time.Duration) {
	m.lag.WithLabelValues().Observe(max(lag, 0).Seconds())
}
