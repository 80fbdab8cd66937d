package awsdouble

import (
	"cmp"
	"maps"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// maxMetricQueries is the maximum number of queries of a call.
	maxMetricQueries = 500
	// maxDatapoints is the maximum number of data points in a response.
	maxDatapoints = 100_800
)

// metricDataInput is the body of GetMetricData.
type metricDataInput struct {
	StartTime, EndTime float64
	MetricDataQueries  []metricQuery
	MaxDatapoints      int
	NextToken, ScanBy  string
}

// metricQuery is a metric or an expression.
type metricQuery struct {
	Id, Expression string //nolint:revive // CloudWatch's spelling
	MetricStat     *metricStat
	ReturnData     *bool
	Period         int64
}

type metricStat struct {
	Metric struct {
		Namespace, MetricName string
		Dimensions            []struct{ Name, Value string }
	}
	Period int64
	Stat   string
}

// queryID matches the IDs of queries.
var queryID = regexp.MustCompile(`^[a-z][a-zA-Z0-9_]{0,254}$`)

func getMetricData(s *Server, r *request) any {
	in := metricDataInput{}
	r.decodeCBOR(&in)
	r.items = len(in.MetricDataQueries)
	in.check()
	s.advanceTraffic()
	e := &evaluation{server: s, of: s.monitor(r.account, r.region), in: &in, byID: map[string]*metricQuery{}}
	e.known, e.active = map[string]operand{}, map[string]bool{}
	for i := range in.MetricDataQueries {
		e.byID[in.MetricDataQueries[i].Id] = &in.MetricDataQueries[i]
	}
	var results []metricResult
	for i := range in.MetricDataQueries {
		q := &in.MetricDataQueries[i]
		v := e.valueOf(q.Id)
		if q.ReturnData != nil && !*q.ReturnData {
			continue
		}
		if v.series == nil {
			panic(invalidMetrics("Error in expression '%s' [The expression does not return a time series]", q.Id))
		}
		results = append(results, newResult(q, v, in.ScanBy))
	}
	return in.page(results)
}

// check rejects input that CloudWatch rejects.
func (in *metricDataInput) check() {
	if n := len(in.MetricDataQueries); n == 0 || n > maxMetricQueries {
		panic(invalidMetrics("The collection MetricDataQueries must not have a size greater than %d.",
			maxMetricQueries))
	}
	if in.StartTime >= in.EndTime {
		panic(invalidMetrics("The parameter StartTime must be less than the parameter EndTime."))
	}
	if in.MaxDatapoints < 0 || in.MaxDatapoints > maxDatapoints {
		panic(invalidMetrics("The parameter MaxDatapoints must be at most %d.", maxDatapoints))
	}
	seen := map[string]bool{}
	for i := range in.MetricDataQueries {
		q := &in.MetricDataQueries[i]
		q.check(i + 1)
		if seen[q.Id] {
			panic(invalidMetrics("The values for parameter id in MetricDataQueries are not unique."))
		}
		seen[q.Id] = true
	}
}

// check rejects queries that CloudWatch rejects. n is the number of the query in its call.
func (q *metricQuery) check(n int) {
	switch {
	case !queryID.MatchString(q.Id):
		panic(invalidMetrics("The value %s for parameter Id is not valid.", q.Id))
	case (q.MetricStat == nil) == (q.Expression == ""):
		panic(invalidMetrics("Exactly one of MetricStat and Expression must be set for the query %s.", q.Id))
	case q.MetricStat == nil:
		return
	case !isPeriod(q.MetricStat.Period):
		panic(invalidMetrics("The parameter MetricDataQueries.member.%d.MetricStat.Period must be 1, 5, 10, 20, 30 "+
			"or a multiple of 60.", n))
	case !statisticPattern.MatchString(q.MetricStat.Stat):
		panic(invalidMetrics("The value %s for parameter MetricDataQueries.member.%d.MetricStat.Stat is not a valid "+
			"statistic.", q.MetricStat.Stat, n))
	}
}

// isPeriod reports whether CloudWatch takes a period.
func isPeriod(seconds int64) bool {
	return seconds > 0 && (seconds%minuteLength == 0 || slices.Contains([]int64{1, 5, 10, 20, 30}, seconds))
}

// timeRange returns the time of a query. CloudWatch rounds its beginning down to a minute, or to a shorter period.
// Periods are counted from there, or from the epoch if Options.EpochPeriods is set.
func (in *metricDataInput) timeRange(period int64, fromEpoch bool) timeRange {
	grid := min(period, minuteLength)
	start, end := int64(in.StartTime)/grid*grid, int64(math.Ceil(in.EndTime))
	if fromEpoch {
		start -= start % period
	}
	return timeRange{start: start, end: end, period: period}
}

// metricResult is the data of a query.
type metricResult struct {
	id, label       string
	status, message string
	at              []int64
	values          []float64
}

func newResult(q *metricQuery, v operand, scanBy string) metricResult {
	r := metricResult{id: q.Id, label: q.Id, status: cmp.Or(v.status, statusComplete), message: v.message}
	if q.MetricStat != nil {
		r.label = q.MetricStat.Metric.MetricName
	}
	r.at = slices.Sorted(maps.Keys(v.series))
	if scanBy != "TimestampAscending" {
		slices.Reverse(r.at)
	}
	for _, at := range r.at {
		r.values = append(r.values, v.series[at])
	}
	return r
}

// page returns the data points from the token's on, at most MaxDatapoints. It is an assumption how AWS divides data
// among pages.
func (in *metricDataInput) page(results []metricResult) any {
	skip := 0
	if in.NextToken != "" {
		n, err := strconv.Atoi(strings.TrimPrefix(in.NextToken, "points-"))
		if err != nil {
			panic(apiError(http.StatusBadRequest, "InvalidNextToken", "The next token specified is invalid."))
		}
		skip = n
	}
	first, left := skip == 0, cmp.Or(in.MaxDatapoints, maxDatapoints)
	next, out := skip+left, []any{}
	total := 0
	for _, r := range results {
		n := len(r.at)
		from, to := min(max(skip-total, 0), n), min(max(skip+left-total, 0), n)
		total += n
		if from == to && (n > 0 || !first) {
			continue
		}
		out = append(out, r.cbor(from, to))
	}
	body := map[string]any{"MetricDataResults": out, "Messages": []any{}}
	if next < total {
		body["NextToken"] = "points-" + strconv.Itoa(next)
	}
	return body
}

// cbor returns a part of the data.
func (r *metricResult) cbor(from, to int) map[string]any {
	at, values := []any{}, []any{}
	for i := from; i < to; i++ {
		at, values = append(at, time.Unix(r.at[i], 0)), append(values, r.values[i])
	}
	status := r.status
	if to < len(r.at) {
		status = statusPartial
	}
	out := map[string]any{"Id": r.id, "Label": r.label, "StatusCode": status, "Timestamps": at, "Values": values}
	if r.message != "" {
		out["Messages"] = []any{map[string]any{"Code": "Message", "Value": r.message}}
	}
	return out
}
