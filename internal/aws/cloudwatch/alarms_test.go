package cloudwatch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestNamesOfNoAlarm checks that a name that no alarm can have, for which CloudWatch rejects the whole call, hides no
// alarm of another rollout: other namespaces may share the call.
func TestNamesOfNoAlarm(t *testing.T) {
	cases := map[string]struct{ reason, name string }{
		"Control": {"No name has control characters.", "errors\x00"},
		"Long": {
			"A name has at most 255 units of UTF-16, and admission counts characters.",
			strings.Repeat("🚨", 128),
		},
		"UTF8":  {"A name is text.", "errors\xff"},
		"Empty": {"A name has a character at least.", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b, f, at := &Batcher{}, &fake{}, clock(12, 0, 0)
			f.describeAlarms = func(in *sdk.DescribeAlarmsInput) (*sdk.DescribeAlarmsOutput, error) {
				if slices.Contains(in.AlarmNames, tc.name) {
					return nil, apiError("ValidationError")
				}
				out := &sdk.DescribeAlarmsOutput{}
				for _, n := range in.AlarmNames {
					out.MetricAlarms = append(out.MetricAlarms,
						types.MetricAlarm{AlarmName: &n, StateValue: types.StateValueAlarm})
				}
				return out, nil
			}
			names := [][]string{{"fires"}, {tc.name}}
			for _, n := range names {
				b.Alarms(t.Context(), f, at, "ns", n, 30*time.Second)
			}
			got := map[string]string{}
			for _, n := range names {
				states, wait, err := b.Alarms(t.Context(), f, at.Add(time.Second), "ns", n, 30*time.Second)
				if wait > 0 || err != nil {
					t.Fatal(wait, err)
				}
				if got[n[0]] = states[n[0]].State; states[n[0]].Err != nil {
					got[n[0]] = states[n[0]].Err.Error()
				}
			}
			if got["fires"] != "ALARM" || !strings.Contains(got[tc.name], "is not the name of an alarm") {
				t.Errorf("%s\ngot %q", tc.reason, got)
			}
		})
	}
}

// TestWhatAnAlarmIsAbout checks because of which period an alarm went to its state. The reasons and the data are AWS's.
func TestWhatAnAlarmIsAbout(t *testing.T) {
	const data = `{"version":"1.0","queryDate":"2025-05-15T15:31:44.984+0000","startDate":"2025-05-15T15:28:00.000+0000",` +
		`"statistic":"Sum","period":60,"recentDatapoints":[1.0],"threshold":0.0,"evaluatedDatapoints":[` +
		`{"timestamp":"2025-05-15T15:29:00.000+0000","sampleCount":1.0,"value":0.0},{"timestamp":"2025-05-15T15:28:00.000+0000"}]}`
	const anomaly = `{"version":"1.0","queryDate":"2025-05-15T15:31:44.650+0000","startDate":"2025-05-15T15:29:00.000+0000",` +
		`"period":60,"recentDatapoints":[0.0],"recentLowerThresholds":[0.02],"recentUpperThresholds":[0.3]}`
	transitioned := time.Date(2025, 5, 15, 15, 31, 44, 0, time.UTC)
	for name, tc := range map[string]struct {
		why, reason, data string
		at                *time.Time
		want              time.Time
	}{
		"Crossed": {
			"One period of three is enough: the others say nothing.",
			"Threshold Crossed: 1 out of the last 3 datapoints [1.0 (15/05/25 15:27:00)] was greater than the threshold (0.0).",
			data, &transitioned, transitioned.Add(-224 * time.Second),
		},
		"Several": {
			"The latest of them.",
			"Threshold Crossed: 2 out of the last 5 datapoints [3.0 (15/05/25 15:28:00), 4.0 (15/05/25 15:27:00)] were greater.",
			data, &transitioned, transitioned.Add(-164 * time.Second),
		},
		"Anomaly": {
			"The data of anomaly detection name no periods.",
			"Thresholds Crossed: 1 out of the last 1 datapoints [0.0 (15/05/25 15:29:00)] was less than the lower " +
				"thresholds [0.02] or greater than the upper thresholds [0.3] (minimum 1 datapoint for OK -> ALARM transition).",
			anomaly, &transitioned, transitioned.Add(-104 * time.Second),
		},
		"Missing": {
			"Periods without data that count as breaching are among those that were evaluated.",
			"Threshold Crossed: 1 datapoint [0.0 (15/05/25 15:27:00)] was less than the threshold (1.0) and 2 missing " +
				"datapoints were treated as [Breaching].",
			data, &transitioned, transitioned.Add(-104 * time.Second),
		},
		"Evaluated":  {"Without a time in the reason, the latest that was evaluated.", "?", data, &transitioned, transitioned.Add(-104 * time.Second)},
		"NoData":     {"A composite alarm has none.", "", "", &transitioned, transitioned},
		"Other":      {"Who sets a state by hand may set any data.", "", `{"period":"?"}`, &transitioned, transitioned},
		"NoTime":     {"And any reason.", "(99/99/99 99:99:99)", "{}", &transitioned, transitioned},
		"Later":      {"Nothing after the transition was evaluated.", "", strings.ReplaceAll(data, "T15:29", "T15:49"), &transitioned, transitioned},
		"NoneIsOld":  {"Without a time, nothing is known.", "", data, nil, time.Time{}},
		"NothingSet": {"Without a time, nothing is known.", "", "", nil, time.Time{}},
	} {
		if got := aboutOf(aws.ToTime(tc.at), &tc.reason, &tc.data); !got.Equal(tc.want) {
			t.Errorf("%s: %s: got %v, want %v", name, tc.why, got, tc.want)
		}
	}
}

