package protection

import (
	"fmt"
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// maxAhead is the time by which the clock of the person who confirms may be ahead.
const maxAhead = time.Hour

// confirmed reports whether the value of the annotation confirms a deletion. If it is set and does not, why says why.
func confirmed(value string, deletedAt, now time.Time) (ok bool, why string) {
	if value == "" {
		return false, ""
	}
	at, err := time.Parse(time.RFC3339, value)
	switch {
	case err != nil:
		return false, fmt.Sprintf("the annotation has %q, which is not a time", value)
	case at.Before(deletedAt.Truncate(time.Second)):
		return false, fmt.Sprintf("the annotation has %s, which is before the deletion", value)
	case at.After(now.Add(maxAhead)):
		return false, fmt.Sprintf("the annotation has %s, which is in the future", value)
	}
	return true, ""
}

// Confirmed reports whether the value of the annotation confirms a deletion.
func Confirmed(value string, deletedAt, now time.Time) bool {
	ok, _ := confirmed(value, deletedAt, now)
	return ok
}

// howTo explains how to confirm a deletion, or to keep what exists in AWS.
func howTo(deletedAt time.Time, why string) string {
	text := fmt.Sprintf("to delete it, set the annotation %s to %s or later; to keep what is in AWS, remove Delete "+
		"from managementPolicies",
		v1beta1.AnnotationConfirmDeletion, deletedAt.UTC().Format(time.RFC3339))
	if why != "" {
		text += " (" + why + ")"
	}
	return text
}
