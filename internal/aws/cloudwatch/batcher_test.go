package cloudwatch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// fake is an API whose calls are counted.
type fake struct {
	getMetricData  func(*sdk.GetMetricDataInput) (*sdk.GetMetricDataOutput, error)
	describeAlarms func(*sdk.DescribeAlarmsInput) (*sdk.DescribeAlarmsOutput, error)
	history        []types.AlarmHistoryItem

	mu      sync.Mutex
	metrics []*sdk.GetMetricDataInput
	alarms  [][]string
}

func (f *fake) GetMetricData(_ context.Context, in *sdk.GetMetricDataInput,
	_ ...func(*sdk.Options),
) (*sdk.GetMetricDataOutput, error) {
	f.mu.Lock()
	copied := *in
	f.metrics = append(f.metrics, &copied)
	f.mu.Unlock()
	if f.getMetricData != nil {
		return f.getMetricData(in)
	}
	return one(in), nil
}

func (f *fake) DescribeAlarms(_ context.Context, in *sdk.DescribeAlarmsInput,
	_ ...func(*sdk.Options),
) (*sdk.DescribeAlarmsOutput, error) {
	f.mu.Lock()
	f.alarms = append(f.alarms, in.AlarmNames)
	f.mu.Unlock()
	return f.describeAlarms(in)
}

func (f *fake) DescribeAlarmHistory(context.Context, *sdk.DescribeAlarmHistoryInput,
	...func(*sdk.Options),
) (*sdk.DescribeAlarmHistoryOutput, error) {
	return &sdk.DescribeAlarmHistoryOutput{AlarmHistoryItems: f.history}, nil
}

// calls returns how many queries each call had, and forgets them.
func (f *fake) calls() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	var n []int
	for _, in := range f.metrics {
		n = append(n, len(in.MetricDataQueries))
	}
	f.metrics = nil
	return n
}

// one returns the value 1 in each period of a call for each query.
func one(in *sdk.GetMetricDataInput) *sdk.GetMetricDataOutput {
	out := &sdk.GetMetricDataOutput{}
	for _, q := range in.MetricDataQueries {
		period := time.Minute
		if q.MetricStat != nil {
			period = time.Duration(*q.MetricStat.Period) * time.Second
		}
		r := types.MetricDataResult{Id: q.Id, Label: q.Id, StatusCode: types.StatusCodeComplete}
		for at := *in.StartTime; at.Before(*in.EndTime); at = at.Add(period) {
			r.Timestamps, r.Values = append(r.Timestamps, at), append(r.Values, 1)
		}
		if aws.ToBool(q.ReturnData) {
			out.MetricDataResults = append(out.MetricDataResults, r)
		}
	}
	return out
}

func lambdaOf(name string) v1beta1.RolloutMetric {
	return v1beta1.RolloutMetric{
		Name:     name,
		Provider: v1beta1.RolloutMetricProvider{Lambda: &v1beta1.LambdaMetric{Metric: name}},
	}
}

func customOf(queries ...v1beta1.CloudWatchQuery) v1beta1.RolloutMetric {
	return v1beta1.RolloutMetric{
		Name:     "custom",
		Provider: v1beta1.RolloutMetricProvider{CloudWatch: &v1beta1.CloudWatchMetric{Queries: queries}},
	}
}

func subjectOf(i int) rollout.Subject {
	return rollout.Subject{
		Namespace: "ns", Function: fmt.Sprintf("f%03d", i), Alias: "live", Stable: "1", Target: "2",
		Weighted: true, Since: clock(11, 0, 0), TrafficSince: clock(11, 0, 0),
	}
}

// apiError is an answer of AWS.
func apiError(code string) error {
	return &smithy.OperationError{
		ServiceID: "CloudWatch", OperationName: "GetMetricData",
		Err: &smithy.GenericAPIError{Code: code, Message: "Error in expression 'e1' of somebody"},
	}
}

