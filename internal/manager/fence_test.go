package manager

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes/fake"
)

func TestFence(t *testing.T) { synctest.Test(t, testFence) }

func testFence(t *testing.T) {
	l, c := newLease(t, fake.NewClientset())
	l.renew(l.moment())
	stopped, sent := 0, 0
	ended, end := context.WithCancel(t.Context())
	fence := l.fence(ended, func() { stopped++ })
	var body context.Context
	send := func(ctx context.Context) error { sent++; body = ctx; return nil } //nolint:fatcontext // It is read once.
	if err := fence(t.Context(), send); err != nil || stopped > 0 || sent != 1 {
		t.Errorf("who holds the lease may call AWS: %v", err)
	}
	c.pass(time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		if err := fence(ctx, send); !errors.Is(err, errLeaseLost) || sent != 1 {
			t.Errorf("want %v and nothing sent, got %v, %d sent", errLeaseLost, err, sent)
		}
	}
	if stopped != 1 {
		t.Errorf("the manager was told to end %d times, want once", stopped)
	}
	end()
	synctest.Wait()
	if body.Err() != nil {
		t.Error("an attempt that has ended is remembered")
	}
}

// TestAttemptEndsWithTheLease checks that a call may take as long as the lease is renewed, and no longer.
func TestAttemptEndsWithTheLease(t *testing.T) {
	broken := errors.New("broken")
	cases := map[string]struct {
		reason string
		// pass advances the clocks between two checks of the lease, and decides whether it is renewed before each.
		pass  func(*clocks)
		renew bool
		// answer is AWS's response after ten checks. Nil waits for the context to end.
		answer func() error
		want   error
	}{
		"Renewed": {
			reason: "A long upload goes on while renewals succeed.",
			pass:   func(c *clocks) { c.pass(49 * time.Second) }, renew: true, answer: func() error { return nil },
		},
		"Fails": {
			reason: "The errors of an attempt are returned unchanged.",
			pass:   func(c *clocks) { c.pass(time.Second) }, answer: func() error { return broken }, want: broken,
		},
		"Lost": {
			reason: "One that is under way ends with the lease.",
			pass:   func(c *clocks) { c.pass(10 * time.Second) }, want: errLeaseLost,
		},
		"Suspended": {
			reason: "Also where only the wall clock has seen it end.",
			pass:   func(c *clocks) { c.set(time.Hour) }, want: errLeaseLost,
		},
		"Late": {
			reason: "An answer that came all the same is not thrown away.",
			pass:   func(c *clocks) { c.pass(10 * time.Second) }, answer: func() error { return nil },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l, c := newLease(t, fake.NewClientset())
			l.renew(l.moment())
			reconcile, stop := context.WithCancel(t.Context())
			defer stop()
			ticks, watched := make(chan time.Time), make(chan error, 1)
			ended, end := context.WithCancel(t.Context())
			defer end()
			go func() { watched <- l.watch(reconcile, ticks, end) }()
			var watchErr error
			// The manager ends when its watch of the lease does, and its reconciles with it.
			err := l.fence(ended, stop)(reconcile, func(ctx context.Context) error {
				for i := 0; i < 10 && watchErr == nil; i++ {
					tc.pass(c)
					if tc.renew {
						l.renew(l.moment())
					}
					select {
					case ticks <- time.Time{}:
					case watchErr = <-watched:
					}
				}
				if tc.answer != nil {
					return tc.answer()
				}
				<-ctx.Done()
				return ctx.Err()
			})
			if !errors.Is(err, tc.want) {
				t.Errorf("%s: want %v, got %v", tc.reason, tc.want, err)
			}
			if lost := !l.held(); lost != errors.Is(watchErr, errLeaseLost) {
				t.Errorf("the lease is lost: %t, and the watch ended with %v", lost, watchErr)
			}
		})
	}
}
