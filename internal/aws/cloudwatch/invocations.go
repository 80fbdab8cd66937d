package cloudwatch

import (
	"context"
	"math"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// hour is the resolution in which invocations of days are counted: CloudWatch keeps data points of an hour for 455
// days.
const hour = time.Hour

// Invocations returns how often a function was invoked, by any name, since the begin of the hour in which a time within
// ago was. namespace is that of the resource that needs it. The metric is late by a minute or two. If wait is positive,
// the number is not known yet: call Invocations again after that time. Calls are shared as those of Sample are.
func (b *Batcher) Invocations(ctx context.Context, api API, now time.Time, namespace, function string,
	within time.Duration,
) (count float64, wait time.Duration, err error) {
	r := newInvocations(namespace, function, within)
	answers, wait, err := b.invocations.ask(ctx, now, defaultInterval, namespace, map[string]*request{r.key: r},
		func(due map[string]*request) map[string]answer[rollout.Sample] {
			return b.measure(ctx, api, now, due)
		})
	if err != nil || wait > 0 {
		return 0, wait, err
	}
	a := answers[r.key]
	return a.value.Value, 0, a.err
}

// newInvocations returns the request of the number of invocations of a function. Its window ends with the present hour.
func newInvocations(namespace, function string, within time.Duration) *request {
	return &request{
		key: function + "/" + within.String(), namespace: namespace,
		queries: []types.MetricDataQuery{
			lambdaQuery(invocationsID, "Invocations", sum, hour, dimension("FunctionName", function)),
		},
		length: within + hour, period: hour, present: true,
		evaluate: func(w window, of map[string]series) (rollout.Sample, error) {
			points, err := of[invocationsID].in(w)
			if err != nil {
				return noSample(), err
			}
			return rollout.Sample{Value: total(points), Baseline: math.NaN()}, nil
		},
	}
}
