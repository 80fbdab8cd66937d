package analysis

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestValidate(t *testing.T) {
	metric := func(p v1beta1.RolloutMetricProvider, success string) *v1beta1.AliasRollout {
		return &v1beta1.AliasRollout{Analysis: &v1beta1.RolloutAnalysis{Metrics: []v1beta1.RolloutMetric{{
			Name:             "m",
			SuccessCondition: &success, Provider: p,
		}}}}
	}
	lambda := v1beta1.RolloutMetricProvider{Lambda: &v1beta1.LambdaMetric{Metric: "ErrorRate"}}
	prometheus := func(address string) v1beta1.RolloutMetricProvider {
		return v1beta1.RolloutMetricProvider{Prometheus: &v1beta1.PrometheusMetric{Address: address, Query: "up"}}
	}
	web := func(target string) v1beta1.RolloutMetricProvider {
		return v1beta1.RolloutMetricProvider{Web: &v1beta1.WebMetric{URL: target}}
	}
	fails := func(s *v1beta1.AliasRollout) *v1beta1.AliasRollout {
		s.Analysis.Metrics[0].FailureCondition = ptr.To("result > 0.1")
		return s
	}
	linear := func(s *v1beta1.AliasRollout) *v1beta1.AliasRollout {
		s.Strategy.Linear = &v1beta1.LinearStrategy{Percentage: 50}
		return s
	}
	cases := map[string]struct {
		reason string
		spec   *v1beta1.AliasRollout
		want   []string
	}{
		"None":  {reason: "A rollout without an analysis is valid.", spec: &v1beta1.AliasRollout{}},
		"Valid": {reason: "A condition of known variables is valid.", spec: metric(lambda, "result < 0.01")},
		"Typo": {
			reason: "An unknown variable can't be evaluated.", spec: metric(lambda, "resul < 0.01"),
			want: []string{"spec.rollout.analysis.metrics[m].successCondition is not valid", "resul"},
		},
		"Compared": {
			reason: "A strategy without a weight has no stable version to compare with: each measurement is Skipped.",
			spec:   metric(lambda, "result < 0.01 || result <= baseline"),
			want:   []string{"metrics[m] compares with baseline", "math.isNaN(baseline) ? result < 500 : result <= baseline"},
		},
		"ComparedOrBounded": {
			reason: "The condition that the message suggests is decided without a baseline.",
			spec:   metric(lambda, "math.isNaN(baseline) ? result < 500 : result <= baseline"),
		},
		"ComparedIfKnown": {
			reason: "A condition that tests for the baseline is decided without one.",
			spec:   metric(lambda, "math.isNaN(baseline) || result <= baseline"),
		},
		"ComparedSamples": {
			reason: "The stable version has no number of invocations either: a version that fails would be Skipped.",
			spec:   metric(lambda, "result < 0.01 || baselineSamples < 10.0"),
			want:   []string{"spec.rollout.analysis.metrics[m]", "baseline", "math.isNaN"},
		},
		"ComparedSamplesIfKnown": {
			reason: "A condition that tests for either is decided without a stable version.",
			spec:   metric(lambda, "math.isNaN(baseline) || baselineSamples < 10.0 || result <= baseline"),
		},
		"ComparedForSuccess": {
			reason: "A metric may fail without the baseline.",
			spec:   fails(metric(lambda, "result <= baseline")),
		},
		"ComparedAtAWeight": {
			reason: "At a weight there is a stable version.",
			spec:   linear(metric(lambda, "result <= baseline")),
		},
		"NeverCompared": {
			reason: "Without a baseline at any time, the condition is met whatever the result is.",
			spec: linear(metric(v1beta1.RolloutMetricProvider{CloudWatch: &v1beta1.CloudWatchMetric{}},
				"math.isNaN(baseline) || result <= baseline")),
			want: []string{"spec.rollout.analysis.metrics[m] uses baseline", "$(stable)"},
		},
		"NeverComparedThrottles": {
			reason: "Lambda does not publish throttles of versions.",
			spec: linear(metric(v1beta1.RolloutMetricProvider{Lambda: &v1beta1.LambdaMetric{Metric: "Throttles"}},
				"math.isNaN(baseline) || result <= baseline")),
			want: []string{"spec.rollout.analysis.metrics[m] uses baseline"},
		},
		"NeverComparedQuery": {
			reason: "The query is the same for the stable version.",
			spec:   linear(metric(prometheus("https://prometheus.example.org"), "math.isNaN(baseline) || result < 1")),
			want:   []string{"spec.rollout.analysis.metrics[m] uses baseline", "$(target)"},
		},
		"ComparedPath": {
			reason: "The URL for the stable version is another one.",
			spec:   linear(metric(web("https://prometheus.example.org/$(target)"), "result.n <= baseline.n")),
		},
		"Allowed": {
			reason: "The operator allows the host.",
			spec:   metric(prometheus("https://prometheus.example.org/x"), "result < 1"),
		},
		"NotAllowed": {
			reason: "The operator does not allow the host.",
			spec:   metric(prometheus("https://other.example.net"), "result < 1"),
			want:   []string{"metrics[m].provider.prometheus.address", "--analysis-host"},
		},
		"Path": {
			reason: "The version may be part of a path.",
			spec:   metric(web("https://prometheus.example.org/health/$(target)"), "result.ok"),
		},
		"NotAURL": {
			reason: "A text that is not a URL has no host.", spec: metric(web("https://%zz"), "result.ok"),
			want: []string{"metrics[m].provider.web.url is not a URL"},
		},
		"Expect": {
			reason: "The expectation of a smoke test has other variables.", want: []string{
				"spec.rollout.preTraffic[s].invoke.expect is not valid",
			},
			spec: &v1beta1.AliasRollout{PreTraffic: []v1beta1.RolloutSmokeTest{{
				Name:   "s",
				Invoke: v1beta1.RolloutInvoke{Expect: ptr.To("result < 1")},
			}}},
		},
		"Dependency": {
			reason: "The host of a dependency must be allowed too.", want: []string{
				"spec.rollout.dependencies[d].http.url",
			},
			spec: &v1beta1.AliasRollout{Dependencies: []v1beta1.RolloutDependency{{
				Name: "d",
				HTTP: &v1beta1.RolloutHTTPDependency{URL: "http://169.254.169.254/"},
			}}},
		},
	}
	a := New(Options{Hosts: []string{"prometheus.example.org"}})
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := a.Validate(tc.spec)
			if (err != nil) != (len(tc.want) > 0) {
				t.Fatalf("%s\ngot %v", tc.reason, err)
			}
			for _, w := range tc.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%s\nwant %q in %v", tc.reason, w, err)
				}
			}
		})
	}
}
