package advice

import (
	"strings"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// IsUserAction reports whether a StateTransitionReason of an event source mapping names a user's action, in any of
// AWS's spellings. No reason counts as one.
func IsUserAction(reason string) bool {
	r := strings.ToLower(strings.ReplaceAll(reason, "_", " "))
	return r == "" || strings.HasPrefix(r, "user")
}

// HasStoppedReading reports whether AWS does not read the event source of a mapping that is enabled: its
// StateTransitionReason is then an error code such as EVENT_SOURCE_AUTHN_ERROR.
func HasStoppedReading(state, reason string) bool {
	return state == "Enabled" && (strings.HasSuffix(reason, "_ERROR") || strings.HasSuffix(reason, "_NOT_VALID"))
}

// ofMapping returns the finding about an event source mapping that AWS has stopped.
func ofMapping(o v1beta1.EventSourceMappingObservation) []Finding {
	state, reason := ptr.Deref(o.State, ""), ptr.Deref(o.StateTransitionReason, "")
	what, remedy := "AWS has disabled the event source mapping",
		"with spec.forProvider.enabled: true, the provider then enables the mapping again"
	switch {
	case state == "Disabled" && !IsUserAction(reason):
	case HasStoppedReading(state, reason):
		what, remedy = "AWS has stopped reading the event source",
			"if AWS does not resume, set spec.forProvider.enabled to false and then to true"
	default:
		return nil
	}
	return []Finding{newFinding(MappingDisabled, "status.atProvider.stateTransitionReason",
		because(what, o.StateTransitionReason), "correct the event source or the function's role; "+remedy)}
}
