package awsdouble

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// manyErrors is an alarm of more than three errors of the alias live in a minute.
func manyErrors() Alarm {
	of := map[string]string{"FunctionName": "f", "Resource": "f:live"}
	return Alarm{
		Name: "errors", Threshold: 3,
		Metric: &Metric{Namespace: lambdaNamespace, Name: "Errors", Dimensions: of},
	}
}

func (s *served) alarms() map[string]types.MetricAlarm {
	s.Helper()
	out, err := cloudWatch(s.Config(testRegion)).DescribeAlarms(s.Context(), &cloudwatch.DescribeAlarmsInput{})
	if err != nil {
		s.Fatal(err)
	}
	all := map[string]types.MetricAlarm{}
	for _, a := range out.MetricAlarms {
		all[*a.AlarmName] = a
	}
	return all
}

// TestAlarmsFollowTheirMetric checks at each 10 seconds that alarms change only at a minute, after a closed period
// has been published, and that it does not matter how often they are read.
func TestAlarmsFollowTheirMetric(t *testing.T) {
	type states map[time.Duration]types.StateValue
	const minute = time.Minute
	cases := map[string]struct {
		reason string
		edit   func(*Alarm)
		every  time.Duration
		want   states // Since traffic began. All fails from 5 to 10 minutes.
	}{
		"Minute": {
			"A minute is published from a minute after its end on.", func(*Alarm) {}, 10 * time.Second,
			states{0: "INSUFFICIENT_DATA", minute: "OK", 7 * minute: "ALARM", 13 * minute: "OK"},
		},
		"ReadOnce": {
			"The history is evaluated when it is read.", func(*Alarm) {}, 20 * minute,
			states{0: "INSUFFICIENT_DATA", 20 * minute: "OK"},
		},
		"TwoPeriods": {
			"Both of two periods must be breaching.", func(a *Alarm) { a.EvaluationPeriods = 2 }, 10 * time.Second,
			states{0: "INSUFFICIENT_DATA", minute: "OK", 8 * minute: "ALARM", 13 * minute: "OK"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := serve(t, Options{MetricDelay: UsualMetricDelay})
			a := manyErrors()
			tc.edit(&a)
			s.PutAlarm("", testRegion, a)
			got := states{}
			last := types.StateValue("")
			for at := time.Duration(0); at <= 20*time.Minute; at += 10 * time.Second {
				failing := at >= 5*time.Minute && at < 10*time.Minute
				if at == 0 || at == 5*time.Minute || at == 10*time.Minute {
					rate := map[bool]float64{true: 1}[failing]
					s.Traffic(Traffic{
						Function: "f", Alias: "live", PerMinute: 60,
						Versions: map[string]Outcomes{"1": {ErrorRate: rate}},
					})
				}
				if at%tc.every == 0 {
					if now := s.alarms()["errors"].StateValue; now != last {
						got[at], last = now, now
					}
				}
				s.move(10 * time.Second)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDescribedAlarms(t *testing.T) {
	s := serve(t, Options{})
	s.PutAlarm("", testRegion, manyErrors())
	want := map[string]types.MetricAlarm{"errors": {
		StateTransitionedTimestamp: aws.Time(s.now()),
		AlarmName:                  aws.String("errors"), StateValue: "INSUFFICIENT_DATA", Statistic: "Sum",
		Period: aws.Int32(60), EvaluationPeriods: aws.Int32(1),
		ComparisonOperator: "GreaterThanThreshold", Threshold: aws.Float64(3),
		TreatMissingData: aws.String("notBreaching"),
		Namespace:        aws.String(lambdaNamespace), MetricName: aws.String("Errors"), Dimensions: []types.Dimension{
			{Name: aws.String("FunctionName"), Value: aws.String("f")},
			{Name: aws.String("Resource"), Value: aws.String("f:live")},
		},
	}}
	unexported := cmpopts.IgnoreUnexported(types.MetricAlarm{}, types.Dimension{})
	if diff := cmp.Diff(want, s.alarms(), unexported); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestAlarmHistory checks that each change of an alarm's state is in its history, the newest first, and that the alarm
// has the time of the last one.
func TestAlarmHistory(t *testing.T) {
	s := serve(t, Options{MetricDelay: UsualMetricDelay})
	s.PutAlarm("", testRegion, manyErrors())
	s.PutAlarm("", testRegion, Alarm{Name: "any", Composite: true, State: "OK"})
	s.Traffic(Traffic{Function: "f", Alias: "live", PerMinute: 60, Versions: map[string]Outcomes{"1": {ErrorRate: 1}}})
	s.move(5 * time.Minute)
	s.PutAlarm("", testRegion, Alarm{Name: "any", Composite: true, State: "ALARM"})
	c := cloudWatch(s.Config(testRegion))
	history := func(in cloudwatch.DescribeAlarmHistoryInput) (all []string) {
		t.Helper()
		in.HistoryItemType, in.ScanBy = types.HistoryItemTypeStateUpdate, types.ScanByTimestampDescending
		out, err := c.DescribeAlarmHistory(t.Context(), &in)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range out.AlarmHistoryItems {
			all = append(all, i.Timestamp.Sub(s.begin).String()+" "+*i.HistorySummary)
		}
		return all
	}
	both := []types.AlarmType{types.AlarmTypeMetricAlarm, types.AlarmTypeCompositeAlarm}
	for name, tc := range map[string]struct {
		in   cloudwatch.DescribeAlarmHistoryInput
		want []string
	}{
		"All": {
			cloudwatch.DescribeAlarmHistoryInput{AlarmName: aws.String("errors")},
			[]string{"2m0s Alarm updated from OK to ALARM", "1m0s Alarm updated from INSUFFICIENT_DATA to OK"},
		},
		"Newest": {
			cloudwatch.DescribeAlarmHistoryInput{AlarmName: aws.String("errors"), MaxRecords: aws.Int32(1)},
			[]string{"2m0s Alarm updated from OK to ALARM"},
		},
		"Since": {
			cloudwatch.DescribeAlarmHistoryInput{AlarmName: aws.String("errors"), StartDate: aws.Time(s.begin.Add(3 * time.Minute))}, nil,
		},
		"Default": {cloudwatch.DescribeAlarmHistoryInput{AlarmName: aws.String("any")}, nil},
		"Composite": {
			cloudwatch.DescribeAlarmHistoryInput{AlarmName: aws.String("any"), AlarmTypes: both},
			[]string{"5m0s Alarm updated from OK to ALARM"},
		},
		"None": {cloudwatch.DescribeAlarmHistoryInput{AlarmName: aws.String("other")}, nil},
	} {
		if diff := cmp.Diff(tc.want, history(tc.in)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	if at := s.alarms()["errors"].StateTransitionedTimestamp; !at.Equal(s.begin.Add(2 * time.Minute)) {
		t.Errorf("in its state since %v", at)
	}
	_, err := c.DescribeAlarmHistory(t.Context(), &cloudwatch.DescribeAlarmHistoryInput{})
	wantError(t, err, "ValidationError",
		"the double has only changes of the state of an alarm that is named, the newest first")
}

// TestMissingData checks the state of alarms of the newest five minutes by how they treat missing data, as AWS's tables
// have it: 0 is a minute that is good, X one that is not, and - one without data. The alarms begin as OK.
func TestMissingData(t *testing.T) {
	const ok, alarm, none = "OK", "ALARM", "INSUFFICIENT_DATA"
	for _, tc := range []struct {
		minutes                            string
		datapoints                         int
		missing, ignore, breaching, notBad string
	}{
		{"0-X-X", 3, ok, ok, ok, ok},
		{"----0", 3, ok, ok, ok, ok},
		{"-----", 3, none, ok, alarm, ok},
		{"0XX-X", 3, alarm, alarm, alarm, alarm},
		{"--X--", 3, alarm, ok, alarm, ok},
		{"0-X-X", 2, alarm, alarm, alarm, alarm},
		{"00X0X", 2, alarm, alarm, alarm, alarm},
		{"0-X--", 2, ok, ok, alarm, ok},
		{"----0", 2, ok, ok, alarm, ok},
		{"---X-", 2, alarm, ok, alarm, ok},
	} {
		for treat, want := range map[string]string{
			"missing": tc.missing, "ignore": tc.ignore, "breaching": tc.breaching, "notBreaching": tc.notBad,
		} {
			s := serve(t, Options{})
			a := Alarm{
				Name: "a", State: ok, Period: 60, EvaluationPeriods: 3, DatapointsToAlarm: tc.datapoints, TreatMissingData: treat,
				Metric: &Metric{Region: testRegion, Namespace: "Shop", Name: "Failures"},
			}
			s.PutAlarm("", testRegion, a)
			begin := s.now().Truncate(time.Minute).Add(time.Minute)
			for i, minute := range tc.minutes {
				if value, known := map[rune]float64{'0': 0, 'X': 1}[minute]; known {
					s.PutMetric(*a.Metric, begin.Add(time.Duration(i)*time.Minute), value)
				}
			}
			s.move(begin.Add(5 * time.Minute).Sub(s.now()))
			of := s.monitor("", testRegion)
			if got, _ := of.evaluate(&a, s.now()); got != want {
				t.Errorf("%d of 3 of %s, %s: got %s, want %s", tc.datapoints, tc.minutes, treat, got, want)
			}
		}
	}
}
