package rollout

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/utils/ptr"

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
		Route: route(a), Target: ptr.Deref(a.Spec.ForProvider.FunctionVersion, s.Target.FunctionVersion),
		Commands: map[string]string{annotation: value},
	}
	d := rollout.Next(a.Spec.Rollout, s, o, now)
	for _, e := range d.Events {
		if e.Reason == v1beta1.EventRolloutCommand && e.Warning {
			_, why, _ := strings.Cut(e.Message, rollout.DoesNotApply)
			return "", errors.New(why)
		}
	}
	if annotation == v1beta1.AnnotationRolloutRetry && d.State.HandledCommands[annotation] != value {
		return cmp.Or(s.Drift, "AWS does not show the alias as the rollout has left it"), nil
	}
	return "", nil
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
			"--to-version", rollout.Summary(s))
	case len(s.History) == 0:
		return "", fmt.Errorf("the history has no version before version %s", s.Stable.FunctionVersion)
	}
	return s.History[0].FunctionVersion, nil
}
