// Package cloudwatch measures rollouts with CloudWatch: metrics that Lambda publishes, any other
// metric or expression, and the states of alarms.
//
// A Batcher shares calls among all rollouts of a session, which is an account and a region. It has no goroutine and
// never waits: it tells a caller when to return.
package cloudwatch

import (
	"context"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"

	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// API has the operations of CloudWatch that a Batcher calls. *cloudwatch.Client of the SDK has them.
type API interface {
	GetMetricData(ctx context.Context, in *sdk.GetMetricDataInput,
		opts ...func(*sdk.Options)) (*sdk.GetMetricDataOutput, error)
	DescribeAlarms(ctx context.Context, in *sdk.DescribeAlarmsInput,
		opts ...func(*sdk.Options)) (*sdk.DescribeAlarmsOutput, error)
	DescribeAlarmHistory(ctx context.Context, in *sdk.DescribeAlarmHistoryInput,
		opts ...func(*sdk.Options)) (*sdk.DescribeAlarmHistoryOutput, error)
}

// Intervals of measurements. A slot must be longer than it takes to gather requests.
const (
	defaultInterval = time.Minute
	leastInterval   = 10 * time.Second
)

// A Batcher shares calls among the rollouts of a session. Time is divided into slots as long as the interval of a
// metric, at most a minute: rollouts with equal slots share the calls of a slot. Its zero value is ready to use, and it
// is safe for concurrent use. It belongs to one session, so that nobody sees what other credentials have read.
type Batcher struct {
	samples schedule[*request, rollout.Sample]
	alarms  schedule[string, rollout.AlarmState]

	// invocations are the invocations of functions that are deleted. They share no calls with samples, whose periods
	// are shorter.
	invocations schedule[*request, rollout.Sample]

	samplesPause, alarmsPause pause

	// customPause keeps back what users query, besides samplesPause: their queries do not keep others back.
	customPause pause
}

// slotFor returns the length of the slots of an interval. In longer ones than a minute, the answer for a rollout would
// be an old one, or come long after it was due.
func slotFor(interval time.Duration) time.Duration {
	return min(max(interval, leastInterval), defaultInterval)
}