// TestSlot follows two rollouts with one interval through slots: one call a slot.
func TestSlot(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	m := lambdaOf("ErrorRate")
	sample := func(now time.Time, i int) time.Duration {
		t.Helper()
		s, wait, err := b.Sample(t.Context(), f, now, subjectOf(i), m)
		if err != nil {
			t.Fatal(err)
		}
		if wait > 0 != math.IsNaN(s.Value) {
			t.Fatalf("at %v: wait %v with %+v", now, wait, s)
		}
		return wait
	}
	steps := []struct {
		reason  string
		now     time.Time
		rollout int
		wait    time.Duration
		calls   int
	}{
		{"The first request waits for others, a second at least.", clock(12, 0, 0), 1, time.Second, 0},
		{"Another joins.", clock(12, 0, 0).Add(300 * time.Millisecond), 2, 700 * time.Millisecond, 0},
		{"The first to return makes the call for both.", clock(12, 0, 1), 2, 0, 1},
		{"The other finds its value.", clock(12, 0, 2), 1, 0, 1},
		{"It is the same for the slot.", clock(12, 0, 59), 1, 0, 1},
		{"Who comes too late joins the next slot.", clock(12, 0, 40), 3, 21 * time.Second, 1},
		{"In the next slot, all are expected, a second after it begins.", clock(12, 1, 0), 1, time.Second, 1},
		{"One makes the call for all, who need not have come.", clock(12, 1, 1), 2, 0, 2},
		{"The others find their values without a wait.", clock(12, 1, 1), 1, 0, 2},
		{"Also the new one.", clock(12, 1, 1), 3, 0, 2},
		{"Who comes at another time of each slot does so, too.", clock(12, 2, 30), 1, 0, 3},
		{"And so do others.", clock(12, 2, 45), 2, 0, 3},
		{"Who has missed a slot joins anew.", clock(12, 4, 30), 3, time.Second, 3},
		{"A slot that has not begun its calls can be joined.", clock(12, 4, 31), 3, 0, 4},
		{"But not after them.", clock(12, 4, 32), 2, 29 * time.Second, 4},
	}
	for _, s := range steps {
		if got := sample(s.now, s.rollout); got != s.wait || len(f.metrics) != s.calls {
			t.Errorf("at %v: %s\nwait %v after %d calls, want %v after %d", s.now.Format(time.TimeOnly), s.reason, got,
				len(f.metrics), s.wait, s.calls)
		}
	}
	want := []int{8, 12, 8 + 4, 4}
	if got := f.calls(); !slices.Equal(got, want) {
		t.Errorf("the calls had %v queries, want %v", got, want)
	}
}

func TestEmptyWindow(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	s := subjectOf(1)
	s.Since, s.TrafficSince = clock(12, 5, 0), clock(12, 0, 20)
	for _, at := range []struct {
		now  time.Time
		wait time.Duration
	}{
		{now: clock(12, 0, 19), wait: 161 * time.Second},
		{now: clock(11, 0, 0)}, // The clock was set back.
		{now: clock(12, 0, 21), wait: 159 * time.Second},
		{now: clock(12, 2, 21), wait: 39 * time.Second},
	} {
		got, wait, err := b.Sample(t.Context(), f, at.now, s, lambdaOf("ErrorRate"))
		if err != nil || wait != at.wait || !math.IsNaN(got.Value) || !math.IsNaN(got.Baseline) || got.Samples != 0 {
			t.Errorf("at %v there is no finished minute: got %+v, %v, %v", at.now, got, wait, err)
		}
	}
	got, wait, err := b.Sample(t.Context(), f, clock(12, 3, 21), s, lambdaOf("ErrorRate"))
	if err != nil || wait != 0 || got.Samples != 1 || !got.Until.Equal(clock(12, 0, 0)) || len(f.metrics) != 1 {
		t.Errorf("the first value needs no wait, as the metric was announced: got %+v, %v, %v", got, wait, err)
	}
}

// TestEmptyWindowOfALongPeriod checks that nothing is measured before the first period that begins with the present
// weight is finished, however far in the future that begins.
func TestEmptyWindowOfALongPeriod(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	s := subjectOf(1)
	s.Since = clock(12, 0, 10)
	for _, at := range []struct {
		now  time.Time
		wait time.Duration
	}{
		{now: clock(12, 1, 10), wait: time.Hour + 60*time.Minute + 50*time.Second},
		{now: clock(14, 0, 0), wait: 2 * time.Minute},
		{now: clock(11, 58, 0)}, // The clock was set back.
	} {
		got, wait, err := b.Sample(t.Context(), f, at.now, s, customOf(metricQuery("m", 3600, false)))
		if err != nil || wait != at.wait || !math.IsNaN(got.Value) || len(f.metrics) > 0 {
			t.Errorf(
				"at %v there is no finished hour: got %+v, %v, %v, want a wait of %v",
				at.now,
				got,
				wait,
				err,
				at.wait,
			)
		}
	}
}

func TestWindowOfCall(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	old, young := subjectOf(1), subjectOf(2)
	young.TrafficSince = clock(12, 6, 30)
	long := lambdaOf("Errors")
	long.Provider.Lambda.Window = &metav1.Duration{Duration: 10 * time.Minute}
	for _, now := range []time.Time{clock(12, 10, 2), clock(12, 10, 3)} {
		for metric, want := range map[*v1beta1.RolloutMetric]map[string]float64{{}: {
			old.Function:   5,
			young.Function: 2,
		}, &long: {old.Function: 10, young.Function: 2}} {
			m := *metric
			if metric != &long {
				m = lambdaOf("Errors")
			}
			for _, s := range []rollout.Subject{old, young} {
				got, wait, err := b.Sample(t.Context(), f, now, s, m)
				if err != nil || wait == 0 && got.Value != want[s.Function] || wait > 0 && now.Second() == 3 {
					t.Errorf("one call has all windows, and each metric its own: got %+v, %v, %v, want %v", got, wait,
						err, want[s.Function])
				}
			}
		}
	}
	if len(f.metrics) != 1 || !f.metrics[0].StartTime.Equal(clock(11, 58, 0)) ||
		!f.metrics[0].EndTime.Equal(clock(12, 8, 0)) {
		t.Errorf("got calls %+v", f.metrics)
	}
	if n := len(f.metrics[0].MetricDataQueries); n != 8 {
		t.Errorf("equal queries are sent once: got %d", n)
	}
}

