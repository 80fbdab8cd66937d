package driftevents

import (
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/lambda/cloudtrail"
)

const (
	// provenFor is the time for which an event proves that others of its account and region arrive.
	provenFor = 24 * time.Hour

	// eventWithin is the time within which the event of a call arrives. CloudTrail takes about 5 minutes on average.
	eventWithin = 15 * time.Minute

	// clockSkew is the largest expected difference between the clocks of AWS and of the provider.
	clockSkew = time.Minute
)

// A place is an account and region.
type place struct{ account, region string }

// String names the place.
func (p place) String() string { return "account " + p.account + " in " + p.region }

// arrivals is the record of the events and heartbeats that have arrived from a place. Only an event of CloudTrail
// proves that its events arrive: a heartbeat of EventBridge comes without a trail, too.
type arrivals struct {
	// proven is the time of the last event of CloudTrail, or of the last heartbeat since, and fed that of either of
	// them.
	proven, fed time.Time

	// first and last are the times of the calls of the provider whose events have not arrived yet.
	first, last time.Time

	// missing reports whether the event of a call has not arrived in time, and no other event since.
	missing bool
}

// arrived records an event or a heartbeat. An event about an invocation, which a trail of data events delivers, is
// neither.
func (a *arrivals) arrived(e cloudtrail.Event, now time.Time) {
	switch {
	case e.Kind == cloudtrail.Heartbeat:
		a.fed = now
		if a.isProven(now) {
			a.proven = now
		}
	case e.Kind == cloudtrail.Call && !strings.HasPrefix(e.By.Operation, "Invoke"):
		a.fed, a.proven, a.missing = now, now, false
		a.confirm(e.Time)
	}
}

// called records a call of the provider.
func (a *arrivals) called(now time.Time) {
	if a.first.IsZero() {
		a.first = now
	}
	a.last = now
}

// confirm records that the events of the calls up to a time have arrived.
func (a *arrivals) confirm(at time.Time) {
	switch at = at.Add(clockSkew); {
	case !at.Before(a.last):
		a.first, a.last = time.Time{}, time.Time{}
	case !at.Before(a.first):
		a.first = a.last
	}
}

// isProven reports whether the events of CloudTrail arrive.
func (a *arrivals) isProven(now time.Time) bool {
	return !a.proven.IsZero() && now.Sub(a.proven) <= provenFor
}

// expire withdraws a proof that is too old or that a missing event refutes, and reports whether it has. judge says that
// an event that has not arrived is missing if it is late. A place that nothing has fed lacks a rule on purpose.
func (a *arrivals) expire(now time.Time, judge bool) bool {
	was := !a.proven.IsZero()
	if judge && !a.first.IsZero() && now.Sub(a.first) > eventWithin {
		a.missing = !a.fed.IsZero()
		a.first, a.last = time.Time{}, time.Time{}
	}
	if now.Sub(a.fed) > provenFor {
		a.fed, a.missing = time.Time{}, false
	}
	if a.missing || !a.isProven(now) {
		a.proven = time.Time{}
	}
	return was && a.proven.IsZero()
}

// isEmpty reports whether nothing is known.
func (a *arrivals) isEmpty() bool { return *a == arrivals{} }
