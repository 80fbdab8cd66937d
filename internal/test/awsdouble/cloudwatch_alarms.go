package awsdouble

import (
	"cmp"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// maxAlarmNames is how many alarms a call names and returns.
const maxAlarmNames = 100

// An Alarm is an alarm of CloudWatch.
type Alarm struct {
	// Name of the alarm.
	Name string
	// State is OK, ALARM or INSUFFICIENT_DATA, the default. Alarms with a Metric begin with it, others keep it.
	State string
	// Composite says that the alarm depends on others.
	Composite bool
	// EvaluationState is PARTIAL_DATA, EVALUATION_FAILURE or EVALUATION_ERROR if the alarm could not be evaluated with
	// all data. Composite alarms have none.
	EvaluationState string
	// Metric is evaluated once a minute, in the account and region of the alarm.
	Metric *Metric
	// Divisor makes it an alarm of metric math on Metric divided by Divisor, such as Errors by Invocations.
	Divisor *Metric
	// Statistic of both. Default: Sum.
	Statistic string
	// Period is in seconds. Default: 60.
	Period int
	// EvaluationPeriods is how many periods are evaluated. Default: 1.
	EvaluationPeriods int
	// DatapointsToAlarm is how many of them must be breaching. Default: all.
	DatapointsToAlarm int
	// ComparisonOperator compares the statistic with Threshold. Default: GreaterThanThreshold.
	ComparisonOperator string
	Threshold          float64
	// TreatMissingData is missing, the default, notBreaching, breaching or ignore.
	TreatMissingData string
}

// recordedAlarm is an alarm, with the minute of its last evaluation.
type recordedAlarm struct {
	Alarm

	evaluated time.Time
}

// PutAlarm creates or replaces an alarm in an account and region. An empty account is DefaultAccount.
func (s *Server) PutAlarm(account, region string, a Alarm) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a.State, a.Statistic = cmp.Or(a.State, "INSUFFICIENT_DATA"), cmp.Or(a.Statistic, "Sum")
	a.Period, a.EvaluationPeriods = cmp.Or(a.Period, minuteLength), cmp.Or(a.EvaluationPeriods, 1)
	a.ComparisonOperator = cmp.Or(a.ComparisonOperator, "GreaterThanThreshold")
	s.monitor(account, region).alarms[a.Name] = &recordedAlarm{Alarm: a, evaluated: s.options.Now().Truncate(time.Minute)}
}

// RemoveAlarm deletes an alarm.
func (s *Server) RemoveAlarm(account, region, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.monitor(account, region).alarms, name)
}

// advanceAlarms evaluates all alarms of a metric at each minute up to now.
func (of *monitor) advanceAlarms(now time.Time) {
	now = now.Truncate(time.Minute)
	for _, a := range of.alarms {
		for a.Metric != nil && a.evaluated.Before(now) {
			a.evaluated = a.evaluated.Add(time.Minute)
			a.State = a.next(of.recent(&a.Alarm, a.evaluated))
		}
	}
}

// recent returns the values of an alarm's closed periods that are visible at a time, the newest first, and NaN where
// data are missing. There are two more than it evaluates, as in AWS's examples, in case that some are missing.
func (of *monitor) recent(a *Alarm, at time.Time) []float64 {
	period, n := int64(a.Period), a.EvaluationPeriods+2
	q := timeRange{start: at.Unix() - int64(n)*period, end: at.Unix(), period: period}
	found := of.statistics(*a.Metric, a.Statistic, q, at)
	if a.Divisor != nil {
		dividends := found
		found = of.statistics(*a.Divisor, a.Statistic, q, at)
		for begin, divisor := range found {
			found[begin] = dividends[begin] / divisor
		}
	}
	values := make([]float64, n)
	for i := range values {
		value, ok := found[q.end-int64(i+1)*period]
		if values[i] = value; !ok {
			values[i] = math.NaN()
		}
	}
	return values
}

// next returns the state of an alarm by its recent values.
func (a *Alarm) next(recent []float64) string {
	n, enough := a.EvaluationPeriods, cmp.Or(a.DatapointsToAlarm, a.EvaluationPeriods)
	existing, breaching, oldest := 0, 0, 0
	for i, value := range recent {
		if math.IsNaN(value) || existing == n {
			continue
		}
		existing++
		if a.breaches(value) {
			breaching, oldest = breaching+1, i+1
		}
	}
	missing, keeps := n-existing, a.TreatMissingData == "ignore"
	switch {
	case breaching >= enough, a.TreatMissingData == "breaching" && breaching+missing >= enough:
		return "ALARM"
	case missing == 0, breaching < existing, a.TreatMissingData == "notBreaching", a.TreatMissingData == "breaching":
		return "OK"
	case existing == 0 && !keeps:
		return "INSUFFICIENT_DATA"
	case oldest >= enough && !keeps:
		return "ALARM"
	}
	return a.State
}