// TestCallsOfManyRollouts counts the calls of 100 rollouts with three metrics: one for each 500 queries in a slot.
func TestCallsOfManyRollouts(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	metrics := []v1beta1.RolloutMetric{lambdaOf("ErrorRate"), lambdaOf("ThrottleRate"), lambdaOf("Duration")}
	slot := clock(12, 0, 0)
	for n := range 10 {
		now := slot.Add(time.Duration(n) * time.Minute)
		for _, at := range []time.Time{now, now.Add(time.Second)} {
			for i := range 100 {
				for _, m := range metrics {
					_, wait, err := b.Sample(t.Context(), f, at.Add(time.Duration(i)*time.Millisecond), subjectOf(i), m)
					if err != nil || wait > 0 && (at.Second() == 1 && i > 0 || wait > 2*time.Second) {
						t.Fatalf("slot %d, rollout %d: wait %v, %v", n, i, wait, err)
					}
				}
			}
		}
		queries := f.calls()
		total := 0
		for _, q := range queries {
			total += q
		}
		// Eight each, of which the rollout between two calls needs some in both.
		if total < 800 || total > 802 || len(queries) != 2 {
			t.Fatalf("slot %d: %d calls with %v queries", n, len(queries), queries)
		}
	}
}

// TestConcurrentCallers checks that one caller makes the call, and that no other one is blocked.
func TestConcurrentCallers(t *testing.T) {
	began, release := make(chan struct{}), make(chan struct{})
	b, f := &Batcher{}, &fake{}
	f.getMetricData = func(in *sdk.GetMetricDataInput) (*sdk.GetMetricDataOutput, error) {
		close(began)
		<-release
		return one(in), nil
	}
	for i := range 50 {
		b.Sample(t.Context(), f, clock(12, 0, 0), subjectOf(i), lambdaOf("ErrorRate"))
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if s, wait, err := b.Sample(t.Context(), f, clock(12, 0, 1), subjectOf(0), lambdaOf("ErrorRate")); err != nil ||
			wait > 0 || s.Value != 1 {
			t.Errorf("the caller has its value: got %+v, %v, %v", s, wait, err)
		}
	})
	<-began
	var others sync.WaitGroup
	for i := range 50 {
		others.Go(func() {
			if _, wait, err := b.Sample(t.Context(), f, clock(12, 0, 1), subjectOf(i),
				lambdaOf("ErrorRate")); err != nil || wait != time.Second {
				t.Errorf("another caller comes back: got %v, %v", wait, err)
			}
		})
	}
	others.Wait()
	// Also one of the next slot, while the call lasts.
	if _, wait, err := b.Sample(t.Context(), f, clock(12, 1, 5), subjectOf(7), lambdaOf("ErrorRate")); err != nil ||
		wait != time.Second {
		t.Errorf("a caller of the next slot comes back: got %v, %v", wait, err)
	}
	close(release)
	wg.Wait()
	for i := range 50 {
		if s, wait, err := b.Sample(t.Context(), f, clock(12, 0, 2), subjectOf(i), lambdaOf("ErrorRate")); err != nil ||
			wait > 0 || s.Value != 1 {
			t.Errorf("all have a value: got %+v, %v, %v", s, wait, err)
		}
	}
	if n := len(f.metrics); n != 1 {
		t.Errorf("got %d calls", n)
	}
}

// TestErrorOfSlot checks that no call is repeated within a slot.
func TestErrorOfSlot(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	fails := true
	f.getMetricData = func(in *sdk.GetMetricDataInput) (*sdk.GetMetricDataOutput, error) {
		if fails {
			return nil, apiError("InternalServiceFault")
		}
		return one(in), nil
	}
	ask := func(now time.Time, i int) error {
		_, _, err := b.Sample(t.Context(), f, now, subjectOf(i), lambdaOf("ErrorRate"))
		return err
	}
	for i := range 3 {
		if err := ask(clock(12, 0, 0), i); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		if err := ask(clock(12, 0, 5), i); err == nil ||
			!strings.Contains(err.Error(), "cannot read metrics of CloudWatch: InternalServiceFault") {
			t.Errorf("each sees the error: got %v", err)
		}
	}
	if got := f.calls(); len(got) != 1 {
		t.Errorf("%d calls in the slot", len(got))
	}
	fails = false
	if err := ask(clock(12, 1, 5), 1); err != nil || len(f.calls()) != 1 {
		t.Errorf("the next slot has a call of its own: %v", err)
	}
}