// TestAlarmsWithALongInterval checks that a rollout that begins is told the present state of an alarm, and not that
// which another rollout was told at the begin of its interval.
func TestAlarmsWithALongInterval(t *testing.T) {
	b, f, state := &Batcher{}, &fake{}, types.StateValueOk
	f.describeAlarms = func(in *sdk.DescribeAlarmsInput) (*sdk.DescribeAlarmsOutput, error) {
		return &sdk.DescribeAlarmsOutput{
			MetricAlarms: []types.MetricAlarm{{AlarmName: &in.AlarmNames[0], StateValue: state}},
		}, nil
	}
	read := func(now time.Time) string {
		t.Helper()
		if _, wait, err := b.Alarms(
			t.Context(),
			f,
			now,
			"ns",
			[]string{"a"},
			time.Hour,
		); wait > time.Second ||
			err != nil {
			t.Fatalf("at %v: wait %v, %v", now, wait, err)
		}
		states, _, _ := b.Alarms(t.Context(), f, now.Add(time.Second), "ns", []string{"a"}, time.Hour)
		return states["a"].State
	}
	if got := read(clock(12, 5, 0)); got != "OK" {
		t.Errorf("got %q", got)
	}
	state = types.StateValueAlarm
	if got := read(clock(12, 50, 0)); got != "ALARM" {
		t.Errorf("after 45 minutes: got %q", got)
	}
}

// TestEvaluationOf checks how long it takes until an alarm has evaluated what happens now.
func TestEvaluationOf(t *testing.T) {
	promQL := func(pending, recovery *int32) types.MetricAlarm {
		return types.MetricAlarm{
			EvaluationInterval: aws.Int32(60),
			EvaluationCriteria: &types.EvaluationCriteriaMemberPromQLCriteria{
				Value: types.AlarmPromQLCriteria{PendingPeriod: pending, RecoveryPeriod: recovery},
			},
		}
	}
	for name, tc := range map[string]struct {
		reason string
		alarm  types.MetricAlarm
		want   time.Duration
	}{
		"Periods": {
			"All of its periods, and two minutes.",
			types.MetricAlarm{Period: aws.Int32(300), EvaluationPeriods: aws.Int32(3)},
			17 * time.Minute,
		},
		"WallClock": {
			"Its periods begin at a multiple of them, so up to one later.",
			types.MetricAlarm{
				Period: aws.Int32(3600), EvaluationPeriods: aws.Int32(1),
				EvaluationWindow: &types.EvaluationWindowMemberWallClockWindow{},
			},
			2*time.Hour + 2*time.Minute,
		},
		"Sliding": {
			"Otherwise, they end with the evaluation.",
			types.MetricAlarm{
				Period: aws.Int32(3600), EvaluationPeriods: aws.Int32(1),
				EvaluationWindow: &types.EvaluationWindowMemberSlidingWindow{},
			},
			time.Hour + 2*time.Minute,
		},
		"PromQL":  {"One of a query has no periods.", promQL(nil, nil), 3 * time.Minute},
		"Pending": {"It goes to ALARM after so long only.", promQL(aws.Int32(900), aws.Int32(60)), 18 * time.Minute},
		"Recovery": {
			"And is in ALARM for so long because of what was before.",
			promQL(aws.Int32(60), aws.Int32(900)), 18 * time.Minute,
		},
	} {
		if got := evaluationOf(&tc.alarm); got != tc.want {
			t.Errorf("%s: %s\ngot %s, want %s", name, tc.reason, got, tc.want)
		}
	}
}

