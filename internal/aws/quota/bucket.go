package quota

import (
	"container/heap"
	"math"
	"time"
)

const (
	// rounding is the error that sums of fractions of tokens may have.
	rounding = 1e-6
	// shortest is the shortest wait that is returned.
	shortest = time.Millisecond
	// mostCredit is how many tokens polls may save up.
	mostCredit = 3
)

// A bucket is a token bucket with a queue. A ticket is a token set aside for a holder. The token is
// spent when a call is sent. There are never more tickets than tokens, so a holder with a ticket
// can always send.
type bucket struct {
	level level
	opt   Options

	tickets  ticketQueue
	accounts map[string]*account
	lines    [User + 1]fairQueue
	due      dueHeap

	// credit is how many tokens polls may take although users wait.
	credit float64

	stats Counts
}

// An account has the tickets of one holder in a bucket, and its entry in the queue, if any.
type account struct {
	tickets []*ticket
	entry   *entry
}

func newBucket(r Rate, o Options, now time.Time) *bucket {
	return &bucket{level: newLevel(r, now), opt: o, accounts: map[string]*account{}}
}

// reserve gives a holder n tickets and returns 0, or queues it and returns how long it should wait
// before it calls reserve again.
func (b *bucket) reserve(now time.Time, h Requester, n int) time.Duration {
	b.advance(now)
	a := b.account(h.ID)
	missing := min(n, int(b.level.burst)) - len(a.tickets)
	if missing <= 0 {
		b.dequeue(a)
		return b.level.paused(now)
	}
	e := b.enqueue(a, h, missing)
	wait := b.wait(now, e.priority, e.need, b.position(e))
	if wait == 0 {
		b.grant(now, h.ID, a)
		return 0
	}
	e.promised = now.Add(wait)
	b.due.set(e, e.promised.Add(b.opt.MaxHold))
	return wait
}

// take spends a token for a call that is sent now and returns 0, or returns how long the call must
// wait.
func (b *bucket) take(now time.Time, h Requester) time.Duration {
	b.advance(now)
	a := b.accounts[h.ID]
	if wait := b.level.paused(now); wait > 0 {
		b.stats.Deferred++
		return wait
	}
	if a != nil && len(a.tickets) > 0 {
		b.spend(a)
		b.tidy(h.ID, a)
		b.level.tokens--
		b.stats.Sent++
		return 0
	}
	if wait := b.takeFree(now, h); wait > 0 {
		b.stats.Deferred++
		return wait
	}
	b.level.tokens--
	b.stats.Sent++
	return 0
}

// takeFree reserves and spends a token for a call without a ticket. If there is none, a holder with
// an ID is queued. A call without an ID is not queued, and gets the wait of the last place.
func (b *bucket) takeFree(now time.Time, h Requester) time.Duration {
	if h.ID == "" {
		return b.wait(now, h.Priority, 1, b.lines[h.Priority].total+1)
	}
	if wait := b.reserve(now, h, 1); wait > 0 {
		return wait
	}
	a := b.accounts[h.ID]
	b.spend(a)
	b.tidy(h.ID, a)
	return 0
}

// wait returns how long it takes until there are enough tokens for a place in the queue of a
// priority, and for all places that are served before it. It is 0 if there are enough now.
//
// A full bucket would lose the tokens that arrive. So it serves whoever asks if there are tokens
// for its own need, even if others are before it that have not come back yet.
func (b *bucket) wait(now time.Time, p Priority, need, position int) time.Duration {
	pause := b.level.paused(now)
	free := b.level.tokens - float64(b.tickets.unused)
	queued := b.next(p, position)
	if pause == 0 {
		spills := b.level.tokens >= b.level.burst-rounding
		if queued <= free+rounding || spills && float64(need) <= free+rounding {
			return 0
		}
	}
	seconds := max(0, queued-free) / b.level.rate(now)
	// Rounded up, or the holder would return a moment too early.
	return pause + max(shortest, time.Duration(math.Ceil(seconds*1e3))*time.Millisecond)
}

