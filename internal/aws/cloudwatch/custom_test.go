package cloudwatch

import (
	"math"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

func metricQuery(id string, period int32, hide bool) v1beta1.CloudWatchQuery {
	q := v1beta1.CloudWatchQuery{ID: id, Metric: &v1beta1.CloudWatchMetricStat{
		Namespace: "Shop", MetricName: "Orders", Statistic: "Sum", Dimensions: map[string]string{
			"Version": "$(target)",
			"Alias":   "$(function):$(alias)",
		},
	}}
	if period > 0 {
		q.Metric.PeriodSeconds = ptr.To(period)
	}
	if hide {
		q.ReturnData = ptr.To(false)
	}
	return q
}

func expression(id, e string) v1beta1.CloudWatchQuery {
	return v1beta1.CloudWatchQuery{ID: id, Expression: &e}
}

func TestCustomQueries(t *testing.T) {
	m := customMetric{v1beta1.CloudWatchMetric{Queries: []v1beta1.CloudWatchQuery{
		metricQuery("m", 0, true), metricQuery("n", 300, true), expression("e",
			"m / $(stable) + SEARCH('$(function) $(other)', 'Sum')"),
	}}, weighted}
	want := []string{
		"m Shop Orders Sum 1m0s Alias=f:live Version=2 hidden", "n Shop Orders Sum 5m0s Alias=f:live Version=2 hidden",
		"e m / 1 + SEARCH('f $(other)', 'Sum')",
	}
	if diff := cmp.Diff(want, texts(m.queries())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if m.period() != 5*time.Minute {
		t.Errorf("the period is the longest, got %v", m.period())
	}
	for want, queries := range map[time.Duration][]v1beta1.CloudWatchQuery{
		10 * time.Second: {metricQuery("m", 10, true), expression("e", "m * 2")},
		30 * time.Second: {metricQuery("m", 10, true), metricQuery("n", 30, true), expression("e", "m / n")},
		time.Minute:      {metricQuery("m", 10, true), expression("e", "m / SUM(SEARCH('f', 'Sum'))")},
	} {
		if got := (customMetric{v1beta1.CloudWatchMetric{Queries: queries}, weighted}).period(); got != want {
			t.Errorf("want a period of %v, got %v", want, got)
		}
	}
	for n, queries := range map[int][]v1beta1.CloudWatchQuery{
		0: {metricQuery("m", 0, true)},
		2: {metricQuery("m", 0, false), metricQuery("n", 0, false)},
	} {
		if err := (customMetric{v1beta1.CloudWatchMetric{Queries: queries}, weighted}).check(); err == nil {
			t.Errorf("%d results are one too few or too many", n)
		}
	}
}

func TestReadsOthers(t *testing.T) {
	for e, want := range map[string]bool{
		"m / n":                              false,
		"SUM(METRICS())":                     true,
		"SUM(METRICS('error'))":              true,
		"SUM(SEARCH('x', 'Sum', 60))":        true,
		"SELECT AVG(x) FROM y":               true,
		"select avg(x) from y":               true,
		"LAMBDA('source')":                   true,
		"m + 'SELECT METRICS() of a string'": false,
		"my_metrics + selected":              false,
	} {
		m := customMetric{v1beta1.CloudWatchMetric{Queries: []v1beta1.CloudWatchQuery{expression("e", e)}}, weighted}
		if got := m.readsOthers(); got != want {
			t.Errorf("readsOthers(%q) = %v, want %v", e, got, want)
		}
	}
	m := customMetric{v1beta1.CloudWatchMetric{Queries: []v1beta1.CloudWatchQuery{expression("e",
		"SELECT AVG(x) FROM y")}}, weighted}
	if p := m.queries()[0].Period; p == nil || *p != 60 {
		t.Error("a query of Metrics Insights needs a period")
	}
}

// dropped returns a series without the values of an expression that are not finite.
func dropped(s series) series {
	return s.with(types.MetricDataResult{
		StatusCode: types.StatusCodeComplete, Messages: []types.MessageData{{Code: aws.String("ArithmeticError")}},
	})
}

func TestCustomEvaluate(t *testing.T) {
	m := customMetric{v1beta1.CloudWatchMetric{Queries: []v1beta1.CloudWatchQuery{
		metricQuery("m", 0, true),
		expression("e", "m * 2"),
	}}, weighted}
	w := window{start: clock(12, 0, 0), end: clock(12, 5, 0), period: time.Minute}
	nan := math.NaN()
	cases := map[string]struct {
		reason string
		of     series
		want   rollout.Sample
		err    bool
	}{
		"Last": {"The last value is the result.", complete(1, 0, 3, 0, 0, 99), rollout.Sample{
			Value: 3, Baseline: nan,
			Samples: 2, Until: clock(12, 2, 0),
		}, false},
		"None":   {"No value is no result.", complete(), rollout.Sample{Value: nan, Baseline: nan}, false},
		"NoData": {"A missing series is an error.", series{}, rollout.Sample{Value: nan, Baseline: nan}, true},
		"DroppedBefore": {
			"The last value is the result, whatever was dropped before.", dropped(complete(0, 0, 0, 0, 3)),
			rollout.Sample{Value: 3, Baseline: nan, Samples: 1, Until: clock(12, 4, 0)},
			false,
		},
		"DroppedLast": {
			"The value that was dropped may be the last one.", dropped(complete(1, 0, 3)),
			rollout.Sample{Value: nan, Baseline: nan, Samples: 2},
			false,
		},
		"DroppedAll": {
			"A division by zero is no number.", dropped(complete()), rollout.Sample{Value: nan, Baseline: nan}, false,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := m.evaluate(w, map[string]series{"e": tc.of})
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateNaNs()); diff != "" || (err != nil) != tc.err {
				t.Errorf("%s\n%v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

// TestMetricThatStops checks that a value is evidence up to its period only, not up to the end of the window.
func TestMetricThatStops(t *testing.T) {
	subject := weighted
	subject.Since = clock(11, 0, 0)
	metric := v1beta1.RolloutMetric{Name: "m", Provider: v1beta1.RolloutMetricProvider{
		CloudWatch: &v1beta1.CloudWatchMetric{Queries: []v1beta1.CloudWatchQuery{metricQuery("m", 60, false)}},
	}}
	r, err := newRequest(subject, metric)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		points []point
		want   time.Time
	}{
		"Stops":     {points: []point{{at: clock(11, 56, 0), value: 1}}, want: clock(11, 56, 0)},
		"Continues": {points: []point{{at: clock(11, 56, 0)}, {at: clock(11, 57, 0)}}, want: clock(11, 57, 0)},
		"Nothing":   {want: clock(11, 57, 0)},
	} {
		got, err := r.sample(
			clock(12, 0, 0),
			map[string]series{"m": {status: types.StatusCodeComplete, points: tc.points}},
		)
		if err != nil || !got.Until.Equal(tc.want) {
			t.Errorf("%s: got %v, %v, want until %v", name, got.Until, err, tc.want)
		}
	}
}
