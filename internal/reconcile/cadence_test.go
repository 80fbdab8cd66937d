package reconcile

import (
	"math"
	"testing"
	"time"
)

func TestPending(t *testing.T) {
	cases := map[string]struct {
		reason   string
		inMotion time.Duration
		want     time.Duration
	}{
		"JustStarted": {reason: "Most creations complete within seconds.", inMotion: 0, want: time.Second},
		"ClockSkew":   {reason: "A start in the future is a start just now.", inMotion: -time.Hour, want: time.Second},
		"FiveSeconds": {
			reason:   "Up to five seconds, AWS is read each second.",
			inMotion: 5 * time.Second,
			want:     time.Second,
		},
		"TwentySeconds": {
			reason:   "The interval grows with the duration.",
			inMotion: 20 * time.Second, want: 4 * time.Second,
		},
		"Hours": {reason: "Never rarer than every ten seconds.", inMotion: 5 * time.Hour, want: 10 * time.Second},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := PendingDelay(tc.inMotion); got != tc.want {
				t.Errorf("%s: Pending(%s): want %s, got %s", tc.reason, tc.inMotion, tc.want, got)
			}
		})
	}
}

func TestWoken(t *testing.T) {
	for waited, want := range map[time.Duration]time.Duration{
		-time.Hour: time.Second, 0: time.Second, 20 * time.Second: 4 * time.Second, 5 * time.Minute: time.Minute,
		100 * time.Hour: 5 * time.Minute,
	} {
		if got := WokenDelay(waited); got != want {
			t.Errorf("Woken(%s): want %s, got %s", waited, want, got)
		}
	}
}

func TestEffective(t *testing.T) {
	p := Poll{Interval: 10 * time.Minute, Min: 30 * time.Second}
	cases := map[string]struct {
		reason    string
		poll      Poll
		requested time.Duration
		want      time.Duration
	}{
		"Default": {reason: "The resource requests no interval.", poll: p, want: 10 * time.Minute},
		"Asked":   {reason: "The resource's own interval wins.", poll: p, requested: time.Hour, want: time.Hour},
		"TooOften": {
			reason:    "The minimum also applies to the interval that a resource requests.",
			poll:      p,
			requested: time.Millisecond,
			want:      30 * time.Second,
		},
		"TooRare": {reason: "No resource is forgotten.", poll: p, requested: math.MaxInt64, want: MaxPoll},
		"NoFloor": {
			reason: "A floor of zero is no hot loop.",
			poll:   Poll{Interval: time.Nanosecond},
			want:   time.Second,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.poll.Effective(tc.requested); got != tc.want {
				t.Errorf("%s: want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

// TestJitteredIsProportionalAndPositive checks jitter with short intervals. The runtime's own
// jitter is an absolute duration: with a shorter annotated interval, the result is negative,
// and the resource is never polled again.
func TestJitteredIsProportionalAndPositive(t *testing.T) {
	p := Poll{Interval: 10 * time.Minute, Min: 30 * time.Second, Jitter: 0.2}
	for _, requested := range []time.Duration{
		time.Nanosecond, time.Second, 31 * time.Second, time.Minute, time.Hour, math.MaxInt64,
	} {
		for _, random := range []float64{0, 0.25, 0.5, 0.999999} {
			interval := p.Effective(requested)
			got := p.Jittered(requested, random)
			lo, hi := max(p.Min, interval*8/10-1), interval*12/10+1
			if got < lo || got > hi {
				t.Errorf("Jittered(%s, %v): want within [%s, %s], got %s", requested, random, lo, hi, got)
			}
		}
	}
}

func TestJitterOutOfRange(t *testing.T) {
	for _, jitter := range []float64{-3, 0, 1, 7} {
		p := Poll{Interval: time.Minute, Min: time.Second, Jitter: jitter}
		for _, random := range []float64{0, 0.999999} {
			if got := p.Jittered(0, random); got < time.Second || got > 2*time.Minute {
				t.Errorf("jitter %v, random %v: got %s", jitter, random, got)
			}
		}
	}
}
