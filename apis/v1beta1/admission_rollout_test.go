package v1beta1

import "testing"

// rolled returns a change that adds a rollout.
func rolled(fields string) string { return `spec: {rollout: {` + fields + `}}` }

func TestRolloutRefused(t *testing.T) {
	const once = "strategy: {allAtOnce: {}}"
	testRefusals(t, liveAlias, map[string]refusal{
		"Latest": {
			reason: "AWS divides no invocations with $LATEST.",
			change: `spec: {forProvider: {functionVersion: $LATEST}, rollout: {` + once + `}}`,
			want:   "spec.forProvider.functionVersion: Forbidden: $LATEST can't be rolled out: set functionVersion to a published version, or functionNameRef to a Function with publish",
		},
		"Weights": {
			reason: "The rollout sets them.",
			change: `spec: {forProvider: {routingConfig: {additionalVersionWeights: {"4": "0.25"}}}, rollout: {` + once + `}}`,
			want:   "spec.forProvider.routingConfig: Forbidden: the rollout sets routingConfig: remove routingConfig or rollout",
		},
		"AtCreation": {
			reason: "Another tool would shift the alias.",
			change: `spec: {initProvider: {functionVersion: "1"}, rollout: {` + once + `}}`,
			want:   "spec.initProvider.functionVersion: Forbidden: a rollout needs the version in forProvider: move functionVersion to forProvider, or remove rollout",
		},
		"NoStrategy": {
			reason: "There is one strategy.",
			change: rolled(`strategy: {}`),
			want:   "spec.rollout.strategy: Invalid value: set exactly one of canary, linear and allAtOnce",
		},
		"TwoStrategies": {
			reason: "Not two.",
			change: rolled(`strategy: {allAtOnce: {}, linear: {percentage: 10, interval: 1m}}`),
			want:   "spec.rollout.strategy: Invalid value: set exactly one of canary, linear and allAtOnce",
		},
		"NoTimeForTheAnalysis": {
			reason: "It would decide nothing.",
			change: rolled(once + `, analysis: {alarms: {names: [a]}}`),
			want:   "spec.rollout.finalBakeTime: Required value: an analysis of the strategy allAtOnce runs after all invocations have moved: set finalBakeTime",
		},
		"NothingToAnalyze": {
			reason: "The step would be over at once.",
			change: rolled(`strategy: {canary: {steps: [{setWeight: 10}, {analysis: {successes: 5}}]}}`),
			want:   "spec.rollout.analysis: Required value: a step of the strategy waits for an analysis: set analysis, or remove the step",
		},
		"WeightOfAll": {
			reason: "The promotion comes after the last step.",
			change: rolled(`strategy: {canary: {steps: [{setWeight: 100}]}}`),
			want:   "spec.rollout.strategy.canary.steps[0].setWeight: Invalid value: 100: spec.rollout.strategy.canary.steps[0].setWeight in body should be less than or equal to 99",
		},
		"Period": {
			reason: "CloudWatch has no such period.",
			change: rolled(once + `, finalBakeTime: 1m, analysis: {metrics: [` + metricEach("15", "5m") + `]}`),
			want:   "spec.rollout.analysis.metrics[0].provider.cloudWatch.queries[0].metric.periodSeconds: Invalid value: 15: periodSeconds must be 10, 30 or a multiple of 60",
		},
		"LongWindowOfShortPeriods": {
			reason: "CloudWatch does not keep them so long.",
			change: rolled(once + `, finalBakeTime: 1m, analysis: {metrics: [` + metricEach("10", "3h") + `]}`),
			want:   "spec.rollout.analysis.metrics[0].provider.cloudWatch.window: Invalid value: window must be shorter than 3h with periods of less than a minute, which CloudWatch keeps so long",
		},
		"FewPeriods": {
			reason: "CloudWatch has the data of one or two periods late.",
			change: rolled(once + `, finalBakeTime: 1m, analysis: {metrics: [` + metricEach("300", "10m") + `]}`),
			want:   "spec.rollout.analysis.metrics[0].provider.cloudWatch.window: Invalid value: window must have at least three periods",
		},
		"FewMinutes": {
			reason: "A period is a minute if none is set.",
			change: rolled(
				once + `, finalBakeTime: 1m, analysis: {metrics: [{name: m, failureCondition: result > 0, provider: {cloudWatch: {window: 2m, queries: [{id: q, metric: {namespace: Shop, metricName: Orders, statistic: Sum}}]}}}]}`,
			),
			want: "spec.rollout.analysis.metrics[0].provider.cloudWatch.window: Invalid value: window must have at least three periods",
		},
		"FewMinutesOfLambda": {
			reason: "Lambda has a data point a minute.",
			change: rolled(
				once + `, finalBakeTime: 1m, analysis: {metrics: [{name: m, failureCondition: result > 0, provider: {lambda: {metric: ErrorRate, window: 2m}}}]}`,
			),
			want: "spec.rollout.analysis.metrics[0].provider.lambda.window: Invalid value: \"2m\": window must be a multiple of a minute between 3m and 1h",
		},
		"Tenant": {
			reason: "Lambda accepts no such tenant.",
			change: rolled(once + `, preTraffic: [{name: ping, invoke: {tenantId: "a*b"}}]`),
			want:   "spec.rollout.preTraffic[0].invoke.tenantId: Invalid value: \"a*b\": tenantId must have 1 to 256 letters, digits, spaces and . _ : / = + - @",
		},
		"NoTenant": {
			reason: "Nor an empty one.",
			change: rolled(once + `, preTraffic: [{name: ping, invoke: {tenantId: ""}}]`),
			want:   "spec.rollout.preTraffic[0].invoke.tenantId: Invalid value: \"\": tenantId must have 1 to 256 letters, digits, spaces and . _ : / = + - @",
		},
	})
}

// TestRolloutAccepted checks the smallest windows and a tenant that are accepted.
func TestRolloutAccepted(t *testing.T) {
	const bakes = "strategy: {allAtOnce: {}}, finalBakeTime: 1m, "
	testRefusals(t, liveAlias, map[string]refusal{
		"Lambda": {
			reason: "Three minutes are three periods.",
			change: rolled(
				bakes + `analysis: {metrics: [{name: m, failureCondition: result > 0, provider: {lambda: {metric: ErrorRate, window: 3m}}}]}`,
			),
		},
		"CloudWatch": {
			reason: "So are 15 minutes of five.",
			change: rolled(bakes + `analysis: {metrics: [` + metricEach("300", "15m") + `]}`),
		},
		"Short": {
			reason: "The shortest window has six short periods.",
			change: rolled(bakes + `analysis: {metrics: [` + metricEach("10", "1m") + `]}`),
		},
		"Tenant": {
			reason: "Names of tenants may have blanks.",
			change: rolled(bakes + `preTraffic: [{name: ping, invoke: {tenantId: "blue whale-1"}}]`),
		},
	})
}

// metricEach returns a metric of CloudWatch with a period in seconds and a window.
func metricEach(period, window string) string {
	return `{name: m, failureCondition: result > 0, provider: {cloudWatch: {window: ` + window + `, queries: [{id: q, metric: {namespace: Shop, metricName: Orders, statistic: Sum, periodSeconds: ` + period + `}}]}}}`
}
