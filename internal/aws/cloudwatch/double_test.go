package cloudwatch

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

const region = "eu-west-1"

// env is a double with functions, each with the versions 1 and 2 and the alias live, and a Batcher.
type env struct {
	*testing.T

	double *awsdouble.Server
	client *sdk.Client
	lambda *lambda.Client

	// repeated is the number of calls that were repeated because the client has closed their connection.
	repeated int

	mu  sync.Mutex
	now time.Time

	Batcher
}

func newEnv(t *testing.T, o awsdouble.Options, functions int) *env {
	t.Helper()
	e := &env{T: t, now: clock(12, 0, 0)}
	o.Now = e.clock
	e.double = awsdouble.New(o)
	e.double.Start()
	t.Cleanup(e.double.Close)
	cfg := e.double.Config(region)
	cfg.Retryer = func() aws.Retryer { return retry.NewStandard(e.onceMoreIfClosed) }
	e.client, e.lambda = sdk.NewFromConfig(cfg), lambda.NewFromConfig(cfg)
	for i := range functions {
		e.function(subjectOf(i).Function)
	}
	return e
}

// onceMoreIfClosed repeats a call at once whose connection the client itself has closed: the SDK closes the body of a
// request when it has the answer, and the HTTP client takes that for an error if it is still about to see the body's
// end.
func (e *env) onceMoreIfClosed(o *retry.StandardOptions) {
	o.Retryables = []retry.IsErrorRetryable{retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
		closed := errors.Is(err, net.ErrClosed)
		if closed {
			e.repeated++
		}
		return aws.BoolTernary(closed)
	})}
	o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
}

func (e *env) clock() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.now
}

func (e *env) move(d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.now = e.now.Add(d)
}

// function creates a function with two versions and an alias of which the second version receives a tenth.
func (e *env) function(name string) {
	e.Helper()
	ctx, f := e.Context(), aws.String(name)
	check := func(_ any, err error) {
		e.Helper()
		if err != nil {
			e.Fatal(err)
		}
	}
	check(e.lambda.CreateFunction(ctx, &lambda.CreateFunctionInput{
		FunctionName: f, Role: aws.String("arn:aws:iam::123456789012:role/r"), Handler: aws.String("index.handler"),
		Runtime: types.RuntimePython312, Code: &types.FunctionCode{ZipFile: e.archive()},
	}))
	for _, d := range []string{"one", "two"} {
		check(e.lambda.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{
			FunctionName: f,
			Description:  &d,
		}))
		check(e.lambda.PublishVersion(ctx, &lambda.PublishVersionInput{FunctionName: f}))
	}
	check(e.lambda.CreateAlias(ctx, &lambda.CreateAliasInput{
		FunctionName: f, Name: aws.String("live"),
		FunctionVersion: aws.String("1"),
		RoutingConfig:   &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{"2": .1}},
	}))
}

// archive returns a zip with one file.
func (e *env) archive() []byte {
	e.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.Create("index.py"); err != nil {
		e.Fatal(err)
	}
	if err := z.Close(); err != nil {
		e.Fatal(err)
	}
	return b.Bytes()
}

// await returns the sample of a metric, and how long it took by the double's clock.
func (e *env) await(s rollout.Subject, m v1beta1.RolloutMetric) (rollout.Sample, time.Duration, error) {
	begin := e.clock()
	for {
		sample, wait, err := e.Sample(e.Context(), e.client, e.clock(), s, m)
		if wait == 0 {
			return sample, e.clock().Sub(begin), err
		}
		e.move(wait)
	}
}

