package alias

import (
	"context"
	"errors"
	"fmt"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/cloudwatch"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// metrics reads CloudWatch, as far as possible in calls that all rollouts of a session share.
type metrics struct {
	batcher *cloudwatch.Batcher
	api     cloudwatch.API
	now     func() time.Time

	// namespace of the Alias, which shares the calls with others.
	namespace string

	// mayAct returns an error if the Alias may not use functions. shared reports whether namespaces that do not trust
	// each other use the config.
	mayAct func(context.Context, ...tenancy.Target) error
	shared bool
}

var errFindsMetrics = errors.New("an expression that finds metrics, such as by SEARCH or SELECT, may read those of " +
	"other namespaces, which share the ClusterProviderConfig: name the metrics in queries, use a ProviderConfig, or " +
	"set namespaceIsolation of the ClusterProviderConfig to None")

func metricsOf(
	s *session.Session, namespace string, now func() time.Time, mayAct func(context.Context, ...tenancy.Target) error,
) metrics {
	return metrics{
		batcher: session.Shared[cloudwatch.Batcher](s), api: session.Client(s, sdk.NewFromConfig),
		namespace: namespace, now: now, mayAct: mayAct,
		shared: s.Ref.Kind == v1beta1.ClusterProviderConfigKind && !s.Tenancy.Trusting,
	}
}

// Sample returns the value of a metric with GetMetricData, or how long to wait for it. It returns an error if the
// metric is one of a function that the Alias may not use, or may be.
func (m metrics) Sample(
	ctx context.Context, s rollout.Subject, metric *v1beta1.RolloutMetric,
) (rollout.Sample, time.Duration, error) {
	if m.shared && cloudwatch.FindsMetrics(s, *metric) {
		return rollout.Sample{}, 0, errFindsMetrics
	}
	for _, name := range cloudwatch.Functions(s, *metric) {
		if err := m.mayAct(ctx, tenancy.Functions(&name)...); err != nil {
			return rollout.Sample{}, 0, fmt.Errorf("cannot read the metrics of function %s: %w", name, err)
		}
	}
	return m.batcher.Sample(ctx, m.api, m.now(), s, *metric)
}

// Fired returns what an alarm of a type was about that went to ALARM since a time, with DescribeAlarmHistory.
func (m metrics) Fired(ctx context.Context, name, of string, since time.Time) (time.Time, error) {
	return m.batcher.Fired(ctx, m.api, m.now(), name, of, since)
}

// Alarms returns the states of alarms with DescribeAlarms, or how long to wait for them.
func (m metrics) Alarms(
	ctx context.Context, names []string, interval time.Duration,
) (map[string]rollout.AlarmState, time.Duration, error) {
	return m.batcher.Alarms(ctx, m.api, m.now(), m.namespace, names, interval)
}
