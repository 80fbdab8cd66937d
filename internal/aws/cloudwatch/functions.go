package cloudwatch

import (
	"regexp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// Functions returns the functions whose metrics the queries of a metric name in dimensions: names, which may have a
// colon and an alias or a version. Expressions that search for metrics name none.
func Functions(subject rollout.Subject, metric v1beta1.RolloutMetric) []string {
	if metric.Provider.CloudWatch == nil {
		return nil
	}
	var names []string
	for _, q := range (customMetric{CloudWatchMetric: *metric.Provider.CloudWatch, subject: subject}).queries() {
		if q.MetricStat == nil {
			continue
		}
		for _, d := range q.MetricStat.Metric.Dimensions {
			if namesFunction(aws.ToString(q.MetricStat.Metric.Namespace), aws.ToString(d.Name)) {
				names = append(names, aws.ToString(d.Value))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// namesFunction reports whether a dimension of a namespace of metrics has the name of a function. Lambda Insights and
// some libraries use function_name. Resource has other meanings elsewhere.
func namesFunction(namespace, dimension string) bool {
	switch dimension {
	case "FunctionName", "function_name":
		return true
	case "Resource":
		return namespace == "AWS/Lambda"
	default:
		return false
	}
}

// finds matches what finds metrics in an expression, or calls a function for them.
var finds = regexp.MustCompile(`(?i)\b(SEARCH|SELECT|LAMBDA|INSIGHT_RULE_METRIC|DB_PERF_INSIGHTS)\b`)

// FindsMetrics reports whether an expression of a metric reads metrics that it does not name, so that they may be those
// of any function.
func FindsMetrics(subject rollout.Subject, metric v1beta1.RolloutMetric) bool {
	c := metric.Provider.CloudWatch
	return c != nil && (customMetric{CloudWatchMetric: *c, subject: subject}).matches(finds)
}
