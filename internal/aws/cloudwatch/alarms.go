package cloudwatch

import (
	"context"
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

// Alarms returns the states of alarms by their names, for the slot of the interval in which now is. namespace is the
// one that asks for them. If wait is positive, they are not known yet: call Alarms again after that time. The state of
// an alarm that does not exist, or that is not reliable, is an error.
func (b *Batcher) Alarms(ctx context.Context, api API, now time.Time, namespace string, names []string,
	interval time.Duration,
) (states map[string]rollout.AlarmState, wait time.Duration, err error) {
	requests := make(map[string]string, len(names))
	for _, n := range names {
		requests[n] = n
	}
	answers, wait, err := b.alarms.ask(ctx, now, slotFor(interval), namespace, requests,
		func(due map[string]string) map[string]answer[rollout.AlarmState] {
			return b.describe(ctx, api, now, due)
		})
	if err != nil || wait > 0 {
		return nil, wait, err
	}
	states = make(map[string]rollout.AlarmState, len(names))
	for _, n := range names {
		states[n] = answers[n].value
		if err := answers[n].err; err != nil {
			states[n] = rollout.AlarmState{Err: err}
		}
	}
	return states, 0, nil
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
