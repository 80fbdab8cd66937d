package cloudwatch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
)

const (
	// maxQueries is the maximum number of queries of GetMetricData.
	maxQueries = 500

	// maxPoints is the maximum number of data points of a call. AWS reads 90,000 a second in an account and region if
	// they are older than three hours, and a page has 100,800.
	maxPoints = 80_000

	// maxCalls is the maximum number of calls of GetMetricData in a slot. More are needed only with long windows.
	maxCalls = 20
)

// errCalls is the answer of requests whose call would be one too many.
var errCalls = fmt.Errorf(
	"more than %d calls of CloudWatch are needed at the same time, because queries cannot share them", maxCalls)

// A batch is a call of GetMetricData. It has one time for all queries, whose periods are the same.
type batch struct {
	requests []*request
	queries  []types.MetricDataQuery
	// metrics has the IDs of queries by what they read. Requests share them.
	metrics map[string]string
	// ids has the IDs of the call by those of each request.
	ids map[*request]map[string]string
	// window has the windows of all requests.
	window window
}

// pack returns the batches of requests, each of which is in the first batch that it fits into.
func pack(now time.Time, requests []*request) []*batch {
	var batches []*batch
	for _, r := range requests {
		w := r.windowAt(now)
		if !slices.ContainsFunc(batches, func(b *batch) bool { return b.add(r, w) }) {
			b := &batch{metrics: map[string]string{}, ids: map[*request]map[string]string{}, window: w}
			b.take(r, w)
			batches = append(batches, b)
		}
	}
	return batches
}

// takeTurns sorts requests in such a way that each namespace has one before another one has its second.
func takeTurns(requests []*request) {
	turns, made := make(map[*request]int, len(requests)), map[string]int{}
	for _, r := range requests {
		turns[r] = made[r.namespace]
		made[r.namespace]++
	}
	slices.SortStableFunc(requests, func(a, b *request) int { return cmp.Compare(turns[a], turns[b]) })
}

// add takes a request with its window, or returns false if it does not fit.
func (b *batch) add(r *request, w window) bool {
	queries := len(b.queries)
	for _, q := range r.queries {
		if _, known := b.metrics[metricOf(q)]; !known {
			queries++
		}
	}
	periods := b.window.with(w).periods()
	if queries > maxQueries || queries*periods > maxPoints {
		return false
	}
	b.take(r, w)
	return true
}

// take takes a request with its window.
func (b *batch) take(r *request, w window) {
	b.requests, b.window = append(b.requests, r), b.window.with(w)
	b.ids[r] = map[string]string{}
	for _, q := range r.queries {
		metric := metricOf(q)
		id, known := b.metrics[metric]
		if !known {
			id = "q" + strconv.Itoa(len(b.queries))
			b.metrics[metric] = id
		}
		b.ids[r][aws.ToString(q.Id)] = id
		if q.Id = aws.String(id); !known {
			b.queries = append(b.queries, q)
		}
	}
}

// seriesOf returns the series of a request, by the IDs of its queries.
func (b *batch) seriesOf(r *request, of map[string]series) map[string]series {
	own := make(map[string]series, len(r.queries))
	for local, id := range b.ids[r] {
		own[local] = of[id]
	}
	return own
}

// read returns the series of queries by ID, unless it is paused. It makes one call, and one for each further page.
func read(ctx context.Context, api API, now time.Time, w window, queries []types.MetricDataQuery,
	p *pause,
) (map[string]series, error) {
	if !p.over(now) {
		return nil, errPaused
	}
	of := map[string]series{}
	in := &sdk.GetMetricDataInput{StartTime: aws.Time(w.start), EndTime: aws.Time(w.end), MetricDataQueries: queries}
	for out, err := range lambdaapi.Each(ctx, "metric data", sdk.NewGetMetricDataPaginator(api, in)) {
		p.record(now, err)
		if err != nil {
			return nil, fmt.Errorf("cannot read metrics of CloudWatch: %w", awserr.Sanitize(err))
		}
		if len(out.Messages) > 0 {
			return nil, errMessage
		}
		seen := map[string]bool{}
		for _, r := range out.MetricDataResults {
			id := aws.ToString(r.Id)
			s := of[id].with(r)
			if seen[id] {
				s.err = errSeveral
			}
			of[id], seen[id] = s, true
		}
	}
	return of, nil
}

func metricOf(q types.MetricDataQuery) string {
	s := q.MetricStat
	parts := []string{aws.ToString(s.Metric.Namespace), aws.ToString(s.Metric.MetricName), aws.ToString(s.Stat)}
	for _, d := range s.Metric.Dimensions {
		parts = append(parts, aws.ToString(d.Name), aws.ToString(d.Value))
	}
	return strings.Join(parts, "\x00")
}
