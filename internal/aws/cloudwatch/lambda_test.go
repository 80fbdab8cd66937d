package cloudwatch

import (
	"errors"
	"math"
	"strings"
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

var (
	weighted = rollout.Subject{Namespace: "ns", Function: "f", Alias: "live", Stable: "1", Target: "2", Weighted: true}
	whole    = rollout.Subject{Namespace: "ns", Function: "f", Alias: "live", Stable: "1", Target: "2"}
	hanging  = rollout.Subject{
		Namespace: "ns", Function: "f", Alias: "live", Stable: "1", Target: "2",
		Timeout: 3 * time.Minute,
	}
)

// text returns a query in one line.
func text(q types.MetricDataQuery) string {
	parts := []string{aws.ToString(q.Id)}
	if q.Expression != nil {
		parts = append(parts, *q.Expression)
	}
	if s := q.MetricStat; s != nil {
		parts = append(parts, *s.Metric.Namespace, *s.Metric.MetricName, *s.Stat,
			(time.Duration(*s.Period) * time.Second).String())
		for _, d := range s.Metric.Dimensions {
			parts = append(parts, *d.Name+"="+*d.Value)
		}
	}
	if !aws.ToBool(q.ReturnData) {
		parts = append(parts, "hidden")
	}
	return strings.Join(parts, " ")
}

func texts(queries []types.MetricDataQuery) []string {
	var all []string
	for _, q := range queries {
		all = append(all, text(q))
	}
	return all
}

// TestLambdaQueries checks the dimensions. Lambda publishes ExecutedVersion for the versions of a weighted alias; it is
// not evidenced whether it does for an alias with one version, so those are not asked for.
func TestLambdaQueries(t *testing.T) {
	const all, executed = "FunctionName=f Resource=f:live", " ExecutedVersion="
	cases := map[string]struct {
		reason  string
		metric  v1beta1.LambdaMetric
		subject rollout.Subject
		want    []string
	}{
		"ErrorRate": {
			"Both versions of a weighted alias are compared.",
			v1beta1.LambdaMetric{Metric: "ErrorRate"},
			weighted,
			[]string{
				"invocations AWS/Lambda Invocations Sum 1m0s " + all + executed + "2",
				"value AWS/Lambda Errors Sum 1m0s " + all + executed + "2",
				"baselineInvocations AWS/Lambda Invocations Sum 1m0s " + all + executed + "1",
				"baseline AWS/Lambda Errors Sum 1m0s " + all + executed + "1",
			},
		},
		"ErrorRateOfAll": {
			"An alias with one version has the metrics of the version.",
			v1beta1.LambdaMetric{Metric: "ErrorRate"},
			whole,
			[]string{
				"invocations AWS/Lambda Invocations Sum 1m0s " + all, "value AWS/Lambda Errors Sum 1m0s " + all,
			},
		},
		"Errors": {
			"A number is that of errors.",
			v1beta1.LambdaMetric{Metric: "Errors"},
			whole,
			[]string{"invocations AWS/Lambda Invocations Sum 1m0s " + all, "value AWS/Lambda Errors Sum 1m0s " + all},
		},
		"ThrottleRate": {
			"What is throttled is executed by no version.",
			v1beta1.LambdaMetric{Metric: "ThrottleRate"},
			weighted,
			[]string{
				"invocations AWS/Lambda Invocations Sum 1m0s " + all,
				"value AWS/Lambda Throttles Sum 1m0s " + all,
			},
		},
		"Throttles": {
			"The same for the number.",
			v1beta1.LambdaMetric{Metric: "Throttles"},
			weighted,
			[]string{
				"invocations AWS/Lambda Invocations Sum 1m0s " + all,
				"value AWS/Lambda Throttles Sum 1m0s " + all,
			},
		},
		"Duration": {
			"The default is p99.",
			v1beta1.LambdaMetric{Metric: "Duration"},
			whole,
			[]string{
				"invocations AWS/Lambda Invocations Sum 1m0s " + all,
				"value AWS/Lambda Duration p99 1m0s " + all,
			},
		},
		"Average": {"The statistic is the user's.", v1beta1.LambdaMetric{
			Metric:    "Duration",
			Statistic: ptr.To("Average"),
		}, whole, []string{
			"invocations AWS/Lambda Invocations Sum 1m0s " + all,
			"value AWS/Lambda Duration Average 1m0s " + all,
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, texts(lambdaMetric{tc.metric, tc.subject}.queries())); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// complete returns a series of values in the minutes before 12:05.
func complete(values ...float64) series {
	s := series{status: types.StatusCodeComplete}
	for i, v := range values {
		if v != 0 { // Lambda does not publish zeros.
			s.points = append(s.points, point{at: clock(12, i, 0), value: v})
		}
	}
	return s
}

func TestLambdaEvaluate(t *testing.T) {
	nan := math.NaN()
	failed := series{status: types.StatusCodeInternalError}
	cases := map[string]struct {
		reason  string
		metric  v1beta1.LambdaMetric
		subject rollout.Subject
		of      map[string]series
		want    rollout.Sample
		err     string
	}{
		"ErrorRate": {
			reason: "The rate is that of the whole window, of each version.", metric: v1beta1.LambdaMetric{
				Metric: "ErrorRate",
			}, subject: weighted,
			of: map[string]series{
				"invocations": complete(10, 0, 30), "value": complete(1, 0, 1),
				"baselineInvocations": complete(100, 100, 200), "baseline": complete(0, 0, 4),
			},
			want: rollout.Sample{Value: .05, Baseline: .01, Samples: 40, BaselineSamples: 400},
		},
		"NoErrors": {
			reason: "Invocations without errors have none: zeros are not published.", metric: v1beta1.LambdaMetric{
				Metric: "ErrorRate",
			}, subject: weighted,
			of: map[string]series{
				"invocations": complete(10), "value": complete(),
				"baselineInvocations": complete(100), "baseline": complete(),
			},
			want: rollout.Sample{Value: 0, Baseline: 0, Samples: 10, BaselineSamples: 100},
		},
		"NoInvocations": {
			reason: "Without invocations nothing is known.", metric: v1beta1.LambdaMetric{
				Metric: "ErrorRate",
			}, subject: weighted,
			of: map[string]series{
				"invocations": complete(), "value": complete(),
				"baselineInvocations": complete(100), "baseline": complete(1),
			},
			want: rollout.Sample{Value: nan, Baseline: .01, BaselineSamples: 100},
		},
		"NoBaseline": {
			reason: "A target that receives all invocations has no baseline.", metric: v1beta1.LambdaMetric{
				Metric: "ErrorRate",
			}, subject: whole,
			of:   map[string]series{"invocations": complete(10), "value": complete(5)},
			want: rollout.Sample{Value: .5, Baseline: nan, Samples: 10},
		},
		"Errors": {
			reason: "A number is that of the window.", metric: v1beta1.LambdaMetric{Metric: "Errors"}, subject: whole,
			of:   map[string]series{"invocations": complete(10, 10), "value": complete(5, 1)},
			want: rollout.Sample{Value: 6, Baseline: nan, Samples: 20},
		},
		"ThrottleRate": {
			reason: "What is throttled is not invoked.", metric: v1beta1.LambdaMetric{
				Metric: "ThrottleRate",
			}, subject: weighted,
			of:   map[string]series{"invocations": complete(30), "value": complete(10)},
			want: rollout.Sample{Value: .25, Baseline: nan, Samples: 40},
		},
		"AllThrottled": {
			reason: "An alias that is throttled completely has samples.", metric: v1beta1.LambdaMetric{
				Metric: "ThrottleRate",
			}, subject: weighted,
			of:   map[string]series{"invocations": complete(), "value": complete(10)},
			want: rollout.Sample{Value: 1, Baseline: nan, Samples: 10},
		},
		"Throttles": {
			reason: "The number of throttles may be 0.", metric: v1beta1.LambdaMetric{
				Metric: "Throttles",
			}, subject: weighted,
			of:   map[string]series{"invocations": complete(30), "value": complete()},
			want: rollout.Sample{Value: 0, Baseline: nan, Samples: 30},
		},
		"Percentile": {
			reason: "Percentiles of minutes are weighted by invocations.", metric: v1beta1.LambdaMetric{
				Metric: "Duration",
			}, subject: weighted,
			of: map[string]series{
				"invocations": complete(10, 30), "value": complete(100, 200),
				"baselineInvocations": complete(1, 1), "baseline": complete(100, 200),
			},
			want: rollout.Sample{Value: 175, Baseline: 150, Samples: 40, BaselineSamples: 2},
		},
		"Average": {
			reason: "So are averages, which makes them exact.", metric: v1beta1.LambdaMetric{
				Metric:    "Duration",
				Statistic: ptr.To("Average"),
			}, subject: whole,
			of:   map[string]series{"invocations": complete(1, 3), "value": complete(10, 20)},
			want: rollout.Sample{Value: 17.5, Baseline: nan, Samples: 4},
		},
		"Maximum": {
			reason: "The maximum is the largest.", metric: v1beta1.LambdaMetric{
				Metric:    "Duration",
				Statistic: ptr.To("Maximum"),
			}, subject: whole,
			of:   map[string]series{"invocations": complete(1, 3), "value": complete(10, 20)},
			want: rollout.Sample{Value: 20, Baseline: nan, Samples: 4},
		},
		"Minimum": {
			reason: "The minimum is the smallest.", metric: v1beta1.LambdaMetric{
				Metric:    "Duration",
				Statistic: ptr.To("Minimum"),
			}, subject: whole,
			of:   map[string]series{"invocations": complete(1, 3), "value": complete(10, 20)},
			want: rollout.Sample{Value: 10, Baseline: nan, Samples: 4},
		},
		"DurationLater": {
			reason: "A duration that is not there yet is not known.", metric: v1beta1.LambdaMetric{
				Metric: "Duration",
			}, subject: whole,
			of:   map[string]series{"invocations": complete(10), "value": complete()},
			want: rollout.Sample{Value: nan, Baseline: nan, Samples: 10},
		},
		"OutsideTheWindow": {
			reason: "Data points outside the window do not count.", metric: v1beta1.LambdaMetric{
				Metric: "ErrorRate",
			}, subject: whole,
			of: map[string]series{
				"invocations": complete(10, 10, 10, 10, 10, 999),
				"value":       complete(1, 0, 0, 0, 0, 999),
			},
			want: rollout.Sample{Value: .02, Baseline: nan, Samples: 50},
		},
		"Hangs": {
			reason:  "What began within the timeout may fail yet: its successes do not make up for what has failed, and are no samples of it.",
			metric:  v1beta1.LambdaMetric{Metric: "ErrorRate"},
			subject: hanging,
			of:      map[string]series{"invocations": complete(20, 20, 20, 20, 20), "value": complete(2, 0, 0, 0, 0)},
			want:    rollout.Sample{Value: .05, Baseline: nan, Samples: 40},
		},
		"FailsAtOnce": {
			reason: "What has failed within the timeout counts.", metric: v1beta1.LambdaMetric{
				Metric: "ErrorRate",
			}, subject: hanging,
			of:   map[string]series{"invocations": complete(20, 20, 20, 20, 20), "value": complete(0, 0, 0, 0, 20)},
			want: rollout.Sample{Value: .2, Baseline: nan, Samples: 100},
		},
		"AllMayFail": {
			reason: "If all began within the timeout, nothing else is known.", metric: v1beta1.LambdaMetric{
				Metric: "ErrorRate",
			}, subject: hanging,
			of:   map[string]series{"invocations": complete(0, 0, 0, 0, 20), "value": complete(0, 0, 0, 0, 1)},
			want: rollout.Sample{Value: .05, Baseline: nan, Samples: 20},
		},
		"NoValue": {
			reason: "A status is no number.", metric: v1beta1.LambdaMetric{Metric: "ErrorRate"},
			subject: whole, of: map[string]series{"invocations": complete(10), "value": failed}, err: "InternalError",
		},
		"NoInvocation": {
			reason: "Nor is that of the invocations.", metric: v1beta1.LambdaMetric{Metric: "ErrorRate"},
			subject: whole, of: map[string]series{"invocations": failed, "value": complete(1)}, err: "InternalError",
		},
		"NoBaselineData": {
			reason: "Nor is that of the stable version.",
			metric: v1beta1.LambdaMetric{Metric: "ErrorRate"}, subject: weighted,
			of: map[string]series{
				"invocations": complete(10), "value": complete(1),
				"baselineInvocations": complete(10), "baseline": failed,
			}, err: "InternalError",
		},
		"NoData": {
			reason: "A query that is left out is an error.",
			metric: v1beta1.LambdaMetric{Metric: "ErrorRate"}, subject: whole,
			of: map[string]series{"invocations": complete(10)}, err: errNoSeries.Error(),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := window{start: clock(12, 0, 0), end: clock(12, 5, 0), period: time.Minute}
			got, err := lambdaMetric{tc.metric, tc.subject}.evaluate(w, tc.of)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || !math.IsNaN(got.Value) || got.Samples != 0 {
					t.Errorf("%s\nwant error %q, got %+v, %v", tc.reason, tc.err, got, err)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-9)); diff != "" ||
				err != nil {
				t.Errorf("%s\n%v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

func TestSeries(t *testing.T) {
	result := func(change func(*types.MetricDataResult)) types.MetricDataResult {
		r := types.MetricDataResult{
			Id: aws.String("q"), Label: aws.String("Errors"),
			StatusCode: types.StatusCodeComplete, Timestamps: []time.Time{clock(12, 1, 0), clock(12, 0, 0)},
			Values: []float64{2, 1},
		}
		if change != nil {
			change(&r)
		}
		return r
	}
	w := window{start: clock(12, 0, 0), end: clock(12, 5, 0), period: time.Minute}
	cases := map[string]struct {
		reason  string
		results []types.MetricDataResult
		want    []float64
		err     error
	}{
		"Ordered": {
			"Data points are in the order of time.",
			[]types.MetricDataResult{result(nil)},
			[]float64{1, 2},
			nil,
		},
		"Pages": {"The status of the last page counts.", []types.MetricDataResult{
			result(func(r *types.MetricDataResult) { r.StatusCode = types.StatusCodePartialData }),
			result(func(r *types.MetricDataResult) {
				r.Timestamps, r.Values = []time.Time{clock(12, 2, 0)}, []float64{3}
			}),
		}, []float64{1, 2, 3}, nil},
		"Partial": {
			"Data that is not complete is no number.",
			[]types.MetricDataResult{
				result(func(r *types.MetricDataResult) { r.StatusCode = types.StatusCodePartialData }),
			},
			nil,
			statusError(types.StatusCodePartialData),
		},
		"Forbidden": {
			"Nor is data that is not allowed.",
			[]types.MetricDataResult{
				result(func(r *types.MetricDataResult) { r.StatusCode = types.StatusCodeForbidden }),
			},
			nil,
			statusError(types.StatusCodeForbidden),
		},
		"Unknown": {
			"A status that is not known is not quoted.",
			[]types.MetricDataResult{result(func(r *types.MetricDataResult) { r.StatusCode = "<secret>" })},
			nil,
			statusError(""),
		},
		"NoStatus": {
			"Data without a status is no number.",
			[]types.MetricDataResult{result(func(r *types.MetricDataResult) { r.StatusCode = "" })},
			nil, errNoSeries,
		},
		"Message": {
			"A message says that something is wrong.",
			[]types.MetricDataResult{result(func(r *types.MetricDataResult) {
				r.Messages = []types.MessageData{{Code: aws.String("MaxMetricsExceeded")}}
			})},
			nil, errMessage,
		},
		"Several": {"A search may return several series.", []types.MetricDataResult{
			result(nil),
			result(func(r *types.MetricDataResult) { r.Label = aws.String("other") }),
		}, nil, errSeveral},
		"SameTime": {"A time has one value.", []types.MetricDataResult{result(nil), result(nil)}, nil, errPoints},
		"NoTime": {
			"A value has a time.",
			[]types.MetricDataResult{result(func(r *types.MetricDataResult) { r.Timestamps = nil })},
			nil, errPoints,
		},
		"NaN": {
			"A value is a number.",
			[]types.MetricDataResult{result(func(r *types.MetricDataResult) { r.Values = []float64{math.NaN(), 1} })},
			nil, errNumber,
		},
		"Infinite": {
			"A number is finite.",
			[]types.MetricDataResult{result(func(r *types.MetricDataResult) { r.Values = []float64{math.Inf(1), 1} })},
			nil, errNumber,
		},
		"None": {"A query without a result is an error.", nil, nil, errNoSeries},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := series{}
			for _, r := range tc.results {
				s = s.with(r)
			}
			points, err := s.in(w)
			var got []float64
			for _, p := range points {
				got = append(got, p.value)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || !errors.Is(err, tc.err) &&
				(err == nil || tc.err == nil || err.Error() != tc.err.Error()) {
				t.Errorf("%s\nwant error %v, got %v; -want +got:\n%s", tc.reason, tc.err, err, diff)
			}
		})
	}
}
