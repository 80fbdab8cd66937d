package quota

import (
	"maps"
	"math"
	"time"
)

const (
	// reservationTTL is the time for which reserved tokens may stay unused.
	reservationTTL = 5 * time.Second
	// grace is the time after the promised time during which the place of a caller that has not returned is kept.
	grace = 30 * time.Second
	// pollShare is the part of the rate that polls have while users wait, and mostCredit the tokens that they may save
	// up.
	pollShare  = 0.1
	mostCredit = 3

	// rounding is the error that sums of fractions of tokens may have.
	rounding = 1e-6
	// shortest is the shortest wait that is returned.
	shortest = time.Millisecond
)

// A bucket is a token bucket with a queue for each priority. Tokens can be reserved for a caller, and are spent when a
// call is sent. There are never more reserved tokens than tokens, so a caller with a reservation can always send.
type bucket struct {
	level    level
	reserved map[string]reservation
	waiting  map[string]*entry
	queues   [User + 1]queue

	// checkAt is the time at which to look for callers that have not returned, or an earlier one.
	checkAt time.Time

	// credit is the number of tokens that polls may take although users wait.
	credit float64
}

// A reservation has the tokens that are reserved for one caller.
type reservation struct {
	tokens  int
	expires time.Time
}

func newBucket(r Rate, now time.Time) *bucket {
	return &bucket{level: newLevel(r, now), reserved: map[string]reservation{}, waiting: map[string]*entry{}}
}

// reserve reserves n tokens for a caller and returns 0, or queues it and returns how long it should wait before it
// calls reserve again.
func (b *bucket) reserve(now time.Time, c Caller, n int) time.Duration {
	b.advance(now)
	missing := min(n, int(b.level.burst)) - b.reserved[c.ID].tokens
	if missing <= 0 {
		b.dequeue(c.ID)
		return b.level.paused(now)
	}
	e := b.enqueue(c, missing)
	wait := b.wait(now, e.priority, e.need, b.queues[e.priority].position(e))
	if wait == 0 {
		b.grant(now, e)
		return 0
	}
	e.promised = now.Add(wait)
	b.checkBy(e.promised.Add(grace))
	return wait
}

// take spends a token for a call that is sent now and returns 0, or returns how long the call must wait.
func (b *bucket) take(now time.Time, c Caller) time.Duration {
	b.advance(now)
	wait := b.level.paused(now)
	switch {
	case wait > 0 || b.reserved[c.ID].tokens > 0:
	case c.ID == "": // It is not queued, and gets the wait of the last place.
		wait = b.wait(now, c.Priority, 1, b.queues[c.Priority].waiting()+1)
	default:
		wait = b.reserve(now, c, 1)
	}
	if wait > 0 {
		return wait
	}
	if r, ok := b.reserved[c.ID]; ok {
		r.tokens--
		b.reserved[c.ID] = r
	}
	b.level.tokens--
	return 0
}

// wait returns how long it takes until there are enough tokens for a place in the queue of a priority, and for all
// places that are served before it. It is 0 if there are enough now.
//
// A full bucket would lose the tokens that arrive. So it serves whoever asks if there are tokens for its own need, even
// if others are before it that have not returned yet.
func (b *bucket) wait(now time.Time, p Priority, need, position int) time.Duration {
	pause := b.level.paused(now)
	free := b.level.tokens - float64(b.unused())
	queued := b.next(p, position)
	if pause == 0 {
		full := b.level.tokens >= b.level.burst-rounding
		if queued <= free+rounding || full && float64(need) <= free+rounding {
			return 0
		}
	}
	seconds := max(0, queued-free) / b.level.rate(now)
	// Rounded up, or the caller would return a moment too early.
	return pause + max(shortest, time.Duration(math.Ceil(seconds*1e3))*time.Millisecond)
}

// next returns how many tokens are needed up to a place in the queue of a priority, with those that the other queue
// gets in between.
//
// Each token for a user earns polls s = pollShare/(1-pollShare) tokens of credit. So a user at place n waits for at
// most n + (s*n + mostCredit) tokens, and a poll at place n for at most n + n/s tokens, however many are in the other
// queue. Both bounds are proportional to the place: neither queue starves the other.
func (b *bucket) next(p Priority, position int) float64 {
	const share = pollShare / (1 - pollShare)
	if p == User {
		between := math.Floor(b.credit + share*float64(position))
		return float64(position) + min(float64(b.queues[Poll].waiting()), between)
	}
	between := max(0, float64(position)-b.credit) / share
	return float64(position) + min(float64(b.queues[User].waiting()), between)
}

// grant replaces the place of a caller in the queue with a reservation.
func (b *bucket) grant(now time.Time, e *entry) {
	switch {
	case b.queues[Poll].waiting() == 0:
		b.credit = 0
	case e.priority == User:
		b.credit = min(mostCredit, b.credit+pollShare/(1-pollShare)*float64(e.need))
	case b.queues[User].waiting() > 0:
		b.credit = max(0, b.credit-float64(e.need))
	}
	b.queues[e.priority].granted(e)
	b.dequeue(e.caller)
	b.reserved[e.caller] = reservation{tokens: b.reserved[e.caller].tokens + e.need, expires: now.Add(reservationTTL)}
}

