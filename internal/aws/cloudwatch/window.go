package cloudwatch

import "time"

// A window is the time of which a measurement takes data points: from start, inclusive, to end,
// exclusive. Both are multiples of the period, counted from the epoch.
type window struct {
	start, end time.Time
	period     time.Duration
}

// windowAt returns the window of a length that ends with the last period that is finished. It does
// not begin before since.
func windowAt(now time.Time, length, period time.Duration, since time.Time) window {
	end := floor(now, period)
	start := end.Add(-ceilDuration(length, period))
	if !since.IsZero() {
		start = later(start, ceil(since, period))
	}
	return window{start: start, end: end, period: period}
}

// empty reports whether no period is in the window.
func (w window) empty() bool { return !w.start.Before(w.end) }

// has reports whether a period that begins at a time is in the window.
func (w window) has(at time.Time) bool {
	return !at.Before(w.start) && !at.Add(w.period).After(w.end)
}

// floor rounds a time down to a multiple of a period.
func floor(t time.Time, period time.Duration) time.Time {
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
