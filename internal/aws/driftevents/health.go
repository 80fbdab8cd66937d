package driftevents

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/cloudtrail"
)

const (
	// aliveFor is the time for which a queue counts as alive after a successful call.
	aliveFor = 5 * time.Minute

	// maxPlaces is the maximum number of accounts and regions of which events are remembered.
	maxPlaces = 10000
)

func (r *receiver) stateNow() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := State{Reason: r.reason, QueueARN: r.key.arn, Error: r.err}
	if r.reason == Receiving && len(r.missing) > 0 {
		s.Reason, s.Missing = EventsMissing, slices.Clone(r.missing)
	}
	return s
}

// received records that a call has succeeded.
func (r *receiver) received() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastReceived, r.wasAlive = r.hub.o.Clock.Now(), true
}

// at returns what has arrived from a place. It returns nil if the place is new and too many are known.
func (r *receiver) at(p place) *arrivals {
	a, known := r.places[p]
	if !known {
		if len(r.places) >= maxPlaces {
			return nil
		}
		a = &arrivals{}
		r.places[p] = a
	}
	return a
}

// arrived records an event or a heartbeat.
func (r *receiver) arrived(e cloudtrail.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.at(place{account: e.Account, region: e.Region}); a != nil {
		a.arrived(e, r.hub.o.Clock.Now())
	}
}

// called records that the provider has made a call that changes something.
func (r *receiver) called(p place) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.at(p); a != nil {
		a.called(r.hub.o.Clock.Now())
	}
}

// proven reports whether the queue is alive and the events of CloudTrail about calls in a place arrive. A queue from
// which nothing arrives may lack the rule that feeds it, and one with heartbeats alone may lack a trail.
func (r *receiver) proven(account, region string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.hub.o.Clock.Now()
	a, ok := r.places[place{account: account, region: region}]
	return ok && a.isProven(now) && now.Sub(r.lastReceived) <= aliveFor
}

// report records the result of a call that has received a number of messages. It emits no log if the result is that of
// the call before.
func (r *receiver) report(ctx context.Context, by Config, received int, err error) {
	reason, message := Receiving, ""
	if err != nil {
		reason, message = reasonOf(err), awserr.CauseFirst(awserr.Sanitize(err)).Error()
	}
	r.mu.Lock()
	lost := r.lost(err == nil && received == 0)
	missing := r.missingNow()
	changed := r.reason != reason || r.err != message || !slices.Equal(r.missing, missing)
	r.reason, r.err, r.missing = reason, message, missing
	uids := slices.Collect(maps.Keys(r.members))
	r.mu.Unlock()

	r.hub.o.Metrics.countReceive(err)
	if changed {
		r.hub.o.Log.Info("The state of a queue of drift events has changed", "queue", r.key.arn, "config", by.String(),
			"receiving", err == nil, "error", message, "eventsMissing", missing)
		r.hub.changed(uids)
	}
	if lost {
		refs, _ := r.configs()
		r.hub.resume(ctx, refs)
	}
}

// lost reports whether polls that events have made rare are due again: the queue is not alive any more, no event has
// arrived from a place for a day, or that about a call of the provider is missing. It returns true once. drained says
// that no message is left, so that no event is missing only because it was not read yet. The caller holds the lock.
func (r *receiver) lost(drained bool) bool {
	now := r.hub.o.Clock.Now()
	alive := now.Sub(r.lastReceived) <= aliveFor
	lost := false
	for p, a := range r.places {
		lost = lost || r.wasAlive && !alive && a.isProven(now)
		if a.expire(now, drained) {
			lost = true
		}
		if a.isEmpty() {
			delete(r.places, p)
		}
	}
	r.wasAlive = alive
	return lost
}

// missingNow names the places with a call whose event is missing, in order. The caller holds the lock.
func (r *receiver) missingNow() []string {
	var out []string
	for p, a := range r.places {
		if a.missing {
			out = append(out, p.String())
		}
	}
	slices.Sort(out)
	return out
}

func reasonOf(err error) Reason {
	switch {
	case awserr.IsQueueNotFound(err):
		return NoQueue
	case awserr.IsAccessDenied(err):
		return Denied
	}
	return Failing
}

const (
	// provenFor is the time for which an event proves that others of its account and region arrive.
	provenFor = 24 * time.Hour

	// eventWithin is the time within which the event of a call arrives. CloudTrail takes about 5 minutes on average.
	eventWithin = 15 * time.Minute

	// clockSkew is the largest expected difference between the clocks of AWS and of the provider.
	clockSkew = time.Minute
)

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
