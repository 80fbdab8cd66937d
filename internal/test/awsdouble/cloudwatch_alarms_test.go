package awsdouble

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestMissingData checks the examples that CloudWatch's documentation has for alarms of three periods. The values are
// the oldest first: 0 is within the threshold, X is not, and - is missing.
func TestMissingData(t *testing.T) {
	const keeps, insufficient = "KEEPS", "INSUFFICIENT_DATA"
	cases := map[string]struct {
		values                                   string
		datapoints                               int
		missing, ignore, breaching, notBreaching string
	}{
		"OneOld":       {"0 - X - X", 3, "OK", "OK", "OK", "OK"},
		"OneWithin":    {"0 - - - -", 3, "OK", "OK", "OK", "OK"},
		"None":         {"- - - - -", 3, insufficient, keeps, "ALARM", "OK"},
		"Breaching":    {"0 X X - X", 3, "ALARM", "ALARM", "ALARM", "ALARM"},
		"OldEnough":    {"- - X - -", 3, "ALARM", keeps, "ALARM", "OK"},
		"TooNew":       {"- - - - X", 3, keeps, keeps, "ALARM", "OK"},
		"AlmostOld":    {"- - - X -", 3, keeps, keeps, "ALARM", "OK"},
		"Two":          {"0 - X - X", 2, "ALARM", "ALARM", "ALARM", "ALARM"},
		"TwoOfNewest":  {"0 0 X 0 X", 2, "ALARM", "ALARM", "ALARM", "ALARM"},
		"TwoMissing":   {"0 - X - -", 2, "OK", "OK", "ALARM", "OK"},
		"NewestWithin": {"- - - - 0", 2, "OK", "OK", "ALARM", "OK"},
		"TwoOldEnough": {"- - - X -", 2, "ALARM", keeps, "ALARM", "OK"},
		"Recovered":    {"X X 0 0 0", 2, "OK", "OK", "OK", "OK"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var recent []float64
			for v := range strings.FieldsSeq(tc.values) {
				value := map[string]float64{"0": 0, "X": 2, "-": math.NaN()}[v]
				recent = append([]float64{value}, recent...)
			}
			for treatment, want := range map[string]string{
				"": tc.missing, "missing": tc.missing,
				"ignore": tc.ignore, "breaching": tc.breaching, "notBreaching": tc.notBreaching,
			} {
				a := Alarm{State: keeps, EvaluationPeriods: 3, DatapointsToAlarm: tc.datapoints, Threshold: 1}
				a.TreatMissingData = treatment
				if got := a.next(recent); got != want {
					t.Errorf("%s with missing data as %q: got %s, want %s", tc.values, treatment, got, want)
				}
			}
		})
	}
}

func TestBreaches(t *testing.T) {
	for operator, want := range map[string][]bool{
		"": {false, false, true}, "GreaterThanThreshold": {false, false, true},
		"GreaterThanOrEqualToThreshold": {false, true, true},
		"LessThanThreshold":             {true, false, false}, "LessThanOrEqualToThreshold": {true, true, false},
	} {
		a := Alarm{ComparisonOperator: operator, Threshold: 1}
		if diff := cmp.Diff(want, []bool{a.breaches(0), a.breaches(1), a.breaches(2)}); diff != "" {
			t.Errorf("%s: -want +got:\n%s", operator, diff)
		}
	}
}

