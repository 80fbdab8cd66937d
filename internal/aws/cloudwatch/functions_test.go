package cloudwatch

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

func TestFunctions(t *testing.T) {
	subject := rollout.Subject{Function: "orders", Alias: "checkout", Target: "2", Stable: "1"}
	of := func(namespace string, dimensions ...map[string]string) v1beta1.RolloutMetricProvider {
		m := &v1beta1.CloudWatchMetric{}
		for _, d := range dimensions {
			m.Queries = append(m.Queries,
				v1beta1.CloudWatchQuery{Metric: &v1beta1.CloudWatchMetricStat{Namespace: namespace, Dimensions: d}})
		}
		return v1beta1.RolloutMetricProvider{CloudWatch: m}
	}
	cases := map[string]struct {
		reason   string
		provider v1beta1.RolloutMetricProvider
		want     []string
	}{
		"Lambda": {
			reason:   "The provider lambda reads the alias's own function.",
			provider: v1beta1.RolloutMetricProvider{Lambda: &v1beta1.LambdaMetric{}},
		},
		"Name": {
			reason: "A function.", provider: of("AWS/Lambda", map[string]string{"FunctionName": "cart"}),
			want: []string{"cart"},
		},
		"Resource": {reason: "A version or an alias of a function.", provider: of("AWS/Lambda",
			map[string]string{"FunctionName": "cart", "Resource": "pay:live"}), want: []string{"cart", "pay:live"}},
		"Insights": {
			reason:   "Other namespaces have metrics of functions, too.",
			provider: of("LambdaInsights", map[string]string{"function_name": "cart"}), want: []string{"cart"},
		},
		"Own": {
			reason: "Placeholders name the alias's own function.",
			provider: of("AWS/Lambda", map[string]string{
				"FunctionName": "$(function)",
				"Resource":     "$(function):$(alias)",
			}), want: []string{"orders", "orders:checkout"},
		},
		"Alias": {
			reason:   "The name of the alias may be that of another function.",
			provider: of("AWS/Lambda", map[string]string{"FunctionName": "$(alias)"}), want: []string{"checkout"},
		},
		"Once": {
			reason: "Two queries name the same function.",
			provider: of("AWS/Lambda", map[string]string{"FunctionName": "cart"},
				map[string]string{"FunctionName": "cart"}), want: []string{"cart"},
		},
		"Other": {
			reason:   "Other dimensions and namespaces name no function.",
			provider: of("Shop", map[string]string{"Resource": "/checkout page", "Table": "cart"}),
		},
		"Expression": {
			reason: "An expression has no dimensions.",
			provider: v1beta1.RolloutMetricProvider{CloudWatch: &v1beta1.CloudWatchMetric{
				Queries: []v1beta1.CloudWatchQuery{
					{Expression: new("SEARCH('{AWS/Lambda,FunctionName} cart', 'Sum')")},
				},
			}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Functions(subject, v1beta1.RolloutMetric{Provider: tc.provider})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
