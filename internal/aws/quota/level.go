package quota

import "time"

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
