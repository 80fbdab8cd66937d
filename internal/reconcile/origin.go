package reconcile

import (
	"strings"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// separator precedes the description of a call in a condition.
const separator = "; changed by "

// WithOrigin returns the message of a condition about a difference with the call that explains it. was is the message
// so far: what it names is kept, because it is not known after a restart.
func WithOrigin(message, origin, was string) string {
	switch {
	case message == "":
		return ""
	case origin != "":
		return message + separator + origin
	case strings.HasPrefix(was, message+separator):
		return was
	}
	return message
}

// explained returns the Ready condition while a difference is corrected, with the call that explains it.
func explained(origin string, ready xpv2.Condition) xpv2.Condition {
	if ready.Reason != v1beta1.ReasonUpdating || origin == "" {
		return ready
	}
	return ready.WithMessage(WithOrigin(ready.Message, origin, ""))
}

// DeletedBy returns the end of a sentence about a deletion, given the last call by someone else. It is empty if that
// call deletes nothing.
func DeletedBy(origin string) string {
	if !strings.Contains(origin, " (Delete") && !strings.Contains(origin, " (Remove") {
		return ""
	}
	return " by " + origin
}
