package rollout

import (
	"time"

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
	// Inconclusive is a measurement that decides nothing: too few samples, NaN, or no condition
	// is met.
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

	// Message says why the result is not Success, at most 512 characters. It does not quote what a
	// server has answered.
	Message string
}

// A Subject is what a rollout is about.
type Subject struct {
	// Namespace of the Alias.
	Namespace string

	// Function and Alias are names in AWS.
	Function, Alias string

	// Stable and Target are the numbers of the versions.
	Stable, Target string

	// Weighted reports whether both versions receive invocations. Otherwise the target receives
	// all.
	Weighted bool

	// Since is when the target received its present weight. Earlier values do not count.
	Since time.Time
}

// A Sample is a value of a metric, and that of the stable version to compare with. A number that
// is not known is NaN.
type Sample struct {
	Value, Baseline float64

	// Samples and BaselineSamples are the numbers of invocations.
	Samples, BaselineSamples float64
}

// metricOf returns a metric of a spec, nil if there is none of the name.
func metricOf(spec *v1beta1.AliasRollout, name string) *v1beta1.RolloutMetric {
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
