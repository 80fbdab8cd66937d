package awsdouble

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxAlarmNames is the maximum number of alarms that a call names and returns.
const maxAlarmNames = 100

// An Alarm is an alarm of CloudWatch.
type Alarm struct {
	// Name of the alarm.
	Name string
	// State is OK, ALARM or INSUFFICIENT_DATA, the default. Alarms with a Metric begin with it, others keep it.
	State string
	// Composite says that the alarm depends on others, and Log that it evaluates queries of logs.
	Composite, Log bool
	// EvaluationState is PARTIAL_DATA, EVALUATION_FAILURE or EVALUATION_ERROR if the alarm could not be evaluated with
	// all data. Composite alarms have none.
	EvaluationState string
	// Period of the alarm in seconds, a minute by default.
	Period int
	// Metric is evaluated once a minute, in the account and region of the alarm: in each period, its sum is compared
	// with Threshold. An alarm that it exceeds in DatapointsToAlarm of EvaluationPeriods, by default in all, has the
	// state ALARM.
	Metric                               *Metric
	EvaluationPeriods, DatapointsToAlarm int
	Threshold                            float64
	// TreatMissingData is notBreaching, the default, breaching, ignore or missing.
	TreatMissingData string
	// Anomaly says that the alarm describes its reason as one of anomaly detection does.
	Anomaly bool
}

// recordedAlarm is an alarm, with the minute of its last evaluation, the time at which it went to its state and the
// reason. Its history has the changes of its state, oldest first.
type recordedAlarm struct {
	Alarm

	evaluated, since time.Time
	reason           reason
	history          []historyItem
}

// reason has the text of the reason for which an alarm went to its state, and its data in JSON.
type reason struct{ text, data string }

// historyItem is a change of the state of an alarm.
type historyItem struct {
	at       time.Time
	from, to string
	reason   reason
}

// kind returns the type of an alarm.
func (a *Alarm) kind() string {
	switch {
	case a.Composite:
		return "CompositeAlarm"
	case a.Log:
		return "LogAlarm"
	}
	return "MetricAlarm"
}

func (a *recordedAlarm) transition(at time.Time, state string, why reason) {
	if a.State != state {
		a.history = append(a.history, historyItem{at: at, from: a.State, to: state, reason: why})
		a.State, a.since, a.reason = state, at, why
	}
}

// PutAlarm creates or replaces an alarm in an account and region. An empty account is DefaultAccount.
func (s *Server) PutAlarm(account, region string, a Alarm) {
	defer s.lock()()
	a.State, a.EvaluationPeriods = cmp.Or(a.State, "INSUFFICIENT_DATA"), cmp.Or(a.EvaluationPeriods, 1)
	a.Period, a.TreatMissingData = cmp.Or(a.Period, minuteLength), cmp.Or(a.TreatMissingData, notBreaching)
	now, of := s.options.Now(), s.monitor(account, region)
	is := &recordedAlarm{Alarm: a, evaluated: now.Truncate(time.Minute), since: now}
	if was := of.alarms[a.Name]; was != nil {
		is.State, is.since, is.reason, is.history = was.State, was.since, was.reason, was.history
		is.transition(now, a.State, reason{})
	}
	of.alarms[a.Name] = is
}

// RemoveAlarm deletes an alarm.
func (s *Server) RemoveAlarm(account, region, name string) {
	defer s.lock()()
	delete(s.monitor(account, region).alarms, name)
}

// advanceAlarms evaluates all alarms of a metric at each minute up to now.
func (of *monitor) advanceAlarms(now time.Time) {
	now = now.Truncate(time.Minute)
	for _, a := range of.alarms {
		for a.Metric != nil && a.evaluated.Before(now) {
			a.evaluated = a.evaluated.Add(time.Minute)
			state, why := of.evaluate(&a.Alarm, a.evaluated)
			a.transition(a.evaluated, state, why)
		}
	}
}

// How an alarm treats missing data.
const (
	notBreaching = "notBreaching"
	breaching    = "breaching"
	ignore       = "ignore"
)