// scheduled returns the configuration of the queries of a log alarm.
func scheduled(expression string, offset int64) *types.ScheduledQueryConfiguration {
	return &types.ScheduledQueryConfiguration{ScheduleConfiguration: &types.ScheduleConfiguration{
		ScheduleExpression: &expression, StartTimeOffset: &offset,
	}}
}

// TestQueriesOf checks after how long all queries of a log alarm are of what happens now.
func TestQueriesOf(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  string
		queries *types.ScheduledQueryConfiguration
		results *int32
		want    time.Duration
	}{
		"Minute":  {"The next query, what it is about, and two minutes.", scheduled("rate(1 minute)", 60), nil, 4 * time.Minute},
		"Several": {"All that count.", scheduled("rate(5 minutes)", 300), aws.Int32(3), 22 * time.Minute},
		"Overlap": {"They may overlap.", scheduled("rate(5 minutes)", 3600), aws.Int32(2), 72 * time.Minute},
		"Hours":   {"Schedules have other units.", scheduled("rate(2 hours)", 0), nil, 2*time.Hour + 2*time.Minute},
		"Days":    {"Also days.", scheduled("rate(2 days)", 0), nil, 48*time.Hour + 2*time.Minute},
		"Unknown": {"Of another schedule a day is assumed.", scheduled("cron(0 * * * ? *)", 0), nil, 24*time.Hour + 2*time.Minute},
		"None":    {"And without one.", nil, nil, 24*time.Hour + 2*time.Minute},
	} {
		a := &types.LogAlarm{ScheduledQueryConfiguration: tc.queries, QueryResultsToEvaluate: tc.results}
		if got := queriesOf(a); got != tc.want {
			t.Errorf("%s: %s\ngot %s, want %s", name, tc.reason, got, tc.want)
		}
	}
}

// TestLogAlarmsThatAreNotKnown checks that a CloudWatch without log alarms, which rejects their type, hides no other
// alarm, and that an alarm which then was not found does not exist. Another error says nothing about that.
func TestLogAlarmsThatAreNotKnown(t *testing.T) {
	for code, want := range map[string]string{
		"ValidationError": `the alarm "gone" does not exist`, "InvalidParameterValue": `the alarm "gone" does not exist`,
		"AccessDenied": "cannot read the alarms of CloudWatch", "InternalServiceFault": "cannot read the alarms of CloudWatch",
	} {
		testLogAlarmsThatAreNotKnown(t, code, want)
	}
}

func testLogAlarmsThatAreNotKnown(t *testing.T, code, want string) {
	t.Helper()
	b, f, at := &Batcher{}, &fake{}, clock(12, 0, 0)
	f.describeAlarms = func(in *sdk.DescribeAlarmsInput) (*sdk.DescribeAlarmsOutput, error) {
		if slices.Contains(in.AlarmTypes, types.AlarmTypeLogAlarm) {
			return nil, apiError(code)
		}
		return &sdk.DescribeAlarmsOutput{
			MetricAlarms: []types.MetricAlarm{{AlarmName: aws.String("fires"), StateValue: types.StateValueAlarm}},
		}, nil
	}
	names := []string{"fires", "gone"}
	b.Alarms(t.Context(), f, at, "ns", names, 30*time.Second)
	states, _, err := b.Alarms(t.Context(), f, at.Add(time.Second), "ns", names, 30*time.Second)
	if err != nil || states["fires"].State != "ALARM" || states["gone"].Err == nil ||
		!strings.HasPrefix(states["gone"].Err.Error(), want) {
		t.Errorf("%s: got %+v, %v", code, states, err)
	}
}

