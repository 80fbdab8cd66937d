package testenv

import "github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"

// Edited returns a change of spec. It is not made while the last creation is unanswered: what that has made is known
// again only by what spec says, and counts as another's after a change.
func (h *History[T]) Edited(change func() string) func() string {
	return func() string {
		if _, unanswered := ownership.UnansweredAt(h.Resource); unanswered {
			return "nothing"
		}
		return change()
	}
}

// ByHand returns a change that someone makes in AWS to what the resource has there. It is made once after each
// reconcile that has seen AWS as spec asks for.
func (h *History[T]) ByHand(change func() string) func() string {
	return func() string {
		if !h.Seen {
			return "nothing"
		}
		h.Seen = false
		return change()
	}
}
