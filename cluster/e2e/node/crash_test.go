package node

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCrashRests counts the checks at which a pod that always ends is not restarted.
func TestCrashRests(t *testing.T) {
	var c *crash
	var rests []int
	for range 8 {
		c = c.again(&pod{fingerprint: "a"})
		polls := 0
		for c.rests() {
			polls++
		}
		rests = append(rests, polls)
	}
	if diff := cmp.Diff([]int{0, 5, 10, 20, 40, 80, 150, 150}, rests); diff != "" {
		t.Errorf("looks between two starts: -want, +got:\n%s", diff)
	}
	if c.times != 8 {
		t.Errorf("it has ended %d times, want 8", c.times)
	}
	if c = c.again(&pod{fingerprint: "b"}); c.times != 1 || c.rests() {
		t.Errorf("another program is not started at once: it has ended %d times", c.times)
	}
}
