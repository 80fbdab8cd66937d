package rollout

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// DescribeVersion returns the number of a version, with the revision of its code if that is known: 3
// (main@sha1:c5d4e9).
func DescribeVersion(r v1beta1.RolloutRevision) string {
	if r.CodeRevision == "" {
		return r.FunctionVersion
	}
	return r.FunctionVersion + " (" + r.CodeRevision + ")"
}

// What a rollout says while the manifest pauses it, and why a command does not apply then.
const (
	isPaused     = "spec.rollout.paused is true"
	pausedBySpec = isPaused + ": set it to false to continue, or remove it"
)

// Summary returns the state of a rollout, for a command that does not apply to it.
func Summary(s *v1beta1.AliasRolloutStatus) string {
	switch {
	case s.Step == v1beta1.RolloutRollingBack:
		return fmt.Sprintf("rollout %s already rolls back to version %s", s.ID, s.Stable.FunctionVersion)
	case InProgress(s):
		return fmt.Sprintf("rollout %s is in progress: %s", s.ID, Position(s))
	}
	stable := "version " + s.Stable.FunctionVersion + " is stable"
	switch {
	case s.Phase != v1beta1.RolloutFailed:
		return stable
	case Rejected(s):
		return fmt.Sprintf("version %s was rejected (%s), %s", s.Target.FunctionVersion, s.Reason, stable)
	}
	return fmt.Sprintf("version %s was not rolled out (%s), %s", s.Target.FunctionVersion, s.Reason, stable)
}

// Position returns the phase and the step of a rollout, and the reason if there is another one, such as
// "Progressing, Paused (PauseStep)".
func Position(s *v1beta1.AliasRolloutStatus) string {
	out := s.Phase
	if s.Step != "" {
		out += ", " + s.Step
	}
	if s.Reason != "" && s.Reason != s.Step {
		out += " (" + s.Reason + ")"
	}
	return out
}

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
	decide := ""
	if s.Step == v1beta1.RolloutPaused && s.Reason == v1beta1.RolloutReasonInconclusive && undecided(spec, s) {
		decide = "set the annotation " + v1beta1.AnnotationRolloutPromoteFull + " or " + v1beta1.AnnotationRolloutAbort
	}
	return joined(progress(spec, s, r), s.Message, decide, s.Waits, drift)
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
		verb, end = "was rejected", "; publish another version, or"+strings.TrimPrefix(end, ":")
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
		case c.Result != "" && c.Result != Success && c.Result != Skipped &&
			!strings.Contains(s.Message, DescribeCheck(c)):
			parts = append(parts, DescribeCheck(c))
		}
	}
	return joined(parts...)
}

// DescribeCheck returns a sentence about a check, such as "metric errors: Failure (0.2): more than 0.01".
func DescribeCheck(c *v1beta1.RolloutCheck) string {
	out := c.Type + " " + c.Name + ": " + c.Result
	if c.Value != "" {
		out += " (" + c.Value + ")"
	}
	switch {
	case c.Ignored && c.Result != Error:
		out += ", which is ignored"
	case c.Message != "":
		out += ": " + c.Message
	}
	return out
}

// DescribeChecks returns a sentence about each check of a state that has a result.
func DescribeChecks(s *v1beta1.AliasRolloutStatus) []string {
	var out []string
	for i := range s.Checks {
		if s.Checks[i].Result != "" {
			out = append(out, DescribeCheck(&s.Checks[i]))
		}
	}
	return out
}

// evidence returns a sentence about a check that has failed, or is not known. Failures count from the begin of the
// rollout, so that its last result may be another one.
func evidence(c *v1beta1.RolloutCheck) string {
	if c.Failures == 0 || c.Result == Failure {
		return DescribeCheck(c)
	}
	out := c.Type + " " + c.Name + " has failed once"
	if c.Failures > 1 {
		out = fmt.Sprintf("%s %s has failed %d times", c.Type, c.Name, c.Failures)
	}
	if c.Result == "" {
		return out
	}
	return out + ", now it is " + strings.TrimPrefix(DescribeCheck(c), c.Type+" "+c.Name+": ")
}

// early describes a check that succeeds but has not judged all invocations that began before a time.
func early(c *v1beta1.RolloutCheck, since time.Time, delay time.Duration) string {
	return fmt.Sprintf("%s %s shows all invocations until %s after %s: they show up to %s after their begin",
		c.Type, c.Name, since.UTC().Format(time.TimeOnly), since.Add(delay).UTC().Format(time.TimeOnly), delay)
}
