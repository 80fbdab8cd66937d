package awsdouble

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
)

// maxAlarmNames is how many alarms a call names and returns.
const maxAlarmNames = 100

// An Alarm is an alarm of CloudWatch.
type Alarm struct {
	// Name of the alarm.
	Name string
	// State is OK, ALARM or INSUFFICIENT_DATA.
	State string
	// Composite says that the alarm depends on others.
	Composite bool
	// EvaluationState is PARTIAL_DATA, EVALUATION_FAILURE or EVALUATION_ERROR if the alarm could not be evaluated with
	// all data. Composite alarms have none.
	EvaluationState string
}

// PutAlarm creates or replaces an alarm in an account and region. An empty account is DefaultAccount.
func (s *Server) PutAlarm(account, region string, a Alarm) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.monitor(account, region).alarms[a.Name] = a
}

// RemoveAlarm deletes an alarm.
func (s *Server) RemoveAlarm(account, region, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.monitor(account, region).alarms, name)
}

// describeAlarmsInput is the body of DescribeAlarms. Filters other than names are not supported.
type describeAlarmsInput struct {
	AlarmNames, AlarmTypes []string
	MaxRecords             int
	NextToken              string
}

func describeAlarms(s *Server, r *request) (*answer, error) {
	in := describeAlarmsInput{}
	if err := r.decodeCBOR(&in); err != nil {
		return nil, err
	}
	r.items = len(in.AlarmNames)
	if len(in.AlarmNames) > maxAlarmNames {
		return nil, invalidMetrics("1 validation error detected: Value at 'alarmNames' failed to satisfy constraint: Member must have length less than or equal to %d", maxAlarmNames)
	}
	if in.MaxRecords < 0 || in.MaxRecords > maxAlarmNames {
		return nil, invalidMetrics("1 validation error detected: Value '%d' at 'maxRecords' failed to satisfy constraint: Member must have value less than or equal to %d", in.MaxRecords, maxAlarmNames)
	}
	if len(in.AlarmTypes) == 0 {
		in.AlarmTypes = []string{"MetricAlarm"}
	}
	alarms := s.monitor(r.account, r.region).alarms
	var found []Alarm
	for _, name := range slices.Sorted(maps.Keys(alarms)) {
		a := alarms[name]
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
			return nil, &Error{Status: http.StatusBadRequest, Code: "InvalidNextToken", Message: "The next token specified is invalid."}
		}
		skip = n
	}
	end := min(skip+cmp.Or(in.MaxRecords, 50), len(found))
	metric, composite := []any{}, []any{}
	for _, a := range found[skip:end] {
		out := map[string]any{"AlarmName": a.Name, "StateValue": a.State}
		if a.Composite {
			composite = append(composite, out)
			continue
		}
		out["EvaluationState"] = a.EvaluationState
		metric = append(metric, out)
	}
	body := map[string]any{"MetricAlarms": metric, "CompositeAlarms": composite}
	if end < len(found) {
		body["NextToken"] = strconv.Itoa(end)
	}
	return &answer{status: http.StatusOK, cbor: body}, nil
}
