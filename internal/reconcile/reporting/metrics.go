package reporting

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
)

// Values of the label result, for reconciles without an error.
const (
	ResultOK      = "ok"
	ResultWaiting = "waiting"
)

// Metrics are the metrics of managed resources, by kind. They contain no names of resources.
// They are a prometheus.Collector, and safe for concurrent use.
type Metrics struct {
	metrics.Group

	reconciles *prometheus.CounterVec
	toReady    *prometheus.HistogramVec
	seen       *prometheus.CounterVec
	corrected  *prometheus.CounterVec
	rollouts   *prometheus.HistogramVec
	findings   *prometheus.GaugeVec
	held       *prometheus.GaugeVec

	// The metrics of crossplane-runtime under their names. The runtime's own recorder keeps the name of every resource
	// that ever existed, and does not distinguish resources with the same name in different namespaces.
	detected, ready, deletion, drift *prometheus.HistogramVec

	mu       sync.Mutex
	drifting map[string]func() int
	// countPhases counts the rollouts by phase. Nil counts none.
	countPhases func() map[string]int
}

// NewMetrics returns metrics that are all 0.
func NewMetrics() *Metrics {
	m := &Metrics{
		reconciles: metrics.Reconciles(), toReady: metrics.TimeToReady(), seen: metrics.DriftSeen(),
		corrected: metrics.DriftCorrected(), rollouts: metrics.RolloutDuration(), findings: metrics.Findings(),
		held: metrics.DeletionsHeld(), drifting: map[string]func() int{},
		detected: metrics.FirstTimeToReconcile(), ready: metrics.FirstTimeToReadiness(),
		deletion: metrics.Deletion(), drift: metrics.Drift(),
	}
	m.Group = metrics.Group{
		m.detected, m.ready, m.deletion, m.drift, m.reconciles, m.toReady, m.seen, m.corrected, m.rollouts, m.findings,
		m.held, metrics.Computed(m.count, metrics.DriftPending, metrics.Rollouts),
	}
	return m
}

// count sends what is counted when the metrics are collected: pending drift, and rollouts.
func (m *Metrics) count(ch chan<- prometheus.Metric) {
	m.mu.Lock()
	counts, countPhases := maps.Clone(m.drifting), m.countPhases
	m.mu.Unlock()
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		ch <- prometheus.MustNewConstMetric(metrics.DriftPending, prometheus.GaugeValue, float64(counts[kind]()), kind)
	}
	if countPhases == nil {
		return
	}
	rollouts := countPhases()
	for _, phase := range []string{
		v1beta1.RolloutPending, v1beta1.RolloutProgressing, v1beta1.RolloutReady,
		v1beta1.RolloutFailed,
	} {
		ch <- prometheus.MustNewConstMetric(metrics.Rollouts, prometheus.GaugeValue, float64(rollouts[phase]), phase)
	}
}

// CountRollouts sets a function that counts the Aliases with a rollout, by its phase. It is called when the metrics are
// collected. As in AddKind, the rollouts that have ended are counted from 0.
func (m *Metrics) CountRollouts(count func() map[string]int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.countPhases = count
	m.rollouts.WithLabelValues(v1beta1.RolloutReady, "")
	for _, reason := range []string{
		v1beta1.RolloutReasonAnalysisFailed, v1beta1.RolloutReasonAnalysisError,
		v1beta1.RolloutReasonSmokeTestFailed, v1beta1.RolloutReasonSmokeTestError,
		v1beta1.RolloutReasonInvalidVersion, v1beta1.RolloutReasonProgressDeadlineExceeded,
		v1beta1.RolloutReasonAborted, v1beta1.RolloutReasonRollbackTo, v1beta1.RolloutReasonFailedBefore,
	} {
		m.rollouts.WithLabelValues(v1beta1.RolloutFailed, reason)
	}
}

// RecordRollout records that a rollout has ended in a phase, for a reason if it has failed.
func (m *Metrics) RecordRollout(phase, reason string, took time.Duration) {
	m.rollouts.WithLabelValues(phase, reason).Observe(took.Seconds())
}

// AddKind adds a kind, and a function that counts its resources with pending drift. Its counters start at 0, because
// Prometheus cannot detect the first increase of a counter that did not exist before.
func (m *Metrics) AddKind(kind string, drifting func() int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drifting[kind] = drifting
	for _, result := range []string{
		ResultOK, ResultWaiting, ResultOf(backoff.Transient), ResultOf(backoff.Terminal),
		ResultOf(backoff.Unclassified),
	} {
		m.reconciles.WithLabelValues(kind, result)
	}
	for _, c := range []reconcile.SyncState{reconcile.Differs, reconcile.Missing} {
		m.seen.WithLabelValues(kind, c.String())
		m.corrected.WithLabelValues(kind, c.String())
	}
	m.toReady.WithLabelValues(kind)
	m.recordFindings(kind, nil)
	m.recordHeld(kind, nil)
}

// recordHeld records how many deletions of resources of a kind wait for each reason.
func (m *Metrics) recordHeld(kind string, counts map[xpv2.ConditionReason]int) {
	for _, reason := range []xpv2.ConditionReason{
		v1beta1.ReasonTooManyDeletions, v1beta1.ReasonRecentlyInvoked,
		v1beta1.ReasonInvocationsUnknown,
	} {
		m.held.WithLabelValues(kind, string(reason)).Set(float64(counts[reason]))
	}
}

// recordFindings records how many resources of a kind have a finding of each code.
func (m *Metrics) recordFindings(kind string, counts map[advice.Code]int) {
	for _, code := range advice.Codes(kind) {
		m.findings.WithLabelValues(kind, string(code)).Set(float64(counts[code]))
	}
}

// RecordReconcile counts a reconcile.
func (m *Metrics) RecordReconcile(kind, result string) {
	m.reconciles.WithLabelValues(kind, result).Inc()
}

// RecordReady records how long a resource took to become Ready.
func (m *Metrics) RecordReady(gvk schema.GroupVersionKind, took time.Duration) {
	m.toReady.WithLabelValues(gvk.Kind).Observe(took.Seconds())
	m.ready.WithLabelValues(gvk.String()).Observe(took.Seconds())
}

// RecordDetection records how long it took until a resource was first reconciled.
func (m *Metrics) RecordDetection(gvk string, took time.Duration) {
	m.detected.WithLabelValues(gvk).Observe(took.Seconds())
}

// RecordDifference records how long before a comparison that found a difference the previous one was.
func (m *Metrics) RecordDifference(gvk string, since time.Duration) {
	m.drift.WithLabelValues(gvk).Observe(since.Seconds())
}

// RecordDeletion records that the deletion of a resource has finished.
func (m *Metrics) RecordDeletion(gvk string, took time.Duration) {
	m.deletion.WithLabelValues(gvk).Observe(took.Seconds())
}

// RecordDrift counts the drift that an observation found, or that was corrected.
func (m *Metrics) RecordDrift(kind string, f memory.DriftChange) {
	switch {
	case f.Seen:
		m.seen.WithLabelValues(kind, f.Comparison.String()).Inc()
	case f.Corrected:
		m.corrected.WithLabelValues(kind, f.Comparison.String()).Inc()
	}
}

// ResultOf returns the value of the label result for a class of errors.
func ResultOf(c backoff.Class) string {
	switch c {
	case backoff.Transient:
		return "transient_error"
	case backoff.Terminal:
		return "terminal_error"
	case backoff.Unclassified, backoff.Ambiguous, backoff.Panicked:
	}
	return "error"
}