func (b *bucket) unused() int {
	n := 0
	for _, r := range b.reserved {
		n += r.tokens
	}
	return n
}

// advance updates the bucket to now: tokens arrive, unused reservations expire, and callers that have not returned lose
// their place.
func (b *bucket) advance(now time.Time) {
	b.level.advance(now, float64(b.unused()))
	maps.DeleteFunc(b.reserved, func(_ string, r reservation) bool { return r.tokens == 0 || !r.expires.After(now) })
	if b.checkAt.IsZero() || !b.checkAt.Before(now) {
		return
	}
	b.checkAt = time.Time{}
	for id, e := range b.waiting {
		due := e.promised.Add(grace)
		if due.Before(now) {
			b.dequeue(id)
			continue
		}
		b.checkBy(due)
	}
}

// checkBy makes callers that have not returned by a time be looked for.
func (b *bucket) checkBy(at time.Time) {
	if b.checkAt.IsZero() || at.Before(b.checkAt) {
		b.checkAt = at
	}
}

// enqueue queues a caller for n tokens, or updates its entry. A caller whose priority has risen to User moves to the
// other queue.
func (b *bucket) enqueue(c Caller, n int) *entry {
	if e := b.waiting[c.ID]; e != nil && e.priority >= c.Priority {
		e.need = n
		return e
	}
	b.dequeue(c.ID)
	e := &entry{caller: c.ID, priority: c.Priority, need: n}
	b.waiting[c.ID] = e
	b.queues[c.Priority].join(c.Tenant, e)
	return e
}

// dequeue removes a caller from its queue, if it is in one.
func (b *bucket) dequeue(id string) {
	if e := b.waiting[id]; e != nil {
		b.queues[e.priority].remove(e)
		delete(b.waiting, id)
	}
}

func (b *bucket) release(now time.Time, id string) {
	b.advance(now)
	delete(b.reserved, id)
}

// forget returns the unused tokens of a caller, and removes it from its queue.
func (b *bucket) forget(now time.Time, id string) {
	b.release(now, id)
	b.dequeue(id)
}

func (b *bucket) throttled(now time.Time, pause time.Duration) {
	b.advance(now)
	b.level.throttled(now, pause, float64(b.unused()))
}

const (
	// cut is the part of the rate that is left after a throttle.
	cut = 0.7
	// floor is the smallest part of the rate that throttles leave.
	floor = 0.1
	// recovery is the time that the rate takes to rise from 0 to its full value.
	recovery = time.Minute
	// defaultPause is the pause after a throttle for which AWS names no time.
	defaultPause = time.Second
)

// A level is the number of tokens of a bucket. Tokens arrive at a rate, up to a burst. A throttle
// pauses that and reduces the rate, which then rises linearly.
type level struct {
	perSecond float64
	burst     float64

	tokens float64
	at     time.Time

	// lowest is the rate at since, right after the last throttle.
	lowest float64
	since  time.Time
	until  time.Time
}

func newLevel(r Rate, now time.Time) level {
	burst := max(1, r.Burst)
	return level{perSecond: r.PerSecond, burst: burst, tokens: burst, at: now, lowest: r.PerSecond}
}

func (l *level) rate(t time.Time) float64 {
	if l.lowest >= l.perSecond {
		return l.perSecond
	}
	rise := l.perSecond / recovery.Seconds() * max(0, t.Sub(l.since).Seconds())
	return min(l.perSecond, l.lowest+rise)
}

// advance adds the tokens that have arrived until now, at the mean rate of that time. If the clock was
// set back, what was due in some time remains due in that time.
func (l *level) advance(now time.Time, reserved float64) {
	if back := now.Sub(l.at); back < 0 {
		l.at, l.since, l.until = now, l.since.Add(back), l.until.Add(back)
	}
	from := l.at
	if from.Before(l.until) {
		from = l.until
	}
	if !now.After(from) {
		return
	}
	mean := (l.rate(from) + l.rate(now)) / 2
	l.tokens = min(l.burst, l.tokens+mean*now.Sub(from).Seconds())
	l.tokens = max(l.tokens, reserved)
	l.at = now
}

func (l *level) paused(now time.Time) time.Duration { return max(0, l.until.Sub(now)) }

// throttled pauses the bucket and reduces the rate, once for all calls that AWS throttles during a
// pause. Tokens that are not reserved are lost: AWS has none for them either.
func (l *level) throttled(now time.Time, pause time.Duration, reserved float64) {
	if pause <= 0 {
		pause = defaultPause
	}
	until := now.Add(pause)
	l.tokens = min(l.tokens, reserved)
	if now.Before(l.until) {
		if until.After(l.until) {
			l.until = until
		}
		return
	}
	l.lowest = max(floor*l.perSecond, cut*l.rate(now))
	l.since, l.until = until, until
}
