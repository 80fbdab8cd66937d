package quota

import (
	"fmt"
	"testing"
	"time"
)

// TestRateAdaptsAndReturns has others use up most of an account's rate for five minutes. The limiter sends less
// meanwhile, is throttled rarely, and sends at the full rate again once the others have stopped.
func TestRateAdaptsAndReturns(t *testing.T) {
	const (
		quiet, busy, recovered = time.Minute, 5 * time.Minute, time.Minute
		full                   = 14 // The limiter keeps a little below AWS's 15.
	)
	cases := map[string]struct {
		reason string
		others time.Duration // Between two calls of theirs.
		most   float64       // What is left for the limiter, in calls a second.
	}{
		"Half":   {reason: "Others take half of the rate.", others: time.Second / 8, most: 7},
		"Nearly": {reason: "Others leave one call a second.", others: time.Second / 14, most: 1},
		"All":    {reason: "Others ask for more than there is.", others: time.Second / 30, most: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(3)
			l, aws := New(e.clock, nil), newAWSSide(e)
			sent := 0
			var next func(i int)
			next = func(i int) {
				c := &caller{
					w: e, l: l, aws: aws, by: Caller{ID: fmt.Sprint(i), Priority: User},
					lateness: 5 * time.Millisecond, latency: 50 * time.Millisecond,
				}
				c.done = func() { sent++; next(i + waitingCallers) }
				e.after(0, c.arrivals)
			}
			for i := range waitingCallers {
				next(i)
			}
			began := e.now
			var other func()
			other = func() {
				if e.now.Sub(began) < quiet+busy {
					aws.arrive()
					e.after(tc.others, other)
				}
			}
			e.after(quiet, other)
			rateIn := func(d time.Duration) float64 {
				before, at := sent, e.now
				e.after(d, func() {})
				e.run(d)
				return float64(sent-before) / e.now.Sub(at).Seconds()
			}
			before := rateIn(quiet)
			during := rateIn(busy)
			refused := counted(t, l, "throttled")
			rateIn(recovered)
			after := rateIn(time.Minute)
			t.Logf("%.1f calls a second before, %.1f during, %.1f after; %d of %d throttled", before, during, after,
				refused, sent)
			if during > tc.most+1 {
				t.Errorf("%s\n%.1f calls a second, want at most what is left, %.0f", tc.reason, during, tc.most)
			}
			if after < full {
				t.Errorf("%s\n%.1f calls a second a minute after the others have stopped, want at least %d", tc.reason,
					after, full)
			}
			if refused > sent/10 {
				t.Errorf("%s\n%d of %d calls were throttled, want at most a tenth", tc.reason, refused, sent)
			}
		})
	}
}

// waitingCallers is how many resources of a fleet always have a call to make.
const waitingCallers = 100
