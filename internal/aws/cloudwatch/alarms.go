package cloudwatch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// maxAlarms is the maximum number of alarms that DescribeAlarms takes and returns.
const maxAlarms = 100

// maxAlarmName is the length of the longest name of an alarm, in units of UTF-16.
const maxAlarmName = 255

// alarmTypes are the types of alarms, by the calls in which they are asked for until all alarms are found. By default,
// CloudWatch returns metric alarms only. Where log alarms are not known, a call that names their type fails.
var alarmTypes = [][]types.AlarmType{
	{types.AlarmTypeMetricAlarm, types.AlarmTypeCompositeAlarm},
	{types.AlarmTypeLogAlarm},
}

// describe returns the states of alarms. It makes as few calls as possible.
func (b *Batcher) describe(ctx context.Context, api API, now time.Time,
	due map[string]string,
) map[string]answer[rollout.AlarmState] {
	answers := make(map[string]answer[rollout.AlarmState], len(due))
	var possible []string
	for n := range due {
		if isAlarmName(n) {
			possible = append(possible, n)
			continue
		}
		answers[n] = answer[rollout.AlarmState]{err: fmt.Errorf("%q is not the name of an alarm", n)}
	}
	slices.Sort(possible)
	for names := range slices.Chunk(possible, maxAlarms) {
		for i := 0; i < len(alarmTypes) && len(names) > 0; i++ {
			states, err := b.states(ctx, api, now, names, alarmTypes[i])
			if i > 0 && awserr.IsInvalidValue(err) {
				break // It does not know the type, so no alarm has it.
			}
			var missing []string
			for _, n := range names {
				a, ok := states[n]
				if !ok && err == nil {
					missing = append(missing, n)
					a.Err = fmt.Errorf("the alarm %q does not exist: check its name, and for a composite alarm that "+
						"cloudwatch:DescribeAlarms is allowed on the resource *", n)
				}
				answers[n] = answer[rollout.AlarmState]{value: a, err: err}
			}
			names = missing
		}
	}
	return answers
}

// isAlarmName reports whether an alarm may have a name. CloudWatch rejects a call with a name that none can have, and
// the call is one for the alarms of all rollouts.
func isAlarmName(name string) bool {
	return name != "" && utf8.ValidString(name) && len(utf16.Encode([]rune(name))) <= maxAlarmName &&
		!strings.ContainsFunc(name, unicode.IsControl)
}

// states returns the states of the alarms of some types that exist. It makes one call, and one for each further page.
func (b *Batcher) states(ctx context.Context, api API, now time.Time,
	names []string, of []types.AlarmType,
) (map[string]rollout.AlarmState, error) {
	if !b.alarmsPause.over(now) {
		return nil, errPaused
	}
	in := &sdk.DescribeAlarmsInput{AlarmNames: names, MaxRecords: aws.Int32(maxAlarms), AlarmTypes: of}
	states := map[string]rollout.AlarmState{}
	for out, err := range lambdaapi.Each(ctx, "alarms", sdk.NewDescribeAlarmsPaginator(api, in)) {
		b.alarmsPause.record(now, err)
		if err != nil {
			return nil, fmt.Errorf("cannot read the alarms of CloudWatch: %w", awserr.Sanitize(err))
		}
		add := func(of types.AlarmType, a types.MetricAlarm, evaluation time.Duration) {
			state := stateOf(&a, now.Add(-evaluation))
			state.Type = string(of)
			states[aws.ToString(a.AlarmName)] = state
		}
		for i := range out.MetricAlarms {
			add(types.AlarmTypeMetricAlarm, out.MetricAlarms[i], evaluationOf(&out.MetricAlarms[i]))
		}
		for i := range out.CompositeAlarms {
			c := &out.CompositeAlarms[i]
			add(types.AlarmTypeCompositeAlarm, types.MetricAlarm{
				AlarmName: c.AlarmName, StateValue: c.StateValue,
				StateTransitionedTimestamp: c.StateTransitionedTimestamp,
			}, compositeEvaluation)
		}
		for i := range out.LogAlarms {
			l := &out.LogAlarms[i]
			add(types.AlarmTypeLogAlarm, types.MetricAlarm{
				AlarmName: l.AlarmName, StateValue: l.StateValue, EvaluationState: l.EvaluationState,
				StateTransitionedTimestamp: l.StateTransitionedTimestamp,
			}, queriesOf(l))
		}
	}
	return states, nil
}

// compositeEvaluation is the assumed duration of the evaluation of a composite alarm: DescribeAlarms does not say
// on which periods it depends.
const compositeEvaluation = 5*time.Minute + rollout.PublishDelay

// evaluationOf returns how long it takes until an alarm has evaluated what happens now: all of its periods, and the
// delay with which CloudWatch has their data. Those of a wall clock window begin up to a period later. An alarm of a
// PromQL query has no periods, but changes its state only after the query's result has been another one for so long.
func evaluationOf(a *types.MetricAlarm) time.Duration {
	if c, ok := a.EvaluationCriteria.(*types.EvaluationCriteriaMemberPromQLCriteria); ok {
		held := max(aws.ToInt32(c.Value.PendingPeriod), aws.ToInt32(c.Value.RecoveryPeriod))
		return time.Duration(held+aws.ToInt32(a.EvaluationInterval))*time.Second + rollout.PublishDelay
	}
	period := aws.ToInt32(a.Period)
	for _, q := range a.Metrics { // Of metric math.
		period = max(period, aws.ToInt32(q.Period))
		if q.MetricStat != nil {
			period = max(period, aws.ToInt32(q.MetricStat.Period))
		}
	}
	length := time.Duration(cmp.Or(period, int32(minute.Seconds()))) * time.Second
	periods := max(aws.ToInt32(a.EvaluationPeriods), 1)
	if _, ok := a.EvaluationWindow.(*types.EvaluationWindowMemberWallClockWindow); ok {
		periods++
	}
	return time.Duration(periods)*length + rollout.PeriodDelay(length)
}

