package campaign

import (
	"hash/fnv"
	"sync"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/figures"
)

// A tally counts the points of a campaign, of which a sample is tried. Its tests may run in
// parallel. The zero value takes the sample of the flag -campaign.sample.
type tally struct {
	// every divides the number of points that the flag selects. 0 counts as 1.
	every int

	mu                   sync.Mutex
	total, tried, failed int
}

// try runs the test of a point, if the point is in the sample.
func (c *tally) try(t *testing.T, point, name string, test func(t *testing.T)) {
	t.Helper()
	if !c.take(point) || t.Run(name, test) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed++
}

func (c *tally) take(point string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total++
	every := *figures.Sample
	if every > 1 {
		every *= max(c.every, 1)
	}
	if !chosen(point, every) {
		return false
	}
	c.tried++
	return true
}

// chosen reports whether a point is in the sample of one of so many. The sample is always
// the same.
func chosen(point string, every int) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(point))
	return int(h.Sum32())%every == 0
}
