package cloudwatch

import (
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// minute is the resolution of Lambda's metrics, and of others that are not of high resolution.
const minute = time.Minute

// A window is the time of which a measurement takes data points: from start, inclusive, to end,
// exclusive. Both are multiples of the period, counted from the epoch.
type window struct {
	start, end time.Time
	period     time.Duration
}

// windowAt returns the window of a length that ends with the last period that is published. It does
// not begin before since, a multiple of the period.
func windowAt(now time.Time, length, period time.Duration, since time.Time) window {
	end := floor(now.Add(-rollout.PeriodDelay(period)), period)
	start := end.Add(-ceilDuration(length, period))
	return window{start: later(start, since), end: end, period: period}
}

func (w window) empty() bool { return !w.start.Before(w.end) }

// has reports whether a period that begins at a time is in the window.
func (w window) has(at time.Time) bool { return !at.Before(w.start) && !at.Add(w.period).After(w.end) }

func (w window) with(other window) window {
	if other.start.Before(w.start) {
		w.start = other.start
	}
	w.end = later(w.end, other.end)
	return w
}

func (w window) periods() int { return int(w.end.Sub(w.start) / w.period) }

// floor rounds a time down to a multiple of a period. The zero time stays as it is.
func floor(t time.Time, period time.Duration) time.Time {
	if t.IsZero() {
		return t
	}
	return time.Unix(0, slotOf(t, period)*int64(period)).UTC()
}

// ceil rounds a time up to a multiple of a period.
func ceil(t time.Time, period time.Duration) time.Time {
	down := floor(t, period)
	if down.Equal(t) {
		return down
	}
	return down.Add(period)
}

// ceilDuration rounds a duration up to a multiple of a period, at least one.
func ceilDuration(d, period time.Duration) time.Duration {
	n := max(int64(d+period-1)/int64(period), 1)
	return time.Duration(n * int64(period))
}

// slotOf returns the slot of an interval in which a time is.
func slotOf(at time.Time, interval time.Duration) int64 {
	n := at.UnixNano()
	slot := n / int64(interval)
	if n%int64(interval) < 0 {
		slot--
	}
	return slot
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
