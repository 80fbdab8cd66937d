package managed

import (
	"context"
	"sync"
	"time"
)

// ManyRepeats is how often AWS accepts the same call in a row without showing its
// effect before a resource says that AWS does not take it.
const ManyRepeats = 3

// repeatDelays are the times after the first, second, ... call within which
// the same call is not made again. The last one repeats.
var repeatDelays = []time.Duration{2 * time.Second, 10 * time.Second, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, time.Hour}

// callHistoryMaxAge is how long a call counts. It is longer than every delay, so
// that a call whose effect never shows is not made at the first delays again.
const callHistoryMaxAge = 3 * time.Hour

// CallHistory are the calls of one resource that have not had their effect yet: those that
// AWS has accepted and does not show, and those that it puts off. AWS accepts some
// settings that it does not show, and so do emulators. Without a bound, each look at such a
// resource would make the same call again. It is safe for concurrent use, and kept in
// memory only: another process starts anew.
type CallHistory struct {
	mu    sync.Mutex
	calls map[string]recordedCall
}

// recordedCall is a call that was made count times in a row, last at a time.
type recordedCall struct {
	changes string
	count   int
	at      time.Time
}

// record that a call which makes the given changes was made.
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

// wait is how long not to make a call again, and how often it was made in a row.
func (a *CallHistory) wait(call, changes string, now time.Time) (time.Duration, int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was, ok := a.same(call, changes, now)
	if !ok {
		return 0, 0
	}
	return max(was.at.Add(step(repeatDelays, was.count)).Sub(now), 0), was.count
}

// same is what is known of a call with the same changes. The lock is held.
func (a *CallHistory) same(call, changes string, now time.Time) (recordedCall, bool) {
	was, ok := a.calls[call]
	return was, ok && was.changes == changes && now.Sub(was.at) < callHistoryMaxAge
}

// forget the given calls, or all.
func (a *CallHistory) forget(calls ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(calls) == 0 {
		clear(a.calls)
	}
	for _, c := range calls {
		delete(a.calls, c)
	}
}

// RecordCall notes that a call which makes the given changes was made, so that Attempted
// tells of it until ForgetAttempts is called.
func RecordCall(ctx context.Context, call, changes string) {
	if a := attemptFrom(ctx); a.Calls != nil {
		a.Calls.record(call, changes, a.Freshness.Now)
	}
}

// RepeatDelay is how often the same call with the same changes was made in a row without
// having its effect, and how long not to make it again: from seconds after the first to
// an hour. Another generation or annotation of the resource starts anew.
func RepeatDelay(ctx context.Context, call, changes string) (wait time.Duration, count int) {
	a := attemptFrom(ctx)
	if a.Calls == nil {
		return 0, 0
	}
	return a.Calls.wait(call, changes, a.Freshness.Now)
}

// ForgetCalls notes that the given calls, or all, have had their effect.
func ForgetCalls(ctx context.Context, calls ...string) {
	if a := attemptFrom(ctx); a.Calls != nil {
		a.Calls.forget(calls...)
	}
}