// TestFired checks what an alarm was about that has left ALARM. The data are AWS's, and those of a double over HTTP.
func TestFired(t *testing.T) {
	const reason = `{"version":"1.0","queryDate":"2025-05-15T12:00:44.984+0000","statistic":"Sum","period":60,"evaluatedDatapoints":[` +
		`{"timestamp":"2025-05-15T11:58:00.000+0000","sampleCount":1.0,"value":1.0}]}`
	at := time.Date(2025, 5, 15, 12, 0, 44, 0, time.UTC)
	item := func(at time.Time, from, to, data string) types.AlarmHistoryItem {
		return types.AlarmHistoryItem{
			Timestamp:      &at,
			HistorySummary: aws.String("Alarm updated from " + from + " to " + to),
			HistoryData: aws.String(
				`{"version":"1.0","oldState":{"stateValue":"` + from + `"},"newState":{"stateValue":"` + to +
					`","stateReason":"?` + data,
			),
		}
	}
	left := item(at.Add(time.Minute), "ALARM", "OK", `"}}`)
	for name, tc := range map[string]struct {
		why   string
		items []types.AlarmHistoryItem
		want  time.Time
	}{
		"Reason":    {"The end of what it had evaluated.", []types.AlarmHistoryItem{left, item(at, "OK", "ALARM", `","stateReasonData":`+reason+`}}`)}, at.Add(-104 * time.Second)},
		"Crossed":   {"The end of the period that has crossed the threshold.", []types.AlarmHistoryItem{left, item(at, "OK", "ALARM", ` [1.0 (15/05/25 11:57:00)]","stateReasonData":`+reason+`}}`)}, at.Add(-164 * time.Second)},
		"NoReason":  {"A composite alarm has other data.", []types.AlarmHistoryItem{left, item(at, "OK", "ALARM", `","stateReasonData":{"triggeringAlarms":[]}}}`)}, at},
		"Cut":       {"Long data are cut off.", []types.AlarmHistoryItem{left, item(at, "INSUFFICIENT_DATA", "ALARM", `","stateRea`)}, at},
		"Latest":    {"The last time counts.", []types.AlarmHistoryItem{left, item(at, "OK", "ALARM", `"}}`), item(at.Add(-time.Hour), "OK", "ALARM", `"}}`)}, at},
		"Otherwise": {"It had no data.", []types.AlarmHistoryItem{item(at, "OK", "INSUFFICIENT_DATA", `"}}`), left}, time.Time{}},
		"Constant":  {"It has not changed.", nil, time.Time{}},
	} {
		b := &Batcher{}
		if got, err := b.Fired(
			t.Context(),
			&fake{history: tc.items},
			at,
			"a",
			"MetricAlarm",
			at,
		); !got.Equal(tc.want) ||
			err != nil {
			t.Errorf("%s: %s: got %v, %v, want %v", name, tc.why, got, err, tc.want)
		}
	}
}

// TestFiredOverHTTP checks that a call is about an alarm of each type, since a time, that it is the only one also if
// the alarm has no history, and that none is made after one was throttled.
func TestFiredOverHTTP(t *testing.T) {
	e := newEnv(t, awsdouble.Options{}, 0)
	for _, name := range []string{"metric", "composite", "log"} {
		for _, state := range []string{"OK", "ALARM", "OK"} {
			e.double.PutAlarm("", region, awsdouble.Alarm{
				Name: name, State: state, Composite: name == "composite", Log: name == "log",
			})
			e.move(time.Minute)
		}
		fired := e.clock().Add(-2 * time.Minute)
		_, wait, _ := e.Alarms(t.Context(), e.client, e.clock(), "ns", []string{name}, time.Minute)
		e.move(wait)
		states, _, err := e.Alarms(t.Context(), e.client, e.clock(), "ns", []string{name}, time.Minute)
		if err != nil || states[name].Err != nil {
			t.Fatalf("%+v, %v", states, err)
		}
		for since, want := range map[time.Time]time.Time{
			fired: fired, fired.Add(time.Second): {}, e.clock().Add(time.Hour): {},
		} {
			before := e.double.Count("DescribeAlarmHistory")
			got, err := e.Fired(t.Context(), e.client, e.clock(), name, states[name].Type, since)
			if !got.Equal(want) || err != nil {
				t.Errorf("%s since %v: got %v, %v, want %v", name, since, got, err, want)
			}
			if n := e.double.Count("DescribeAlarmHistory") - before; n != 1 {
				t.Errorf("%s since %v: %d calls", name, since, n)
			}
		}
	}
	e.double.Fail(awsdouble.Fault{Operation: "DescribeAlarmHistory", Times: -1, Error: awsdouble.CloudWatchThrottle()})
	before := e.double.Count("DescribeAlarmHistory")
	for range 3 {
		if _, err := e.Fired(t.Context(), e.client, e.clock(), "metric", "MetricAlarm", e.clock()); err == nil {
			t.Error("what is throttled has no answer")
		}
	}
	if n := e.double.Count("DescribeAlarmHistory") - before; n != 1 {
		t.Errorf("%d calls", n)
	}
}
