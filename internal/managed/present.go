package managed

import (
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// notKnown is what Ready says of a resource that was not Ready because of an error which
// has given way to another one, so that nobody can tell whether it still is.
const notKnown = "not known at present: see the condition Synced"

// speakOfPresent corrects the Ready condition of a resource that could not be looked at. Ready
// is what was last seen in AWS, which an error does not change: what was available is so
// as far as is known, and what was being changed is being changed. But where Ready tells of
// an error, such as a reference that could not be resolved, it does so for as long as that
// is the error, and no longer. before is the resource as this reconcile has found it.
func speakOfPresent(mg, before resource.Conditioned) {
	ready, was := mg.GetCondition(xpv2.TypeReady), before.GetCondition(xpv2.TypeReady)
	if !ready.Equal(was) || !tellsOfError(was, before.GetCondition(xpv2.TypeSynced)) || sameError(ready, mg.GetCondition(xpv2.TypeSynced)) {
		return
	}
	ready.Message = ""
	if ready.Reason == xpv2.ReasonUnavailable {
		ready.Message = notKnown
	}
	mg.SetConditions(ready)
}

// tellsOfError tells whether a Ready condition was set from an error, rather than from what
// AWS has answered. One that waits for something may be older than the error in Synced.
func tellsOfError(ready, synced xpv2.Condition) bool {
	return sameError(ready, synced) || ready.Reason == xpv2.ReasonCreating && strings.HasPrefix(ready.Message, "cannot ")
}

// sameError tells whether Ready tells of the error that Synced tells of.
func sameError(ready, synced xpv2.Condition) bool {
	return ready.Message != "" && synced.Reason == xpv2.ReasonReconcileError && strings.HasSuffix(synced.Message, ready.Message)
}
