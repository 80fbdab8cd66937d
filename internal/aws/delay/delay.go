// Package delay computes delays: those that grow with each failure, and those that spread many
// resources over an interval.
package delay

import (
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// Doubling returns the nth delay of a sequence that starts with first and doubles up to the
// limit, for n from 1. An n below 1 counts as 1.
func Doubling(first time.Duration, n int, limit time.Duration) time.Duration {
	d := first
	for ; n > 1 && d < limit; n-- {
		d *= 2
	}
	return min(d, limit)
}

// Spread returns a delay in [0, over) that depends on the id alone, so that the same resources wait
// for the same time after each start.
func Spread(id string, over time.Duration) time.Duration {
	sum := sha256.Sum256([]byte(id))
	share := float64(binary.BigEndian.Uint64(sum[:8])>>11) / (1 << 53) //nolint:mnd // A float64 holds 53 bits exactly.
	return time.Duration(share * float64(over))
}

// Jittered returns a delay between a half and one and a half of another, by a random number in [0, 1).
func Jittered(d time.Duration, random float64) time.Duration {
	return d/2 + time.Duration(random*float64(d)) //nolint:mnd // A half.
}

// Nth returns the nth of some delays, for n from 1. The last one repeats.
func Nth(delays []time.Duration, n int) time.Duration { return delays[min(max(n, 1), len(delays))-1] }