// TestCallerThatEnds checks that others do not see the error of a caller whose reconcile ended during the calls: one of
// them makes the calls again, and nobody repeats what was answered before.
func TestCallerThatEnds(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	ctx, cancel := context.WithCancel(t.Context())
	const rollouts = 200 // Of four queries each: they take two calls.
	f.getMetricData = func(in *sdk.GetMetricDataInput) (*sdk.GetMetricDataOutput, error) {
		if len(f.metrics) < 2 || ctx.Err() != nil {
			return one(in), nil //nolint:nilerr // AWS does not know of the caller's context.
		}
		cancel()
		return nil, ctx.Err()
	}
	f.describeAlarms = func(in *sdk.DescribeAlarmsInput) (*sdk.DescribeAlarmsOutput, error) {
		if ctx.Err() == nil {
			cancel()
			return nil, ctx.Err()
		}
		return &sdk.DescribeAlarmsOutput{
			MetricAlarms: []types.MetricAlarm{{AlarmName: &in.AlarmNames[0], StateValue: types.StateValueOk}},
		}, nil
	}
	ask := func(ctx context.Context, second, i int) error {
		_, wait, err := b.Sample(ctx, f, clock(12, 0, second), subjectOf(i), lambdaOf("ErrorRate"))
		if second > 0 && wait > 0 {
			t.Errorf("rollout %d waits", i)
		}
		return err
	}
	for i := range rollouts {
		if err := ask(t.Context(), 0, i); err != nil {
			t.Fatal(err)
		}
	}
	if err := ask(ctx, 1, rollouts-1); err == nil {
		t.Error("the caller sees no error")
	}
	for i := range rollouts {
		if err := ask(t.Context(), 2, i); err != nil {
			t.Errorf("rollout %d: %v", i, err)
		}
	}
	if diff := cmp.Diff([]int{500, 300, 300}, f.calls()); diff != "" {
		t.Errorf("queries of calls: -want, +got:\n%s", diff)
	}

	alarm := func(ctx context.Context, second int) error {
		states, _, err := b.Alarms(ctx, f, clock(12, 0, second), "ns", []string{"a"}, time.Minute)
		return errors.Join(err, states["a"].Err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	if err := alarm(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := alarm(ctx, 1); err == nil {
		t.Error("the caller sees no error")
	}
	if err := alarm(t.Context(), 2); err != nil {
		t.Errorf("another caller: %v", err)
	}
}

func TestPanicOfCall(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	f.getMetricData = func(*sdk.GetMetricDataInput) (*sdk.GetMetricDataOutput, error) { panic("boom") }
	b.Sample(t.Context(), f, clock(12, 0, 0), subjectOf(1), lambdaOf("ErrorRate"))
	func() {
		defer func() { recover() }()
		b.Sample(t.Context(), f, clock(12, 0, 1), subjectOf(1), lambdaOf("ErrorRate"))
	}()
	if _, wait, err := b.Sample(t.Context(), f, clock(12, 0, 2), subjectOf(1), lambdaOf("ErrorRate")); !errors.Is(err,
		errUnfinished) || wait > 0 {
		t.Errorf("got %v, %v", wait, err)
	}
	f.getMetricData = nil
	if _, wait, err := b.Sample(t.Context(), f, clock(12, 1, 2), subjectOf(1), lambdaOf("ErrorRate")); err != nil ||
		wait > 0 {
		t.Errorf("the next slot works: got %v, %v", wait, err)
	}
}

// TestThrottled checks that calls that are throttled are made more and more rarely.
func TestThrottled(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	throttled := true
	f.getMetricData = func(in *sdk.GetMetricDataInput) (*sdk.GetMetricDataOutput, error) {
		if throttled {
			return nil, apiError("Throttling")
		}
		return one(in), nil
	}
	m := lambdaOf("ErrorRate")
	b.Sample(t.Context(), f, clock(12, 0, 0), subjectOf(1), m)
	var at []int
	for minute := range 40 {
		_, wait, err := b.Sample(t.Context(), f, clock(12, minute, 1), subjectOf(1), m)
		if err == nil || wait > 0 {
			t.Fatalf("minute %d: got %v, %v", minute, wait, err)
		}
		if len(f.calls()) > 0 {
			at = append(at, minute)
		} else if !errors.Is(err, errPaused) {
			t.Errorf("minute %d: %v", minute, err)
		}
	}
	if want := []int{0, 1, 2, 4, 8, 13, 18, 23, 28, 33, 38}; !slices.Equal(at, want) {
		t.Errorf("called in the minutes %v, want %v", at, want)
	}
	throttled = false
	_, _, err := b.Sample(t.Context(), f, clock(12, 43, 1), subjectOf(1), m) // Joins anew.
	if _, _, err2 := b.Sample(t.Context(), f, clock(12, 43, 2), subjectOf(1), m); err != nil || err2 != nil {
		t.Errorf("got %v, %v", err, err2)
	}
	throttled = true
	b.Sample(t.Context(), f, clock(12, 44, 2), subjectOf(1), m)
	f.calls()
	if b.Sample(t.Context(), f, clock(12, 45, 2), subjectOf(1), m); len(f.calls()) != 1 {
		t.Error("after a success the pauses begin anew")
	}
}

// TestCustomQueriesShareNoCall checks that what a user wrote shares no call: neither a mistake nor METRICS concerns
// other rollouts.
func TestCustomQueriesShareNoCall(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	f.getMetricData = func(in *sdk.GetMetricDataInput) (*sdk.GetMetricDataOutput, error) {
		for _, q := range in.MetricDataQueries {
			if strings.Contains(aws.ToString(q.Expression), "WRONG") {
				return nil, apiError("ValidationError")
			}
		}
		return one(in), nil
	}
	cases := map[string]struct {
		reason string
		metric v1beta1.RolloutMetric
		want   float64
		err    string
	}{
		"Metrics": {
			reason: "METRICS reads all queries of its call.",
			metric: customOf(expression("e", "SUM(METRICS())")), want: 1,
		},
		"Several": {
			reason: "The queries of a metric share a call, with their IDs.",
			metric: customOf(metricQuery("m", 0, true), expression("e", "m * 2")), want: 1,
		},
		"Wrong": {
			reason: "A mistake is shown to its user.", metric: customOf(expression("e", "WRONG(")),
			err: "somebody",
		},
	}
	for _, second := range []int{0, 1} {
		for i := range 3 {
			if _, _, err := b.Sample(t.Context(), f, clock(12, 0, second), subjectOf(i),
				lambdaOf("ErrorRate")); err != nil {
				t.Errorf("Lambda's metrics are not affected: %v", err)
			}
		}
		for name, tc := range cases {
			got, wait, err := b.Sample(t.Context(), f, clock(12, 0, second), subjectOf(1), tc.metric)
			if wait > 0 || tc.err == "" && (err != nil || got.Value != tc.want) || tc.err != "" &&
				(err == nil || !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("%s: %s\ngot %+v, %v, %v", name, tc.reason, got, wait, err)
			}
		}
	}
	got := f.calls()
	if slices.Sort(got); !slices.Equal(got, []int{1, 1, 1, 1, 2, 2, 12}) {
		t.Errorf("calls have %v queries", got)
	}
}

func TestPeriods(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	for period, samples := range map[int32]float64{60: 1440, 300: 288, 3600: 24, 86400: 1, 420: 206} {
		m := customOf(metricQuery("m", period, false))
		m.Provider.CloudWatch.Window = &metav1.Duration{Duration: 24 * time.Hour}
		s := subjectOf(1)
		s.Since = time.Time{}
		if got, wait, err := b.Sample(t.Context(), f, clock(12, 7, 0), s, m); err != nil || wait > 0 ||
			got.Samples != samples {
			t.Errorf("a period of %d s: %v values after %v, %v, want %v", period, got.Samples, wait, err, samples)
		}
	}
	for _, in := range f.metrics {
		for _, q := range in.MetricDataQueries {
			if in.StartTime.Unix()%int64(*q.MetricStat.Period) != 0 {
				t.Errorf("the period of %d s is not aligned to %v", *q.MetricStat.Period, in.StartTime)
			}
		}
	}
}

// TestShortPeriods checks that a metric of high resolution is measured after its first finished period.
func TestShortPeriods(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	m := customOf(metricQuery("m", 10, true), metricQuery("n", 10, true), expression("e", "m / n"))
	s := subjectOf(1)
	s.Since = clock(12, 0, 3)
	if got, wait, err := b.Sample(t.Context(), f, clock(12, 0, 29), s, m); err != nil || wait != time.Second ||
		!math.IsNaN(got.Value) {
		t.Errorf("no period since the weight was set is finished: got %+v, %v, %v", got, wait, err)
	}
	if got, wait, err := b.Sample(t.Context(), f, clock(12, 0, 30), s, m); err != nil || wait > 0 || got.Value != 1 ||
		got.Samples != 1 {
		t.Errorf("the period from 12:00:10 is finished: got %+v, %v, %v", got, wait, err)
	}
}

// TestLongWindowOfShortPeriods checks that no call for periods of less than a minute begins more than three hours ago,
// also if the timeout makes the window longer: CloudWatch would have no data points for it.
func TestLongWindowOfShortPeriods(t *testing.T) {
	for _, period := range []int32{10, 30} {
		f := &fake{}
		m := customOf(metricQuery("m", period, false))
		m.Provider.CloudWatch.Window = &metav1.Duration{Duration: 3*time.Hour - time.Minute}
		s := subjectOf(1)
		s.Since, s.Timeout = clock(2, 0, 0), 15*time.Minute
		now := clock(12, 0, 9)
		got, wait, err := (&Batcher{}).Sample(t.Context(), f, now, s, m)
		if err != nil || wait > 0 || math.IsNaN(got.Value) {
			t.Fatalf("got %+v, %v, %v", got, wait, err)
		}
		if began := now.Sub(*f.metrics[0].StartTime); began > 3*time.Hour || began < 3*time.Hour-2*time.Minute {
			t.Errorf("a call for periods of %d s begins %s ago", period, began)
		}
	}
}

func TestManyPoints(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	const rollouts = 300
	for _, second := range []int{0, 1} {
		for i := range rollouts {
			m := lambdaOf("ErrorRate")
			m.Provider.Lambda.Window = &metav1.Duration{Duration: 24 * time.Hour}
			s := subjectOf(i)
			s.TrafficSince = time.Time{}
			got, _, err := b.Sample(t.Context(), f, clock(12, 0, second), s, m)
			if left := i >= maxCalls*13; second == 1 && left != errors.Is(err, errCalls) || second == 1 && !left &&
				got.Samples != 1440 {
				t.Fatalf("rollout %d: got %+v, %v", i, got, err)
			}
		}
	}
	// A day of a metric has 1,440 data points, and each rollout four queries.
	if got := f.calls(); len(got) != maxCalls || slices.Max(got) != 4*13 {
		t.Errorf("calls have %v queries", got)
	}
}

func TestPages(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	f.getMetricData = func(in *sdk.GetMetricDataInput) (*sdk.GetMetricDataOutput, error) {
		out := one(in)
		for i := range out.MetricDataResults {
			r := &out.MetricDataResults[i]
			if in.NextToken == nil {
				out.NextToken = aws.String("more")
				r.StatusCode, r.Timestamps, r.Values = types.StatusCodePartialData, r.Timestamps[:2], r.Values[:2]
			} else {
				r.Timestamps, r.Values = r.Timestamps[2:], r.Values[2:]
			}
		}
		return out, nil
	}
	b.Sample(t.Context(), f, clock(12, 0, 0), subjectOf(1), lambdaOf("Errors"))
	got, _, err := b.Sample(t.Context(), f, clock(12, 0, 1), subjectOf(1), lambdaOf("Errors"))
	if err != nil || got.Value != 5 || len(f.calls()) != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	f.getMetricData = func(in *sdk.GetMetricDataInput) (*sdk.GetMetricDataOutput, error) {
		return &sdk.GetMetricDataOutput{NextToken: aws.String(aws.ToString(in.NextToken) + "a")}, nil
	}
	if _, _, err = b.Sample(t.Context(), f, clock(12, 1, 1), subjectOf(1), lambdaOf("Errors")); err == nil ||
		len(f.calls()) != 200 {
		t.Errorf("pages without an end are an error: got %v", err)
	}
}

func TestMessagesOfCall(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	f.getMetricData = func(in *sdk.GetMetricDataInput) (*sdk.GetMetricDataOutput, error) {
		out := one(in)
		out.Messages = []types.MessageData{{Code: aws.String("MaxMetricsExceeded")}}
		return out, nil
	}
	b.Sample(t.Context(), f, clock(12, 0, 0), subjectOf(1), lambdaOf("Errors"))
	if _, _, err := b.Sample(t.Context(), f, clock(12, 0, 1), subjectOf(1), lambdaOf("Errors")); !errors.Is(err,
		errMessage) {
		t.Errorf("got %v", err)
	}
	f.getMetricData = func(in *sdk.GetMetricDataInput) (*sdk.GetMetricDataOutput, error) {
		out := one(in)
		out.MetricDataResults = append(out.MetricDataResults, out.MetricDataResults[0])
		return out, nil
	}
	if _, _, err := b.Sample(t.Context(), f, clock(12, 1, 1), subjectOf(1), lambdaOf("Errors")); !errors.Is(err,
		errSeveral) {
		t.Errorf("two results of a query in one page are two series: got %v", err)
	}
}

func TestBounds(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	var err error
	for i := range maxRequests + 1 {
		_, _, err = b.Sample(t.Context(), f, clock(12, 0, 0), subjectOf(i), lambdaOf("Errors"))
	}
	if !errors.Is(err, errTooMany) {
		t.Errorf("got %v", err)
	}
	if _, _, err = b.Sample(t.Context(), f, clock(12, 0, 0), subjectOf(1), lambdaOf("Errors")); err != nil {
		t.Errorf("those that are there stay: %v", err)
	}
	if _, _, err = b.Sample(t.Context(), f, clock(12, 2, 0), subjectOf(maxRequests), lambdaOf("Errors")); err != nil ||
		b.samples.size() != 1 {
		t.Errorf("what nobody has asked for is forgotten: %v, %d are left", err, b.samples.size())
	}
	long := lambdaOf("Errors")
	long.Interval = &metav1.Duration{Duration: time.Hour}
	b.Sample(t.Context(), f, clock(12, 4, 0), subjectOf(1), long)
	if len(b.samples.grids) != 1 {
		t.Errorf("intervals that nobody has are forgotten: %d are left", len(b.samples.grids))
	}
}

func TestClockSetBack(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	s := subjectOf(1)
	s.Since, s.TrafficSince = time.Time{}, time.Time{}
	b.Sample(t.Context(), f, clock(12, 0, 0), s, lambdaOf("Errors"))
	if _, wait, _ := b.Sample(t.Context(), f, clock(11, 59, 59), s, lambdaOf("Errors")); wait != 2*time.Second {
		t.Errorf("callers' clocks may differ a little: wait %v", wait)
	}
	if _, wait, _ := b.Sample(t.Context(), f, clock(9, 0, 0), s, lambdaOf("Errors")); wait != time.Second {
		t.Errorf("a clock that was set back begins anew: wait %v", wait)
	}
	if _, wait, err := b.Sample(t.Context(), f, clock(9, 0, 1), s, lambdaOf("Errors")); wait > 0 || err != nil {
		t.Errorf("got %v, %v", wait, err)
	}
}

func TestOtherProviders(t *testing.T) {
	b := &Batcher{}
	for _, m := range []v1beta1.RolloutMetric{{}, lambdaOf("Unknown"), customOf()} {
		if _, _, err := b.Sample(t.Context(), &fake{}, clock(12, 0, 0), subjectOf(1), m); err == nil {
			t.Errorf("%+v has no error", m)
		}
	}
}

func TestAlarms(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	f.describeAlarms = func(in *sdk.DescribeAlarmsInput) (*sdk.DescribeAlarmsOutput, error) {
		if slices.Equal(in.AlarmTypes, []types.AlarmType{types.AlarmTypeLogAlarm}) {
			return logAlarms(in), nil
		}
		if !slices.Equal(in.AlarmTypes, []types.AlarmType{types.AlarmTypeMetricAlarm, types.AlarmTypeCompositeAlarm}) {
			t.Errorf("asked for %v", in.AlarmTypes)
		}
		out := &sdk.DescribeAlarmsOutput{}
		for _, n := range in.AlarmNames {
			switch {
			case strings.HasPrefix(n, "log"): // Left out, as of another type.
			case n == "any":
				out.CompositeAlarms = append(out.CompositeAlarms,
					types.CompositeAlarm{
						AlarmName: &n, StateValue: types.StateValueInsufficientData,
						StateTransitionedTimestamp: aws.Time(clock(11, 0, 0)),
					})
			case n == "partial":
				out.MetricAlarms = append(out.MetricAlarms, types.MetricAlarm{
					AlarmName:  &n,
					StateValue: types.StateValueOk, EvaluationState: types.EvaluationStatePartialData,
				})
			case n == "fires in part", n == "fires unevaluated":
				evaluation := map[bool]types.EvaluationState{
					true: types.EvaluationStatePartialData, false: types.EvaluationStateEvaluationFailure,
				}[n == "fires in part"]
				out.MetricAlarms = append(out.MetricAlarms, types.MetricAlarm{
					AlarmName: &n, StateValue: types.StateValueAlarm, EvaluationState: evaluation,
				})
			case n == "long":
				out.MetricAlarms = append(out.MetricAlarms, types.MetricAlarm{
					AlarmName:  &n,
					StateValue: types.StateValueOk, Period: aws.Int32(300), EvaluationPeriods: aws.Int32(3),
					StateTransitionedTimestamp: aws.Time(clock(10, 0, 0)),
				})
			case n == "math":
				out.MetricAlarms = append(out.MetricAlarms, types.MetricAlarm{
					AlarmName:  &n,
					StateValue: types.StateValueOk, EvaluationPeriods: aws.Int32(2), Metrics: []types.MetricDataQuery{
						{Id: aws.String("m"), MetricStat: &types.MetricStat{Period: aws.Int32(60)}}, {
							Id:         aws.String("e"),
							Expression: aws.String("m * 2"),
						},
					},
				})
			case n == "odd":
				out.MetricAlarms = append(out.MetricAlarms, types.MetricAlarm{AlarmName: &n, StateValue: "ODD"})
			case n != "missing":
				out.MetricAlarms = append(out.MetricAlarms,
					types.MetricAlarm{AlarmName: &n, StateValue: types.StateValueAlarm})
			}
		}
		return out, nil
	}
	many := []string{}
	for i := range 150 {
		many = append(many, fmt.Sprintf("a%03d", i))
	}
	cases := []struct {
		reason string
		names  []string
		want   map[string]string
	}{
		{
			"Each alarm has its state.",
			[]string{"any", "a001"},
			map[string]string{
				"any":  "INSUFFICIENT_DATA until 11:53:01 since 11:00:00 about 11:00:00",
				"a001": "ALARM until 11:57:01",
			},
		},
		{
			"An alarm has evaluated what was before all of its periods.",
			[]string{"long", "math"},
			map[string]string{"long": "OK until 11:43:01 since 10:00:00 about 10:00:00", "math": "OK until 11:56:01"},
		},
		{
			"An alarm that does not exist is named, and hides no other one.",
			[]string{"a001", "missing"},
			map[string]string{
				"a001":    "ALARM until 11:57:01",
				"missing": `the alarm "missing" does not exist: check its name, and for a composite alarm that cloudwatch:DescribeAlarms is allowed on the resource *`,
			},
		},
		{
			"One without all data has no state, and hides no other one.",
			[]string{"a001", "partial"},
			map[string]string{
				"a001":    "ALARM until 11:57:01",
				"partial": `the state of the alarm "partial" is not reliable: CloudWatch could not evaluate it with all data`,
			},
		},
		{
			"What exceeds the threshold in a part of the data does so, but a state that was not evaluated is an old one.",
			[]string{"fires in part", "fires unevaluated"},
			map[string]string{
				"fires in part":     "ALARM until 11:57:01",
				"fires unevaluated": `the state of the alarm "fires unevaluated" is not reliable: CloudWatch could not evaluate it with all data`,
			},
		},
		{
			"A log alarm has evaluated what was before all of its queries.",
			[]string{"log", "log in part"},
			map[string]string{
				"log":         "OK until 11:40:01 since 11:00:00 about 11:00:00",
				"log in part": `the state of the alarm "log in part" is not reliable: CloudWatch could not evaluate it with all data`,
			},
		},
		{
			"A state that is not known is the caller's to reject.",
			[]string{"odd"},
			map[string]string{"odd": "ODD until 11:57:01"},
		},
		{"No alarm has no state.", nil, map[string]string{}},
	}
	at := clock(12, 0, 0)
	b.Alarms(t.Context(), f, at, "ns", many, 30*time.Second)
	for _, tc := range cases {
		b.Alarms(t.Context(), f, at, "ns", tc.names, 30*time.Second)
	}
	for _, tc := range cases {
		states, wait, err := b.Alarms(t.Context(), f, at.Add(time.Second), "ns", tc.names, 30*time.Second)
		got := map[string]string{}
		for name, s := range states {
			if got[name] = s.State + " until " + s.Until.Format(time.TimeOnly); s.Err != nil {
				got[name] = s.Err.Error()
			}
			if !s.Since.IsZero() {
				got[name] += s.Since.Format(" since 15:04:05") + s.About.Format(" about 15:04:05")
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" || wait > 0 || err != nil {
			t.Errorf("%s\n%v, %v, -want +got:\n%s", tc.reason, wait, err, diff)
		}
	}
	var calls []int
	for _, names := range f.alarms {
		calls = append(calls, len(names))
	}
	if want := []int{100, 60, 3}; !slices.Equal(calls, want) {
		t.Errorf("100 alarms share a call, and those that are missing one of log alarms: got %v, want %v", calls, want)
	}
	f.describeAlarms = func(*sdk.DescribeAlarmsInput) (*sdk.DescribeAlarmsOutput, error) {
		return nil, &smithy.OperationError{
			ServiceID: "CloudWatch", OperationName: "DescribeAlarms",
			Err: &smithy.GenericAPIError{
				Code:    "AccessDenied",
				Message: "not authorized to perform: cloudwatch:DescribeAlarms",
			},
		}
	}
	got, wait, err := b.Alarms(t.Context(), f, at.Add(31*time.Second), "ns", []string{"a001"}, 30*time.Second)
	if a := got["a001"]; a.Err == nil || wait > 0 || err != nil ||
		!strings.Contains(a.Err.Error(), "cannot read the alarms of CloudWatch") {
		t.Errorf("got %+v, %v, %v", a, wait, err)
	}
}

// logAlarms returns the log alarms of the names that are those of some: their last three queries were made every five
// minutes, of the three minutes before.
func logAlarms(in *sdk.DescribeAlarmsInput) *sdk.DescribeAlarmsOutput {
	out := &sdk.DescribeAlarmsOutput{}
	for name, state := range map[string]types.EvaluationState{
		"log": "", "log in part": types.EvaluationStatePartialData,
	} {
		if slices.Contains(in.AlarmNames, name) {
			out.LogAlarms = append(out.LogAlarms, types.LogAlarm{
				AlarmName:                   &name,
				StateValue:                  types.StateValueOk,
				EvaluationState:             state,
				QueryResultsToEvaluate:      aws.Int32(3),
				StateTransitionedTimestamp:  aws.Time(clock(11, 0, 0)),
				ScheduledQueryConfiguration: scheduled("rate(5 minutes)", 180),
			})
		}
	}
	return out
}

// TestTimeoutsAreSeen checks that the failure of an invocation that times out, whose data points are of the time of its
// begin and appear after its end, is in a window.
func TestTimeoutsAreSeen(t *testing.T) {
	for _, timeout := range []time.Duration{3 * time.Second, time.Minute, 15 * time.Minute} {
		for _, length := range []time.Duration{3 * time.Minute, 5 * time.Minute, time.Hour} {
			s := subjectOf(1)
			s.Timeout = timeout
			m := lambdaOf("ErrorRate")
			m.Provider.Lambda.Window = &metav1.Duration{Duration: length}
			r, err := newRequest(s, m)
			if err != nil {
				t.Fatal(err)
			}
			begin := clock(12, 0, 30)
			published := begin.Add(timeout + rollout.PublishDelay)
			seen := 0
			for now := clock(11, 50, 1); now.Before(clock(14, 0, 0)); now = now.Add(time.Minute) {
				if !now.Before(published) && r.windowAt(now).has(clock(12, 0, 0)) {
					seen++
				}
			}
			if least := int(length/time.Minute) - 1; seen < least {
				t.Errorf("timeout %s, window %s: a failure is in %d measurements, want %d", timeout, length, seen,
					least)
			}
		}
	}
}
