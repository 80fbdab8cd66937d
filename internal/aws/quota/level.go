package quota

import "time"

const (
	// cut is what is left of the rate after a throttle.
	cut = 0.7
	// floor is what is left of it at the least.
	floor = 0.1
	// recovery is how long the rate takes from nothing to all.
	recovery = time.Minute
	// defaultPause follows a throttle for which AWS names no time.
	defaultPause = time.Second
)

// A level is the tokens of a bucket: they come at a rate, up to a burst. A
// throttle stops them a while and cuts the rate, which then recovers steadily.
type level struct {
	perSecond float64
	burst     float64

	tokens float64
	at     time.Time

	// lowest is the rate right after the last throttle, at since.
	lowest float64
	since  time.Time
	until  time.Time
}

func newLevel(r Rate, now time.Time) level {
	burst := max(1, r.Burst)
	return level{perSecond: r.PerSecond, burst: burst, tokens: burst, at: now, lowest: r.PerSecond}
}

// rate at a time, in tokens a second.
func (l *level) rate(t time.Time) float64 {
	if l.lowest >= l.perSecond {
		return l.perSecond
	}
	rise := l.perSecond / recovery.Seconds() * max(0, t.Sub(l.since).Seconds())
	return min(l.perSecond, l.lowest+rise)
}

// advance to now. The rate within the step is taken as its mean.
func (l *level) advance(now time.Time, tickets float64) {
	from := l.at
	if from.Before(l.until) {
		from = l.until
	}
	if !now.After(from) {
		return
	}
	mean := (l.rate(from) + l.rate(now)) / 2
	l.tokens = min(l.burst, l.tokens+mean*now.Sub(from).Seconds())
	l.tokens = max(l.tokens, tickets)
	l.at = now
}

// paused is how long the bucket is closed still.
func (l *level) paused(now time.Time) time.Duration {
	return max(0, l.until.Sub(now))
}

// throttled closes the bucket and cuts the rate, once for all the calls that
// AWS refused at a time. Tokens that no ticket stands for are gone: AWS has
// none.
func (l *level) throttled(now time.Time, pause time.Duration, tickets float64) {
	if pause <= 0 {
		pause = defaultPause
	}
	until := now.Add(pause)
	l.tokens = min(l.tokens, tickets)
	if now.Before(l.until) {
		if until.After(l.until) {
			l.until = until
		}
		return
	}
	l.lowest = max(floor*l.perSecond, cut*l.rate(now))
	l.since, l.until = until, until
}
