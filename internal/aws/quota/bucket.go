package quota

import (
	"container/heap"
	"math"
	"time"
)

const (
	// rounding is what sums of fractions of tokens may be off by.
	rounding = 1e-6
	// shortest wait that is worth telling anyone.
	shortest = time.Millisecond
	// mostCredit is how many tokens polls may save up.
	mostCredit = 3
)

// A bucket is a token bucket with a queue before it. A ticket is a token set
// aside; the token leaves when a call is sent. There are never more tickets
// than tokens, so who has a ticket can always send.
type bucket struct {
	level level
	opt   Options

	tickets  ticketQueue
	accounts map[string]*account
	lines    [User + 1]fairQueue
	due      dueHeap

	// credit is how many tokens polls may take though users wait.
	credit float64

	stats Counts
}

// An account is what a holder has in a bucket.
type account struct {
	tickets []*ticket
	entry   *entry
}

func newBucket(r Rate, o Options, now time.Time) *bucket {
	return &bucket{level: newLevel(r, now), opt: o, accounts: map[string]*account{}}
}

// reserve n tickets for a holder, or queue it.
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

// take a token for a call that is sent now.
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

// takeFree sees to a call without a ticket: a known holder is queued if there
// is no token for it now, a stranger comes last and is only told how long.
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

// wait is how long until the tokens are there for all who go before, and need
// more at place in the line of a priority. It is 0 if they are there now.
func (b *bucket) wait(now time.Time, p Priority, need, place int) time.Duration {
	pause := b.level.paused(now)
	free := b.level.tokens - float64(b.tickets.unused)
	turn := b.next(p, place)
	if pause == 0 {
		spills := b.level.tokens >= b.level.burst-rounding
		if turn <= free+rounding || spills && float64(need) <= free+rounding {
			return 0
		}
	}
	seconds := max(0, turn-free) / b.level.rate(now)
	// Rounded up, or the holder is back a moment too soon.
	return pause + max(shortest, time.Duration(math.Ceil(seconds*1e3))*time.Millisecond)
}

// next is how many tokens are needed up to a place in the line of a priority,
// with those of the other line that come in between.
func (b *bucket) next(p Priority, place int) float64 {
	share := b.opt.PollShare / (1 - b.opt.PollShare)
	if p == User {
		between := math.Floor(b.credit + share*float64(place))
		return float64(place) + min(float64(b.lines[Poll].total), between)
	}
	between := max(0, float64(place)-b.credit) / share
	return float64(place) + min(float64(b.lines[User].total), between)
}

// grant turns an entry into tickets.
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

// spend the oldest ticket.
func (b *bucket) spend(a *account) {
	b.tickets.void(a.tickets[0])
	a.tickets = a.tickets[1:]
}

// advance brings the bucket up to now: tokens come, tickets that were not used
// expire, holders that did not come back lose their token, later their place.
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

// enqueue makes sure that a holder is in line for n tickets. Whom a user's
// change has made urgent goes over to the other line.
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
	b.lines[a.entry.priority].leave(a.entry)
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

// tidy drops an account that has nothing.
func (b *bucket) tidy(id string, a *account) {
	if len(a.tickets) == 0 && a.entry == nil {
		delete(b.accounts, id)
	}
}