// evaluate returns the state of an alarm, and why, by the newest periods before a time that are visible then. There are
// two more than it evaluates, as in AWS's examples, in case that some are missing.
func (of *monitor) evaluate(a *Alarm, at time.Time) (string, reason) {
	q := timeRange{end: at.Unix(), period: int64(a.Period)}
	q.start = q.end - int64(a.EvaluationPeriods+2)*q.period
	found := of.statistics(*a.Metric, "Sum", q, at)
	newest := slices.Sorted(maps.Keys(found))
	newest = newest[max(0, len(newest)-a.EvaluationPeriods):]
	crossed := slices.DeleteFunc(slices.Clone(newest), func(at int64) bool { return found[at] <= a.Threshold })
	missing, failed := a.EvaluationPeriods-len(newest), len(crossed)
	switch {
	case missing == 0 || a.TreatMissingData == notBreaching:
	case a.TreatMissingData == breaching:
		failed += missing
	case failed < len(newest):
	case a.TreatMissingData == ignore:
		return a.State, reason{}
	case len(newest) == 0:
		return "INSUFFICIENT_DATA", reason{}
	default: // All that is there is breaching.
		failed = a.EvaluationPeriods
	}
	if failed < cmp.Or(a.DatapointsToAlarm, a.EvaluationPeriods) {
		return "OK", reason{}
	}
	return "ALARM", a.reasonOf(newest, crossed, found)
}

// reasonOf returns why an alarm is in state ALARM: the text has the times of the periods that are breaching, the newest
// first, and the data have all that were evaluated.
func (a *Alarm) reasonOf(newest, crossed []int64, found map[int64]float64) reason {
	var over, recent, evaluated []string
	for _, at := range slices.Backward(crossed) {
		over = append(over,
			fmt.Sprintf("%.1f (%s)", found[at], time.Unix(at, 0).UTC().Format("02/01/06 15:04:05")))
	}
	for _, at := range newest {
		recent = append(recent, fmt.Sprintf("%.1f", found[at]))
		evaluated = append(evaluated, fmt.Sprintf(`{"timestamp":%q,"value":%.1f}`,
			time.Unix(at, 0).UTC().Format("2006-01-02T15:04:05.000-0700"), found[at]))
	}
	text := fmt.Sprintf("Threshold Crossed: %d out of the last %d datapoints [%s] were greater than the threshold "+
		"(%.1f)", len(crossed), a.EvaluationPeriods, strings.Join(over, ", "), a.Threshold)
	if n := a.EvaluationPeriods - len(newest); n > 0 && a.TreatMissingData == breaching {
		text += fmt.Sprintf(" and %d missing datapoints were treated as [Breaching]", n)
	}
	data := fmt.Sprintf(`{"version":"1.0","period":%d,"recentDatapoints":[%s]`, a.Period, strings.Join(recent, ","))
	if !a.Anomaly {
		data += `,"evaluatedDatapoints":[` + strings.Join(evaluated, ",") + "]"
	}
	return reason{text: text + ".", data: data + "}"}
}

