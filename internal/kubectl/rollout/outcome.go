package rollout

import (
	"errors"
	"fmt"
	"strings"

	xpmeta "github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// A goal reports whether an alias is as it is waited for. It returns an error if it never will be.
type goal func(a *v1beta1.Alias) (done bool, err error)

// promoted is the goal that a version is stable, or any version if none is given.
func promoted(version string) goal {
	return func(a *v1beta1.Alias) (bool, error) {
		s := a.Status.Rollout
		if s == nil || unobserved(a) || absent(a) {
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
			return false, errors.New(rollout.Describe(a.Spec.Rollout, s, traffic(a)))
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
		case s == nil, absent(a):
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

// validates reports whether a rollout has failed before any invocation moved, and begins once its target can serve.
func validates(s *v1beta1.AliasRolloutStatus) bool {
	return s.Phase == v1beta1.RolloutFailed && s.Step == v1beta1.RolloutValidating
}

// unobserved reports whether the provider has not seen the latest spec yet.
func unobserved(a *v1beta1.Alias) bool { return a.Status.ObservedGeneration < a.Generation }

// absent reports whether AWS does not have the alias.
func absent(a *v1beta1.Alias) bool {
	return a.GetCondition(xpv2.TypeReady).Reason == xpv2.ReasonCreating
}

// stable reports whether a version is stable and nothing else waits.
func stable(s *v1beta1.AliasRolloutStatus) bool {
	return s.Phase == v1beta1.RolloutReady && s.Message == "" && s.Waits == "" && s.Drift == ""
}

// awaits returns the text that is printed while the rollout of a version has not begun.
func awaits(version string) string { return "waiting for version " + version + " to be rolled out" }

// obstacle returns why the provider does not continue the rollout of an alias: the error of its last reconcile, such as
// one of AWS, or that the alias is stopped. It is empty otherwise, and if the state of the rollout has the error.
func obstacle(a *v1beta1.Alias) string {
	s := a.Status.Rollout
	switch synced, why := a.GetCondition(xpv2.TypeSynced), stopped(a); {
	case why != "":
		return why
	case synced.Reason == xpv2.ReasonReconcileError && !unobserved(a) && (s == nil || s.UpdateFailures == 0):
		return synced.Message
	}
	return ""
}

// stopped returns why the provider does not continue any rollout of an alias, empty if it does.
func stopped(a *v1beta1.Alias) string {
	switch {
	case xpmeta.IsPaused(a):
		return kubectl.Aliases.Full(a.Name) + " is paused by its annotation " + xpmeta.AnnotationKeyReconciliationPaused
	case !reconcile.Allows(a, xpv2.ManagementActionUpdate):
		return kubectl.Aliases.Full(a.Name) + " has spec.managementPolicies without Update"
	}
	return ""
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
	case absent(a):
		return "waiting for " + kubectl.Aliases.Full(a.Name) + " to be created again in AWS"
	}
	return rollout.Describe(a.Spec.Rollout, s, traffic(a))
}

func suffix(message string) string {
	if message == "" {
		return ""
	}
	return "; " + message
}
