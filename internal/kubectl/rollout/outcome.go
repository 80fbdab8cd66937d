package rollout

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// A goal reports whether an alias is as it is waited for. It returns an error if it never will be.
type goal func(a *v1beta1.Alias) (done bool, err error)

// promoted is the goal that a version is stable, or any version if none is given.
func promoted(version string) goal {
	return func(a *v1beta1.Alias) (bool, error) {
		s := a.Status.Rollout
		if s == nil || unobserved(a) {
			return false, nil
		}
		of := version == "" || s.Target.FunctionVersion == version
		switch {
		case version == "" && s.Waits != "":
			return false, nil
		case version == "" && kubectl.IsUndone(s):
			return s.Drift == "", nil
		case !rollout.InProgress(s) && version != "" && version == s.Stable.FunctionVersion:
			return s.Drift == "" && s.Waits == "", nil // Whatever became of another one.
		case s.Phase == v1beta1.RolloutFailed && of:
			return false, failure(a)
		case !rollout.InProgress(s) && version != "" && version != s.Stable.FunctionVersion:
			if f := rollout.Rejection(s, version); f != nil {
				return false, fmt.Errorf("version %s was rejected (%s): %s", version, f.Reason, traffic(a).Serves())
			}
			return false, nil
		}
		return stable(s), nil
	}
}

// serves is the goal that a version serves because the user has commanded so, whatever the manifest asks for. The
// version is the stable one as soon as the provider has accepted the command.
func serves(version string) goal {
	return func(a *v1beta1.Alias) (bool, error) {
		s := a.Status.Rollout
		switch {
		case s == nil:
			return false, nil
		case s.Stable.FunctionVersion != version:
			return false, fmt.Errorf("the provider does not return to version %s: the event RolloutCommand says why",
				version)
		case rollout.InProgress(s):
			return false, nil
		}
		return stable(s) || s.Phase == v1beta1.RolloutFailed && s.Drift == "", nil
	}
}

// after is a goal that counts once the provider has handled a command, whatever command comes after it. A command that
// has another one in its place before that is never handled.
func after(annotation, value string, then goal) goal {
	handled := false
	return func(a *v1beta1.Alias) (bool, error) {
		s := a.Status.Rollout
		handled = handled || s != nil && s.HandledCommands[annotation] == value
		switch {
		case handled:
			return then(a)
		case a.Annotations[annotation] != value:
			return false, fmt.Errorf("someone else has changed the annotation %s: the provider may not have carried "+
				"the command out", annotation)
		}
		return false, nil
	}
}

// failure returns the error of a rollout that has failed.
func failure(a *v1beta1.Alias) error {
	s := a.Status.Rollout
	message := fmt.Sprintf("rollout %s of version %s has failed", s.ID, s.Target.FunctionVersion)
	if s.Reason != "" {
		message += " (" + s.Reason + ")"
	}
	if s.Message != "" {
		message += ": " + s.Message
	}
	return errors.New(message + "; " + traffic(a).Serves() + suffix(again(s)))
}

// again returns how a target is rolled out again of which nobody knows whether it is good. It is empty if the target
// was rejected.
func again(s *v1beta1.AliasRolloutStatus) string {
	switch {
	case rollout.Rejected(s):
		return ""
	case validates(s):
		return "version " + s.Target.FunctionVersion + " is rolled out once it can be"
	}
	return "version " + s.Target.FunctionVersion + " was not rejected: use retry to roll it out again"
}

// validates reports whether a rollout has failed before any invocation moved, and begins once its target can serve.
func validates(s *v1beta1.AliasRolloutStatus) bool {
	return s.Phase == v1beta1.RolloutFailed && s.Step == v1beta1.RolloutValidating
}

// unobserved reports whether the provider has not seen the latest spec yet.
func unobserved(a *v1beta1.Alias) bool { return a.Status.ObservedGeneration < a.Generation }

