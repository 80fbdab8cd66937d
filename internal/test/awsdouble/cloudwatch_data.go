package awsdouble

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
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

// An operand is a value of metric math: a number, or a time series, which is not nil.
type operand struct {
	number float64
	series map[int64]float64
	// status and message of a metric's data.
	status, message string
}

// An evaluation computes the queries of a call.
type evaluation struct {
	server *Server
	of     *monitor
	in     *metricDataInput
	byID   map[string]*metricQuery
	known  map[string]operand
	active map[string]bool
}

func (e *evaluation) valueOf(id string) operand {
	if v, ok := e.known[id]; ok {
		return v
	}
	if e.active[id] {
		e.fail(id, "Circular reference")
	}
	e.active[id] = true
	q := e.byID[id]
	if q.MetricStat != nil {
		e.known[id] = e.metric(q.MetricStat)
		return e.known[id]
	}
	// What the double knows of metric math has the syntax of Go.
	parsed, err := parser.ParseExpr(q.Expression)
	if err != nil {
		e.fail(id, err.Error())
	}
	e.known[id] = e.compute(id, parsed)
	return e.known[id]
}

func (e *evaluation) fail(id, what string) {
	panic(invalidMetrics("Error in expression '%s' [%s]", id, what))
}

// compute returns the value of a part of an expression.
func (e *evaluation) compute(id string, part ast.Expr) operand {
	switch part := part.(type) {
	case *ast.ParenExpr:
		return e.compute(id, part.X)
	case *ast.BinaryExpr:
		return e.combine(id, part.Op, e.compute(id, part.X), e.compute(id, part.Y))
	case *ast.BasicLit:
		if n, err := strconv.ParseFloat(part.Value, 64); err == nil {
			return operand{number: n}
		}
	case *ast.Ident:
		if e.byID[part.Name] == nil {
			e.fail(id, "Unknown identifier "+part.Name)
		}
		return e.valueOf(part.Name)
	}
	e.fail(id, "The double does not know a part of it")
	return operand{}
}

// metric returns the data points of a metric.
func (e *evaluation) metric(m *metricStat) operand {
	if st, ok := e.server.statuses[m.Metric.MetricName]; ok {
		return operand{series: map[int64]float64{}, status: st.status, message: st.message}
	}
	dimensions := map[string]string{}
	for _, d := range m.Metric.Dimensions {
		dimensions[d.Name] = d.Value
	}
	of := Metric{Namespace: m.Metric.Namespace, Name: m.Metric.MetricName, Dimensions: dimensions}
	q := e.in.timeRange(m.Period, e.server.options.EpochPeriods)
	return operand{series: e.of.statistics(of, m.Stat, q, e.server.options.Now())}
}

// combine applies an operator, to series at each time that both have. What is no number is left out with a message.
func (e *evaluation) combine(id string, op token.Token, a, b operand) operand {
	if a.series == nil && b.series == nil {
		return operand{number: e.apply(id, op, a.number, b.number)}
	}
	out := operand{series: map[int64]float64{}}
	times := a.series
	if times == nil {
		times = b.series
	}
	for t := range times {
		x, hasX := a.at(t)
		y, hasY := b.at(t)
		if !hasX || !hasY {
			continue
		}
		v := e.apply(id, op, x, y)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			out.message = "One or more data-points have been dropped due to non-numeric values (NaN, -Infinite, " +
				"+Infinite)"
			continue
		}
		out.series[t] = v
	}
	return out
}

// at returns a number, or the value of a series at a time.
func (o operand) at(t int64) (float64, bool) {
	if o.series == nil {
		return o.number, true
	}
	v, ok := o.series[t]
	return v, ok
}

func (e *evaluation) apply(id string, op token.Token, x, y float64) float64 {
	switch op { //nolint:exhaustive // CloudWatch has more, which no test needs.
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	case token.QUO:
		return x / y
	}
	e.fail(id, "The double does not know "+op.String())
	return 0
}