// errorRate is an alarm of the error rate of the alias live.
func errorRate(name string) Alarm {
	of := map[string]string{"FunctionName": "f", "Resource": "f:live"}
	return Alarm{
		Name: name, Threshold: .05,
		Metric:  &Metric{Namespace: lambdaNamespace, Name: "Errors", Dimensions: of},
		Divisor: &Metric{Namespace: lambdaNamespace, Name: "Invocations", Dimensions: of},
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
			states{0: "INSUFFICIENT_DATA", 2 * minute: "OK", 7 * minute: "ALARM", 12 * minute: "OK"},
		},
		"ReadOnce": {
			"The history is evaluated when it is read.", func(*Alarm) {}, 20 * minute,
			states{0: "INSUFFICIENT_DATA", 20 * minute: "OK"},
		},
		"Begins": {
			"An alarm that ignores missing data keeps the state with which it was put.",
			func(a *Alarm) { a.State, a.TreatMissingData = "ALARM", "ignore" }, 10 * time.Second,
			states{0: "ALARM", 2 * minute: "OK", 7 * minute: "ALARM", 12 * minute: "OK"},
		},
		"TwoPeriods": {
			"Both of two periods must be breaching.", func(a *Alarm) { a.EvaluationPeriods = 2 }, 10 * time.Second,
			states{0: "INSUFFICIENT_DATA", 2 * minute: "OK", 8 * minute: "ALARM", 12 * minute: "OK"},
		},
		"Long": {
			"A window of five minutes slides each minute, and has a half of errors later.",
			func(a *Alarm) { a.Period, a.Threshold = 300, .5 }, 10 * time.Second,
			states{0: "INSUFFICIENT_DATA", 2 * minute: "OK", 9 * minute: "ALARM", 14 * minute: "OK"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := serve(t, Options{MetricDelay: UsualMetricDelay})
			a := errorRate("errors")
			tc.edit(&a)
			s.PutAlarm("", testRegion, a)
			got := states{}
			last := types.StateValue("")
			for at := time.Duration(0); at <= 20*time.Minute; at += 10 * time.Second {
				failing := at >= 5*time.Minute && at < 10*time.Minute
				if at == 0 || at == 5*time.Minute || at == 10*time.Minute {
					rate := map[bool]float64{true: 1}[failing]
					s.Traffic(Traffic{
						Function: "f", Alias: "live", PerMinute: 60, Versions: map[string]Outcomes{"1": {ErrorRate: rate}},
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
	s.PutAlarm("", testRegion, Alarm{Name: "set", State: "OK"})
	rate := errorRate("math")
	rate.EvaluationPeriods, rate.DatapointsToAlarm, rate.TreatMissingData = 5, 3, "notBreaching"
	single := rate
	single.Name, single.Divisor, single.Period = "single", nil, 300
	s.PutAlarm("", testRegion, rate)
	s.PutAlarm("", testRegion, single)
	metric := func(name string) *types.Metric {
		return &types.Metric{Namespace: aws.String(lambdaNamespace), MetricName: &name, Dimensions: []types.Dimension{
			{Name: aws.String("FunctionName"), Value: aws.String("f")},
			{Name: aws.String("Resource"), Value: aws.String("f:live")},
		}}
	}
	query := func(id, name string) types.MetricDataQuery {
		of := &types.MetricStat{Metric: metric(name), Period: aws.Int32(60), Stat: aws.String("Sum")}
		return types.MetricDataQuery{Id: &id, ReturnData: aws.Bool(false), MetricStat: of}
	}
	want := map[string]types.MetricAlarm{
		"set": {
			AlarmName: aws.String("set"), StateValue: "OK", Period: aws.Int32(60), EvaluationPeriods: aws.Int32(1),
			ComparisonOperator: "GreaterThanThreshold", Threshold: aws.Float64(0),
		},
		"single": {
			AlarmName: aws.String("single"), StateValue: "INSUFFICIENT_DATA", Statistic: "Sum",
			Period: aws.Int32(300), EvaluationPeriods: aws.Int32(5), DatapointsToAlarm: aws.Int32(3),
			ComparisonOperator: "GreaterThanThreshold", Threshold: aws.Float64(.05),
			TreatMissingData: aws.String("notBreaching"),
			Namespace:        aws.String(lambdaNamespace), MetricName: aws.String("Errors"), Dimensions: metric("").Dimensions,
		},
		"math": {
			AlarmName: aws.String("math"), StateValue: "INSUFFICIENT_DATA",
			EvaluationPeriods: aws.Int32(5), DatapointsToAlarm: aws.Int32(3),
			ComparisonOperator: "GreaterThanThreshold", Threshold: aws.Float64(.05),
			TreatMissingData: aws.String("notBreaching"),
			Metrics: []types.MetricDataQuery{
				{Id: aws.String("rate"), Expression: aws.String("FILL(dividend, 0) / divisor"), ReturnData: aws.Bool(true)},
				query("dividend", "Errors"), query("divisor", "Invocations"),
			},
		},
	}
	unexported := cmpopts.IgnoreUnexported(
		types.MetricAlarm{}, types.MetricDataQuery{}, types.MetricStat{}, types.Metric{}, types.Dimension{},
	)
	if diff := cmp.Diff(want, s.alarms(), unexported); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