// breaches compares a value with the threshold.
func (a *Alarm) breaches(value float64) bool {
	switch a.ComparisonOperator {
	case "GreaterThanOrEqualToThreshold":
		return value >= a.Threshold
	case "LessThanThreshold":
		return value < a.Threshold
	case "LessThanOrEqualToThreshold":
		return value <= a.Threshold
	}
	return value > a.Threshold
}

// describe returns an alarm as DescribeAlarms does. The period of metric math is that of its metrics.
func (a *Alarm) describe() map[string]any {
	out := map[string]any{"AlarmName": a.Name, "StateValue": a.State}
	if a.Composite {
		return out
	}
	out["EvaluationState"], out["EvaluationPeriods"] = a.EvaluationState, a.EvaluationPeriods
	out["ComparisonOperator"], out["Threshold"] = a.ComparisonOperator, a.Threshold
	out["TreatMissingData"] = a.TreatMissingData
	if a.DatapointsToAlarm > 0 {
		out["DatapointsToAlarm"] = a.DatapointsToAlarm
	}
	if a.Divisor != nil {
		out["Metrics"] = []any{
			map[string]any{"Id": "rate", "Expression": "FILL(dividend, 0) / divisor", "ReturnData": true},
			a.query("dividend", a.Metric), a.query("divisor", a.Divisor),
		}
		return out
	}
	out["Period"] = a.Period
	if a.Metric != nil {
		out["Statistic"] = a.Statistic
		maps.Copy(out, a.Metric.describe())
	}
	return out
}

// query returns a metric of metric math.
func (a *Alarm) query(id string, m *Metric) map[string]any {
	stat := map[string]any{"Metric": m.describe(), "Period": a.Period, "Stat": a.Statistic}
	return map[string]any{"Id": id, "MetricStat": stat, "ReturnData": false}
}

// describe returns the identity of a metric.
func (m *Metric) describe() map[string]any {
	dimensions := []any{}
	for _, name := range slices.Sorted(maps.Keys(m.Dimensions)) {
		dimensions = append(dimensions, map[string]any{"Name": name, "Value": m.Dimensions[name]})
	}
	return map[string]any{"Namespace": m.Namespace, "MetricName": m.Name, "Dimensions": dimensions}
}

// describeAlarmsInput is the body of DescribeAlarms. Filters other than names are not supported.
type describeAlarmsInput struct {
	AlarmNames, AlarmTypes []string
	MaxRecords             int
	NextToken              string
}

func describeAlarms(s *Server, r *request) any {
	in := describeAlarmsInput{}
	r.decodeCBOR(&in)
	r.items = len(in.AlarmNames)
	if len(in.AlarmNames) > maxAlarmNames {
		panic(invalidMetrics("1 validation error detected: Value at 'alarmNames' failed to satisfy constraint: Member must have length less than or equal to %d", maxAlarmNames))
	}
	if in.MaxRecords < 0 || in.MaxRecords > maxAlarmNames {
		panic(invalidMetrics("1 validation error detected: Value '%d' at 'maxRecords' failed to satisfy constraint: Member must have value less than or equal to %d", in.MaxRecords, maxAlarmNames))
	}
	if len(in.AlarmTypes) == 0 {
		in.AlarmTypes = []string{"MetricAlarm"}
	}
	s.advanceTraffic()
	of := s.monitor(r.account, r.region)
	of.advanceAlarms(s.options.Now())
	var found []*recordedAlarm
	for _, name := range slices.Sorted(maps.Keys(of.alarms)) {
		a := of.alarms[name]
		kind := "MetricAlarm"
		if a.Composite {
			kind = "CompositeAlarm"
		}
		if slices.Contains(in.AlarmTypes, kind) && (len(in.AlarmNames) == 0 || slices.Contains(in.AlarmNames, name)) {
			found = append(found, a)
		}
	}
	skip := 0
	if in.NextToken != "" {
		n, err := strconv.Atoi(in.NextToken)
		if err != nil || n > len(found) {
			panic(&Error{Status: http.StatusBadRequest, Code: "InvalidNextToken", Message: "The next token specified is invalid."})
		}
		skip = n
	}
	end := min(skip+cmp.Or(in.MaxRecords, 50), len(found))
	metric, composite := []any{}, []any{}
	for _, a := range found[skip:end] {
		if a.Composite {
			composite = append(composite, a.describe())
			continue
		}
		metric = append(metric, a.describe())
	}
	body := map[string]any{"MetricAlarms": metric, "CompositeAlarms": composite}
	if end < len(found) {
		body["NextToken"] = strconv.Itoa(end)
	}
	return body
}
