package campaign

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/figures"
)

// A point is the call at which a process is killed: before or after its nth call since the
// killer was armed.
type point struct {
	n    int
	side Side
}

// killer counts the calls of a process that read from AWS or change anything, and cuts its
// network at one of them.
type killer struct {
	Network

	mu    sync.Mutex
	armed bool
	at    point
	calls []string
	cut   chan struct{}
}

func newKiller(at point) *killer {
	k := &killer{at: at, cut: make(chan struct{})}
	k.Do = k.do
	return k
}

// arm starts the count.
func (k *killer) arm() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.armed = true
}

func (k *killer) do(_ context.Context, c Call, side Side) error {
	path := c.Path + "/"
	if c.Watch || c.API == Kubernetes &&
		(!c.Writes() || strings.Contains(path, "/events/") || strings.Contains(path, "/selfsubjectaccessreviews/")) {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.armed {
		return nil
	}
	if side == Before {
		k.calls = append(k.calls, c.String())
	}
	if len(k.calls) == k.at.n && side == k.at.side {
		k.armed = false
		k.Cut()
		close(k.cut)
		return errNetwork
	}
	return nil
}

func (k *killer) killed() bool {
	select {
	case <-k.cut:
		return true
	default:
		return false
	}
}

// run runs a scenario in which the process is killed at a point and started again.
func (sc scenario) run(t *testing.T, at point) (calls []string, got outcome) {
	t.Helper()
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		k := newKiller(at)
		p := s.Start(&k.Network)
		sc.before(s)
		s.Double.ResetCalls()
		k.arm()
		sc.act(s)
		s.Until(10*time.Minute, func() bool { return k.killed() || sc.done(s) })
		calls = k.calls
		if k.killed() {
			p.Kill()
			p = s.Start(&Network{})
		}
		got = s.converge(sc, 2*time.Hour)
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("calls:\n%s", s.history())
		}
	})
	return calls, got
}

// TestKilledAtEveryCall ends the process before and after each of its calls, and starts
// another one. It checks that the scenario reaches the same outcome, and that nothing is
// created twice or left behind.
func TestKilledAtEveryCall(t *testing.T) {
	var points tally
	t.Run("scenarios", func(t *testing.T) {
		for _, sc := range scenarios(t) {
			t.Run(sc.name, func(t *testing.T) {
				t.Parallel()
				calls, want := sc.run(t, point{})
				if t.Failed() {
					t.Fatal("it fails though nothing is killed")
				}
				for i := range 2 * len(calls) {
					at := point{n: i/2 + 1, side: Side(i % 2)}
					name := fmt.Sprintf("%d of %d, side %d, %s", at.n, len(calls), at.side,
						strings.ReplaceAll(calls[at.n-1], "/", "|"))
					points.try(t, fmt.Sprint(sc.name, i), name, func(t *testing.T) { //nolint:thelper // It is the test.
						_, got := sc.run(t, at)
						got.check(t, sc, want)
					})
				}
			})
		}
	})
	figures.Record(t, figures.Figures{
		Campaign: "A kill at every call",
		Figures:  map[string]int{"points": points.total, "points tried": points.tried}, Findings: points.failed,
	})
}
