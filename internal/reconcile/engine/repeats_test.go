package engine

import (
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// TestAttempts checks when the same call may be repeated.
func TestAttempts(t *testing.T) {
	start := time.Unix(1e9, 0)
	made := func(n int) *reconcile.Repeats {
		a := &reconcile.Repeats{}
		for range n {
			a.Record("UpdateThing", "value", start)
		}
		return a
	}
	cases := map[string]struct {
		reason   string
		attempts *reconcile.Repeats
		changes  string
		after    time.Duration
		wait     time.Duration
		count    int
	}{
		"None":    {reason: "A first call is made at once.", attempts: made(0), changes: "value"},
		"Once":    {reason: "AWS may show it in a moment.", attempts: made(1), changes: "value", wait: 2 * time.Second, count: 1},
		"Later":   {reason: "What has passed counts.", attempts: made(1), changes: "value", after: 5 * time.Second, count: 1},
		"Thrice":  {reason: "AWS does not take it.", attempts: made(3), changes: "value", wait: 5 * time.Minute, count: 3},
		"Often":   {reason: "The delay is bounded.", attempts: made(30), changes: "value", wait: time.Hour, count: 30},
		"Others":  {reason: "Other changes are not the same.", attempts: made(3), changes: "size"},
		"LongAgo": {reason: "After hours it is tried anew.", attempts: made(30), changes: "value", after: reconcile.RepeatsMaxAge},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if wait, count := tc.attempts.Delay("UpdateThing", tc.changes, start.Add(tc.after)); wait != tc.wait || count != tc.count {
				t.Errorf("%s\nwait %v, count %d; want %v, %d", tc.reason, wait, count, tc.wait, tc.count)
			}
		})
	}
}

// TestAttemptsOfAGeneration checks that calls made for one spec do not count for another.
func TestAttemptsOfAGeneration(t *testing.T) {
	s, mg := memory.New(), samples.New()
	known, _ := s.Begin(mg)
	known.Calls.Record("UpdateThing", "value", time.Unix(1e9, 0))
	if again, _ := s.Begin(mg); again.Calls != known.Calls {
		t.Error("the same generation starts anew")
	}
	mg.SetGeneration(mg.GetGeneration() + 1)
	if next, _ := s.Begin(mg); next.Calls == nil || next.Calls == known.Calls {
		t.Error("another generation does not start anew")
	}
}
