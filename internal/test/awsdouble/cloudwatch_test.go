package awsdouble

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func cloudWatch(c aws.Config) *cloudwatch.Client {
	return cloudwatch.NewFromConfig(c, func(o *cloudwatch.Options) { o.Retryer = aws.NopRetryer{} })
}

func stat(id, namespace, name, statistic string, period int32, dimensions ...string) types.MetricDataQuery {
	m := &types.Metric{Namespace: &namespace, MetricName: &name}
	for i := 0; i < len(dimensions); i += 2 {
		m.Dimensions = append(m.Dimensions, types.Dimension{Name: &dimensions[i], Value: &dimensions[i+1]})
	}
	return types.MetricDataQuery{Id: &id, MetricStat: &types.MetricStat{Metric: m, Period: &period, Stat: &statistic}}
}

func expression(id, e string) types.MetricDataQuery {
	return types.MetricDataQuery{Id: &id, Expression: &e}
}

func hidden(q types.MetricDataQuery) types.MetricDataQuery {
	q.ReturnData = aws.Bool(false)
	return q
}

var results = cmpopts.IgnoreUnexported(types.MetricDataResult{}, types.MessageData{})

// putValues publishes the values 1 to 4 of a metric in each of four minutes: the values of minute n are n times as
// large. It returns the first minute.
func putValues(s *Server, name string) time.Time {
	begin := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	for minute := range 4 {
		for v := 1; v <= 4; v++ {
			s.PutMetric(Metric{
				Region: testRegion, Namespace: "Shop", Name: name,
				Dimensions: map[string]string{"Cart": "big"},
			}, begin.Add(time.Duration(minute)*time.Minute),
				float64(v*(minute+1)))
		}
	}
	return begin
}

