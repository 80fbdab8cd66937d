package alias

import (
	"context"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/cloudwatch"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// metrics reads CloudWatch in calls that all rollouts of a session share.
type metrics struct {
	batcher *cloudwatch.Batcher
	api     cloudwatch.API
	now     func() time.Time
}

func metricsOf(s *session.Session, now func() time.Time) metrics {
	return metrics{batcher: session.Shared[cloudwatch.Batcher](s), api: session.Client(s, sdk.NewFromConfig), now: now}
}

// Sample returns the value of a metric with GetMetricData, or how long to wait for it.
func (m metrics) Sample(ctx context.Context, s rollout.Subject, metric *v1beta1.RolloutMetric) (rollout.Sample, time.Duration, error) {
	return m.batcher.Sample(ctx, m.api, m.now(), s, *metric)
}

// Alarms returns the states of alarms with DescribeAlarms, or how long to wait for them.
func (m metrics) Alarms(ctx context.Context, names []string, interval time.Duration) (map[string]rollout.AlarmState, time.Duration, error) {
	return m.batcher.Alarms(ctx, m.api, m.now(), names, interval)
}
