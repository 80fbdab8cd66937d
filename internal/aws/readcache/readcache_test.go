package readcache

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var (
	start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	key   = Key{Operation: "GetPolicy", Of: "fn"}
)

func at(after, age time.Duration) Freshness {
	now := start.Add(after)
	return Freshness{Now: now, Since: now.Add(-age)}
}

// counter counts its fetches.
type counter struct {
	mu    sync.Mutex
	calls int
}

func (c *counter) fetch(context.Context) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	return c.calls, nil
}

func TestRead(t *testing.T) {
	type step struct {
		fresh  Freshness
		forget bool
		want   int
	}
	cases := map[string]struct {
		reason string
		steps  []step
	}{
		"Shared": {
			reason: "An answer is good for all who accept its age.",
			steps:  []step{{fresh: at(0, 0), want: 1}, {fresh: at(time.Minute, time.Minute), want: 1}},
		},
		"TooOld": {
			reason: "A response from before the requested time is read again.",
			steps: []step{
				{fresh: at(0, 0), want: 1},
				{fresh: at(time.Minute, time.Second), want: 2},
				{fresh: at(time.Minute, time.Second), want: 2},
			},
		},
		"SetBack": {
			reason: "An answer of a clock that was set back since is not recent for as long.",
			steps: []step{
				{fresh: at(time.Hour, 0), want: 1},
				{fresh: at(time.Hour-time.Second, 0), want: 1},
				{fresh: at(0, time.Second), want: 2},
			},
		},
		"Forgotten": {
			reason: "An answer that is known to be outdated serves no one.",
			steps:  []step{{fresh: at(0, 0), want: 1}, {fresh: at(time.Second, time.Minute), forget: true, want: 2}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, n := &Cache{}, &counter{}
			for i, s := range tc.steps {
				if s.forget {
					c.Forget(key)
				}
				got, err := Read(t.Context(), c, key, s.fresh, n.fetch)
				if err != nil || got != s.want {
					t.Errorf("%s\nstep %d: got %d, %v, want %d", tc.reason, i, got, err, s.want)
				}
			}
		})
	}
}

func TestAskersOfOneMomentShareACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, n, release := &Cache{}, &counter{}, make(chan struct{})
		fetch := func(ctx context.Context) (int, error) {
			<-release
			return n.fetch(ctx)
		}
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if got, err := Read(t.Context(), c, key, at(0, time.Second), fetch); got != 1 || err != nil {
					t.Errorf("got %d, %v, want the first answer", got, err)
				}
			})
		}
		synctest.Wait()
		close(release)
		wg.Wait()
	})
}

func TestAReadUnderWayThatIsForgottenIsNotKept(t *testing.T) {
	c, n := &Cache{}, &counter{}
	got, err := Read(t.Context(), c, key, at(0, 0), func(ctx context.Context) (int, error) {
		c.Forget(key)
		return n.fetch(ctx)
	})
	if got != 1 || err != nil {
		t.Fatalf("got %d, %v, want the answer for the one who asked", got, err)
	}
	if got, _ := Read(t.Context(), c, key, at(0, time.Hour), n.fetch); got != 2 {
		t.Errorf("got answer %d, want another one than that from before the change", got)
	}
}

func TestFailureIsNeitherKeptNorShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, n, release := &Cache{}, &counter{}, make(chan struct{})
		broken := errors.New("broken")
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := Read(t.Context(), c, key, at(0, 0), func(context.Context) (int, error) {
				<-release
				return 0, broken
			})
			if !errors.Is(err, broken) {
				t.Errorf("got %v, want the asker's own error", err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if got, err := Read(t.Context(), c, key, at(0, time.Second), n.fetch); got != 1 || err != nil {
				t.Errorf("got %d, %v, want an answer of its own", got, err)
			}
		})
		synctest.Wait()
		close(release)
		wg.Wait()
	})
}

func TestWhoeverWaitsMayGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, n, release := &Cache{}, &counter{}, make(chan struct{})
		go func() {
			_, _ = Read(t.Context(), c, key, at(0, 0), func(ctx context.Context) (int, error) {
				<-release
				return n.fetch(ctx)
			})
		}()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Read(ctx, c, key, at(0, time.Second), n.fetch); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want that the wait was given up", err)
		}
		close(release)
		synctest.Wait()
	})
}

func TestOldAnswersAreDropped(t *testing.T) {
	c, n := &Cache{}, &counter{}
	for i := range 3 {
		k := Key{Operation: "GetPolicy", Of: string(rune('a' + i))}
		if _, err := Read(t.Context(), c, k, at(time.Duration(i)*2*maxAge, 0), n.fetch); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.entries) != 1 {
		t.Errorf("%d answers are kept, want the last alone", len(c.entries))
	}
}
