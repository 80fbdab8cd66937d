package version

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
)

const (
	policyOnRequest = "OnRequest"

	pathTrigger  = "publishTrigger"
	pathFunction = "function"
	pathHistory  = "historyLimit"

	newVersion = "a new version"
)

// due tells why a version is to be published, which is nothing if none is: the user
// asked for it, or the function is not what the version is.
func due(v *v1beta1.Version, o observed) diff.Changes {
	fp, s := v.Spec.ForProvider, v.Status.AtProvider
	if fp.PublishTrigger != nil && ptr.Deref(s.PublishTrigger, "") != *fp.PublishTrigger && s.Version != nil {
		return diff.Changes{{Path: pathTrigger, Old: ptr.Deref(s.PublishTrigger, ""), New: *fp.PublishTrigger}}
	}
	if ptr.Deref(fp.PublishPolicy, "") == policyOnRequest {
		return nil
	}
	content := contentOf(o.function)
	if content.Equal(contentOf(o.version)) {
		return nil
	}
	if s.PublishedFingerprint != nil && *s.PublishedFingerprint == content.Fingerprint() {
		return nil // AWS was asked for a version of just this, and answered that this one is it.
	}
	return diff.Changes{{Path: pathFunction, Old: "version " + ptr.Deref(o.version.Version, ""), New: newVersion}}
}

// hindrance says why nothing can be published now. That a function is being changed
// passes; other things do not pass by themselves.
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
		return fmt.Sprintf("the last update of function %s failed: %s", name, ptr.Deref(c.LastUpdateStatusReason, "")), false
	case fp.CodeSHA256 != nil && *fp.CodeSHA256 != ptr.Deref(c.CodeSha256, ""):
		return fmt.Sprintf("function %s has code %s, and codeSha256 asks for %s", name, ptr.Deref(c.CodeSha256, ""), *fp.CodeSHA256), false
	}
	return "", false
}

// isPinned says that the version has the code that the user asked for: then other code
// of the function is not waited for.
func isPinned(fp v1beta1.VersionParameters, version *types.FunctionConfiguration) bool {
	return fp.CodeSHA256 != nil && *fp.CodeSHA256 == ptr.Deref(version.CodeSha256, "")
}

// state is the Ready condition by what AWS says of the version.
func state(generation int64, c *types.FunctionConfiguration) xpv2.Condition {
	version, reason := ptr.Deref(c.Version, ""), reason(c)
	switch c.State {
	case types.StateActive, "":
		return condition.Available(generation)
	case types.StatePending:
		return condition.Updating(generation, text("AWS is preparing version "+version, reason))
	case types.StateFailed:
		return condition.Unavailable(generation, text("version "+version+" failed", reason))
	case types.StateInactive, types.StateDeactivating, types.StateDeactivated, types.StateActiveNonInvocable, types.StateDeleting:
	}
	return condition.Unavailable(generation, text("version "+version+" is "+string(c.State), reason))
}

func text(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + why
}

// reason is AWS's own account of a version's state.
func reason(c *types.FunctionConfiguration) string {
	why := ptr.Deref(c.StateReason, "")
	if c.StateReasonCode != "" {
		why = strings.TrimSpace(fmt.Sprintf("%s (%s)", why, c.StateReasonCode))
	}
	return why
}

// excess are the versions beyond the limit that this resource published, the oldest
// first.
func excess(v *v1beta1.Version, current string) []string {
	limit := v.Spec.ForProvider.HistoryLimit
	if limit == nil {
		return nil
	}
	earlier := earlierThan(v, current)
	out := slices.Clone(earlier[min(len(earlier), int(*limit)):])
	slices.Reverse(out)
	return out
}

// earlierThan are the versions but the current one that this resource published, the
// newest first.
func earlierThan(v *v1beta1.Version, current string) []string {
	var out []string
	for _, p := range v.Status.AtProvider.History {
		if p.Version != current {
			out = append(out, p.Version)
		}
	}
	return out
}

// unused are the versions that no alias sends calls to.
func unused(versions []string, aliases []types.AliasConfiguration) []string {
	return slices.DeleteFunc(slices.Clone(versions), func(version string) bool {
		return slices.ContainsFunc(aliases, func(a types.AliasConfiguration) bool {
			if a.RoutingConfig != nil {
				if _, shared := a.RoutingConfig.AdditionalVersionWeights[version]; shared {
					return true
				}
			}
			return ptr.Deref(a.FunctionVersion, "") == version
		})
	})
}
