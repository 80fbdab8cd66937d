package cloudwatch

import (
	"errors"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// A customMetric has queries that a user wrote, and the rollout that they are about.
type customMetric struct {
	v1beta1.CloudWatchMetric

	subject rollout.Subject
}

// errResult is the error of queries of which not exactly one is the result.
var errResult = errors.New("exactly one query must have returnData")

// check returns an error if not exactly one query is the result.
func (m customMetric) check() error {
	n := 0
	for _, q := range m.Queries {
		if ptr.Deref(q.ReturnData, true) {
			n++
		}
	}
	if n != 1 {
		return errResult
	}
	return nil
}

// queries returns the queries with the names of the rollout.
func (m customMetric) queries() []types.MetricDataQuery {
	names := strings.NewReplacer(
		"$(function)", m.subject.Function, "$(alias)", m.subject.Alias,
		"$(target)", m.subject.Target, "$(stable)", m.subject.Stable,
	)
	queries := make([]types.MetricDataQuery, 0, len(m.Queries))
	for _, q := range m.Queries {
		out := types.MetricDataQuery{Id: aws.String(q.ID), ReturnData: aws.Bool(ptr.Deref(q.ReturnData, true))}
		if q.Expression != nil {
			out.Expression = aws.String(names.Replace(*q.Expression))
			if insights.MatchString(outsideQuotes(*out.Expression)) {
				out.Period = aws.Int32(int32(minute.Seconds())) // Required for Metrics Insights.
			}
		}
		if q.Metric != nil {
			out.MetricStat = metricStat(*q.Metric, names)
		}
		queries = append(queries, out)
	}
	return queries
}

func metricStat(m v1beta1.CloudWatchMetricStat, names *strings.Replacer) *types.MetricStat {
	dimensions := make([]types.Dimension, 0, len(m.Dimensions))
	for _, name := range slices.Sorted(maps.Keys(m.Dimensions)) {
		dimensions = append(dimensions, dimension(name, names.Replace(m.Dimensions[name])))
	}
	return &types.MetricStat{
		Metric: &types.Metric{
			Namespace: aws.String(m.Namespace), MetricName: aws.String(m.MetricName),
			Dimensions: dimensions,
		},
		Period: aws.Int32(int32(periodOf(m).Seconds())), Stat: aws.String(m.Statistic),
	}
}

func periodOf(m v1beta1.CloudWatchMetricStat) time.Duration {
	seconds := ptr.Deref(m.PeriodSeconds, 0)
	if seconds <= 0 {
		return minute
	}
	return time.Duration(seconds) * time.Second
}

// period returns the longest period of the queries, which is that of expressions of them. Expressions that read other
// metrics have data points of a minute.
func (m customMetric) period() time.Duration {
	period := rollout.LongestPeriod(&m.CloudWatchMetric)
	if m.readsOthers() {
		return max(period, minute)
	}
	return period
}

// Expressions that read other metrics than those that they name.
var (
	insights = regexp.MustCompile(`(?i)\bSELECT\b`)
	others   = regexp.MustCompile(`(?i)\b(METRICS|SEARCH|SELECT|LAMBDA|INSIGHT_RULE_METRIC|DB_PERF_INSIGHTS)\b`)
	quoted   = regexp.MustCompile(`'[^']*'?|"[^"]*"?`)
)

// readsOthers reports whether an expression reads other metrics than those of the queries.
func (m customMetric) readsOthers() bool { return m.matches(others) }

// matches reports whether an expression with the names of the rollout, as it is sent, matches a pattern outside of
// quoted strings. An alias or a function may have the name of a function of expressions.
func (m customMetric) matches(pattern *regexp.Regexp) bool {
	return slices.ContainsFunc(m.queries(), func(q types.MetricDataQuery) bool {
		return q.Expression != nil && pattern.MatchString(outsideQuotes(*q.Expression))
	})
}

// outsideQuotes returns an expression without its quoted strings. One with a backslash is returned as it is: a quote
// may not be the end of a string then.
func outsideQuotes(expression string) string {
	if strings.Contains(expression, `\`) {
		return expression
	}
	return quoted.ReplaceAllString(expression, " ")
}

// evaluate returns the last value. It is up to its own period: what has not been published since is not known. If
// values were dropped, and the last period has none, that one may be among them: then the result is no number.
func (m customMetric) evaluate(w window, of map[string]series) (rollout.Sample, error) {
	sample := noSample()
	for _, q := range m.Queries {
		if !ptr.Deref(q.ReturnData, true) {
			continue
		}
		points, err := of[q.ID].in(w)
		if err != nil {
			return sample, err
		}
		sample.Samples = float64(len(points))
		sample.Value = math.NaN()
		if n := len(points); n > 0 && (!of[q.ID].dropped || !points[n-1].at.Before(w.end.Add(-w.period))) {
			sample.Value, sample.Until = points[n-1].value, points[n-1].at
		}
	}
	return sample, nil
}
