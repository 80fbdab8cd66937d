package cloudwatch

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

const (
	// maxQueries is how many queries GetMetricData takes.
	maxQueries = 500

	// maxPoints is how many data points a call has. AWS reads 90,000 a second in an account and region
	// if they are older than three hours, and a page has 100,800.
	maxPoints = 80_000

	// maxAligned is how much a call's time may begin earlier, so that the periods of all of its
	// queries are aligned.
	maxAligned = time.Hour

	// maxSuspects is how many requests share a call after CloudWatch has rejected one with them.
	maxSuspects = 8
)

// A group has requests that may share calls.
type group int

// The groups. CloudWatch rejects a whole call for one wrong query, so what a user wrote shares calls
// with the rest only after CloudWatch has accepted it. What was rejected is split into smaller and
// smaller calls, until the wrong query is by itself.
const (
	reliable group = iota
	unproven
	suspect
	single
)

// group returns the group of a request.
func (r *request) group() group {
	switch {
	case r.alone, r.rejections > 1:
		return single
	case r.rejections == 1:
		return suspect
	case r.custom && !r.accepted:
		return unproven
	default:
		return reliable
	}
}

// size returns how many requests of the group share a call.
func (g group) size() int {
	switch g {
	case suspect:
		return maxSuspects
	case single:
		return 1
	default:
		return math.MaxInt
	}
}

// A batch is a call of GetMetricData. It has one time for all queries.
type batch struct {
	group    group
	requests []*request
	queries  []types.MetricDataQuery
	// metrics has the IDs of queries of a metric by what they read. Requests share them.
	metrics map[string]string
	// ids has the IDs of the call by those of each request.
	ids map[*request]map[string]string
	// from and end of the time, before it is aligned to the period.
	from, end time.Time
	// period is the least common multiple of those of the requests.
	period time.Duration
	// points is how many data points the queries have in a second.
	points float64
	// fine says that a query has a period of less than a minute. AWS returns no data points of it if
	// the call begins before fineAge.
	fine bool
}

// pack returns the batches of requests, first those that most requests share.
func pack(now time.Time, requests []*request) []*batch {
	requests = slices.SortedFunc(slices.Values(requests), func(a, b *request) int {
		return cmp.Or(cmp.Compare(a.group(), b.group()), cmp.Compare(a.key, b.key))
	})
	var batches []*batch
	for _, r := range requests {
		w := r.windowAt(now)
		if !slices.ContainsFunc(batches, func(b *batch) bool { return b.add(r, w) }) {
			b := &batch{group: r.group(), metrics: map[string]string{}, ids: map[*request]map[string]string{}, from: w.start, end: w.end, period: r.period}
			b.take(r, w)
			batches = append(batches, b)
		}
	}
	return batches
}

// add takes a request with its window, or returns false if it does not fit.
func (b *batch) add(r *request, w window) bool {
	period := lcm(b.period, r.period)
	switch {
	case r.group() != b.group, len(b.requests) >= b.group.size():
		return false
	case period > maxAligned && (period != b.period || period != r.period):
		return false
	}
	queries, points := len(b.queries), b.points
	for _, q := range r.queries {
		if _, known := b.metrics[metricOf(q)]; !known {
			queries++
			points += pointsOf(q, r.period)
		}
	}
	length := later(b.end, w.end).Sub(floor(earlier(b.from, w.start), period))
	if queries > maxQueries || points*length.Seconds() > maxPoints || (b.fine || r.fine()) && length > fineAge {
		return false
	}
	b.take(r, w)
	return true
}

// take takes a request with its window.
func (b *batch) take(r *request, w window) {
	b.requests = append(b.requests, r)
	b.from, b.end, b.period = earlier(b.from, w.start), later(b.end, w.end), lcm(b.period, r.period)
	b.fine = b.fine || r.fine()
	ids := make(map[string]string, len(r.queries))
	b.ids[r] = ids
	first := len(b.queries)
	for _, q := range r.queries {
		metric := metricOf(q)
		id, known := b.metrics[metric]
		if !known {
			id = "q" + strconv.Itoa(len(b.queries))
			b.points += pointsOf(q, r.period)
			b.queries = append(b.queries, q)
		}
		if metric != "" {
			b.metrics[metric] = id
		}
		ids[aws.ToString(q.Id)] = id
	}
	for i := first; i < len(b.queries); i++ {
		q := &b.queries[i]
		q.Id = aws.String("q" + strconv.Itoa(i))
		if q.Expression != nil {
			q.Expression = aws.String(renamed(*q.Expression, ids))
		}
	}
}

// start returns when the time of the call begins. All periods are aligned to it, because it is not
// documented whether those of CloudWatch are counted from it or from the epoch.
func (b *batch) start() time.Time { return floor(b.from, b.period) }

// evaluate returns the answer to a request from the series of the call.
func (b *batch) evaluate(now time.Time, r *request, of map[string]series) answer[rollout.Sample] {
	own := make(map[string]series, len(r.queries))
	for local, id := range b.ids[r] {
		own[local] = of[id]
	}
	w := r.windowAt(now)
	sample, err := r.evaluate(w, own)
	if err != nil {
		return answer[rollout.Sample]{value: noSample(), err: err}
	}
	sample.Until = w.end.Add(-r.period)
	return answer[rollout.Sample]{value: sample}
}

// metricOf returns what identifies the metric of a query, empty for an expression.
func metricOf(q types.MetricDataQuery) string {
	s := q.MetricStat
	if s == nil {
		return ""
	}
	parts := []string{
		aws.ToString(s.Metric.Namespace), aws.ToString(s.Metric.MetricName), aws.ToString(s.Stat),
		strconv.Itoa(int(aws.ToInt32(s.Period))), strconv.FormatBool(aws.ToBool(q.ReturnData)),
	}
	for _, d := range s.Metric.Dimensions {
		parts = append(parts, aws.ToString(d.Name), aws.ToString(d.Value))
	}
	return strings.Join(parts, "\x00")
}

// pointsOf returns how many data points a query has in a second.
func pointsOf(q types.MetricDataQuery, period time.Duration) float64 {
	if q.MetricStat != nil {
		period = time.Duration(ptr.Deref(q.MetricStat.Period, 60)) * time.Second
	}
	return 1 / period.Seconds()
}

// lcm returns the least common multiple of two periods.
func lcm(a, b time.Duration) time.Duration {
	x, y := int64(a), int64(b)
	for y != 0 {
		x, y = y, x%y
	}
	return time.Duration(int64(a) / x * int64(b))
}

// earlier returns the earlier of two times.
func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
