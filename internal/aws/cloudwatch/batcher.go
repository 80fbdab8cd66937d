// Package cloudwatch measures rollouts with CloudWatch: metrics that Lambda publishes, any other
// metric or expression, and the states of alarms.
//
// A Batcher shares calls among all rollouts of a session, which is an account and a region. It has no goroutine and
// never waits: it tells a caller when to return.
package cloudwatch

import (
	"context"
	"fmt"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
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

// Sample returns the value of a metric of provider lambda or cloudWatch. If wait is positive, there is no value yet:
// call Sample again after that time. A sample without invocations has the value NaN and no samples. Until the first
// period since subject.Since is finished, wait is the time until then.
//
// A metric of provider cloudWatch takes a call of its own. A metric of provider lambda has one value or error in the
// slot of its interval in which now is. A caller that returns in the next slot finds its value there without a wait, if
// another has made the call, or makes the call for all.
func (b *Batcher) Sample(ctx context.Context, api API, now time.Time, subject rollout.Subject,
	metric v1beta1.RolloutMetric,
) (sample rollout.Sample, wait time.Duration, err error) {
	r, err := newRequest(subject, metric)
	if err != nil {
		return noSample(), 0, err
	}
	interval := defaultInterval
	if metric.Interval != nil {
		interval = slotFor(metric.Interval.Duration)
	}
	requests := map[string]*request{r.key: r}
	switch w := r.windowAt(now); {
	case w.empty() && r.custom:
		return noSample(), r.untilFirst(now), nil
	case w.empty():
		return noSample(), r.untilFirst(now), b.samples.announce(now, interval, subject.Namespace, requests)
	case r.custom:
		if !b.samplesPause.over(now) {
			return noSample(), 0, errPaused
		}
		of, err := read(ctx, api, now, w, r.queries, &b.customPause)
		if err != nil {
			return noSample(), 0, err
		}
		sample, err = r.sample(now, of)
		return sample, 0, err
	}
	answers, wait, err := b.samples.ask(ctx, now, interval, subject.Namespace, requests,
		func(due map[string]*request) map[string]answer[rollout.Sample] {
			return b.measure(ctx, api, now, due)
		})
	if err != nil || wait > 0 {
		return noSample(), wait, err
	}
	a := answers[r.key]
	return a.value, 0, a.err
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

// errTooMany is the error of a request beyond the share of its namespace in maxRequests.
var errTooMany = fmt.Errorf("more than %d metrics or alarms are measured at the same time with this provider config "+
	"in this region, and this namespace measures its share of them: measure fewer, or use another provider config",
	maxRequests)
