package memory

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
	// MinEventDelay is the shortest delay between an event and the reconcile of its resource: the calls of one change
	// come together.
	MinEventDelay = time.Second

	// maxEventDelay is the longest such delay. It doubles while events continue, so that two tools that undo each
	// other's changes do not do so every second.
	maxEventDelay = 5 * time.Minute

	// minEventCalm is the shortest time without events after which the delay is short again.
	minEventCalm = time.Minute

	// observedAfter is the time after a call from which an observation surely shows its effect, in spite of clocks and
	// AWS's consistency.
	observedAfter = 10 * time.Second
)

// delay returns how long to wait before the next reconcile for an event.
func (e *eventState) delay(now time.Time) time.Duration {
	d := delay.Doubling(MinEventDelay, e.Reconciles+1, maxEventDelay)
	if now.Sub(e.lastReconcile) > max(minEventCalm, 2*d) { //nolint:mnd // Longer than the delay itself.
		e.Reconciles = 0
		return MinEventDelay
	}
	return d
}

// RecordEvent records an event about a resource. If the resource is to be reconciled for it, recordEvent returns when.
func (s *Store) RecordEvent(
	key types.NamespacedName, e cloudtrail.Event, showSourceIP bool, now time.Time,
) (driftevents.Outcome, time.Duration) {
	r, unlock := s.lock(key)
	defer unlock()
	switch {
	case functionname.IsAccountID(r.Events.account) && r.Events.account != e.Subject.Account:
		return driftevents.Unmatched, 0
	case e.By.MadeBy(r.Events.identity):
		return driftevents.Own, 0
	case !r.Events.upToDateAt.IsZero() && r.Events.upToDateAt.After(e.Time.Add(observedAfter)):
		return driftevents.Outdated, 0
	}
	if !e.Time.Before(r.Events.calledAt) {
		r.Events.calledAt, r.Events.Origin = e.Time, e.By.String()
		if showSourceIP {
			r.Events.Origin = e.By.StringWithSourceIP()
		}
	}
	r.Events.Received = now
	return driftevents.Matched, r.Events.delay(now)
}

// recordUpToDate records that AWS was found up to date, by answers since a time: earlier calls do not explain a later
// difference. The caller holds the lock.
func (e *eventState) recordUpToDate(since time.Time) {
	e.upToDateAt = since
	if e.Received.IsZero() || !e.Received.After(since) {
		e.Origin, e.calledAt = "", time.Time{}
	}
}

// OriginOf returns a description of the call that explains a difference, empty if none does.
func (r *Resource) OriginOf(mg reconcile.Managed) string {
	if !reconcile.IsReconciled(mg) || r.changedReference != "" {
		return ""
	}
	return r.Events.Origin
}