func TestGetMetricData(t *testing.T) {
	s := start(t, Options{})
	c := cloudWatch(s.Config(testRegion))
	begin := putValues(s, "Orders")
	s.PutMetric(Metric{Region: testRegion, Namespace: "Shop", Name: "Sparse"}, begin.Add(time.Minute), 7)
	s.PutMetric(Metric{Region: testRegion, Namespace: "Shop", Name: "Zero"}, begin, 0)
	orders := func(id, statistic string, period int32) types.MetricDataQuery {
		return stat(id, "Shop", "Orders", statistic, period, "Cart", "big")
	}
	at := func(minutes ...int) []time.Time {
		all := []time.Time{}
		for _, m := range minutes {
			all = append(all, begin.Add(time.Duration(m)*time.Minute))
		}
		return all
	}
	cases := map[string]struct {
		reason  string
		queries []types.MetricDataQuery
		want    types.MetricDataResult
	}{
		"Sum": {
			"The sum of each period, the newest first.",
			[]types.MetricDataQuery{orders("q", "Sum", 60)},
			types.MetricDataResult{Label: aws.String(
				"Orders"), Timestamps: at(3, 2, 1, 0), Values: []float64{40, 30, 20, 10}},
		},
		"Average": {
			"The mean.",
			[]types.MetricDataQuery{orders("q", "Average", 120)},
			types.MetricDataResult{Label: aws.String("Orders"), Timestamps: at(2, 0), Values: []float64{8.75, 3.75}},
		},
		"Maximum": {
			"The largest.",
			[]types.MetricDataQuery{orders("q", "Maximum", 240)},
			types.MetricDataResult{Label: aws.String("Orders"), Timestamps: at(0), Values: []float64{16}},
		},
		"Minimum": {
			"The smallest.",
			[]types.MetricDataQuery{orders("q", "Minimum", 240)},
			types.MetricDataResult{Label: aws.String("Orders"), Timestamps: at(0), Values: []float64{1}},
		},
		"SampleCount": {
			"How many values there were.",
			[]types.MetricDataQuery{orders("q", "SampleCount", 240)},
			types.MetricDataResult{Label: aws.String("Orders"), Timestamps: at(0), Values: []float64{16}},
		},
		"Percentile": {
			"A part of the values is not larger.",
			[]types.MetricDataQuery{orders("q", "p50", 60)},
			types.MetricDataResult{Label: aws.String(
				"Orders"), Timestamps: at(3, 2, 1, 0), Values: []float64{8, 6, 4, 2}},
		},
		"Unknown": {
			"A metric that does not exist has no data, and that is no error.",
			[]types.MetricDataQuery{stat(
				"q", "Shop", "Orders", "Sum", 60)},
			types.MetricDataResult{Label: aws.String("Orders"), Timestamps: at(), Values: []float64{}},
		},
		"Expression": {
			"An expression computes at each time, and hidden queries are not returned.",
			[]types.MetricDataQuery{hidden(orders(
				"m", "Sum", 60)), expression("q", "(m + 2*m) / 10 - 1")},
			types.MetricDataResult{
				Label:      aws.String("q"),
				Timestamps: at(3, 2, 1, 0), Values: []float64{11, 8, 5, 2},
			},
		},
		"Missing": {
			"Where one has no value, neither has the expression.",
			[]types.MetricDataQuery{hidden(orders("m",
				"Sum", 60)), hidden(stat("n", "Shop", "Sparse", "Sum", 60)), expression("q", "m + n")},
			types.MetricDataResult{Label: aws.String("q"), Timestamps: at(1), Values: []float64{27}},
		},
		"NoNumber": {
			"What is no number is left out, with a message.",
			[]types.MetricDataQuery{hidden(stat("z", "Shop", "Zero", "Sum", 60)), expression("q", "1 / z")},
			types.MetricDataResult{
				Label: aws.String("q"), Timestamps: at(), Values: []float64{},
				Messages: []types.MessageData{{Code: aws.String(
					"Message"), Value: aws.String("One or more data-points have been dropped due to non-numeric " +
					"values (NaN, -Infinite, +Infinite)")}},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out, err := c.GetMetricData(t.Context(),
				&cloudwatch.GetMetricDataInput{
					StartTime: aws.Time(begin.Add(20 * time.Second)),
					EndTime:   aws.Time(begin.Add(4 * time.Minute)), MetricDataQueries: tc.queries,
				})
			if err != nil {
				t.Fatal(err)
			}
			tc.want.Id, tc.want.StatusCode = aws.String("q"), types.StatusCodeComplete
			if diff := cmp.Diff([]types.MetricDataResult{tc.want}, out.MetricDataResults, results,
				cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestHighResolution checks that the data points of a high-resolution metric can be read by shorter periods, and those
// of other metrics have the time of their minute.
func TestHighResolution(t *testing.T) {
	s := start(t, Options{})
	c := cloudWatch(s.Config(testRegion))
	begin := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	fine, coarse := Metric{
		Region: testRegion, Namespace: "Shop", Name: "Orders",
		HighResolution: true,
	}, Metric{Region: testRegion, Namespace: "Shop", Name: "Visits"}
	for second := range 60 {
		s.PutMetric(fine, begin.Add(time.Duration(second)*time.Second), 1)
		s.PutMetric(coarse, begin.Add(time.Duration(second)*time.Second), 1)
	}
	read := func(name string, from int, period int32) map[int]float64 {
		t.Helper()
		out, err := c.GetMetricData(t.Context(), &cloudwatch.GetMetricDataInput{
			StartTime: aws.Time(begin.Add(time.Duration(from) * time.Second)),
			EndTime:   aws.Time(begin.Add(time.Minute)), MetricDataQueries: []types.MetricDataQuery{stat(
				"q", "Shop", name, "Sum", period)},
		})
		if err != nil {
			t.Fatal(err)
		}
		values := map[int]float64{}
		for i, at := range out.MetricDataResults[0].Timestamps {
			values[int(at.Sub(begin).Seconds())] = out.MetricDataResults[0].Values[i]
		}
		return values
	}
	for name, tc := range map[string]struct{ got, want map[int]float64 }{
		"TenSeconds":   {read("Orders", 20, 10), map[int]float64{20: 10, 30: 10, 40: 10, 50: 10}},
		"Rounded":      {read("Orders", 35, 30), map[int]float64{30: 30}},
		"Minute":       {read("Orders", 35, 60), map[int]float64{0: 60}},
		"CoarseMinute": {read("Visits", 0, 10), map[int]float64{0: 60}},
	} {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

func TestGetMetricDataRejections(t *testing.T) {
	s := start(t, Options{})
	c := cloudWatch(s.Config(testRegion))
	begin := putValues(s, "Orders")
	many := make([]types.MetricDataQuery, 501)
	for i := range many {
		many[i] = stat(fmt.Sprintf("q%d", i), "Shop", "Orders", "Sum", 60)
	}
	cases := map[string]struct {
		reason  string
		queries []types.MetricDataQuery
		end     time.Time
		message string
	}{
		"TooMany": {
			reason: "A call has 500 queries.", queries: many,
			message: "The collection MetricDataQueries must not have a size greater than 500.",
		},
		"Twice": {
			reason: "IDs are unique.",
			queries: []types.MetricDataQuery{stat("q", "Shop", "Orders", "Sum", 60), stat(
				"q", "Shop", "Orders", "Sum", 60)},
			message: "The values for parameter id in MetricDataQueries are not unique.",
		},
		"Time": {
			reason: "The time does not end before it begins.", queries: []types.MetricDataQuery{stat("q",
				"Shop", "Orders", "Sum", 60)}, end: begin,
			message: "The parameter StartTime must be less than the parameter EndTime.",
		},
		"Statistic": {reason: "The statistic exists.", queries: []types.MetricDataQuery{stat("q", "Shop", "Orders",
			"Mean", 60)}, message: "The value Mean for parameter MetricDataQueries.member.1.MetricStat.Stat is not a " +
			"valid statistic."},
		"Period": {
			reason:  "Periods are minutes, or parts of a minute.",
			queries: []types.MetricDataQuery{stat("q", "Shop", "Orders", "Sum", 90)},
		},
		"ShortPeriod": {
			reason:  "Not each part of a minute is a period.",
			queries: []types.MetricDataQuery{stat("q", "Shop", "Orders", "Sum", 15)},
		},
		"ID": {
			reason:  "An ID begins with a lowercase letter.",
			queries: []types.MetricDataQuery{stat("Q", "Shop", "Orders", "Sum", 60)},
		},
		"Identifier": {reason: "Expressions refer to queries.", queries: []types.MetricDataQuery{expression("q",
			"m + 1")}, message: "Error in expression 'q' [Unknown identifier m]"},
		"Syntax": {reason: "Expressions are well formed.", queries: []types.MetricDataQuery{expression("q", "(1 + ")}},
		"Number": {reason: "A number is no result.", queries: []types.MetricDataQuery{expression("q", "1 + 1")}},
		"Circle": {
			reason:  "Expressions do not refer to themselves.",
			queries: []types.MetricDataQuery{expression("q", "p + 1"), expression("p", "q + 1")},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.end.IsZero() {
				tc.end = begin.Add(time.Minute)
			}
			_, err := c.GetMetricData(t.Context(),
				&cloudwatch.GetMetricDataInput{StartTime: &begin, EndTime: &tc.end, MetricDataQueries: tc.queries})
			wantError(t, err, "ValidationError", tc.message)
		})
	}
}

func TestGetMetricDataPages(t *testing.T) {
	s := start(t, Options{})
	c := cloudWatch(s.Config(testRegion))
	begin := putValues(s, "Orders")
	in := &cloudwatch.GetMetricDataInput{
		StartTime: &begin, EndTime: aws.Time(begin.Add(4 * time.Minute)), MaxDatapoints: aws.Int32(3),
		ScanBy: types.ScanByTimestampAscending,
		MetricDataQueries: []types.MetricDataQuery{
			stat("a", "Shop", "Orders", "Sum", 60, "Cart", "big"),
			stat("none", "Shop", "None", "Sum", 60), stat("b", "Shop", "Orders", "Minimum", 60, "Cart", "big"),
		},
	}
	values, pages, status := map[string][]float64{}, 0, map[string]types.StatusCode{}
	p := cloudwatch.NewGetMetricDataPaginator(c, in)
	for p.HasMorePages() {
		out, err := p.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		pages++
		for _, r := range out.MetricDataResults {
			values[*r.Id] = append(values[*r.Id], r.Values...)
			status[*r.Id] = r.StatusCode
		}
	}
	want := map[string][]float64{"a": {10, 20, 30, 40}, "none": nil, "b": {1, 2, 3, 4}}
	if diff := cmp.Diff(want, values); diff != "" || pages != 3 {
		t.Errorf("%d pages, -want +got:\n%s", pages, diff)
	}
	for id, st := range status {
		if st != types.StatusCodeComplete {
			t.Errorf("the last status of %s is %s", id, st)
		}
	}
	in.NextToken = aws.String("x")
	_, err := c.GetMetricData(t.Context(), in)
	wantError(t, err, "InvalidNextToken", "")
}

func TestDescribeAlarms(t *testing.T) {
	s := start(t, Options{})
	c := cloudWatch(s.Config(testRegion))
	s.PutAlarm("", testRegion, Alarm{Name: "errors", State: "OK"})
	s.PutAlarm("", testRegion, Alarm{Name: "latency", State: "ALARM", EvaluationState: "PARTIAL_DATA"})
	s.PutAlarm("", testRegion, Alarm{Name: "any", State: "INSUFFICIENT_DATA", Composite: true})
	s.PutAlarm("", testRegion, Alarm{Name: "logs", State: "OK", Log: true, Period: 300})
	s.PutAlarm("", "us-east-1", Alarm{Name: "elsewhere", State: "OK"})
	describe := func(in cloudwatch.DescribeAlarmsInput) map[string]string {
		t.Helper()
		states := map[string]string{}
		p := cloudwatch.NewDescribeAlarmsPaginator(c, &in)
		for p.HasMorePages() {
			out, err := p.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range out.MetricAlarms {
				states[*a.AlarmName] = string(a.StateValue) + string(a.EvaluationState)
			}
			for _, a := range out.CompositeAlarms {
				states[*a.AlarmName] = "composite " + string(a.StateValue)
			}
			for _, a := range out.LogAlarms {
				states[*a.AlarmName] = *a.ScheduledQueryConfiguration.ScheduleConfiguration.ScheduleExpression + " " + string(
					a.StateValue,
				)
			}
		}
		return states
	}
	both := []types.AlarmType{types.AlarmTypeMetricAlarm, types.AlarmTypeCompositeAlarm}
	cases := map[string]struct {
		reason string
		in     cloudwatch.DescribeAlarmsInput
		want   map[string]string
	}{
		"Default": {
			"Composite alarms are left out unless they are asked for.",
			cloudwatch.DescribeAlarmsInput{},
			map[string]string{"errors": "OK", "latency": "ALARMPARTIAL_DATA"},
		},
		"Log": {
			"So are log alarms.",
			cloudwatch.DescribeAlarmsInput{AlarmTypes: []types.AlarmType{types.AlarmTypeLogAlarm}},
			map[string]string{"logs": "rate(5 minutes) OK"},
		},
		"Both": {
			"They are there if they are.",
			cloudwatch.DescribeAlarmsInput{AlarmTypes: both},
			map[string]string{"errors": "OK", "latency": "ALARMPARTIAL_DATA", "any": "composite INSUFFICIENT_DATA"},
		},
		"Named": {"A name that does not exist is no error.", cloudwatch.DescribeAlarmsInput{
			AlarmTypes: both,
			AlarmNames: []string{"any", "elsewhere"},
		}, map[string]string{"any": "composite INSUFFICIENT_DATA"}},
		"Pages": {
			"Lists have pages.",
			cloudwatch.DescribeAlarmsInput{AlarmTypes: both, MaxRecords: aws.Int32(1)},
			map[string]string{"errors": "OK", "latency": "ALARMPARTIAL_DATA", "any": "composite INSUFFICIENT_DATA"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, describe(tc.in)); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
	s.RemoveAlarm("", testRegion, "errors")
	if got := describe(cloudwatch.DescribeAlarmsInput{AlarmNames: []string{"errors"}}); len(got) > 0 {
		t.Errorf("a deleted alarm is there: %v", got)
	}
	_, err := c.DescribeAlarms(t.Context(), &cloudwatch.DescribeAlarmsInput{AlarmNames: make([]string, 101)})
	wantError(t, err, "ValidationError", "")
}

func TestCloudWatchQuotaFaultsAndCalls(t *testing.T) {
	clk := newClock()
	s := start(t, Options{Now: clk.now, Quotas: LambdaQuotas()})
	c := cloudWatch(s.Config(testRegion))
	in := &cloudwatch.DescribeAlarmsInput{AlarmNames: []string{"a", "b"}}
	for range 9 {
		if _, err := c.DescribeAlarms(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	_, err := c.DescribeAlarms(t.Context(), in)
	wantError(t, err, "Throttling", "Rate exceeded")
	if s.Throttled() != 1 {
		t.Errorf("%d calls are counted as throttled", s.Throttled())
	}
	if _, err := cloudWatch(s.Config("us-east-1")).DescribeAlarms(t.Context(), in); err != nil {
		t.Errorf("regions have their own quotas: %v", err)
	}
	clk.move(time.Second)
	s.Fail(Fault{Operation: "DescribeAlarms", Error: CloudWatchFailure()})
	_, err = c.DescribeAlarms(t.Context(), in)
	wantError(t, err, "InternalServiceFault", "")
	s.Fail(Fault{Operation: "DescribeAlarms", Error: AccessDenied("cloudwatch:DescribeAlarms")})
	_, err = c.DescribeAlarms(t.Context(), in)
	wantError(t, err, "AccessDeniedException", "")
	var status *smithyhttp.ResponseError
	if !errors.As(err, &status) || status.HTTPStatusCode() != http.StatusForbidden {
		t.Errorf("status of %v", err)
	}
	s.Fail(Fault{Operation: "DescribeAlarms", Drop: DropBefore})
	if _, err = c.DescribeAlarms(t.Context(), in); err == nil {
		t.Error("a dropped call has succeeded")
	}
	calls := s.Calls()
	if got := calls[0]; got.Operation != "DescribeAlarms" || got.Service != "monitoring" || got.Items != 2 ||
		got.Region != testRegion || got.Account != DefaultAccount {
		t.Errorf("logged %+v", got)
	}
}

func TestMetricStatus(t *testing.T) {
	s := start(t, Options{})
	c := cloudWatch(s.Config(testRegion))
	begin := putValues(s, "Orders")
	s.SetMetricStatus("Orders", "InternalError", "try again")
	in := &cloudwatch.GetMetricDataInput{
		StartTime: &begin, EndTime: aws.Time(begin.Add(time.Hour)),
		MetricDataQueries: []types.MetricDataQuery{stat("q", "Shop", "Orders", "Sum", 60, "Cart", "big")},
	}
	out, err := c.GetMetricData(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if r := out.MetricDataResults[0]; r.StatusCode != types.StatusCodeInternalError || len(r.Values) > 0 ||
		*r.Messages[0].Value != "try again" {
		t.Errorf("got %+v", r)
	}
	s.SetMetricStatus("Orders", "Complete", "")
	if out, err = c.GetMetricData(t.Context(), in); err != nil || len(out.MetricDataResults[0].Values) != 4 {
		t.Errorf("got %+v, %v", out, err)
	}
}

// TestTraffic moves an alias with traffic, and compares the metrics minute by minute.
func TestTraffic(t *testing.T) {
	clk := newClock()
	clk.at = clk.at.Truncate(time.Minute)
	begin := clk.at
	s := start(t, Options{Now: clk.now})
	l := client(s)
	create(t, l, zipFunction(t, "f"))
	for _, description := range []string{"one", "two"} {
		if _, err := l.UpdateFunctionConfiguration(t.Context(),
			&lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String(
				"f"), Description: aws.String(description)}); err != nil {
			t.Fatal(err)
		}
		if _, err := l.PublishVersion(t.Context(),
			&lambda.PublishVersionInput{FunctionName: aws.String("f")}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.CreateAlias(t.Context(), &lambda.CreateAliasInput{
		FunctionName: aws.String("f"),
		Name:         aws.String("live"), FunctionVersion: aws.String("1"),
	}); err != nil {
		t.Fatal(err)
	}
	s.Traffic(Traffic{
		Function: "f", Alias: "live", PerMinute: 100,
		Versions: map[string]Outcomes{"2": {ErrorRate: .5, ThrottleRate: .2, Duration: 20 * time.Millisecond}},
	})
	clk.move(time.Minute)
	if _, err := l.UpdateAlias(t.Context(), &lambda.UpdateAliasInput{
		FunctionName: aws.String("f"),
		Name:         aws.String("live"), RoutingConfig: weights(map[string]float64{"2": .1}),
	}); err != nil {
		t.Fatal(err)
	}
	clk.move(2 * time.Minute)
	s.EditAlias("f", "live", func(a *Alias) { a.FunctionVersion, a.RoutingConfig = "2", nil })
	clk.move(time.Minute + 30*time.Second)

	of := func(more ...string) []string {
		return append([]string{"FunctionName", "f", "Resource", "f:live"}, more...)
	}
	queries := []types.MetricDataQuery{
		stat("all", "AWS/Lambda", "Invocations", "Sum", 60, of()...),
		stat("function", "AWS/Lambda", "Invocations", "Sum", 60, "FunctionName", "f"),
		stat("region", "AWS/Lambda", "Invocations", "Sum", 60),
		stat("v1", "AWS/Lambda", "Invocations", "Sum", 60, of("ExecutedVersion", "1")...),
		stat("v2", "AWS/Lambda", "Invocations", "Sum", 60, of("ExecutedVersion", "2")...),
		stat("errors1", "AWS/Lambda", "Errors", "Sum", 60, of("ExecutedVersion", "1")...),
		stat("errors2", "AWS/Lambda", "Errors", "Sum", 60, of("ExecutedVersion", "2")...),
		stat("errors", "AWS/Lambda", "Errors", "Sum", 60, of()...),
		stat("throttles", "AWS/Lambda", "Throttles", "Sum", 60, of()...),
		stat("throttles2", "AWS/Lambda", "Throttles", "Sum", 60, of("ExecutedVersion", "2")...),
		stat("duration", "AWS/Lambda", "Duration", "Average", 60, of("ExecutedVersion", "2")...),
	}
	out, err := cloudWatch(s.Config(testRegion)).GetMetricData(t.Context(),
		&cloudwatch.GetMetricDataInput{
			StartTime: &begin, EndTime: aws.Time(begin.Add(time.Hour)),
			MetricDataQueries: queries,
		})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]map[int]float64{}
	for _, r := range out.MetricDataResults {
		got[*r.Id] = map[int]float64{}
		for i, at := range r.Timestamps {
			got[*r.Id][int(at.Sub(begin)/time.Minute)] = r.Values[i]
		}
	}
	want := map[string]map[int]float64{
		"all": {0: 100, 1: 98, 2: 98, 3: 80, 4: 40}, "function": {0: 100, 1: 98, 2: 98, 3: 80, 4: 40},
		"region": {0: 100, 1: 98, 2: 98, 3: 80, 4: 40},
		"v1":     {1: 90, 2: 90}, "v2": {1: 8, 2: 8},
		"errors1": {}, "errors2": {1: 4, 2: 4}, "errors": {1: 4, 2: 4, 3: 40, 4: 20},
		"throttles": {1: 2, 2: 2, 3: 20, 4: 10}, "throttles2": {},
		"duration": {1: 20, 2: 20},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestInvokeDelay(t *testing.T) {
	s := start(t, Options{})
	c := client(s)
	create(t, c, zipFunction(t, "f"))
	s.OnInvoke("f", func(in Invoked) Returned {
		return Returned{Delay: 20 * time.Millisecond, Payload: []byte(`"` + in.Version + `"`)}
	})
	begin := time.Now()
	out, err := c.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: aws.String("f")})
	if took := time.Since(begin); err != nil || string(out.Payload) != `"$LATEST"` || took < 20*time.Millisecond {
		t.Errorf("got %s, %v after %v", out.Payload, err, took)
	}
}

func TestCloudWatchStrictCredentials(t *testing.T) {
	s := start(t, Options{StrictCredentials: true})
	_, err := cloudWatch(s.Config(testRegion)).DescribeAlarms(t.Context(), &cloudwatch.DescribeAlarmsInput{})
	wantError(t, err, "UnrecognizedClientException", "")
	s.AddUser(User{ARN: "arn:aws:iam::210987654321:user/u", AccessKeyID: "AKIAUSER", SecretAccessKey: "double"})
	s.PutAlarm("210987654321", testRegion, Alarm{Name: "a", State: "OK"})
	out, err := cloudWatch(s.ConfigFor(testRegion, "AKIAUSER")).DescribeAlarms(t.Context(),
		&cloudwatch.DescribeAlarmsInput{})
	if err != nil || len(out.MetricAlarms) != 1 {
		t.Errorf("got %+v, %v", out, err)
	}
}
