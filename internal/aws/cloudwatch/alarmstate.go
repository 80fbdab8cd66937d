package cloudwatch

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

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

// crossed matches the times in the reason of an alarm, which are those of the periods that have crossed the threshold,
// such as "[99.5 (02/10/19 16:59:00)]". Alarms of anomaly detection have them too, whose data name no periods.
var crossed = regexp.MustCompile(`\((\d\d/\d\d/\d\d \d\d:\d\d:\d\d)\)`)

// aboutOf returns the end of the latest period because of which an alarm went to its state, or that it had evaluated
// then if missing periods are among the reasons. If neither is known, it returns the time at which the alarm went
// there, zero if that is not known.
func aboutOf(since time.Time, reason, data *string) time.Time {
	var evaluated struct {
		Period     int `json:"period"`
		Datapoints []struct {
			Timestamp string `json:"timestamp"`
		} `json:"evaluatedDatapoints"`
	}
	if json.Unmarshal([]byte(aws.ToString(data)), &evaluated) != nil {
		return since // SetAlarmState takes any text.
	}
	var begin time.Time
	for _, p := range evaluated.Datapoints {
		at, _ := time.Parse("2006-01-02T15:04:05.000-0700", p.Timestamp) // Zero if it is none.
		begin = later(begin, at)
	}
	text := aws.ToString(reason)
	if times := crossed.FindAllStringSubmatch(text, -1); times != nil && !strings.Contains(text, "missing datapoint") {
		begin = time.Time{}
		for _, t := range times {
			at, _ := time.Parse("02/01/06 15:04:05", t[1])
			begin = later(begin, at)
		}
	}
	about := begin.Add(time.Duration(evaluated.Period) * time.Second)
	if begin.IsZero() || about.After(since) {
		return since
	}
	return about
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
		State: string(a.StateValue), Until: until, Since: since,
		About: aboutOf(since, a.StateReason, a.StateReasonData),
	}
}

// firedIn returns what an alarm was about that went to ALARM, by the latest changes of its state, the last one first.
func firedIn(items []types.AlarmHistoryItem) time.Time {
	for i := range items {
		if strings.HasSuffix(aws.ToString(items[i].HistorySummary), " to "+string(types.StateValueAlarm)) {
			var data struct {
				NewState struct {
					StateReason     string          `json:"stateReason"`
					StateReasonData json.RawMessage `json:"stateReasonData"`
				} `json:"newState"`
			}
			_ = json.Unmarshal([]byte(aws.ToString(items[i].HistoryData)), &data) // It is cut off if it is long.
			since, reasons := aws.ToTime(items[i].Timestamp), aws.String(string(data.NewState.StateReasonData))
			return aboutOf(since, &data.NewState.StateReason, reasons)
		}
	}
	return time.Time{}
}