// stable reports whether a version is stable and nothing else waits.
func stable(s *v1beta1.AliasRolloutStatus) bool {
	return s.Phase == v1beta1.RolloutReady && s.Message == "" && s.Waits == "" && s.Drift == ""
}

// awaits returns the text that is printed while the rollout of a version has not begun.
func awaits(version string) string { return "waiting for version " + version + " to be rolled out" }

// awaiting reports whether the rollout of the version that is waited for has not begun.
func (t *tracker) awaiting() bool {
	s := t.alias.Status.Rollout
	return s != nil && !rollout.InProgress(s) && t.version != "" && t.version != s.Stable.FunctionVersion &&
		t.version != s.Target.FunctionVersion
}

// line returns the state of a rollout that is watched in one line.
func (t *tracker) line() string {
	out := describe(t.alias)
	if t.awaiting() {
		out += suffix(awaits(t.version))
	}
	return out + suffix(revisions(t.alias))
}

// revisions returns the revisions of the code of the stable version and of the target, as far as they are known.
func revisions(a *v1beta1.Alias) string {
	s, out := a.Status.Rollout, ""
	if s == nil {
		return ""
	}
	if s.Stable.CodeRevision != "" {
		out = "stable version " + rollout.DescribeVersion(s.Stable)
	}
	if s.Target.CodeRevision != "" && s.Target.FunctionVersion != s.Stable.FunctionVersion {
		out = strings.TrimPrefix(out+", target version "+rollout.DescribeVersion(s.Target), ", ")
	}
	return out
}

// describe returns the state of an alias's rollout in one line. It has no time, so that it changes only with the
// rollout.
func describe(a *v1beta1.Alias) string {
	s := a.Status.Rollout
	switch {
	case a.DeletionTimestamp != nil:
		return kubectl.Aliases.Full(a.Name) + " is being deleted"
	case unobserved(a):
		return "waiting for the provider to observe the spec of " + kubectl.Aliases.Full(a.Name)
	case s == nil || s.Phase == "":
		return "waiting for the rollout of " + kubectl.Aliases.Full(a.Name) + " to begin"
	case kubectl.IsUndone(s):
		return fmt.Sprintf("%s instead of version %s: %s", traffic(a).Serves(), s.Target.FunctionVersion, s.Message) +
			suffix(s.Waits) + suffix(s.Drift)
	case s.Phase == v1beta1.RolloutFailed:
		return failure(a).Error() + suffix(s.Waits) + suffix(s.Drift)
	case s.Phase == v1beta1.RolloutReady:
		return traffic(a).Serves() + suffix(cmp.Or(s.Drift, s.Waits, s.Message))
	}
	return progress(a)
}

// progress returns the state of a rollout in progress.
func progress(a *v1beta1.Alias) string {
	spec, s := a.Spec.Rollout, a.Status.Rollout
	var b strings.Builder
	fmt.Fprintf(&b, "rollout %s: %s", s.ID, rollout.Position(s))
	if steps := rollout.CanarySteps(spec.Strategy); stepping(s) && int(s.CurrentStepIndex) < len(steps) {
		fmt.Fprintf(&b, ", step %d of %d (%s)", s.CurrentStepIndex+1, len(steps), label(steps[s.CurrentStepIndex]))
	}
	b.WriteString(": " + traffic(a).Serves())
	for _, c := range s.Checks {
		if c.Result != "" && (c.Value != "" || c.Result != rollout.Success) {
			b.WriteString("; " + strings.Join(strings.Fields(c.Name+" "+c.Value+" ("+c.Result+")"), " "))
		}
	}
	return b.String() + suffix(s.Message) + suffix(s.Waits)
}

// stepping reports whether a rollout is in one of the steps of its strategy.
func stepping(s *v1beta1.AliasRolloutStatus) bool {
	return s.Phase == v1beta1.RolloutProgressing && s.ObservedWeight < hundred && s.Step != v1beta1.RolloutPromoting &&
		s.Step != v1beta1.RolloutRollingBack
}

func suffix(message string) string {
	if message == "" {
		return ""
	}
	return "; " + message
}
