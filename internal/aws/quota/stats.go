package quota

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Counts since the limiter was made.
type Counts struct {
	// Granted tickets.
	Granted int
	// Sent calls.
	Sent int
	// Deferred calls: they were not sent.
	Deferred int
	// Throttled calls: AWS refused them.
	Throttled int
	// Expired tickets: they were not used in time.
	Expired int
	// Dropped holders: they did not come back.
	Dropped int
}

// add the counts of another scope.
func (c Counts) add(d Counts) Counts {
	return Counts{
		Granted: c.Granted + d.Granted, Sent: c.Sent + d.Sent, Deferred: c.Deferred + d.Deferred,
		Throttled: c.Throttled + d.Throttled, Expired: c.Expired + d.Expired, Dropped: c.Dropped + d.Dropped,
	}
}

// Stats of one bucket at one moment.
type Stats struct {
	Scope  Scope
	Bucket Bucket
	Counts

	// WaitingUsers and WaitingPolls are tokens that holders wait for.
	WaitingUsers, WaitingPolls int
	// Tickets that are granted and not yet used.
	Tickets int
	// Tokens that are left, tickets included.
	Tokens float64
	// Rate in tokens a second, which is less than usual after a throttle.
	Rate float64
	// Paused is how long no call may be sent, after a throttle.
	Paused time.Duration
}

// Stats is a snapshot of every bucket, ordered by account, region and bucket.
func (l *Limiter) Stats() []Stats {
	l.mu.Lock()
	l.sweep(l.now())
	keys := slices.Collect(maps.Keys(l.scopes))
	l.mu.Unlock()
	slices.SortFunc(keys, func(a, b Scope) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Region, b.Region),
			cmp.Compare(a.Config, b.Config), cmp.Compare(a.Endpoint, b.Endpoint))
	})
	all := make([]Stats, 0, len(keys)*bucketCount)
	for _, s := range keys {
		kind := Bucket(0)
		l.each(s, func(b *bucket, now time.Time) {
			b.advance(now)
			all = append(all, Stats{
				Scope: s, Bucket: kind, Counts: b.stats,
				WaitingUsers: b.lines[User].total, WaitingPolls: b.lines[Poll].total,
				Tickets: b.tickets.unused, Tokens: b.level.tokens,
				Rate: b.level.rate(now), Paused: b.level.paused(now),
			})
			kind++
		})
	}
	return all
}
