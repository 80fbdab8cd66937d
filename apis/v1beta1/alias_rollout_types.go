package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Annotations of an Alias that command its rollout. The value is a token that the user chooses,
// such as a date: a command is carried out once for each value. The value of rollback-to is the
// version to go back to, which may be followed by a slash and a token.
const (
	// RolloutAnnotationPrefix is the common prefix of the annotations.
	RolloutAnnotationPrefix = "rollout.lambda.aws.m.crossplane.io/"

	// AnnotationRolloutAbort routes all invocations to the stable version.
	AnnotationRolloutAbort = RolloutAnnotationPrefix + "abort"
	// AnnotationRolloutPromote ends the current pause.
	AnnotationRolloutPromote = RolloutAnnotationPrefix + "promote"
	// AnnotationRolloutPromoteFull skips all remaining steps, pauses and analyses before the promotion.
	AnnotationRolloutPromoteFull = RolloutAnnotationPrefix + "promote-full"
	// AnnotationRolloutRetry rolls a failed version out again.
	AnnotationRolloutRetry = RolloutAnnotationPrefix + "retry"
	// AnnotationRolloutRollbackTo routes all invocations to a version of the history.
	AnnotationRolloutRollbackTo = RolloutAnnotationPrefix + "rollback-to"
)

// Behaviours of a rollout when the alias was changed by someone else (onDrift).
const (
	OnDriftPause  = "Pause"
	OnDriftRevert = "Revert"
	OnDriftAdopt  = "Adopt"
)

// Phases of a rollout.
const (
	// RolloutPending is a rollout that has not moved any invocation yet.
	RolloutPending = "Pending"
	// RolloutProgressing is a rollout that moves invocations.
	RolloutProgressing = "Progressing"
	// RolloutReady is a rollout whose target version is stable.
	RolloutReady = "Ready"
	// RolloutFailed is a rollout whose target version was rejected, or of which nobody knows whether it is
	// good. The stable version receives all invocations.
	RolloutFailed = "Failed"
)

// Steps of the phases of a rollout.
const (
	RolloutValidating  = "Validating"
	RolloutPreTraffic  = "PreTraffic"
	RolloutShifting    = "Shifting"
	RolloutAnalyzing   = "Analyzing"
	RolloutPaused      = "Paused"
	RolloutPromoting   = "Promoting"
	RolloutBaking      = "Baking"
	RolloutRollingBack = "RollingBack"
)

// AliasRollout moves an alias from the version that serves, the stable one, to another, the
// target, in steps, and back if the target fails.
//
// +kubebuilder:validation:XValidation:rule="!has(self.strategy.allAtOnce) || has(self.finalBakeTime) || !has(self.analysis)",fieldPath=".finalBakeTime",reason="FieldValueRequired",message="an analysis of the strategy allAtOnce runs after all invocations have moved: set finalBakeTime"
// +kubebuilder:validation:XValidation:rule="has(self.analysis) || !has(self.strategy.canary) || !self.strategy.canary.steps.exists(s, has(s.analysis))",fieldPath=".analysis",reason="FieldValueRequired",message="a step of the strategy waits for an analysis: set analysis, or remove the step"
type AliasRollout struct {
	// Strategy determines how the invocations move to the target version.
	Strategy RolloutStrategy `json:"strategy"`

	// PreTraffic are invocations of the target version, by its number, before it receives any traffic. If one does not
	// meet its expectations, the rollout fails. They may be repeated after an interruption of the provider.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	PreTraffic []RolloutSmokeTest `json:"preTraffic,omitempty"`

	// Dependencies are the objects that the target version needs. All must be healthy before the rollout begins, and
	// until it ends.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Dependencies []RolloutDependency `json:"dependencies,omitempty"`

	// Analysis decides whether the target version is healthy.
	// +optional
	Analysis *RolloutAnalysis `json:"analysis,omitempty"`

	// ProgressDeadlineSeconds is the time that a step may take in addition to its planned duration,
	// 1 to 86400 seconds; the default is 600. After that, the rollout fails. Only the time counts in
	// which the provider observes the rollout, and in which spec.rollout.paused, a pause without a
	// duration or a change of the alias by someone else do not pause it.
	// +optional
	// +kubebuilder:default=600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty"`

	// FinalBakeTime is the time for which the analysis continues after the target version receives all
	// invocations, such as 10m, at most 48h. Until then, a failure rolls back. The default is 0s.
	// +optional
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('0s') && duration(self) <= duration('48h')",message="finalBakeTime must be between 0s and 48h"
	FinalBakeTime *metav1.Duration `json:"finalBakeTime,omitempty"`

	// RollbackWindow are versions that were stable recently: an alias moves back to one of them in
	// one step, without an analysis.
	// +optional
	RollbackWindow *RolloutRollbackWindow `json:"rollbackWindow,omitempty"`

	// OnDrift is the reaction to a change of the alias by someone else: Pause stops the rollout until the
	// alias is as before or the user aborts or promotes, Revert changes the alias back, and Adopt
	// continues from what the alias is now. The default is Pause.
	// +optional
	// +kubebuilder:default=Pause
	// +kubebuilder:validation:Enum=Pause;Revert;Adopt
	OnDrift string `json:"onDrift,omitempty"`

	// Paused stops the rollout: no more invocations move to the target version. The analysis
	// continues, and a failure still rolls back.
	// +optional
	Paused bool `json:"paused,omitempty"`
}

