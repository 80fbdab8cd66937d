// Package metrics defines all metrics that the provider adds to those of controller-runtime and crossplane-runtime:
// names, labels, buckets and help. What measures is next to what is measured.
package metrics

import "github.com/prometheus/client_golang/prometheus"

const namespace = "provider_lambda"

// Requests to AWS.
var (
	AWSRequests = counters("aws_requests_total",
		"Requests sent to AWS, each retry included, by what became of them: ok, not_found, throttled, "+
			"denied, rejected, failed or unanswered", "service", "operation", "result")
	AWSRequestDuration = histograms("aws_request_duration_seconds",
		"How long a request to AWS took, from being sent to its answer",
		[]float64{0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}, "service", "operation")
	CredentialRefreshes = counters("credential_refreshes_total",
		"Fetches of temporary AWS credentials, by where they come from and by result: ok or failed", "source", "result")
	CircuitBreakersOpen = desc("circuit_breakers_open",
		"Provider configs in regions where AWS does not answer, so that calls are paused and retried at intervals")
	ItemsPolledByList = desc("items_polled_by_list",
		"Functions and other items that are polled by list, by the AWS operation of the list", "operation")
)

// Request quotas of AWS.
var (
	QuotaTokens       = desc("quota_tokens", "Calls that may be sent right now", "account", "region", "bucket")
	QuotaWaitingCalls = desc("quota_waiting_calls", "Calls that resources wait for, by what they are for: user or poll",
		"account", "region", "bucket", "for")
	QuotaCalls = counters("quota_calls_total",
		"Calls by what became of them: sent, deferred (not sent yet) or throttled (rejected by AWS)",
		"account", "region", "bucket", "result")
	QuotaRate = desc("quota_rate", "Calls a second that are allowed at present; less than usual after a throttle",
		"account", "region", "bucket")
)

// Limits of accounts.
var (
	AccountConcurrentExecutions = desc("account_concurrent_executions",
		"Executions of Lambda functions that may run at a time in the account", "account", "region")
	AccountUnreservedConcurrentExecutions = desc("account_unreserved_concurrent_executions",
		"Those of them that no function has reserved", "account", "region")
	AccountCodeStorageLimit = desc("account_code_storage_limit_bytes",
		"Code of functions, versions and layers that the account may store", "account", "region")
	AccountCodeStorageUsed = desc("account_code_storage_used_bytes",
		"Code of functions, versions and layers that the account stores", "account", "region")
	AccountFunctions = desc("account_functions", "Functions of the account, whoever made them", "account", "region")
)

// Drift events.
var (
	DriftEventMessages = counters("drift_event_messages_total",
		"Messages of queues of drift events: matched, unmatched, own (a call of the provider), outdated "+
			"(observed since), ignored (read-only, failed or unrelated), invalid, or retried", "result")
	DriftEventReceives = counters("drift_event_receives_total",
		"Calls that receive messages from queues of drift events, by result: ok or error", "result")
	DriftEventDeletions = counters("drift_event_deletions_total",
		"Messages deleted from queues of drift events, by result: ok or error", "result")
	DriftEventLag = histograms("drift_event_lag_seconds", "How long after a call to Lambda its event was received",
		[]float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 21600, 86400})
	DriftEventQueues = desc("drift_event_queues", "Queues of drift events, by state: receiving, failing, or "+
		"events_missing (events about calls of the provider do not arrive)", "state")
)

// Managed resources.
var (
	Reconciles = counters("reconciles_total",
		"Reconciles by outcome: ok, waiting (deferred, such as for AWS's quota), "+
			"transient_error (AWS or the network), terminal_error (only a user can help) or error", "kind", "result")
	TimeToReady = histograms("time_to_ready_seconds",
		"How long resources took from their creation to the first time that they were Ready",
		[]float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600}, "kind")
	DriftSeen = counters("drift_seen_total", "Times that an external resource that had matched its spec was found "+
		"changed or missing in AWS, without a change by its user", "kind", "change")
	DriftCorrected = counters("drift_corrected_total",
		"Times that drift was gone after the provider had corrected it", "kind", "change")
	DriftPending  = desc("drift_pending", "Resources with drift that the provider has not corrected yet", "kind")
	Findings      = gauges("findings", "Resources with a finding of the advisor, by the finding's code", "kind", "code")
	DeletionsHeld = gauges("deletions_held",
		"Resources whose deletion waits for a confirmation, by the reason of the condition DeletionHeld", "kind",
		"reason")
	Rollouts        = desc("rollouts", "Aliases with a rollout, by its phase", "phase")
	RolloutDuration = histograms("rollout_duration_seconds",
		"How long rollouts of Aliases took until they were Ready or Failed, by the reason of the failure",
		[]float64{10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21600, 86400}, "phase", "reason")
	ChangeLogLostEntries = counters("changelog_lost_entries_total",
		"Entries of the change log that could not be sent, or not be queued")
)

// Managed resources, by the names of crossplane-runtime's metrics.
var (
	quick                = prometheus.ExponentialBuckets(10e-9, 10, 10)
	slow                 = []float64{1, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600}
	FirstTimeToReconcile = managed("first_time_to_reconcile",
		"How long resources took from their creation to their first reconcile", quick)
	FirstTimeToReadiness = managed("first_time_to_readiness",
		"How long resources took from their creation to the first time that they were Ready", slow)
	Deletion = managed("deletion", "How long deletions took", slow)
	Drift    = managed("drift", "Time from the previous comparison of a resource with AWS to one that found a "+
		"difference, edits of the spec included", quick)
)

// desc describes a metric whose value is read when it is collected.
func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
}

// counters returns a constructor of counters that are 0.
func counters(name, help string, labels ...string) func() *prometheus.CounterVec {
	return func() *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	}
}

// gauges returns a constructor of gauges without values.
func gauges(name, help string, labels ...string) func() *prometheus.GaugeVec {
	return func() *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
	}
}

// histograms returns a constructor of histograms without values.
func histograms(name, help string, buckets []float64, labels ...string) func() *prometheus.HistogramVec {
	return func() *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(
			prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
	}
}

// managed returns a constructor of histograms of managed resources by GroupVersionKind.
func managed(name, help string, buckets []float64) func() *prometheus.HistogramVec {
	return func() *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Subsystem: "crossplane", Name: "managed_resource_" + name + "_seconds", Help: help, Buckets: buckets,
		}, []string{"gvk"})
	}
}

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