// TestTrafficOverHTTP measures a version with errors, for all behaviours of AWS that are not documented.
func TestTrafficOverHTTP(t *testing.T) {
	for name, o := range map[string]awsdouble.Options{
		"ByVersion": {}, "ByVersionAlways": {UnweightedVersions: true}, "EpochPeriods": {EpochPeriods: true},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, o, 1)
			e.double.Traffic(awsdouble.Traffic{
				Function: "f000", Alias: "live", PerMinute: 200,
				Versions: map[string]awsdouble.Outcomes{
					"1": {ErrorRate: .01, Duration: 30 * time.Millisecond},
					"2": {
						ErrorRate: .25, ThrottleRate: .2, Duration: 50 * time.Millisecond, SlowRate: .25,
						SlowDuration: 200 * time.Millisecond,
					},
				},
			})
			shifted := subjectOf(0)
			shifted.Since, shifted.TrafficSince = e.clock(), e.clock()
			e.move(7*time.Minute + 2*time.Second)
			orders := func(version string) v1beta1.CloudWatchQuery {
				return v1beta1.CloudWatchQuery{
					ID: "v" + version[2:3], ReturnData: aws.Bool(false),
					Metric: &v1beta1.CloudWatchMetricStat{
						Namespace: "AWS/Lambda", MetricName: "Invocations", Statistic: "Sum",
						Dimensions: map[string]string{
							"FunctionName": "$(function)", "Resource": "$(function):$(alias)",
							"ExecutedVersion": version,
						},
					},
				}
			}
			nan := math.NaN()
			cases := map[string]struct {
				reason string
				metric v1beta1.RolloutMetric
				want   rollout.Sample
			}{
				"ErrorRate": {
					"Each version has its own.", lambdaOf("ErrorRate"),
					rollout.Sample{Value: .25, Baseline: .01, Samples: 80, BaselineSamples: 900},
				},
				"Errors": {"Also the numbers.", lambdaOf("Errors"), rollout.Sample{
					Value: 20, Baseline: 9,
					Samples: 80, BaselineSamples: 900,
				}},
				"Throttles": {
					"Throttles are of the alias.", lambdaOf("Throttles"),
					rollout.Sample{Value: 20, Baseline: nan, Samples: 1000},
				},
				"ThrottleRate": {
					"So is their rate.", lambdaOf("ThrottleRate"),
					rollout.Sample{Value: .02, Baseline: nan, Samples: 1000},
				},
				"Duration": {
					"The slow ones make p99.", lambdaOf("Duration"),
					rollout.Sample{Value: 200, Baseline: 30, Samples: 80, BaselineSamples: 900},
				},
				"Custom": {
					"An expression has the names of the rollout.",
					customOf(orders("$(target)"), orders("$(stable)"), expression("e", "100 * vt / (vt + vs)")),
					rollout.Sample{Value: 100. * 16 / 196, Baseline: nan, Samples: 5},
				},
			}
			for name, tc := range cases {
				got, _, err := e.await(shifted, tc.metric)
				if diff := cmp.Diff(tc.want, got, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-9),
					cmpopts.IgnoreFields(rollout.Sample{}, "Until")); diff != "" || err != nil {
					t.Errorf("%s: %s\n%v, -want +got:\n%s", name, tc.reason, err, diff)
				}
			}

			e.double.EditAlias("f000", "live", func(a *awsdouble.Alias) {
				a.FunctionVersion, a.RoutingConfig = "2",
					nil
			})
			promoted := subjectOf(0)
			promoted.Weighted, promoted.Since, promoted.TrafficSince = false, e.clock(), shifted.Since
			e.move(5 * time.Minute)
			got, _, err := e.await(promoted, lambdaOf("ErrorRate"))
			if err != nil || math.Abs(got.Value-.25) > .01 || got.Samples <= 2*160 {
				t.Errorf("after the promotion, the metrics are those of the target before, and of the alias since: "+
					"got %+v, %v", got, err)
			}
		})
	}
}

// TestCallsOverHTTP runs 100 rollouts with three metrics for a while, with AWS's quotas and different times of begin.
func TestCallsOverHTTP(t *testing.T) {
	e := newEnv(t, awsdouble.Options{Quotas: awsdouble.Quotas{GetMetricData: 50, DescribeAlarms: 9}}, 0)
	const rollouts = 100
	metrics := []v1beta1.RolloutMetric{lambdaOf("ErrorRate"), lambdaOf("ThrottleRate"), lambdaOf("Duration")}
	type check struct{ rollout, metric int }
	due, last := map[check]time.Time{}, map[check]time.Time{}
	begin := e.clock()
	for i := range rollouts {
		for m := range metrics {
			due[check{i, m}] = begin.Add(time.Duration(i) * 700 * time.Millisecond)
		}
	}
	latest := time.Duration(0)
	for now := begin; now.Sub(begin) < 10*time.Minute; now = now.Add(100 * time.Millisecond) {
		e.mu.Lock()
		e.now = now
		e.mu.Unlock()
		for i := range rollouts {
			for m := range metrics {
				c := check{i, m}
				if due[c].After(now) {
					continue
				}
				_, wait, err := e.Sample(t.Context(), e.client, now, subjectOf(i), metrics[m])
				if err != nil {
					t.Fatal(err)
				}
				if due[c] = now.Add(wait); wait > 0 {
					continue
				}
				if before, ok := last[c]; ok {
					latest = max(latest, now.Sub(before)-time.Minute)
				}
				last[c], due[c] = now, now.Add(time.Minute)
			}
		}
	}
	perSlot := map[time.Time]int{}
	queries := 0
	for _, c := range e.double.Calls() {
		if c.Status != 200 {
			t.Errorf("got %+v", c)
		}
		perSlot[c.Time.Truncate(time.Minute)]++
		queries = max(queries, c.Items)
	}
	for slot, n := range perSlot {
		if n > 2+e.repeated {
			t.Errorf("%d calls in the slot of %v", n, slot)
		}
	}
	if latest > 2*time.Second || len(last) != rollouts*len(metrics) || queries != 500 {
		t.Errorf("%d checks, the next at most %v late, at most %d queries a call", len(last), latest, queries)
	}
	t.Logf("100 rollouts with 3 metrics: %d calls in %d slots, the next check at most %v late",
		e.double.Count("GetMetricData"), len(perSlot), latest)
}

