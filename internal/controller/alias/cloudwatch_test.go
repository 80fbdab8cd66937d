package alias

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
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
	for _, dimensions := range []map[string]string{{"FunctionName": "checkout"}, {"Resource": "checkout:live", "FunctionName": "orders"}} {
		metric := v1beta1.RolloutMetric{}
		metric.Provider.CloudWatch = &v1beta1.CloudWatchMetric{Queries: []v1beta1.CloudWatchQuery{
			{ID: "m", Metric: &v1beta1.CloudWatchMetricStat{Namespace: "AWS/Lambda", MetricName: "Errors", Dimensions: dimensions, Statistic: "Sum"}},
		}}
		_, _, err := m.Sample(t.Context(), rollout.Subject{Function: "orders"}, &metric)
		if !errors.Is(err, refused) || !strings.HasPrefix(err.Error(), "cannot read the metrics of function checkout") {
			t.Errorf("%v: got %v", dimensions, err)
		}
	}
}
