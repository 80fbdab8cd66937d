package rollout

import (
	"cmp"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// health is the result of all checks together.
type health struct {
	// rollback is the message of why the rollout has to roll back, and reason its reason. Both are empty if it need
	// not.
	rollback, reason string

	// pause is the reason why no more invocations may move to the target. Empty if they may.
	pause string
}

// healthOf returns what the checks of a state say together. A check that is ignored does not count, nor does one that
// does not apply and has not failed before. If all that count fail, the target has failed, whatever the trigger is.
func healthOf(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus) health {
	var h health
	var failed []string
	ids, _ := checksOf(spec)
	total := 0
	for _, id := range ids {
		c := CheckOf(s, id)
		counts := c == nil || !c.Ignored && (c.Result != Skipped || verdict(spec, id, c) == failing)
		if counts && (id.Type == CheckAlarm || id.Type == CheckMetric && rollsBack(MetricOf(spec, id.Name))) {
			total++
		}
		if c == nil {
			continue
		}
		switch verdict(spec, id, c) {
		case failing:
			failed = append(failed, evidence(c))
		case failingAlone:
			h.rollback, h.reason = cmp.Or(h.rollback, DescribeCheck(c)), v1beta1.RolloutReasonAnalysisError
		case pausing:
			h.pause = cmp.Or(h.pause, evidence(c))
		}
	}
	if len(failed) > 0 && len(failed) >= required(spec.Analysis, total) {
		h.rollback, h.reason = failed[0], v1beta1.RolloutReasonAnalysisFailed
	}
	return h
}

// Verdicts about one check.
const (
	passing = iota
	pausing
	failing
	failingAlone
)

func verdict(spec *v1beta1.AliasRollout, id CheckID, c *v1beta1.RolloutCheck) int {
	switch id.Type {
	case CheckAlarm:
		if c.Result == Failure && !c.Ignored {
			return failing
		}
		return pausesIf(c.Errors > consecutiveErrorLimit)
	case CheckDependency:
		return pausesIf(c.Result != Success && c.Result != "")
	case CheckMetric:
		return metricVerdict(MetricOf(spec, id.Name), c)
	}
	return passing
}

func pausesIf(yes bool) int {
	if yes {
		return pausing
	}
	return passing
}

func metricVerdict(m *v1beta1.RolloutMetric, c *v1beta1.RolloutCheck) int {
	switch {
	case m == nil || m.DryRun || c.Ignored:
		return passing
	case c.Failures > m.FailureLimit && rollsBack(m):
		return failing
	case pausesByFailure(m, c):
		return pausing
	case c.Errors > ptr.Deref(m.ConsecutiveErrorLimit, consecutiveErrorLimit):
		if m.OnError == "Rollback" {
			return failingAlone
		}
		return pausing
	}
	return pausesIf(c.Inconclusive > ptr.Deref(m.InconclusiveLimit, inconclusiveLimit))
}

// rollsBack reports whether the failure of a metric counts for the rollback.
func rollsBack(m *v1beta1.RolloutMetric) bool {
	return m != nil && !m.DryRun && m.OnFailure != "Pause" && m.OnFailure != "Warn"
}

// required returns how many of so many metrics and alarms have to fail for a rollback.
func required(a *v1beta1.RolloutAnalysis, total int) int {
	if a == nil || a.Trigger == nil {
		return 1
	}
	switch a.Trigger.Mode {
	case "All":
		return total
	case "Quorum":
		return min(int(ptr.Deref(a.Trigger.Quorum, 1)), total)
	}
	return 1
}