// describe returns an alarm as DescribeAlarms does.
func (a *recordedAlarm) describe() map[string]any {
	out := map[string]any{"AlarmName": a.Name, "StateValue": a.State, "StateTransitionedTimestamp": a.since}
	if a.Composite {
		return out
	}
	if a.Log {
		out["QueryResultsToEvaluate"], out["ScheduledQueryConfiguration"] = a.EvaluationPeriods, map[string]any{
			"ScheduleConfiguration": map[string]any{
				"ScheduleExpression": fmt.Sprintf("rate(%d minutes)", a.Period/minuteLength),
				"StartTimeOffset":    a.Period,
			},
		}
		return out
	}
	out["EvaluationPeriods"] = a.EvaluationPeriods
	if a.EvaluationState != "" {
		out["EvaluationState"] = a.EvaluationState
	}
	out["ComparisonOperator"], out["Threshold"] = "GreaterThanThreshold", a.Threshold
	out["TreatMissingData"], out["Period"], out["Statistic"] = a.TreatMissingData, a.Period, "Sum"
	if a.DatapointsToAlarm > 0 {
		out["DatapointsToAlarm"] = a.DatapointsToAlarm
	}
	if a.reason.data != "" {
		out["StateReason"], out["StateReasonData"] = a.reason.text, a.reason.data
	}
	if a.Metric != nil {
		maps.Copy(out, a.Metric.describe())
	}
	return out
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
		panic(invalidMetrics("1 validation error detected: Value at 'alarmNames' failed to satisfy constraint: "+
			"Member must have length less than or equal to %d", maxAlarmNames))
	}
	if in.MaxRecords < 0 || in.MaxRecords > maxAlarmNames {
		panic(invalidMetrics("1 validation error detected: Value '%d' at 'maxRecords' failed to satisfy constraint: "+
			"Member must have value less than or equal to %d", in.MaxRecords, maxAlarmNames))
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
		if slices.Contains(in.AlarmTypes, a.kind()) &&
			(len(in.AlarmNames) == 0 || slices.Contains(in.AlarmNames, name)) {
			found = append(found, a)
		}
	}
	skip := 0
	if in.NextToken != "" {
		n, err := strconv.Atoi(in.NextToken)
		if err != nil || n > len(found) {
			panic(apiError(http.StatusBadRequest, "InvalidNextToken", "The next token specified is invalid."))
		}
		skip = n
	}
	end := min(skip+cmp.Or(in.MaxRecords, 50), len(found))
	lists := map[string][]any{"MetricAlarm": {}, "CompositeAlarm": {}, "LogAlarm": {}}
	for _, a := range found[skip:end] {
		lists[a.kind()] = append(lists[a.kind()], a.describe())
	}
	body := map[string]any{
		"MetricAlarms": lists["MetricAlarm"], "CompositeAlarms": lists["CompositeAlarm"],
		"LogAlarms": lists["LogAlarm"],
	}
	if end < len(found) {
		body["NextToken"] = strconv.Itoa(end)
	}
	return body
}

// describeAlarmHistoryInput is the body of DescribeAlarmHistory. Only changes of the state of an alarm are supported,
// the newest first.
type describeAlarmHistoryInput struct {
	AlarmName, HistoryItemType, ScanBy string
	AlarmTypes                         []string
	StartDate                          time.Time
	MaxRecords                         int
}

func describeAlarmHistory(s *Server, r *request) any {
	in := describeAlarmHistoryInput{}
	r.decodeCBOR(&in)
	if in.AlarmName == "" || in.HistoryItemType != "StateUpdate" || in.ScanBy != "TimestampDescending" {
		panic(invalidMetrics("the double has only changes of the state of an alarm that is named, the newest first"))
	}
	if len(in.AlarmTypes) == 0 {
		in.AlarmTypes = []string{"MetricAlarm"}
	}
	s.advanceTraffic()
	of := s.monitor(r.account, r.region)
	of.advanceAlarms(s.options.Now())
	items := []any{}
	if a := of.alarms[in.AlarmName]; a != nil && slices.Contains(in.AlarmTypes, a.kind()) {
		for _, h := range slices.Backward(a.history) {
			if h.at.Before(in.StartDate) || len(items) == cmp.Or(in.MaxRecords, maxAlarmNames) {
				break
			}
			items = append(items, map[string]any{
				"AlarmName": a.Name, "AlarmType": a.kind(), "HistoryItemType": "StateUpdate", "Timestamp": h.at,
				"HistorySummary": "Alarm updated from " + h.from + " to " + h.to,
				"HistoryData": fmt.Sprintf(`{"version":"1.0","oldState":{"stateValue":%q},"newState":{"stateValue":%q,`+
					`"stateReason":%q,"stateReasonData":%s}}`, h.from, h.to, h.reason.text, cmp.Or(h.reason.data, "{}")),
			})
		}
	}
	return map[string]any{"AlarmHistoryItems": items}
}
