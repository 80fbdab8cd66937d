package cloudwatch

import (
	"cmp"
	"fmt"
	"math"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// Metrics of a LambdaMetric.
const (
	errorRate    = "ErrorRate"
	errorCount   = "Errors"
	throttleRate = "ThrottleRate"
	throttles    = "Throttles"
	duration     = "Duration"
)

// Statistics.
const (
	sum     = "Sum"
	maximum = "Maximum"
	minimum = "Minimum"
)

// defaultStatistic is the statistic of Duration.
const defaultStatistic = "p99"

// IDs of the queries of a lambdaMetric. The baseline is the stable version.
const (
	invocationsID         = "invocations"
	valueID               = "value"
	baselineID            = "baseline"
	baselineInvocationsID = "baselineInvocations"
)

// A lambdaMetric is a metric of Lambda and the rollout that it is about.
type lambdaMetric struct {
	v1beta1.LambdaMetric

	subject rollout.Subject
}

// check returns an error if the metric is not known.
func (m lambdaMetric) check() error {
	switch m.Metric {
	case errorRate, errorCount, throttleRate, throttles, duration:
		return nil
	default:
		return fmt.Errorf("the metric %q of Lambda is not known", m.Metric)
	}
}

// byVersion reports whether Lambda publishes the metric of each version of a weighted alias, and
// the alias is weighted.
func (m lambdaMetric) byVersion() bool {
	return m.subject.Weighted && m.Metric != throttleRate && m.Metric != throttles
}

// queries returns a query of the metric, and one of the invocations; and the same of the stable
// version if it receives invocations.
func (m lambdaMetric) queries() []types.MetricDataQuery {
	name, statistic := m.published()
	if !m.byVersion() {
		return []types.MetricDataQuery{
			m.query(invocationsID, "Invocations", sum, ""),
			m.query(valueID, name, statistic, ""),
		}
	}
	return []types.MetricDataQuery{
		m.query(invocationsID, "Invocations", sum, m.subject.Target),
		m.query(valueID, name, statistic, m.subject.Target),
		m.query(baselineInvocationsID, "Invocations", sum, m.subject.Stable),
		m.query(baselineID, name, statistic, m.subject.Stable),
	}
}

// published returns the metric that Lambda publishes, and its statistic.
func (m lambdaMetric) published() (name, statistic string) {
	switch m.Metric {
	case errorRate, errorCount:
		return "Errors", sum
	case throttleRate, throttles:
		return "Throttles", sum
	default:
		return "Duration", cmp.Or(ptr.Deref(m.Statistic, ""), defaultStatistic)
	}
}

// query returns a query of a metric of the alias, or of a version that it has executed.
func (m lambdaMetric) query(id, name, statistic, executed string) types.MetricDataQuery {
	dimensions := []types.Dimension{
		{Name: aws.String("FunctionName"), Value: aws.String(m.subject.Function)},
		{Name: aws.String("Resource"), Value: aws.String(m.subject.Function + ":" + m.subject.Alias)},
	}
	if executed != "" {
		dimensions = append(dimensions, types.Dimension{Name: aws.String("ExecutedVersion"), Value: aws.String(executed)})
	}
	return types.MetricDataQuery{
		Id: aws.String(id), ReturnData: aws.Bool(true),
		MetricStat: &types.MetricStat{
			Metric: &types.Metric{Namespace: aws.String("AWS/Lambda"), MetricName: aws.String(name), Dimensions: dimensions},
			Period: aws.Int32(int32(minute.Seconds())), Stat: aws.String(statistic),
		},
	}
}

// evaluate returns the sample of the data points in a window.
func (m lambdaMetric) evaluate(w window, of map[string]series) (rollout.Sample, error) {
	sample := noSample()
	var err error
	if sample.Value, sample.Samples, err = m.valueOf(w, of[valueID], of[invocationsID]); err != nil {
		return noSample(), err
	}
	if !m.byVersion() {
		return sample, nil
	}
	if sample.Baseline, sample.BaselineSamples, err = m.valueOf(w, of[baselineID], of[baselineInvocationsID]); err != nil {
		return noSample(), err
	}
	return sample, nil
}

// valueOf returns the value of the metric in a window, and the number of invocations. Lambda does
// not publish zeros.
func (m lambdaMetric) valueOf(w window, metric, invocations series) (value, samples float64, err error) {
	values, err := metric.in(w)
	if err != nil {
		return math.NaN(), 0, err
	}
	counts, err := invocations.in(w)
	if err != nil {
		return math.NaN(), 0, err
	}
	samples = total(counts)
	if m.Metric == throttleRate || m.Metric == throttles {
		samples += total(values) // What is throttled is not invoked.
	}
	switch {
	case samples == 0:
		return math.NaN(), 0, nil
	case m.Metric == errorRate, m.Metric == throttleRate:
		return total(values) / samples, samples, nil
	case m.Metric == duration:
		_, statistic := m.published()
		return combined(statistic, values, counts), samples, nil
	default:
		return total(values), samples, nil
	}
}

// combined returns the statistic of a window from those of its minutes: the largest Maximum, the
// smallest Minimum, and of Average and percentiles the mean, weighted by the invocations of each
// minute.
func combined(statistic string, values, counts []point) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	at := make(map[int64]float64, len(counts))
	for _, c := range counts {
		at[c.at.Unix()] = c.value
	}
	highest, lowest, weighted, weights := math.Inf(-1), math.Inf(1), 0.0, 0.0
	for _, v := range values {
		highest, lowest = max(highest, v.value), min(lowest, v.value)
		weighted += v.value * at[v.at.Unix()]
		weights += at[v.at.Unix()]
	}
	switch statistic {
	case maximum:
		return highest
	case minimum:
		return lowest
	default:
		return weighted / weights // NaN without invocations.
	}
}

// total returns the sum of data points.
func total(points []point) float64 {
	n := 0.0
	for _, p := range points {
		n += p.value
	}
	return n
}
