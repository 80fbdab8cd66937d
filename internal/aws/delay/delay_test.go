package delay

import (
	"fmt"
	"math"
	"testing"
	"time"
)

func TestDoubling(t *testing.T) {
	cases := map[string]struct {
		reason string
		n      int
		want   time.Duration
	}{
		"First":    {"The first delay is the given one.", 1, time.Second},
		"BelowOne": {"What has not failed yet waits for no less.", 0, time.Second},
		"Third":    {"Each one doubles.", 3, 4 * time.Second},
		"Limit":    {"The limit cuts the last doubling.", 5, 10 * time.Second},
		"Many":     {"Many failures do not overflow.", math.MaxInt, 10 * time.Second},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Doubling(time.Second, tc.n, 10*time.Second); got != tc.want {
				t.Errorf("%s\nDoubling(1s, %d, 10s): want %s, got %s", tc.reason, tc.n, tc.want, got)
			}
		})
	}
	if got := Doubling(time.Minute, 1, time.Second); got != time.Second {
		t.Errorf("The limit holds from the first on: want 1s, got %s", got)
	}
}

func TestJittered(t *testing.T) {
	for random, want := range map[float64]time.Duration{
		0: time.Second, 0.25: 1500 * time.Millisecond, 0.5: 2 * time.Second,
	} {
		if got := Jittered(2*time.Second, random); got != want {
			t.Errorf("Jittered(2s, %v): want %s, got %s", random, want, got)
		}
	}
}

func TestSpread(t *testing.T) {
	const n, over = 1000, 10 * time.Minute
	buckets := make([]int, 10)
	for i := range n {
		id := fmt.Sprintf("uid-%d", i)
		d := Spread(id, over)
		if d < 0 || d >= over {
			t.Fatalf("Spread(%s): got %s, which is not in [0, %s)", id, d, over)
		}
		if again := Spread(id, over); again != d {
			t.Fatalf("Spread(%s) is not stable: %s, then %s", id, d, again)
		}
		buckets[int(d*10/over)]++
	}
	for i, got := range buckets {
		if got < n/20 || got > n/5 {
			t.Errorf("tenth %d of the interval holds %d of %d resources", i, got, n)
		}
	}
	if d := Spread("x", 0); d != 0 {
		t.Errorf("Spread over nothing: want 0, got %s", d)
	}
}

func TestNth(t *testing.T) {
	for n, want := range map[int]time.Duration{-1: 1, 0: 1, 1: 1, 2: 5, 3: 5, math.MaxInt: 5} {
		if got := Nth([]time.Duration{1, 5}, n); got != want {
			t.Errorf("Nth(%d): want %d, got %d", n, want, got)
		}
	}
}
