package quota

import (
	"maps"
	"slices"
	"time"
)

// Stats are the state of one bucket at one moment.
type Stats struct {
	Scope  Scope
	Bucket Bucket

	// WaitingUsers and WaitingPolls are the numbers of tokens that callers wait for.
	WaitingUsers, WaitingPolls int
	// Reserved is the number of tokens that are reserved and unused.
	Reserved int
	// Tokens is the number of tokens, reserved ones included.
	Tokens float64
	// Rate is the number of tokens a second. It is reduced after a throttle.
	Rate float64
	// Paused is the time for which no call may be sent after a throttle.
	Paused time.Duration
}

// Stats returns a snapshot of all buckets, those of a scope in their order.
func (l *Limiter) Stats() []Stats {
	l.mu.Lock()
	l.sweep(l.now())
	keys := slices.Collect(maps.Keys(l.scopes))
	l.mu.Unlock()
	all := make([]Stats, 0, len(keys)*bucketCount)
	for _, s := range keys {
		kind := Bucket(0)
		l.each(s, func(b *bucket, now time.Time) {
			b.advance(now)
			all = append(all, Stats{
				Scope: s, Bucket: kind,
				WaitingUsers: b.queues[User].waiting(), WaitingPolls: b.queues[Poll].waiting(),
				Reserved: b.unused(), Tokens: b.level.tokens,
				Rate: b.level.rate(now), Paused: b.level.paused(now),
			})
			kind++
		})
	}
	return all
}
