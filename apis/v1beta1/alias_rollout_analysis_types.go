package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// RolloutAnalysis decides whether the target version is healthy.
//
// +kubebuilder:validation:XValidation:rule="has(self.metrics) && size(self.metrics) > 0 || has(self.alarms)",message="set metrics, alarms or both"
type RolloutAnalysis struct {
	// Metrics are measured from the first invocation of the target version until the rollout ends.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Metrics []RolloutMetric `json:"metrics,omitempty"`

	// Alarms are CloudWatch alarms of the function's account and region.
	// +optional
	Alarms *RolloutAlarms `json:"alarms,omitempty"`

	// Trigger is the number of metrics and alarms that have to fail for the rollout to fail. The default is any.
	// +optional
	Trigger *RolloutTrigger `json:"trigger,omitempty"`
}

// A RolloutMetric is a value that decides whether the target version is healthy. A measurement
// succeeds, fails, or is inconclusive: it then meets no condition, or has too few samples.
//
// +kubebuilder:validation:XValidation:rule="has(self.successCondition) || has(self.failureCondition)",message="set successCondition, failureCondition or both"
type RolloutMetric struct {
	// Name of the metric, which status shows.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`

	// Interval between two measurements, 10s to 1h; the default is 1m.
	// +optional
	// +kubebuilder:default="1m"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('10s') && duration(self) <= duration('1h')",message="interval must be between 10s and 1h"
	Interval *metav1.Duration `json:"interval,omitempty"`

	// InitialDelay is the time from the first invocation of the target version to the first
	// measurement, at most 24h. The default is 0s.
	// +optional
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('0s') && duration(self) <= duration('24h')",message="initialDelay must be between 0s and 24h"
	InitialDelay *metav1.Duration `json:"initialDelay,omitempty"`

	// SuccessCondition is a CEL expression that is true for a measurement that succeeds, such as
	// "result < 0.01". Its variables are result, a number, or for web the parsed response;
	// baseline, the same of the stable version (NaN if it has none); samples and
	// baselineSamples, the numbers of invocations. If it is not set, what does not fail succeeds.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	SuccessCondition *string `json:"successCondition,omitempty"`

	// FailureCondition is a CEL expression that is true for a measurement that fails. If it is not
	// set, what does not succeed fails.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	FailureCondition *string `json:"failureCondition,omitempty"`

	// FailureLimit is the number of measurements that may fail before the metric fails, 0 to 1000. The default is 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	FailureLimit int32 `json:"failureLimit,omitempty"`

	// InconclusiveLimit is the number of measurements in a row that may be inconclusive before the rollout
	// pauses, 0 to 1000. The default is 3. An inconclusive measurement never promotes.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	InconclusiveLimit *int32 `json:"inconclusiveLimit,omitempty"`

	// ConsecutiveErrorLimit is the number of measurements in a row that may get no value before onError
	// applies, 0 to 1000. The default is 4.
	// +optional
	// +kubebuilder:default=4
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	ConsecutiveErrorLimit *int32 `json:"consecutiveErrorLimit,omitempty"`

	// MinSampleCount is the number of invocations of the target version that a measurement needs; with fewer
	// it is inconclusive. A comparison with the baseline needs as many of the stable version. The default is 1.
	// It applies to the provider lambda.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	MinSampleCount *int32 `json:"minSampleCount,omitempty"`

	// OnFailure is the reaction to a failure of the metric: Rollback, Pause or Warn, which only emits an
	// event. The default is Rollback.
	// +optional
	// +kubebuilder:default=Rollback
	// +kubebuilder:validation:Enum=Rollback;Pause;Warn
	OnFailure string `json:"onFailure,omitempty"`

	// OnError is the reaction to a metric that has no value too often: Pause or Rollback. The
	// default is Pause; if the values do not come back, progressDeadlineSeconds ends the rollout.
	// +optional
	// +kubebuilder:default=Pause
	// +kubebuilder:validation:Enum=Pause;Rollback
	OnError string `json:"onError,omitempty"`

	// DryRun measures the metric, and ignores its result.
	// +optional
	DryRun bool `json:"dryRun,omitempty"`

	// Provider is the source of the values.
	Provider RolloutMetricProvider `json:"provider"`
}

