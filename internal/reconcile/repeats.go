package reconcile

import (
	"sync"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
)

// ManyRepeats is the number of times that AWS accepts the same call in a row without showing its effect before the
// resource reports that AWS does not apply it.
const ManyRepeats = 3

// Keys of the calls that Repeats keeps for creating, deleting, and changes that AWS has
// rejected as conflicting: some operations both create and update.
const (
	creation = "create"
	deletion = "delete"
	deferral = "put off"
)

// repeatDelays are the times after the first, second, ... call within which the same call is
// not repeated. The last one applies to all further calls.
var repeatDelays = []time.Duration{
	2 * time.Second, 10 * time.Second, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, time.Hour,
}

// repeatsMaxAge is the time for which a call counts. It is longer than every delay, so that a call that never has an
// effect does not start over with the first delays.
const repeatsMaxAge = 3 * time.Hour

// Repeats records the calls of one resource that have not had their effect yet: those that AWS has accepted without
// showing the result, and those that it defers. AWS accepts some settings that it does not return, and so do emulators.
// Without a limit, each reconcile of such a resource would repeat the same call. It is safe for concurrent use, and
// kept in memory only: another process starts over. Nil records nothing.
type Repeats struct {
	mu    sync.Mutex
	calls map[string]repeatedCall
}

// A repeatedCall is a call that was made count times in a row, most recently at the time at.
type repeatedCall struct {
	changes string
	count   int
	at      time.Time
}

// Record records a call that makes the given changes. Delay reports it until Forget is called.
func (r *Repeats) Record(call, changes string, now time.Time) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	was, ok := r.same(call, changes, now)
	if !ok {
		was = repeatedCall{changes: changes}
	}
	was.count++
	was.at = now
	r.put(call, was)
}

// Delay returns how long not to repeat a call with the same changes, from seconds after the first
// call to an hour, and how many times in a row it was made without effect. A new generation of the
// resource, or a new annotation of Crossplane, starts over.
func (r *Repeats) Delay(call, changes string, now time.Time) (wait time.Duration, count int) {
	if r == nil {
		return 0, 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	was, ok := r.same(call, changes, now)
	if !ok {
		return 0, 0
	}
	return max(was.at.Add(delay.Nth(repeatDelays, was.count)).Sub(now), 0), was.count
}

// Confirm records a report that counts only once it was made a number of times in a row. It returns how long to wait
// for the next one, and 0 if this is the last one needed, or if nothing is recorded.
func (r *Repeats) Confirm(report string, needed int, now time.Time) time.Duration {
	wait, count := r.Delay(report, "", now)
	if r == nil || wait > 0 || count >= needed-1 {
		return wait
	}
	r.Record(report, "", now)
	return delay.Nth(repeatDelays, count+1)
}

// first returns when a call was recorded first, which is now if it is not recorded yet.
func (r *Repeats) first(call, changes string, now time.Time) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	was, ok := r.same(call, changes, now)
	if !ok {
		was = repeatedCall{changes: changes, count: 1, at: now}
		r.put(call, was)
	}
	return was.at
}

// put records a call. The caller holds the lock.
func (r *Repeats) put(call string, c repeatedCall) {
	if r.calls == nil {
		r.calls = map[string]repeatedCall{}
	}
	r.calls[call] = c
}

// since returns t, or a moment after a call was last recorded if that is later: what was read before has led to that
// record, so it does not count for another one.
func (r *Repeats) since(call string, t time.Time) time.Time {
	if r == nil {
		return t
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if after := r.calls[call].at.Add(1); after.After(t) {
		return after
	}
	return t
}

// same returns the recorded call if it made the same changes and has not expired. The caller holds the lock.
func (r *Repeats) same(call, changes string, now time.Time) (repeatedCall, bool) {
	was, ok := r.calls[call]
	return was, ok && was.changes == changes && now.Sub(was.at) < repeatsMaxAge
}

// Empty reports whether every recorded call has had its effect.
func (r *Repeats) Empty() bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls) == 0
}

// Forget records that the given calls, or all if none is given, have had their effect.
func (r *Repeats) Forget(calls ...string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range calls {
		delete(r.calls, c)
	}
	if len(calls) == 0 || len(r.calls) == 0 {
		r.calls = nil // An empty map takes as much memory as one with a few calls.
	}
}
