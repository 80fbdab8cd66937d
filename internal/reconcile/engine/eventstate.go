package engine

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/driftevents"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/cloudtrail"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

const (
	// minEventDelay is how long after an event its resource is reconciled: the calls of one change come together.
	minEventDelay = time.Second

	// maxEventDelay is the longest such delay. It doubles while events continue, so that two tools that undo each
	// other's changes do not do so every second.
	maxEventDelay = 5 * time.Minute

	// minEventCalm is the shortest time without events after which the delay is short again.
	minEventCalm = time.Minute

	// observedAfter is how long after a call an observation surely has its effect, in spite of clocks and AWS's
	// consistency.
	observedAfter = 10 * time.Second
)

// eventState is what is known of the events about a resource.
type eventState struct {
	// account and identity are those of the session of the last reconcile. They are empty if unknown.
	account, identity string

	// origin describes the last call by someone else since AWS was last found up to date, and calledAt is when it was
	// made.
	origin   string
	calledAt time.Time

	// received is when the last event was received that was not reconciled yet. It is zero if there is none.
	received time.Time

	// upToDateAt is the time of the state in which AWS was found up to date. It is zero if it was not.
	upToDateAt time.Time

	// reconciles is the number of consecutive reconciles for events, and lastReconcile the time of the last one.
	reconciles    int
	lastReconcile time.Time
}

// delay returns how long to wait before the next reconcile for an event.
func (e *eventState) delay(now time.Time) time.Duration {
	d := delay.Doubling(minEventDelay, e.reconciles+1, maxEventDelay)
	if now.Sub(e.lastReconcile) > max(minEventCalm, 2*d) { //nolint:mnd // Longer than the delay itself.
		e.reconciles = 0
		return minEventDelay
	}
	return d
}

// recordEvent records an event about a resource. If the resource is to be reconciled for it, recordEvent returns when.
func (s *stateStore) recordEvent(key types.NamespacedName, e cloudtrail.Event, showSourceIP bool, now time.Time) (driftevents.Outcome, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	switch {
	case functionname.IsAccountID(r.events.account) && r.events.account != e.Subject.Account:
		return driftevents.Unmatched, 0
	case e.By.MadeBy(r.events.identity):
		return driftevents.Own, 0
	case !r.events.upToDateAt.IsZero() && r.events.upToDateAt.After(e.Time.Add(observedAfter)):
		return driftevents.Outdated, 0
	}
	if !e.Time.Before(r.events.calledAt) {
		r.events.calledAt, r.events.origin = e.Time, e.By.String()
		if showSourceIP {
			r.events.origin = e.By.StringWithSourceIP()
		}
	}
	r.events.received = now
	return driftevents.Matched, r.events.delay(now)
}

// markEventHandled records that a resource was reconciled for the event that was received at a time.
func (s *stateStore) markEventHandled(key types.NamespacedName, received, now time.Time) {
	if received.IsZero() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &s.state(key).events
	e.reconciles, e.lastReconcile = e.reconciles+1, now
	if e.received.Equal(received) {
		e.received = time.Time{}
	}
}

// recordDifferent records that AWS was found different from spec. The caller holds the lock.
func (e *eventState) recordDifferent() { e.upToDateAt = time.Time{} }

// recordUpToDate records that AWS was found up to date, by answers since a time: earlier calls do not explain a later
// difference. The caller holds the lock.
func (e *eventState) recordUpToDate(since time.Time) {
	e.upToDateAt = since
	if e.received.IsZero() || !e.received.After(since) {
		e.origin, e.calledAt = "", time.Time{}
	}
}

// originOf returns a description of the call that explains a difference, empty if none does.
func (r *resourceState) originOf(mg reconcile.Managed) string {
	if !reconcile.Settled(mg) || r.changedReference != "" {
		return ""
	}
	return r.events.origin
}
