package driftevents

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
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

// Metrics are the metrics of drift events. They are a prometheus.Collector, and safe for concurrent use. Nil measures
// nothing.
type Metrics struct {
	messages  *prometheus.CounterVec
	receives  *prometheus.CounterVec
	deletions *prometheus.CounterVec
	lag       prometheus.Histogram
	queues    *prometheus.Desc
	receiving func() map[string]int
}

// NewMetrics returns metrics that are all 0.
func NewMetrics() *Metrics {
	const namespace = "provider_lambda"
	m := &Metrics{
		messages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "drift_event_messages_total",
			Help: "Messages of queues of drift events: matched, unmatched, own (a call of the provider), outdated " +
				"(observed since), ignored (read-only, failed or unrelated), invalid, or retried",
		}, []string{"result"}),
		receives: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "drift_event_receives_total",
			Help: "Calls that receive messages from queues of drift events, by result: ok or error",
		}, []string{"result"}),
		deletions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "drift_event_deletions_total",
			Help: "Messages deleted from queues of drift events, by result: ok or error",
		}, []string{"result"}),
		lag: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: namespace, Name: "drift_event_lag_seconds",
			Help:    "How long after a call to Lambda its event was received",
			Buckets: []float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 21600, 86400},
		}),
		queues: prometheus.NewDesc(namespace+"_drift_event_queues",
			"Queues of drift events, by state: receiving, failing, or events_missing (events about calls of the provider do not arrive)", []string{"state"}, nil),
	}
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

// Describe sends the descriptions of the metrics.
func (m *Metrics) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range m.collectors() {
		c.Describe(ch)
	}
	ch <- m.queues
}

// Collect sends the present values of the metrics.
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	for _, c := range m.collectors() {
		c.Collect(ch)
	}
	var counts map[string]int
	if m.receiving != nil {
		counts = m.receiving()
	}
	for _, state := range []string{stateReceiving, stateFailing, stateMissing} {
		ch <- prometheus.MustNewConstMetric(m.queues, prometheus.GaugeValue, float64(counts[state]), state)
	}
}

func (m *Metrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.messages, m.receives, m.deletions, m.lag}
}

func (m *Metrics) count(result string) {
	if m != nil {
		m.messages.WithLabelValues(result).Inc()
	}
}

// countReceive counts a call that receives messages.
func (m *Metrics) countReceive(err error) {
	if m == nil {
		return
	}
	result := "ok"
	if err != nil {
		result = "error"
	}
	m.receives.WithLabelValues(result).Inc()
}

// countDeletions counts messages that were deleted, and those that were not.
func (m *Metrics) countDeletions(ok, failed int) {
	if m != nil {
		m.deletions.WithLabelValues("ok").Add(float64(ok))
		m.deletions.WithLabelValues("error").Add(float64(failed))
	}
}

func (m *Metrics) observe(lag time.Duration) {
	if m != nil {
		m.lag.Observe(max(lag, 0).Seconds())
	}
}
