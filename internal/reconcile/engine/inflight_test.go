package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// TestInFlight starts reconciles until no more are admitted, and then others.
func TestInFlight(t *testing.T) {
	own := func(n int) pair { return pair{namespace: fmt.Sprint("ns-", n), config: fmt.Sprint("own-", n)} }
	shared := func(n int) pair { return pair{namespace: fmt.Sprint("ns-", n), config: "shared"} }
	cases := map[string]struct {
		reason  string
		workers int
		holders []pair
		// admitted is the number that each of the holders is admitted.
		admitted int
		// next is admitted at least once.
		next pair
	}{
		"OneWorker": {
			reason:   "One worker serves all, one after the other.",
			workers:  1,
			holders:  []pair{own(1)},
			admitted: 1,
		},
		"TwoWorkers": {
			reason:   "With two workers, one is left for the next holder.",
			workers:  2,
			holders:  []pair{own(1)},
			admitted: 1,
			next:     own(2),
		},
		"Alone": {
			reason:   "A namespace alone has half.",
			workers:  100,
			holders:  []pair{own(1)},
			admitted: 50,
			next:     own(2),
		},
		"Two": {
			reason:   "Two have a third each.",
			workers:  100,
			holders:  []pair{own(1), own(2)},
			admitted: 33,
			next:     own(3),
		},
		"Nine": {
			reason:   "Nine have a tenth each.",
			workers:  100,
			holders:  []pair{own(1), own(2), own(3), own(4), own(5), own(6), own(7), own(8), own(9)},
			admitted: 10,
			next:     own(10),
		},
		"SharedConfig": {
			reason: "Of a config that is shared, there is room for the next namespace.", workers: 100,
			holders: []pair{shared(1), shared(2), shared(3)}, admitted: 23, next: shared(4),
		},
		"BesideSharedConfig": {
			reason:  "A shared config leaves room for other configs.",
			workers: 100,
			holders: []pair{
				shared(1),
				shared(2),
				shared(3),
				shared(4),
				shared(5),
				shared(6),
				shared(7),
				shared(8),
			},
			admitted: 9,
			next:     own(9),
		},
		"ManyConfigs": {
			reason:  "A namespace gains nothing by having many configs.",
			workers: 100,
			holders: []pair{
				{"ns-1", "a"},
				{"ns-1", "b"},
				{"ns-1", "c"},
				{"ns-1", "d"},
				{"ns-1", "e"},
			},
			admitted: 10,
			next:     own(2),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := NewInFlight(tc.workers)
			aborted := map[pair]int{}
			var release []func()
			for let := true; let; {
				let = false
				for _, p := range tc.holders {
					if l, ok := f.Enter(p.namespace, p.config); ok {
						aborted[p]++
						release = append(release, l)
						let = true
					}
				}
			}
			for _, p := range tc.holders {
				if n := aborted[p]; n < tc.admitted || n > tc.admitted+1 {
					t.Errorf("%s\n%v holds %d, want %d", tc.reason, p, n, tc.admitted)
				}
			}
			if tc.next != (pair{}) {
				l, ok := f.Enter(tc.next.namespace, tc.next.config)
				if !ok {
					t.Errorf("%s\n%v is not let in: %v", tc.reason, tc.next, aborted)
				}
				release = append(release, l)
			}
			for _, l := range release {
				l()
				l()
			}
			if len(f.counts) != 0 {
				t.Errorf("%s\nsomething is left: %+v", tc.reason, f)
			}
		})
	}
}

func TestSharesAreNotWaitedFor(t *testing.T) {
	e := newEnv(t, samples.New(), func(o *Options, _ *reconcile.Kind[*sample]) { o.MaxConcurrentReconciles = 2 })
	release, _ := e.reconciler.inFlight.Enter("shop", "")
	before := e.stored()
	for _, want := range []time.Duration{
		minWorkerDelay, 2 * minWorkerDelay, 4 * minWorkerDelay, 8 * minWorkerDelay, 16 * minWorkerDelay,
		32 * minWorkerDelay, maxWorkerDelay, maxWorkerDelay,
	} {
		if got := e.reconcile(); got != want {
			t.Errorf("want to come back after %s, got %s", want, got)
		}
	}
	if after := e.stored(); after.ResourceVersion != before.ResourceVersion ||
		len(e.cloud.calls)+len(e.limiter.requested) != 0 {
		t.Errorf("a resource without a worker is not touched: %v, %v", e.cloud.calls, e.limiter.requested)
	}
	release()
	e.reconcile()
	if known, _ := e.reconciler.states.Get(cart); len(e.cloud.calls) == 0 || known.WorkerDelays != 0 {
		t.Errorf("once there is a worker it is looked at: %v", e.cloud.calls)
	}
	if len(e.reconciler.inFlight.counts) != 0 {
		t.Error("a reconcile that has ended holds a worker")
	}
}