// queriesOf returns how long it takes until all queries that a log alarm evaluates are of what happens now: they run on
// a schedule, and each is of the time since its offset. CloudWatch documents schedules such as rate(5 minutes) only; of
// another one, a day is assumed.
func queriesOf(a *types.LogAlarm) time.Duration {
	const day = 24 * 3600
	query := ptr.Deref(a.ScheduledQueryConfiguration, types.ScheduledQueryConfiguration{})
	schedule, n, unit := ptr.Deref(query.ScheduleConfiguration, types.ScheduleConfiguration{}), int64(0), ""
	// What can't be read has no unit.
	_, _ = fmt.Sscanf(aws.ToString(schedule.ScheduleExpression), "rate(%d %1s", &n, &unit)
	every := cmp.Or(n*map[string]int64{"m": 60, "h": 3600, "d": day}[unit], day)
	queries := int64(max(aws.ToInt32(a.QueryResultsToEvaluate), 1))
	return time.Duration(queries*every+aws.ToInt64(schedule.StartTimeOffset))*time.Second + rollout.PublishDelay
}

// aboutOf returns the end of the latest period that an alarm had evaluated when it went to its state. If the data of
// the reason have none, it returns the time at which the alarm went there, zero if that is not known.
func aboutOf(since time.Time, data *string) time.Time {
	var reason struct {
		Period              int `json:"period"`
		EvaluatedDatapoints []struct {
			Timestamp string `json:"timestamp"`
		} `json:"evaluatedDatapoints"`
	}
	if json.Unmarshal([]byte(aws.ToString(data)), &reason) != nil {
		return since // SetAlarmState takes any text.
	}
	var latest time.Time
	for _, p := range reason.EvaluatedDatapoints {
		if at, err := time.Parse("2006-01-02T15:04:05.000-0700", p.Timestamp); err == nil {
			latest = later(latest, at.Add(time.Duration(reason.Period)*time.Second))
		}
	}
	if latest.IsZero() || latest.After(since) {
		return since
	}
	return latest
}

// stateOf returns the state of an alarm, or an error if it is not known. An alarm that was not evaluated with all data
// keeps a state that says nothing, unless a part of them sufficed for ALARM.
func stateOf(a *types.MetricAlarm, until time.Time) rollout.AlarmState {
	fires := a.StateValue == types.StateValueAlarm && a.EvaluationState == types.EvaluationStatePartialData
	if a.EvaluationState != "" && !fires {
		return rollout.AlarmState{Err: fmt.Errorf(
			"the state of the alarm %q is not reliable: CloudWatch could not evaluate it with all data",
			aws.ToString(a.AlarmName))}
	}
	since := aws.ToTime(a.StateTransitionedTimestamp)
	return rollout.AlarmState{
		State: string(a.StateValue), Until: until, Since: since, About: aboutOf(since, a.StateReasonData),
	}
}

// Fired returns what an alarm of a type was about that went to ALARM since a time, the latest if it did so several
// times: the end of what it had evaluated then. It is zero if the alarm did not. It makes a call of its own: few alarms
// change their state during a rollout.
func (b *Batcher) Fired(
	ctx context.Context, api API, now time.Time, name, of string, since time.Time,
) (time.Time, error) {
	if !b.alarmsPause.over(now) {
		return time.Time{}, errPaused
	}
	pages := sdk.NewDescribeAlarmHistoryPaginator(api, &sdk.DescribeAlarmHistoryInput{
		AlarmName: aws.String(name), AlarmTypes: []types.AlarmType{types.AlarmType(of)},
		HistoryItemType: types.HistoryItemTypeStateUpdate, StartDate: aws.Time(since),
		ScanBy: types.ScanByTimestampDescending, MaxRecords: aws.Int32(maxAlarms),
	})
	for out, err := range lambdaapi.Each(ctx, "changes of an alarm", pages) {
		b.alarmsPause.record(now, err)
		if err != nil {
			return time.Time{}, fmt.Errorf("cannot read the history of the alarm %q: %w", name, awserr.Sanitize(err))
		}
		if len(out.AlarmHistoryItems) > 0 {
			return firedIn(out.AlarmHistoryItems), nil
		}
	}
	return time.Time{}, nil
}

// firedIn returns what an alarm was about that went to ALARM, by the latest changes of its state, the last one first.
func firedIn(items []types.AlarmHistoryItem) time.Time {
	for i := range items {
		if strings.HasSuffix(aws.ToString(items[i].HistorySummary), " to "+string(types.StateValueAlarm)) {
			var data struct {
				NewState struct {
					StateReasonData json.RawMessage `json:"stateReasonData"`
				} `json:"newState"`
			}
			_ = json.Unmarshal([]byte(aws.ToString(items[i].HistoryData)), &data) // It is cut off if it is long.
			return aboutOf(aws.ToTime(items[i].Timestamp), aws.String(string(data.NewState.StateReasonData)))
		}
	}
	return time.Time{}
}
