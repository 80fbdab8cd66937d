package driftevents

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

const (
	// aliveFor is the time for which a queue counts as alive after a successful call.
	aliveFor = 5 * time.Minute

	// provenFor is the time for which an event proves that others of its account and region arrive.
	provenFor = 24 * time.Hour

	// maxProofs is the maximum number of accounts and regions of which events are remembered.
	maxProofs = 10000
)

// A Reason says what a receiver does.
type Reason int

const (
	// Starting means that no call was made yet.
	Starting Reason = iota

	// Receiving means that the last call succeeded.
	Receiving

	// NoQueue means that the queue does not exist.
	NoQueue

	// Denied means that the identity of the config lacks a permission.
	Denied

	// Failing means that the last call failed for another reason.
	Failing
)

// State is the state of a queue.
type State struct {
	Reason Reason

	// QueueARN is the ARN of the queue.
	QueueARN string

	// Error is the error of the last call, as AWS described it. It is empty if the call succeeded.
	Error string
}

// A place is an account and region.
type place struct{ account, region string }

// health is the state of a queue as its receiver knows it.
type health struct {
	reason Reason
	err    string

	// lastReceived is the time when the last call succeeded. wasAlive reports whether it had recently when it was last
	// checked.
	lastReceived time.Time
	wasAlive     bool

	// proofs has the time of the last event from each account and region.
	proofs map[place]time.Time
}

func (r *receiver) stateNow() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return State{Reason: r.reason, QueueARN: r.key.arn, Error: r.err}
}

// received records that a call has succeeded.
func (r *receiver) received() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastReceived, r.wasAlive = r.hub.o.Clock.Now(), true
}

// prove records that an event has arrived from a place.
func (r *receiver) prove(p place) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.hub.o.Clock.Now()
	if _, known := r.proofs[p]; !known && len(r.proofs) >= maxProofs {
		maps.DeleteFunc(r.proofs, func(_ place, at time.Time) bool { return now.Sub(at) > provenFor })
		if len(r.proofs) >= maxProofs {
			return
		}
	}
	r.proofs[p] = now
}

// proven reports whether the queue is alive and an event has arrived from a place within a day. A queue from which
// nothing arrives may lack the rule that feeds it.
func (r *receiver) proven(account, region string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.hub.o.Clock.Now()
	at, ok := r.proofs[place{account: account, region: region}]
	return ok && now.Sub(at) <= provenFor && now.Sub(r.lastReceived) <= aliveFor
}

// report records the result of a call. It emits no log if the result is that of the call before.
func (r *receiver) report(ctx context.Context, by Config, err error) {
	reason, message := Receiving, ""
	if err != nil {
		reason, message = reasonOf(err), awserr.CauseFirst(awserr.Sanitize(err)).Error()
	}
	r.mu.Lock()
	changed := r.reason != reason || r.err != message
	r.reason, r.err = reason, message
	lost := r.lost()
	uids := slices.Collect(maps.Keys(r.members))
	r.mu.Unlock()

	r.hub.o.Metrics.countReceive(err)
	if changed {
		r.hub.o.Log.Info("The state of a queue of drift events has changed", "queue", r.key.arn, "config", by.String(),
			"receiving", err == nil, "error", message)
		r.hub.changed(uids)
	}
	if lost {
		refs, _ := r.configs()
		r.hub.resume(ctx, refs)
	}
}

// lost reports whether polls that events have made rare are due again: the queue is not alive any more, or no event has
// arrived from a place for a day. It returns true once. The caller holds the lock.
func (r *receiver) lost() bool {
	now := r.hub.o.Clock.Now()
	alive := now.Sub(r.lastReceived) <= aliveFor
	lost := r.wasAlive && !alive && len(r.proofs) > 0
	r.wasAlive = alive
	before := len(r.proofs)
	maps.DeleteFunc(r.proofs, func(_ place, at time.Time) bool { return now.Sub(at) > provenFor })
	return lost || len(r.proofs) < before
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
