package version

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

const (
	policyOnRequest = "OnRequest"

	pathTrigger  = "publishTrigger"
	pathFunction = "function"

	newVersion = "a new version"
)

// due returns why a version is to be published, or nothing if none is: the user requested
// one, or the function differs from the version.
func due(v *v1beta1.Version, o observed) diff.Changes {
	fp, s := v.Spec.ForProvider, v.Status.AtProvider
	if fp.PublishTrigger != nil && ptr.Deref(s.PublishTrigger, "") != *fp.PublishTrigger && s.Version != nil {
		return diff.Changes{{Path: pathTrigger, Old: ptr.Deref(s.PublishTrigger, ""), New: *fp.PublishTrigger}}
	}
	if ptr.Deref(fp.PublishPolicy, "") == policyOnRequest {
		return nil
	}
	if isPublished(s, o) {
		return nil
	}
	return diff.Changes{{Path: pathFunction, Old: "version " + ptr.Deref(o.version.Version, ""), New: newVersion}}
}

// isPublished reports whether the version has the content of the function. While the
// function's variables can't be read, that is not known, and hindrance reports it.
func isPublished(s v1beta1.VersionObservation, o observed) bool {
	if versions.Unreadable(o.function) != "" {
		return false
	}
	content, readable := contentOf(o.function), versions.Unreadable(o.version) == ""
	if readable && content.Equal(contentOf(o.version)) {
		return true
	}
	sum := content.Fingerprint()
	if s.PublishedFingerprint != nil && *s.PublishedFingerprint == sum {
		return true // AWS returned this version when it was asked to publish this content.
	}
	return !readable && s.Fingerprint != nil && *s.Fingerprint == sum
}

// hindrance returns why nothing can be published now. passes is true if that is temporary,
// as while the function is being changed.
func hindrance(fp v1beta1.VersionParameters, o observed) (why string, passes bool) {
	c := o.function
	name := ptr.Deref(c.FunctionName, "")
	switch {
	case o.unready != "":
		return o.unready, true
	case c.State == types.StatePending:
		return "function " + name + " is being created", true
	case c.LastUpdateStatus == types.LastUpdateStatusInProgress:
		return "function " + name + " is being updated", true
	case c.State == types.StateFailed:
		return fmt.Sprintf("function %s failed: %s", name, ptr.Deref(c.StateReason, "")), false
	case c.LastUpdateStatus == types.LastUpdateStatusFailed:
		return fmt.Sprintf(
			"the last update of function %s failed: %s", name, ptr.Deref(c.LastUpdateStatusReason, ""),
		), false
	case versions.Unreadable(c) != "":
		return fmt.Sprintf(
			"the variables of function %s cannot be read, so it is not known whether they have changed: %s; grant "+
				"the provider kms:Decrypt on their key, or set another kmsKeyArn on the function",
			name, versions.Unreadable(c),
		), false
	case fp.CodeSHA256 != nil && *fp.CodeSHA256 != ptr.Deref(c.CodeSha256, ""):
		return fmt.Sprintf(
			"function %s has code %s, but codeSha256 is %s", name, ptr.Deref(c.CodeSha256, ""), *fp.CodeSHA256,
		), false
	}
	return "", false
}

// isPinned reports whether the version has the code that the user pinned, so that other
// code of the function does not matter.
func isPinned(fp v1beta1.VersionParameters, version *types.FunctionConfiguration) bool {
	return fp.CodeSHA256 != nil && *fp.CodeSHA256 == ptr.Deref(version.CodeSha256, "")
}

// state returns the Ready condition for the version's state in AWS.
func state(generation int64, c *types.FunctionConfiguration) xpv2.Condition {
	version, reason := ptr.Deref(c.Version, ""), reason(c)
	switch c.State {
	case types.StateActive, types.StateActiveNonInvocable, "":
		return reconcile.Available(generation)
	case types.StatePending:
		return reconcile.Updating(generation, text("AWS is preparing version "+version, reason))
	case types.StateFailed:
		return reconcile.Unavailable(generation, versions.Failed(version, reason))
	case types.StateInactive, types.StateDeactivating, types.StateDeactivated, types.StateDeleting:
	}
	return reconcile.Unavailable(generation, text("version "+version+" is "+string(c.State), reason))
}

func text(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + why
}

// reason returns AWS's explanation of a version's state.
func reason(c *types.FunctionConfiguration) string {
	why := ptr.Deref(c.StateReason, "")
	if c.StateReasonCode != "" {
		why = strings.TrimSpace(fmt.Sprintf("%s (%s)", why, c.StateReasonCode))
	}
	return why
}

// wanted returns the versions that no limit deletes: the one published last and, until AWS
// has prepared it, the one that aliases point to.
func wanted(s v1beta1.VersionObservation, version *types.FunctionConfiguration) []string {
	out := []string{ptr.Deref(version.Version, "")}
	if !prepared(version.State) {
		out = append(out, ptr.Deref(s.PreparedVersion, ""))
	}
	return out
}