// RolloutMetricProvider is the source of the values of a metric.
//
// +kubebuilder:validation:XValidation:rule="[has(self.lambda), has(self.cloudWatch), has(self.prometheus), has(self.web)].filter(b, b).size() == 1",message="set exactly one of lambda, cloudWatch, prometheus and web"
type RolloutMetricProvider struct {
	// Lambda is a metric that Lambda itself publishes, of the alias and the executed version.
	// +optional
	Lambda *LambdaMetric `json:"lambda,omitempty"`

	// CloudWatch is any query of CloudWatch's GetMetricData.
	// +optional
	CloudWatch *CloudWatchMetric `json:"cloudWatch,omitempty"`

	// Prometheus is a query with one result.
	// +optional
	Prometheus *PrometheusMetric `json:"prometheus,omitempty"`

	// Web is a URL that answers with JSON.
	// +optional
	Web *WebMetric `json:"web,omitempty"`
}

// LambdaMetric is a metric that Lambda publishes, of the alias and the executed version.
type LambdaMetric struct {
	// Metric is ErrorRate or ThrottleRate, a part of the invocations between 0 and 1; Errors or Throttles, a number; or
	// Duration, in milliseconds. Lambda publishes throttles of an alias, not of its versions.
	// +kubebuilder:validation:Enum=ErrorRate;Errors;ThrottleRate;Throttles;Duration
	Metric string `json:"metric"`

	// Statistic of Duration, such as Average, Maximum or p99. The default is p99.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^(Average|Maximum|Minimum|p[0-9]{1,2}([.][0-9]{1,2})?)$')",message="statistic must be Average, Maximum, Minimum or a percentile such as p99"
	Statistic *string `json:"statistic,omitempty"`

	// Window that a measurement looks at, a multiple of a minute from 3m to 1h; the default is 5m, or
	// the interval if that is longer, so that nothing is between two windows. It ends two minutes ago,
	// since CloudWatch publishes metrics late, and is longer by the timeout of the function: an
	// invocation is in a metric only after its end, at the time of its begin. It never begins before the
	// target version received invocations.
	// +optional
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('3m') && duration(self) <= duration('1h') && duration(self).getSeconds() % 60 == 0",message="window must be a multiple of a minute between 3m and 1h"
	Window *metav1.Duration `json:"window,omitempty"`
}

// CloudWatchMetric is a query of CloudWatch's GetMetricData.
//
// +kubebuilder:validation:XValidation:rule="self.queries.filter(q, !has(q.returnData) || q.returnData).size() == 1",message="exactly one query must have returnData"
// +kubebuilder:validation:XValidation:rule="!has(self.window) || duration(self.window) < duration('3h') || self.queries.all(q, !has(q.metric) || !has(q.metric.periodSeconds) || q.metric.periodSeconds >= 60)",fieldPath=".window",message="window must be shorter than 3h with periods of less than a minute, which CloudWatch keeps so long"
// +kubebuilder:validation:XValidation:rule="!has(self.window) || self.queries.all(q, !has(q.metric) || duration(self.window).getSeconds() >= 3 * (has(q.metric.periodSeconds) ? q.metric.periodSeconds : 60))",fieldPath=".window",message="window must have at least three periods"
type CloudWatchMetric struct {
	// Queries as GetMetricData takes them. In expressions and dimension values, $(function), $(alias), $(target) and
	// $(stable) are replaced by the names of the function and the alias, and the numbers of the versions.
	// +listType=map
	// +listMapKey=id
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	Queries []CloudWatchQuery `json:"queries"`

	// Window that a measurement looks at, a multiple of a minute from 1m to 24h; the default is 5m, or
	// three times the longest period of the queries if that is longer. It ends two minutes ago, or with
	// periods of less than a minute one period ago. The last value in it is the result.
	// +optional
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1m') && duration(self) <= duration('24h') && duration(self).getSeconds() % 60 == 0",message="window must be a multiple of a minute between 1m and 24h"
	Window *metav1.Duration `json:"window,omitempty"`
}

// A CloudWatchQuery is a metric or an expression.
//
// +kubebuilder:validation:XValidation:rule="has(self.expression) != has(self.metric)",message="set exactly one of expression and metric"
type CloudWatchQuery struct {
	// ID by which expressions refer to the query.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z][a-zA-Z0-9_]*$')",message="id must begin with a lowercase letter, and have only letters, digits and underscores"
	ID string `json:"id"`

	// Expression is a metric math expression.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Expression *string `json:"expression,omitempty"`

	// Metric is a metric and its statistic.
	// +optional
	Metric *CloudWatchMetricStat `json:"metric,omitempty"`

	// ReturnData says that the query is the result. The default is true; exactly one query may have it.
	// +optional
	ReturnData *bool `json:"returnData,omitempty"`
}

