package reconcile

import (
	"context"
	"sync"
	"time"
)

// ManyRepeats is how many times AWS accepts the same call in a row without showing its effect
// before the resource reports that AWS does not apply it.
const ManyRepeats = 3

// repeatDelays are the times after the first, second, ... call within which the same call is
// not repeated. The last one applies to all further calls.
var repeatDelays = []time.Duration{2 * time.Second, 10 * time.Second, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, time.Hour}

// callHistoryMaxAge is how long a call counts. It is longer than every delay, so that a call
// that never has an effect does not start over with the first delays.
const callHistoryMaxAge = 3 * time.Hour

// CallHistory records the calls of one resource that have not had their effect yet: those that
// AWS has accepted without showing the result, and those that it defers. AWS accepts some
// settings that it does not return, and so do emulators. Without a limit, each reconcile of
// such a resource would repeat the same call. It is safe for concurrent use, and kept in
// memory only: another process starts over.
type CallHistory struct {
	mu    sync.Mutex
	calls map[string]recordedCall
}

// A recordedCall is a call that was made count times in a row, most recently at the time at.
type recordedCall struct {
	changes string
	count   int
	at      time.Time
}

// record records a call that makes the given changes.
func (a *CallHistory) record(call, changes string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was, ok := a.same(call, changes, now)
	if !ok {
		was = recordedCall{changes: changes}
	}
	if a.calls == nil {
		a.calls = map[string]recordedCall{}
	}
	was.count++
	was.at = now
	a.calls[call] = was
}

// wait returns how long not to repeat a call, and how many times in a row it was made.
func (a *CallHistory) wait(call, changes string, now time.Time) (time.Duration, int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was, ok := a.same(call, changes, now)
	if !ok {
		return 0, 0
	}
	return max(was.at.Add(step(repeatDelays, was.count)).Sub(now), 0), was.count
}

// same returns the recorded call if it made the same changes and has not expired. The caller
// holds the lock.
func (a *CallHistory) same(call, changes string, now time.Time) (recordedCall, bool) {
	was, ok := a.calls[call]
	return was, ok && was.changes == changes && now.Sub(was.at) < callHistoryMaxAge
}

// empty returns whether every recorded call has had its effect.
func (a *CallHistory) empty() bool {
	if a == nil {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.calls) == 0
}

// forget removes the given calls, or all if none is given.
func (a *CallHistory) forget(calls ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range calls {
		delete(a.calls, c)
	}
	if len(calls) == 0 || len(a.calls) == 0 {
		a.calls = nil // An empty map takes as much memory as one with a few calls.
	}
}

// RecordCall records a call that makes the given changes. RepeatDelay reports it until
// ForgetCalls is called.
func RecordCall(ctx context.Context, call, changes string) {
	if a := attemptFrom(ctx); a.Calls != nil {
		a.Calls.record(call, changes, a.Freshness.Now)
	}
}

// RepeatDelay returns how many times in a row the same call with the same changes was made
// without effect, and how long not to repeat it: from seconds after the first call to an hour.
// A new generation of the resource, or a new annotation, starts over.
func RepeatDelay(ctx context.Context, call, changes string) (wait time.Duration, count int) {
	a := attemptFrom(ctx)
	if a.Calls == nil {
		return 0, 0
	}
	return a.Calls.wait(call, changes, a.Freshness.Now)
}

// ForgetCalls records that the given calls, or all if none is given, have had their effect.
func ForgetCalls(ctx context.Context, calls ...string) {
	if a := attemptFrom(ctx); a.Calls != nil {
		a.Calls.forget(calls...)
	}
}
