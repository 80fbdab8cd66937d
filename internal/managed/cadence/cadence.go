// Package cadence tells when a managed resource is looked at again. It is pure:
// what is known and the time go in, a duration comes out.
package cadence

import (
	"crypto/sha256"
	"encoding/binary"
	"time"
)

const (
	// MinPending is the shortest time between two looks at something in motion.
	MinPending = 1 * time.Second

	// MaxPending is the longest time between two looks at something in motion.
	MaxPending = 10 * time.Second

	// MaxWoken is the longest time between two looks at something that wakes whoever
	// waits for it.
	MaxWoken = 5 * time.Minute

	// MaxPoll bounds what a user can ask for, so that arithmetic cannot overflow
	// and no resource is forgotten.
	MaxPoll = 30 * 24 * time.Hour

	// pendingShare of the time that something has been in motion is the time until
	// the next look: what took ten seconds is unlikely to end within the next one.
	pendingShare = 5
)

// Pending is when to look again at something that has been in motion for the
// given time: 1 second at first, growing with that time to 10 seconds.
func Pending(inMotion time.Duration) time.Duration {
	return min(max(inMotion/pendingShare, MinPending), MaxPending)
}

// Woken is when to look again at something that has been awaited for the given time,
// and that wakes whoever waits for it: as Pending, growing to 5 minutes.
func Woken(waited time.Duration) time.Duration {
	return min(max(waited/pendingShare, MinPending), MaxWoken)
}

// Poll says how often a stable resource is looked at.
type Poll struct {
	// Interval between two looks, where the resource does not ask for another.
	Interval time.Duration

	// Min is the floor, for the interval and for what resources ask for.
	Min time.Duration

	// Jitter is the fraction of the interval, from 0 to 1, by which it may be
	// shorter or longer, so that resources made together do not stay together.
	Jitter float64
}

// Effective is the interval without jitter. asked is what the resource asks for,
// 0 where it does not.
func (p Poll) Effective(asked time.Duration) time.Duration {
	if asked <= 0 {
		asked = p.Interval
	}
	return min(max(asked, p.Min, MinPending), MaxPoll)
}

// Jittered is the interval made shorter or longer by up to Jitter of itself, and
// never below the floor. random is in [0, 1).
func (p Poll) Jittered(interval time.Duration, random float64) time.Duration {
	interval = p.Effective(interval)
	share := min(max(p.Jitter, 0), 1)
	moved := time.Duration(float64(interval) * (1 + share*(2*random-1)))
	return max(moved, p.Min, MinPending)
}

// Spread is a delay in [0, over) that depends on the id alone. Settled resources
// take it for the first look after a start, so that their looks are as far apart
// as if the provider had never stopped.
func Spread(id string, over time.Duration) time.Duration {
	sum := sha256.Sum256([]byte(id))
	share := float64(binary.BigEndian.Uint64(sum[:8])>>11) / (1 << 53)
	return time.Duration(share * float64(over))
}