// CloudWatchMetricStat is a metric and its statistic.
type CloudWatchMetricStat struct {
	// Namespace of the metric, such as AWS/ApplicationELB.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Namespace string `json:"namespace"`

	// MetricName is the metric's name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	MetricName string `json:"metricName"`

	// Dimensions of the metric.
	// +optional
	// +kubebuilder:validation:MaxProperties=30
	Dimensions map[string]string `json:"dimensions,omitempty"`

	// Statistic, such as Sum, Average or p99.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	Statistic string `json:"statistic"`

	// PeriodSeconds is the period of the statistic, a multiple of 60 up to 86400, or 10 or 30 for a
	// high-resolution metric. The default is 60.
	// +optional
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=86400
	// +kubebuilder:validation:XValidation:rule="self == 10 || self == 30 || self % 60 == 0",message="periodSeconds must be 10, 30 or a multiple of 60"
	PeriodSeconds *int32 `json:"periodSeconds,omitempty"`
}

// PrometheusMetric is a query of a Prometheus server, whose result is a number, or a vector with one element.
type PrometheusMetric struct {
	// Address of the server. The provider's operator allows its host with --analysis-host.
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="isURL(self) && (self.startsWith('https://') || self.startsWith('http://'))",message="address must be an http or https URL"
	Address string `json:"address"`

	// Query in PromQL. $(function), $(alias), $(target) and $(stable) are replaced by the names of
	// the function and the alias, and the numbers of the versions.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Query string `json:"query"`

	// BearerTokenSecretRef is a key of a Secret of the Alias's namespace with a token that is sent.
	// +optional
	BearerTokenSecretRef *KeySelector `json:"bearerTokenSecretRef,omitempty"`
}

// WebMetric is a URL that answers a GET request with JSON.
type WebMetric struct {
	// URL to get. $(function), $(alias), $(target) and $(stable) are replaced by the names of the function and the
	// alias, and the numbers of the versions. The provider's operator allows its host with --analysis-host.
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.startsWith('https://') || self.startsWith('http://')",message="url must be an http or https URL"
	URL string `json:"url"`

	// BearerTokenSecretRef is a key of a Secret of the Alias's namespace with a token that is sent.
	// +optional
	BearerTokenSecretRef *KeySelector `json:"bearerTokenSecretRef,omitempty"`
}

// RolloutAlarms are CloudWatch alarms: metric alarms, composite alarms or log alarms.
type RolloutAlarms struct {
	// Names of the alarms.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=255
	Names []string `json:"names"`

	// PreExisting is the reaction to an alarm that is already in state ALARM when the rollout begins: Ignore ignores it
	// until it was OK or fires again, so that it does not block the fix; Block waits. The default is Ignore.
	// +optional
	// +kubebuilder:default=Ignore
	// +kubebuilder:validation:Enum=Ignore;Block
	PreExisting string `json:"preExisting,omitempty"`

	// Interval between two reads of the alarms, 10s to 1h; the default is 30s.
	// +optional
	// +kubebuilder:default="30s"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('10s') && duration(self) <= duration('1h')",message="interval must be between 10s and 1h"
	Interval *metav1.Duration `json:"interval,omitempty"`
}

// RolloutTrigger is the number of metrics and alarms have to fail for the rollout to fail.
//
// +kubebuilder:validation:XValidation:rule="self.mode == 'Quorum' ? has(self.quorum) : !has(self.quorum)",fieldPath=".quorum",message="set quorum with the mode Quorum, and only then"
type RolloutTrigger struct {
	// Mode is Any, All or Quorum.
	// +kubebuilder:validation:Enum=Any;All;Quorum
	Mode string `json:"mode"`

	// Quorum is the number that has to fail.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=36
	Quorum *int32 `json:"quorum,omitempty"`
}

// RolloutRollbackWindow are versions that were stable recently.
type RolloutRollbackWindow struct {
	// Revisions is the number of versions before the stable one that are in the window, 1 to 20.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20
	Revisions int32 `json:"revisions"`
}
