package protection

import (
	"fmt"
	"time"
)

// Reasons why a deletion waits.
const (
	// TooManyDeletions means that the limit of the config and the namespace is reached.
	TooManyDeletions = "TooManyDeletions"

	// RecentlyInvoked means that the function was invoked recently.
	RecentlyInvoked = "RecentlyInvoked"

	// InvocationsUnknown means that CloudWatch does not say whether the function was invoked.
	InvocationsUnknown = "InvocationsUnknown"
)

// An Action is the next action for a deletion.
type Action int

const (
	// Proceed means that the deletion may be sent.
	Proceed Action = iota

	// Wait means that the deletion waits.
	Wait

	// Measure means that the invocations of the function have to be measured.
	Measure

	// Admit means that the deletion has to be recorded, if the limit of the config and the namespace allows it.
	Admit
)

// Invocations is a count of invocations by CloudWatch.
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
	Held string

	// Measurable reports whether the resource is a function.
	Measurable bool

	// Invocations were measured since the function's deletion may have to wait. Nil if they were not.
	Invocations *Invocations

	// Admitted reports whether the deletion is recorded. It is nil if that was not tried.
	Admitted *bool

	// Config names the config and the namespace.
	Config string
}

// A Decision is the result of Decide.
type Decision struct {
	Action Action

	// Confirmed reports whether a person has confirmed the deletion.
	Confirmed bool

	// Reason and Message say why the deletion waits, and how to confirm it.
	Reason, Message string
}

// Decide returns what to do about a deletion. A deletion that waits because of the limit waits until it is confirmed,
// even if the window has passed: otherwise the deletion of a namespace would only take longer. A deletion that waits
// because of invocations is sent when there were none for long enough.
func (p Policy) Decide(s State) Decision {
	ok, why := confirmed(s.Confirmation, s.DeletedAt, s.Now)
	wait := func(reason, because string) Decision {
		return Decision{Action: Wait, Reason: reason, Message: "the deletion waits for a confirmation, because " +
			because + ": " + howTo(s.DeletedAt, why)}
	}
	limited := p.Limit.Max > 0
	switch {
	case !p.Enabled(), s.Begun:
		return Decision{}
	case ok:
		return Decision{Confirmed: true}
	case limited && (s.Held == TooManyDeletions || s.Admitted != nil && !*s.Admitted):
		return wait(TooManyDeletions, fmt.Sprintf("the limit of %d deletions within %s for resources of %s is reached",
			p.Limit.Max, Span(p.Limit.Window), s.Config))
	case p.InvokedWithin > 0 && s.Measurable && s.Invocations == nil:
		return Decision{Action: Measure}
	case s.Invocations != nil && s.Invocations.Err != nil:
		return wait(InvocationsUnknown,
			fmt.Sprintf("it is not known whether the function was invoked in the last %s: %v", Span(p.InvokedWithin),
				s.Invocations.Err))
	case s.Invocations != nil && s.Invocations.Count > 0:
		return wait(RecentlyInvoked, fmt.Sprintf("the function was invoked in the last %s", Span(p.InvokedWithin)))
	case limited && s.Admitted == nil:
		return Decision{Action: Admit}
	}
	return Decision{}
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
