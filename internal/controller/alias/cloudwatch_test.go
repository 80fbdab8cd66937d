package alias

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/cloudwatch"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// TestMetricsOfOthers has a metric of a function that another namespace owns. CloudWatch is not called.
func TestMetricsOfOthers(t *testing.T) {
	refused := errors.New("function checkout belongs to another namespace")
	m := metrics{mayAct: func(_ context.Context, targets ...tenancy.Target) error {
		if len(targets) == 1 && targets[0].Name == "checkout" {
			return refused
		}
		return nil
	}}
	for _, dimensions := range []map[string]string{
		{"FunctionName": "checkout"}, {"Resource": "checkout:live", "FunctionName": "orders"},
	} {
		metric := v1beta1.RolloutMetric{}
		metric.Provider.CloudWatch = &v1beta1.CloudWatchMetric{Queries: []v1beta1.CloudWatchQuery{
			{
				ID: "m",
				Metric: &v1beta1.CloudWatchMetricStat{
					Namespace:  "AWS/Lambda",
					MetricName: "Errors",
					Dimensions: dimensions,
					Statistic:  "Sum",
				},
			},
		}}
		_, _, err := m.Sample(t.Context(), rollout.Subject{Function: "orders"}, &metric)
		if !errors.Is(err, refused) || !strings.HasPrefix(err.Error(), "cannot read the metrics of function checkout") {
			t.Errorf("%v: got %v", dimensions, err)
		}
	}
}

// TestSampleOfFoundMetrics checks that what finds metrics is not sent where namespaces share a config.
func TestSampleOfFoundMetrics(t *testing.T) {
	cases := map[string]struct {
		reason     string
		expression string
		shared     bool
		want       bool
	}{
		"Search": {
			reason:     "It finds those of any function.",
			expression: "SUM(SEARCH('{AWS/Lambda,FunctionName} Errors', 'Sum'))",
			shared:     true,
			want:       true,
		},
		"Select": {
			reason:     "It finds those of any function.",
			expression: `select SUM(Errors) from SCHEMA("AWS/Lambda", FunctionName)`,
			shared:     true,
			want:       true,
		},
		"Connector": {reason: "It invokes a function.", expression: "LAMBDA('source')", shared: true, want: true},
		"Alias": {
			reason:     "An alias may have the name of a function of expressions.",
			expression: "$(alias)('{AWS/Lambda,FunctionName} Errors', 'Sum')",
			shared:     true,
			want:       true,
		},
		"Part": {
			reason:     "Or a part of it.",
			expression: "SEA$(function)('{AWS/Lambda,FunctionName} Errors', 'Sum')",
			shared:     true,
			want:       true,
		},
		"Escaped": {
			reason:     "A quote may be a part of a string.",
			expression: `SUM(METRICS('\'')) + SEARCH('{Shop,Table} Errors', 'Sum')`,
			shared:     true,
			want:       true,
		},
		"Own": {
			reason:     "Nobody else uses the config.",
			expression: "SEARCH('{AWS/Lambda,FunctionName} Errors', 'Sum')",
		},
		"Math": {reason: "It reads the queries alone.", expression: "SUM(METRICS('search'))/2", shared: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			metric := v1beta1.RolloutMetric{}
			metric.Provider.CloudWatch = &v1beta1.CloudWatchMetric{
				Queries: []v1beta1.CloudWatchQuery{{ID: "q", Expression: &tc.expression}},
			}
			m := metrics{batcher: &cloudwatch.Batcher{}, api: unavailable{}, now: time.Now, shared: tc.shared}
			_, _, err := m.Sample(t.Context(), rollout.Subject{Function: "RCH", Alias: "SEARCH"}, &metric)
			if got := errors.Is(err, errFindsMetrics); got != tc.want {
				t.Errorf("%s\ngot %v", tc.reason, err)
			}
		})
	}
}

// unavailable is a CloudWatch that does not answer.
type unavailable struct{ cloudwatch.API }

// GetMetricData returns an error.
func (unavailable) GetMetricData(
	context.Context,
	*sdk.GetMetricDataInput,
	...func(*sdk.Options),
) (*sdk.GetMetricDataOutput, error) {
	return nil, errors.New("unavailable")
}
