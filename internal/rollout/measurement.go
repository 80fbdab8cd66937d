package rollout

import (
	"cmp"
	"time"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// Types of a check.
const (
	CheckPreTraffic = "PreTraffic"
	CheckDependency = "Dependency"
	CheckMetric     = "Metric"
	CheckAlarm      = "Alarm"
)

// Results of a measurement.
const (
	// Success is a measurement that meets its condition.
	Success = "Success"
	// Failure is a measurement that does not.
	Failure = "Failure"
	// Inconclusive is a measurement that decides nothing: too few samples, NaN, or no condition is met.
	Inconclusive = "Inconclusive"
	// Error is a measurement without a value: its source did not answer, or not in time.
	Error = "Error"
	// Skipped is a measurement that does not apply: the condition compares with the stable version,
	// which receives no invocations any more.
	Skipped = "Skipped"
	// Running is a smoke test that was begun and whose result is not known.
	Running = "Running"
)

// A CheckID identifies a smoke test, a dependency, a metric or an alarm of a spec.
type CheckID struct {
	// Type is one of the Check constants.
	Type string

	// Name of the check in spec, or of the alarm.
	Name string
}

// A Measurement is the result of one check.
type Measurement struct {
	CheckID

	// Result is Success, Failure, Inconclusive, Error or Skipped.
	Result string

	// Value that was measured, at most 64 characters.
	Value string

	// Message is the reason for a result other than Success, at most 512 characters. It does not quote a server's
	// answer.
	Message string

	// Until is the time up to which the result has all invocations, by when they began. Zero means all that have ended.
	Until time.Time

	// Since is the time of an alarm's last transition, and About the end of what it had evaluated then, if known.
	Since, About time.Time
}

// PublishDelay is the time after the end of a period at which CloudWatch has all of its data points: a period is not
// read before.
const PublishDelay = 2 * time.Minute

// PeriodDelay returns how long after its end a period of a metric of CloudWatch is read. Metrics of high resolution are
// published as they are made.
func PeriodDelay(period time.Duration) time.Duration {
	if period < time.Minute {
		return period
	}
	return PublishDelay
}

// Delay returns how long after its begin an invocation is judged by a metric at the latest, if it takes no longer than
// the timeout. An invocation is in no metric before its end, and then at the time of its begin. A metric of CloudWatch
// judges whole periods once they are over and published, and the first one with a weight begins up to a period after
// it. Of the others, no delay is known, and period is 0.
func Delay(m *v1beta1.RolloutMetric, timeout time.Duration) (delay, period time.Duration) {
	period = time.Minute
	switch p := m.Provider; {
	case p.Lambda != nil:
	case p.CloudWatch != nil:
		period = LongestPeriod(p.CloudWatch)
	default:
		return timeout, 0
	}
	return timeout + period + PeriodDelay(period), period
}

// LongestPeriod returns the longest period of the metrics of queries, a minute if they name none.
func LongestPeriod(m *v1beta1.CloudWatchMetric) time.Duration {
	longest := time.Duration(0)
	for _, q := range m.Queries {
		if q.Metric != nil {
			// The API's default.
			longest = max(longest, time.Duration(max(ptr.Deref(q.Metric.PeriodSeconds, 60),
				1))*time.Second) //nolint:mnd // See above.
		}
	}
	return cmp.Or(longest, time.Minute)
}

// A Subject is the alias that a rollout changes, with its versions.
type Subject struct {
	// Namespace of the Alias.
	Namespace string

	// Function and Alias are names in AWS.
	Function, Alias string

	// Stable and Target are the numbers of the versions.
	Stable, Target string

	// Weighted reports whether both versions receive invocations. Otherwise the target receives all.
	Weighted bool

	// Since is the time when the target received its present weight, and TrafficSince when it received its first
	// invocation.
	Since, TrafficSince time.Time

	// Timeout of the target: an invocation is in no metric before it has ended.
	Timeout time.Duration

	// Checks are the last results.
	Checks []v1beta1.RolloutCheck
}

// An AlarmState is the state of an alarm of CloudWatch.
type AlarmState struct {
	// Type of the alarm, as CloudWatch names it.
	Type string

	// State is OK, ALARM or INSUFFICIENT_DATA, or one that CloudWatch has added.
	State string

	// Until is the time up to which the alarm has evaluated all invocations that were short, by when they began.
	Until time.Time

	// Since is the time of the last transition, and About the end of what the alarm had evaluated then, if known.
	Since, About time.Time

	// Err is the reason why the state is not known.
	Err error
}

// A Sample is a value of a metric, and that of the stable version to compare with. A number that is not known is NaN.
type Sample struct {
	Value, Baseline float64

	// Samples and BaselineSamples are the numbers of invocations.
	Samples, BaselineSamples float64

	// Earlier reports whether all of the invocations began before the target received its present weight.
	Earlier bool

	// Until is the time up to which the value has all invocations that have ended in time, by when they began. A
	// target that received its weight before it has been measured for a period at least.
	Until time.Time
}

// MetricOf returns a metric of a spec, nil if there is none of the name.
func MetricOf(spec *v1beta1.AliasRollout, name string) *v1beta1.RolloutMetric {
	if spec.Analysis == nil {
		return nil
	}
	for i := range spec.Analysis.Metrics {
		if spec.Analysis.Metrics[i].Name == name {
			return &spec.Analysis.Metrics[i]
		}
	}
	return nil
}
