package cloudwatch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
)

// maxAlarms is how many alarms DescribeAlarms takes and returns.
const maxAlarms = 100

// describe returns the states of alarms. It makes as few calls as possible.
func (b *Batcher) describe(ctx context.Context, api API, now time.Time, due map[string]string) map[string]answer[State] {
	answers := make(map[string]answer[State], len(due))
	for names := range slices.Chunk(slices.Sorted(maps.Keys(due)), maxAlarms) {
		states, err := b.states(ctx, api, now, names)
		for _, n := range names {
			a, ok := states[n]
			switch {
			case err != nil:
				a = answer[State]{err: err}
			case !ok:
				a = answer[State]{err: fmt.Errorf("the alarm %q does not exist: check its name, and for a composite alarm that cloudwatch:DescribeAlarms is allowed on the resource *", n)}
			}
			answers[n] = a
		}
	}
	return answers
}

// states returns the states of the alarms that exist. It makes one call, and one for each further
// page.
func (b *Batcher) states(ctx context.Context, api API, now time.Time, names []string) (map[string]answer[State], error) {
	if !b.alarmsPause.over(now) {
		return nil, errPaused
	}
	in := &sdk.DescribeAlarmsInput{
		AlarmNames: names, MaxRecords: aws.Int32(maxAlarms),
		AlarmTypes: []types.AlarmType{types.AlarmTypeMetricAlarm, types.AlarmTypeCompositeAlarm}, // By default, only metric alarms.
	}
	states, pages := map[string]answer[State]{}, lambdaapi.Pages{}
	for {
		if err := pages.Next("alarms"); err != nil {
			return nil, err
		}
		out, err := api.DescribeAlarms(ctx, in)
		b.alarmsPause.record(now, err)
		if err != nil {
			return nil, fmt.Errorf("cannot read the alarms of CloudWatch: %w", awserr.Clean(err))
		}
		for i := range out.MetricAlarms {
			a := &out.MetricAlarms[i]
			states[aws.ToString(a.AlarmName)] = stateOf(aws.ToString(a.AlarmName), a.StateValue, a.EvaluationState)
		}
		for i := range out.CompositeAlarms {
			a := &out.CompositeAlarms[i]
			states[aws.ToString(a.AlarmName)] = stateOf(aws.ToString(a.AlarmName), a.StateValue, "")
		}
		if aws.ToString(out.NextToken) == "" {
			return states, nil
		}
		in.NextToken = out.NextToken
	}
}

// stateOf returns the state of an alarm, or an error if it is not known. An alarm that was not
// evaluated with all data keeps a state that says nothing.
func stateOf(name string, state types.StateValue, evaluation types.EvaluationState) answer[State] {
	if evaluation != "" {
		return answer[State]{err: fmt.Errorf("the state of the alarm %q is not reliable: CloudWatch could not evaluate it with all data", name)}
	}
	switch s := State(state); s {
	case OK, Alarm, InsufficientData:
		return answer[State]{value: s}
	default:
		return answer[State]{err: fmt.Errorf("the state of the alarm %q is not known", name)}
	}
}