// RolloutStrategy determines how the invocations move to the target version.
//
// +kubebuilder:validation:XValidation:rule="[has(self.canary), has(self.linear), has(self.allAtOnce)].filter(b, b).size() == 1",message="set exactly one of canary, linear and allAtOnce"
type RolloutStrategy struct {
	// Canary moves the invocations in the given steps, and after the last one completely.
	// +optional
	Canary *CanaryStrategy `json:"canary,omitempty"`

	// Linear moves the same percentage of the invocations at equal intervals.
	// +optional
	Linear *LinearStrategy `json:"linear,omitempty"`

	// AllAtOnce moves all invocations in one step.
	// +optional
	AllAtOnce *AllAtOnceStrategy `json:"allAtOnce,omitempty"`
}

// CanaryStrategy has the steps of a canary rollout.
type CanaryStrategy struct {
	// Steps of the rollout, in their order.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Steps []CanaryStep `json:"steps"`
}

// A CanaryStep is one step of a canary rollout.
//
// +kubebuilder:validation:XValidation:rule="[has(self.setWeight), has(self.pause), has(self.analysis)].filter(b, b).size() == 1",message="set exactly one of setWeight, pause and analysis"
type CanaryStep struct {
	// SetWeight is the percentage of the invocations that the target version receives from here on:
	// 1 to 99. After the last step it receives all.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=99
	SetWeight *int32 `json:"setWeight,omitempty"`

	// Pause waits.
	// +optional
	Pause *RolloutPause `json:"pause,omitempty"`

	// Analysis waits until each metric of the rollout's analysis has succeeded.
	// +optional
	Analysis *CanaryAnalysis `json:"analysis,omitempty"`
}

// RolloutPause is a pause between two steps.
type RolloutPause struct {
	// Duration of the pause, such as 5m, at most 168h. Without it, the rollout waits for the
	// annotation rollout.lambda.aws.m.crossplane.io/promote.
	// +optional
	// +kubebuilder:validation:XValidation:rule="duration(self) > duration('0s') && duration(self) <= duration('168h')",message="duration must be more than 0s and at most 168h"
	Duration *metav1.Duration `json:"duration,omitempty"`
}

// CanaryAnalysis waits until the metrics of the rollout have succeeded.
type CanaryAnalysis struct {
	// Successes is the number of measurements of each metric that have to succeed in this step, 1 to 1000. The default
	// is 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Successes *int32 `json:"successes,omitempty"`
}

// LinearStrategy moves the same percentage of the invocations at equal intervals.
type LinearStrategy struct {
	// Percentage of the invocations that moves in each step, 1 to 99.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=99
	Percentage int32 `json:"percentage"`

	// Interval between two steps, such as 1m, at most 168h.
	// +kubebuilder:validation:XValidation:rule="duration(self) > duration('0s') && duration(self) <= duration('168h')",message="interval must be more than 0s and at most 168h"
	Interval metav1.Duration `json:"interval"`
}

// AllAtOnceStrategy moves all invocations in one step.
type AllAtOnceStrategy struct{}

// A RolloutSmokeTest is an invocation of the target version.
type RolloutSmokeTest struct {
	// Name of the test, which status shows.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`

	// Invoke is the invocation, and what is expected of it.
	Invoke RolloutInvoke `json:"invoke"`
}

// RolloutInvoke is an invocation and what is expected of it.
type RolloutInvoke struct {
	// Payload is the event, in JSON. The default is {}.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	Payload *string `json:"payload,omitempty"`

	// TenantID is the tenant for which a function with tenancyConfig is invoked, which requires it: 1 to
	// 256 letters, digits, spaces and ._:/=+-@.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9._:/=+@ -]+$')",message="tenantId must have 1 to 256 letters, digits, spaces and . _ : / = + - @"
	TenantID *string `json:"tenantId,omitempty"`

	// TimeoutSeconds is the time that the response may take, 1 to 50 seconds; the default is 10.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`

	// Expect is a CEL expression that must be true. Its variables are payload (the response,
	// parsed if it is JSON, else a string), functionError (Handled, Unhandled or an empty string),
	// statusCode and durationMillis. By default, functionError must be empty.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Expect *string `json:"expect,omitempty"`
}

// A RolloutDependency is something that the target version needs.
//
// +kubebuilder:validation:XValidation:rule="has(self.http) != has(self.condition)",message="set exactly one of http and condition"
type RolloutDependency struct {
	// Name of the dependency, which status shows.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`

	// HTTP is a URL that must answer.
	// +optional
	HTTP *RolloutHTTPDependency `json:"http,omitempty"`

	// Condition is a condition that an object of the Alias's namespace must have.
	// +optional
	Condition *RolloutConditionDependency `json:"condition,omitempty"`
}

// RolloutHTTPDependency is a URL that must answer a GET request.
type RolloutHTTPDependency struct {
	// URL to get. The provider's operator allows its host with --analysis-host.
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="isURL(self) && (self.startsWith('https://') || self.startsWith('http://'))",message="url must be an http or https URL"
	URL string `json:"url"`

	// ExpectedStatus is the HTTP status that means healthy. By default, each status from 200 to 299 does.
	// +optional
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=599
	ExpectedStatus *int32 `json:"expectedStatus,omitempty"`
}

// RolloutConditionDependency is a condition of an object.
type RolloutConditionDependency struct {
	// APIVersion of the object, such as lambda.aws.m.crossplane.io/v1beta1. The provider needs permission to read it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	APIVersion string `json:"apiVersion"`

	// Kind of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`

	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// Type of the condition. The default is Ready.
	// +optional
	// +kubebuilder:default=Ready
	// +kubebuilder:validation:MaxLength=316
	Type string `json:"type,omitempty"`

	// Status of the condition that means healthy. The default is "True".
	// +optional
	// +kubebuilder:default="True"
	// +kubebuilder:validation:Enum="True";"False";Unknown
	Status string `json:"status,omitempty"`
}

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