func TestErrorsOverHTTP(t *testing.T) {
	e := newEnv(t, awsdouble.Options{}, 1)
	e.double.Traffic(awsdouble.Traffic{Function: "f000", Alias: "live", PerMinute: 60})
	e.move(10 * time.Minute)
	next := func() error {
		e.Helper()
		e.move(time.Minute)
		_, _, err := e.await(subjectOf(0), lambdaOf("ErrorRate"))
		return err
	}
	steps := []struct {
		reason string
		breaks func()
		want   string
	}{
		{"Throttled calls are errors.", func() {
			e.double.Fail(awsdouble.Fault{Operation: "GetMetricData", Error: awsdouble.CloudWatchThrottle()})
		}, "cannot read metrics of CloudWatch: Throttling: Rate exceeded"},
		{"So are failures of CloudWatch.", func() {
			e.double.Fail(awsdouble.Fault{Operation: "GetMetricData", Error: awsdouble.CloudWatchFailure()})
		}, "InternalServiceFault"},
		{"A missing permission is named.", func() {
			e.double.Fail(awsdouble.Fault{
				Operation: "GetMetricData",
				Error:     awsdouble.AccessDenied("cloudwatch:GetMetricData"),
			})
		}, "cloudwatch:GetMetricData"},
		{"A lost connection is an error.", func() {
			e.double.Fail(awsdouble.Fault{Operation: "GetMetricData", Drop: awsdouble.DropAfter})
		}, "closed the connection"},
		{"So is an answer that cannot be read.", func() {
			e.double.Fail(awsdouble.Fault{
				Operation: "GetMetricData",
				Answer:    func(int, []byte) (int, []byte) { return 200, []byte("<html>") },
			})
		}, "cannot be read"},
		{
			"Data that is not complete is an error.", func() { e.double.SetMetricStatus("Errors", "PartialData", "") },
			"no complete data: PartialData",
		},
		{
			"So is data with a message.", func() { e.double.SetMetricStatus("Errors", "Complete", "dropped") },
			errMessage.Error(),
		},
		{"What works again has a value.", func() { e.double.SetMetricStatus("Errors", "Complete", "") }, ""},
	}
	for _, s := range steps {
		s.breaks()
		err := next()
		if (s.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), s.want) {
			t.Errorf("%s\nwant %q, got %v", s.reason, s.want, err)
		}
	}
}

func TestWrongExpressionOverHTTP(t *testing.T) {
	e := newEnv(t, awsdouble.Options{}, 2)
	e.move(10 * time.Minute)
	wrong := customOf(expression("e", "nobody * 2"))
	if _, _, err := e.await(subjectOf(0), wrong); err == nil ||
		!strings.Contains(err.Error(), "Unknown identifier nobody") {
		t.Errorf("a user sees what is wrong with the expression: got %v", err)
	}
	if _, _, err := e.await(subjectOf(1), lambdaOf("ErrorRate")); err != nil {
		t.Errorf("others do not: %v", err)
	}
}

func TestAlarmsOverHTTP(t *testing.T) {
	e := newEnv(t, awsdouble.Options{Quotas: awsdouble.Quotas{DescribeAlarms: 9}}, 0)
	for i := range 130 {
		e.double.PutAlarm("", region, awsdouble.Alarm{Name: fmt.Sprintf("metric%03d", i), State: "OK"})
		e.double.PutAlarm("", region, awsdouble.Alarm{
			Name: fmt.Sprintf("composite%03d", i), State: "ALARM",
			Composite: true,
		})
	}
	for second := range 2 {
		for i := range 130 {
			names := []string{fmt.Sprintf("metric%03d", i), fmt.Sprintf("composite%03d", i)}
			got, wait, err := e.Alarms(t.Context(), e.client, e.clock(), "ns", names, 30*time.Second)
			if err != nil || (wait > 0) != (second == 0) || wait == 0 &&
				(got[names[0]].State != "OK" || got[names[1]].State != "ALARM") {
				t.Fatalf("got %v, %v, %v", got, wait, err)
			}
		}
		e.move(time.Second)
	}
	if n := e.double.Count("DescribeAlarms"); n != 3 {
		t.Errorf("260 alarms took %d calls", n)
	}
	e.double.RemoveAlarm("", region, "metric007")
	e.move(30 * time.Second)
	got, _, err := e.Alarms(t.Context(), e.client, e.clock(), "ns", []string{"metric007"}, 30*time.Second)
	if a := got["metric007"]; err != nil || a.Err == nil ||
		!strings.Contains(a.Err.Error(), `"metric007" does not exist`) {
		t.Errorf("got %+v, %v", a, err)
	}
}

// BenchmarkSample measures the work of a rollout's check whose value is there.
func BenchmarkSample(b *testing.B) {
	batcher, f := &Batcher{}, &fake{}
	for i := range 1000 {
		batcher.Sample(b.Context(), f, clock(12, 0, 0), subjectOf(i), lambdaOf("ErrorRate"))
	}
	batcher.Sample(b.Context(), f, clock(12, 0, 1), subjectOf(0), lambdaOf("ErrorRate"))
	m := lambdaOf("ErrorRate")
	m.Interval = &metav1.Duration{Duration: time.Minute}
	for b.Loop() {
		batcher.Sample(b.Context(), f, clock(12, 0, 2), subjectOf(1), m)
	}
}
