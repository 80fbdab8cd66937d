package alias

import (
	"flag"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/crossplane-contrib/provider-lambda/internal/analysis"
)

var (
	trialSeed      = flag.Uint64("trial.seed", 1, "the first seed of the trial; the next run has the next one")
	trialDisturbed = flag.Int("trial.disturbed", 200, "rollouts of healthy versions with disturbances of the provider")
)

// each runs a function for so many seeds, on all processors.
func eachSeed(n int, do func(seed uint64)) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error {
			do(*trialSeed + uint64(i)) //nolint:gosec // Not negative.
			return nil
		})
	}
	_ = g.Wait() // Its functions return no error.
}

// TestTrialDisturbed rolls healthy versions out while much goes wrong with the provider and what it depends on. None is
// rejected, and each is promoted if it has traffic: by itself, unless AWS failed for longer than the deadline of a step.
func TestTrialDisturbed(t *testing.T) {
	analyzer := analysis.New(analysis.Options{})
	var undecidedOnes, low atomic.Int64
	eachSeed(*trialDisturbed, func(seed uint64) {
		d := newDisturbed(t, seed, analyzer)
		d.run(d.provider, 0)
		if why := d.wrong(); why != "" {
			t.Errorf("seed %d: %s:\n  %s", seed, why, strings.Join(d.trace, "\n  "))
		}
		switch {
		case d.undecided > 0 && d.perMinute < 10:
			low.Add(1)
		case d.undecided > 0:
			undecidedOnes.Add(1)
		}
	})
	t.Logf("%d rollouts from seed %d: %d returned to the stable version undecided because AWS failed for long, %d because of too little traffic",
		*trialDisturbed, *trialSeed, undecidedOnes.Load(), low.Load())
}