// next returns how many tokens are needed up to a place in the queue of a priority, with those that
// the other queue gets in between.
//
// With a share p of the rate for polls, each token for a user earns polls s = p/(1-p) tokens of
// credit. So a user at place n waits for at most n + (s*n + mostCredit) = n/(1-p) + mostCredit
// tokens, and a poll at place n for at most n + n/s = n/p tokens, however many are in the other
// queue. Both bounds are proportional to the place: neither queue starves the other.
func (b *bucket) next(p Priority, position int) float64 {
	share := b.opt.PollShare / (1 - b.opt.PollShare)
	if p == User {
		between := math.Floor(b.credit + share*float64(position))
		return float64(position) + min(float64(b.lines[Poll].total), between)
	}
	between := max(0, float64(position)-b.credit) / share
	return float64(position) + min(float64(b.lines[User].total), between)
}

// grant replaces the queue entry of a holder with tickets.
func (b *bucket) grant(now time.Time, id string, a *account) {
	e := a.entry
	share := b.opt.PollShare / (1 - b.opt.PollShare)
	switch {
	case b.lines[Poll].total == 0:
		b.credit = 0
	case e.priority == User:
		b.credit = min(mostCredit, b.credit+share*float64(e.need))
	case b.lines[User].total > 0:
		b.credit = max(0, b.credit-float64(e.need))
	}
	b.stats.Granted += e.need
	b.lines[e.priority].granted(e)
	for range e.need {
		a.tickets = append(a.tickets, b.tickets.issue(id, now.Add(b.opt.TicketTTL)))
	}
	b.dequeue(a)
}

// spend removes the oldest ticket.
func (b *bucket) spend(a *account) {
	b.tickets.void(a.tickets[0])
	a.tickets = a.tickets[1:]
}

// advance updates the bucket to now: tokens arrive, unused tickets expire, and holders that have
// not come back lose first the token that is kept for them, and later their place.
func (b *bucket) advance(now time.Time) {
	b.level.advance(now, float64(b.tickets.unused))
	for t := b.tickets.expired(now); t != nil; t = b.tickets.expired(now) {
		a := b.accounts[t.requester]
		b.spend(a)
		b.tidy(t.requester, a)
		b.stats.Expired++
	}
	for len(b.due) > 0 && b.due[0].due.Before(now) {
		e := b.due[0]
		if gone := e.promised.Add(b.opt.Grace); gone.After(now) {
			b.lines[e.priority].vanish(e)
			b.due.set(e, gone)
			continue
		}
		a := b.accounts[e.requester]
		b.dequeue(a)
		b.tidy(e.requester, a)
		b.stats.Dropped++
	}
}

// enqueue queues a holder for n tickets, or updates its entry. A holder whose priority has risen to
// User moves to the other queue.
func (b *bucket) enqueue(a *account, h Requester, n int) *entry {
	if e := a.entry; e != nil && e.priority >= h.Priority {
		l := &b.lines[e.priority]
		l.appear(e)
		l.resize(e, n)
		return e
	}
	b.dequeue(a)
	a.entry = &entry{requester: h.ID, priority: h.Priority, need: n}
	b.lines[h.Priority].join(h.Tenant, a.entry)
	heap.Push(&b.due, a.entry)
	return a.entry
}

func (b *bucket) dequeue(a *account) {
	if a.entry == nil {
		return
	}
	b.lines[a.entry.priority].remove(a.entry)
	heap.Remove(&b.due, a.entry.index)
	a.entry = nil
}

func (b *bucket) position(e *entry) int { return b.lines[e.priority].position(e) }

func (b *bucket) release(now time.Time, id string) {
	b.advance(now)
	a, ok := b.accounts[id]
	if !ok {
		return
	}
	for len(a.tickets) > 0 {
		b.spend(a)
	}
	b.tidy(id, a)
}

func (b *bucket) forget(now time.Time, id string) {
	b.release(now, id)
	if a, ok := b.accounts[id]; ok {
		b.dequeue(a)
		b.tidy(id, a)
	}
}

func (b *bucket) throttled(now time.Time, pause time.Duration) {
	b.advance(now)
	b.stats.Throttled++
	b.level.throttled(now, pause, float64(b.tickets.unused))
}

func (b *bucket) account(id string) *account {
	a, ok := b.accounts[id]
	if !ok {
		a = &account{}
		b.accounts[id] = a
	}
	return a
}

// tidy drops an account without tickets and entry.
func (b *bucket) tidy(id string, a *account) {
	if len(a.tickets) == 0 && a.entry == nil {
		delete(b.accounts, id)
	}
}
