package rollout

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// refusal returns why a command does not apply to the present state of a rollout, nil if it does, and what it waits for
// if it is not carried out at once. Whether it applies is decided by the code that the provider carries it out with.
func refusal(a *v1beta1.Alias, annotation, value string, now time.Time) (waits string, err error) {
	s := a.Status.Rollout
	if s == nil || s.Phase == "" {
		return "", fmt.Errorf("the provider has not observed the rollout of %s yet", kubectl.Aliases.Full(a.Name))
	}
	o := rollout.Observation{
		Route: route(a), Target: s.Target.FunctionVersion,
		Commands: map[string]string{annotation: value},
	}
	d := rollout.Next(a.Spec.Rollout, s, o, now)
	for _, e := range d.Events {
		if e.Reason == v1beta1.EventRolloutCommand && e.Warning {
			return "", errors.New(why(a, annotation, value))
		}
	}
	if annotation == v1beta1.AnnotationRolloutRetry && d.State.HandledCommands[annotation] != value {
		return cmp.Or(s.Drift, "AWS does not show the alias as the rollout has left it"), nil
	}
	return "", nil
}

// why returns why a command does not apply.
func why(a *v1beta1.Alias, annotation, value string) string {
	s := a.Status.Rollout
	const paused = "spec.rollout.paused is true: set it to false to continue, or remove it"
	switch {
	case annotation == v1beta1.AnnotationRolloutRetry && s.Phase == v1beta1.RolloutFailed:
		return paused
	case annotation == v1beta1.AnnotationRolloutRetry:
		return "there is nothing to retry: " + state(a)
	case annotation == v1beta1.AnnotationRolloutRollbackTo:
		return whyNotTo(s, value)
	case !rollout.InProgress(s):
		return "no rollout is in progress: " + state(a)
	case s.Step == v1beta1.RolloutRollingBack:
		return fmt.Sprintf("rollout %s already rolls back to version %s", s.ID, s.Stable.FunctionVersion)
	case s.Step == v1beta1.RolloutPromoting,
		s.ObservedWeight >= hundred && annotation == v1beta1.AnnotationRolloutPromoteFull:
		return fmt.Sprintf("rollout %s is promoted already: %s", s.ID, phase(s))
	case a.Spec.Rollout.Paused:
		return paused
	}
	return fmt.Sprintf("rollout %s does not wait for a promotion: %s; to skip the remaining steps and "+
		"checks, use --full", s.ID, phase(s))
}

// whyNotTo returns why an alias can't return to a version.
func whyNotTo(s *v1beta1.AliasRolloutStatus, value string) string {
	version, _, _ := strings.Cut(value, "/")
	switch {
	case version == s.Stable.FunctionVersion && s.Step == v1beta1.RolloutRollingBack:
		return fmt.Sprintf("rollout %s already rolls back to version %s", s.ID, version)
	case version == s.Stable.FunctionVersion && s.Phase == v1beta1.RolloutPending:
		return fmt.Sprintf("version %s serves already: to end the rollout of version %s, use abort", version,
			s.Target.FunctionVersion)
	case version == s.Stable.FunctionVersion:
		return fmt.Sprintf("version %s serves already", version)
	case len(s.History) == 0:
		return fmt.Sprintf("version %s is not in the history, which is empty", version)
	}
	return fmt.Sprintf("version %s is not in the history: choose one of %s", version, strings.Join(versions(s), ", "))
}

// versions returns the versions that an alias can return to, the latest first.
func versions(s *v1beta1.AliasRolloutStatus) []string {
	var out []string
	for _, h := range s.History {
		out = append(out, h.FunctionVersion)
	}
	return out
}

// state returns the state of a rollout that has ended or has not begun.
func state(a *v1beta1.Alias) string {
	s := a.Status.Rollout
	switch {
	case rollout.InProgress(s):
		return fmt.Sprintf("rollout %s is in progress: %s", s.ID, phase(s))
	case s.Phase == v1beta1.RolloutFailed:
		return fmt.Sprintf("version %s %s (%s), %s", s.Target.FunctionVersion, verdict(s), s.Reason,
			traffic(a).Serves())
	}
	return "version " + s.Stable.FunctionVersion + " is stable"
}

// verdict returns what became of the target of a rollout that has failed.
func verdict(s *v1beta1.AliasRolloutStatus) string {
	if rollout.Rejected(s) {
		return "was rejected"
	}
	return "was not rolled out"
}

// previous returns the version that undo returns to if the user names none.
func previous(a *v1beta1.Alias) (string, error) {
	s := a.Status.Rollout
	switch {
	case s == nil:
		return "", errors.New("the provider has not observed the rollout yet")
	case rollout.InProgress(s):
		return s.Stable.FunctionVersion, nil
	case s.Phase == v1beta1.RolloutFailed:
		return "", fmt.Errorf("the rollout is undone already: %s; to return to another version, name it with "+
			"--to-version", state(a))
	case len(s.History) == 0:
		return "", fmt.Errorf("the history has no version before version %s", s.Stable.FunctionVersion)
	}
	return s.History[0].FunctionVersion, nil
}
