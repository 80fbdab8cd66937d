package rollout

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// Describe returns the state of a rollout in one line. r is how AWS divides the invocations. The line has no time, so
// that it changes only with the rollout.
func Describe(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus, r Route) string {
	drift := s.Drift
	if drift != "" {
		drift += ": change it back, or set the annotation " + v1beta1.AnnotationRolloutAbort
	}
	switch {
	case s.Phase == v1beta1.RolloutFailed:
		return joined(r.Serves(), failure(s), s.Waits, drift)
	case s.Phase == v1beta1.RolloutReady:
		return joined(r.Serves(), s.Message, s.Waits, drift)
	case strings.Contains(s.Message, s.Drift):
		drift = ""
	}
	return joined(progress(spec, s, r), s.Message, s.Waits, drift)
}

// joined joins the texts that are not empty.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// failure returns why a rollout has failed: its target was rejected, or nobody knows whether it is good. The reason of
// a target that had failed before the user returned to another version is that of its failure, which the message is not
// about.
func failure(s *v1beta1.AliasRolloutStatus) string {
	verb, reason, end := "was not rolled out", "("+s.Reason+"): ", ": set the annotation "+
		v1beta1.AnnotationRolloutRetry+" to try again"
	if Rejected(s) {
		verb, end = "was rejected", ""
	}
	if f := Rejection(s, s.Target.FunctionVersion); f != nil && f.Reason != s.Reason {
		reason = "(" + f.Reason + "); "
	}
	if s.Step == v1beta1.RolloutValidating {
		end = ": it is rolled out once it can be"
	}
	return fmt.Sprintf("version %s %s %s%s%s", s.Target.FunctionVersion, verb, reason, s.Message, end)
}

// progress returns what a rollout does, such as "rollout 7-abc: Progressing, Analyzing, step 2 of 5 (pause 5m): version
// 6 serves, version 7 receives 10 %; errors 0.002 (Success)".
func progress(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus, r Route) string {
	out := "rollout " + s.ID + ": " + Position(s)
	if st := CurrentStep(spec, s); st != nil {
		n := len(CanarySteps(spec.Strategy))
		out += fmt.Sprintf(", step %d of %d (%s)", s.CurrentStepIndex+1, n, DescribeStep(*st))
	}
	parts := []string{out + ": " + r.Serves()}
	for i := range s.Checks {
		switch c := &s.Checks[i]; {
		case c.Type == CheckMetric && c.Result == Success && c.Value != "":
			parts = append(parts, fmt.Sprintf("%s %s (%s)", c.Name, c.Value, c.Result))
		case !c.Ignored && c.Result != "" && c.Result != Success && c.Result != Skipped &&
			!strings.Contains(s.Message, DescribeCheck(c)):
			parts = append(parts, DescribeCheck(c))
		}
	}
	return joined(parts...)
}

// DescribeStep returns a step as spec has it, such as "setWeight 10 %".
func DescribeStep(st v1beta1.CanaryStep) string {
	switch {
	case st.SetWeight != nil:
		return fmt.Sprintf("setWeight %d %%", *st.SetWeight)
	case st.Analysis != nil:
		if n := ptr.Deref(st.Analysis.Successes, 1); n != 1 {
			return fmt.Sprintf("analysis: %d successes", n)
		}
		return "analysis: 1 success"
	case st.Pause != nil && st.Pause.Duration != nil:
		return "pause " + DescribeDuration(st.Pause.Duration.Duration)
	}
	return "pause until promoted"
}

// DescribeDuration returns a duration as kubectl shows it, rounded up to a second.
func DescribeDuration(d time.Duration) string {
	return duration.HumanDuration((d + time.Second - 1).Truncate(time.Second))
}
