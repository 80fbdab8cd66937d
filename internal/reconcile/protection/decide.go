package protection

import (
	"fmt"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// Invocations is a count of invocations by CloudWatch, or the error that keeps it from being known.
type Invocations struct {
	Count float64
	Err   error
}

// A State is all that a decision depends on.
type State struct {
	Now, DeletedAt time.Time

	// Confirmation is the value of the annotation that confirms the deletion.
	Confirmation string

	// Begun reports whether AWS has accepted the deletion before.
	Begun bool

	// Held is the reason why the deletion waits so far, empty if it does not.
	Held xpv2.ConditionReason

	// Measure measures the invocations of a function. Nil if the resource is none.
	Measure func() (Invocations, error)

	// Admit records the deletion if the limit of the config and the namespace allows it, and reports whether it does.
	Admit func() (bool, error)

	// Config names the config and the namespace.
	Config string
}

// A Decision is the result of Decide.
type Decision struct {
	// Confirmed reports whether a person has confirmed the deletion.
	Confirmed bool

	// Reason and Message say why the deletion waits, and how to confirm it. They are empty if it may be sent.
	Reason  xpv2.ConditionReason
	Message string
}

// Decide returns what to do about a deletion. A deletion that waits because of the limit waits until it is confirmed,
// even if the window has passed: otherwise the deletion of a namespace would only take longer. A deletion that waits
// because of invocations is sent when there were none for long enough. It is admitted last: one that waits must not use
// up the limit. An error of Measure or Admit leaves it undecided.
func (p Policy) Decide(s State) (Decision, error) {
	ok, why := confirmed(s.Confirmation, s.DeletedAt, s.Now)
	wait := func(reason xpv2.ConditionReason, because string) Decision {
		return Decision{Reason: reason, Message: "the deletion waits for a confirmation, because " +
			because + ": " + howTo(s.DeletedAt, why)}
	}
	tooMany := func() Decision {
		return wait(v1beta1.ReasonTooManyDeletions,
			fmt.Sprintf("the limit of %d deletions within %s for resources of %s is reached", p.Limit.Max,
				Span(p.Limit.Window), s.Config))
	}
	limited := p.Limit.Max > 0
	switch {
	case !p.Enabled(), s.Begun:
		return Decision{}, nil
	case ok:
		return Decision{Confirmed: true}, nil
	case limited && s.Held == v1beta1.ReasonTooManyDeletions:
		return tooMany(), nil
	}
	if p.InvokedWithin > 0 && s.Measure != nil {
		n, err := s.Measure()
		if err != nil {
			return Decision{}, err
		}
		if reason, because := p.invoked(n); reason != "" {
			return wait(reason, because), nil
		}
	}
	if !limited {
		return Decision{}, nil
	}
	if admitted, err := s.Admit(); err != nil || admitted {
		return Decision{}, err
	}
	return tooMany(), nil
}

// invoked returns why the deletion of a function with such invocations waits. The reason is empty if it does not.
func (p Policy) invoked(n Invocations) (reason xpv2.ConditionReason, because string) {
	switch {
	case n.Err != nil:
		return v1beta1.ReasonInvocationsUnknown, fmt.Sprintf(
			"it is not known whether the function was invoked in the last %s: %v", Span(p.InvokedWithin), n.Err)
	case n.Count > 0:
		return v1beta1.ReasonRecentlyInvoked,
			fmt.Sprintf("the function was invoked in the last %s", Span(p.InvokedWithin))
	default:
		return "", ""
	}
}

const (
	// minDelay and maxDelay bound the time until a deletion that waits is considered again. A confirmation does not
	// wait for that.
	minDelay = time.Minute
	maxDelay = time.Hour

	// delayShare is the quotient of the time since the deletion and the delay.
	delayShare = 3
)

// Delay returns when to consider a deletion again that waits, by the time since the deletion.
func Delay(since time.Duration) time.Duration {
	return min(max(since/delayShare, minDelay), maxDelay)
}

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
