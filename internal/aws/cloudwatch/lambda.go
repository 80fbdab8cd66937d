package cloudwatch

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

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

// IDs of the queries of a lambdaMetric. The baseline is the stable version; the earlier ones are of the target before
// it received all invocations.
const (
	invocationsID         = "invocations"
	valueID               = "value"
	baselineID            = "baseline"
	baselineInvocationsID = "baselineInvocations"
	earlierID             = "earlier"
	earlierInvocationsID  = "earlierInvocations"
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

// byVersion reports whether Lambda publishes the metric of each version of a weighted alias, and the alias is weighted.
func (m lambdaMetric) byVersion() bool {
	return m.subject.Weighted && m.Metric != throttleRate && m.Metric != throttles
}

// since returns the begin of the first period that counts. The metrics of the target alone count from its first
// invocation, those of the alias from when all invocations went to the target.
func (m lambdaMetric) since() time.Time {
	if m.byVersion() || m.earlier() {
		return floor(m.subject.TrafficSince, minute)
	}
	return ceil(m.subject.Since, minute)
}

// earlier reports whether the target receives all invocations now, and was one of two versions before. What began then
// is in the metrics of the version.
func (m lambdaMetric) earlier() bool {
	return !m.subject.Weighted && m.Metric != throttleRate && m.Metric != throttles &&
		m.subject.TrafficSince.Before(m.subject.Since)
}

// queries returns a query of the metric, and one of the invocations; and the same of the stable
// version if it receives invocations.
func (m lambdaMetric) queries() []types.MetricDataQuery {
	name, statistic := m.published()
	both := func(countID, id, executed string) []types.MetricDataQuery {
		return []types.MetricDataQuery{
			m.query(countID, "Invocations", sum, executed),
			m.query(id, name, statistic, executed),
		}
	}
	switch {
	case m.byVersion():
		return append(both(invocationsID, valueID, m.subject.Target), both(baselineInvocationsID, baselineID,
			m.subject.Stable)...)
	case m.earlier():
		return append(both(invocationsID, valueID, ""), both(earlierInvocationsID, earlierID, m.subject.Target)...)
	}
	return both(invocationsID, valueID, "")
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
		dimension("FunctionName", m.subject.Function),
		dimension("Resource", m.subject.Function+":"+m.subject.Alias),
	}
	if executed != "" {
		dimensions = append(dimensions, dimension("ExecutedVersion", executed))
	}
	return lambdaQuery(id, name, statistic, minute, dimensions...)
}

// lambdaQuery returns a query of a metric that Lambda publishes.
func lambdaQuery(id, name, statistic string, period time.Duration,
	dimensions ...types.Dimension,
) types.MetricDataQuery {
	return types.MetricDataQuery{
		Id: aws.String(id), ReturnData: aws.Bool(true),
		MetricStat: &types.MetricStat{
			Metric: &types.Metric{
				Namespace: aws.String("AWS/Lambda"), MetricName: aws.String(name), Dimensions: dimensions,
			},
			Period: aws.Int32(int32(period.Seconds())), Stat: aws.String(statistic),
		},
	}
}

func dimension(name, value string) types.Dimension {
	return types.Dimension{Name: aws.String(name), Value: aws.String(value)}
}

func (m lambdaMetric) evaluate(w window, of map[string]series) (rollout.Sample, error) {
	all, before := w, window{}
	if m.earlier() {
		before, all.start = w, later(w.start, ceil(m.subject.Since, minute))
		before.end = all.start
	}
	both := func(countsID, id string, w window) (values, counts []point, err error) {
		if values, err = of[id].in(w); err != nil {
			return nil, nil, err
		}
		counts, err = of[countsID].in(w)
		return values, counts, err
	}
	sample := noSample()
	values, counts, err := both(invocationsID, valueID, all)
	if err != nil {
		return sample, err
	}
	if m.earlier() {
		more, moreCounts, err := both(earlierInvocationsID, earlierID, before)
		if err != nil {
			return sample, err
		}
		values, counts = append(more, values...), append(moreCounts, counts...)
	}
	value, samples := m.valueOf(w, values, counts)
	if m.byVersion() {
		values, counts, err := both(baselineInvocationsID, baselineID, w)
		if err != nil {
			return sample, err
		}
		sample.Baseline, sample.BaselineSamples = m.valueOf(w, values, counts)
	}
	sample.Value, sample.Samples, sample.Earlier = value, samples, m.areEarlier(counts)
	return sample, nil
}

// areEarlier reports whether there are invocations of the target, and all began before it received its present weight.
func (m lambdaMetric) areEarlier(counts []point) bool {
	present := ceil(m.subject.Since, minute)
	return m.subject.TrafficSince.Before(m.subject.Since) && len(counts) > 0 &&
		!slices.ContainsFunc(counts, func(p point) bool { return !p.at.Before(present) })
}

// valueOf returns the value of the metric of data points, and the number of invocations that it is of. Lambda does not
// publish zeros.
func (m lambdaMetric) valueOf(w window, values, counts []point) (value, samples float64) {
	samples = total(counts)
	if m.Metric == throttleRate || m.Metric == throttles {
		samples += total(values) // What is throttled is not invoked.
	}
	switch {
	case samples == 0:
		return math.NaN(), 0
	case m.Metric == errorRate:
		if rate, ended := m.ended(w, values, counts); rate > total(values)/samples {
			return rate, ended
		}
		return total(values) / samples, samples
	case m.Metric == throttleRate:
		return total(values) / samples, samples
	case m.Metric == duration:
		_, statistic := m.published()
		return combined(statistic, values, counts), samples
	default:
		return total(values), samples
	}
}

// ended returns the error rate of the invocations that began so long ago that those that hang have ended, and their
// number: of later ones, only those that were short are in the data. The rate of none is no number.
func (m lambdaMetric) ended(w window, values, counts []point) (rate, n float64) {
	end := w.end.Add(-m.subject.Timeout)
	later := func(p point) bool { return !p.at.Before(end) }
	n = total(slices.DeleteFunc(slices.Clone(counts), later))
	return total(slices.DeleteFunc(slices.Clone(values), later)) / n, n
}

// combined returns the statistic of a window from those of its minutes: the largest Maximum, the smallest Minimum, and
// of Average and percentiles the mean, weighted by the invocations of each minute.
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

func total(points []point) float64 {
	n := 0.0
	for _, p := range points {
		n += p.value
	}
	return n
}
