package conformance

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"sync"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// every is the number of calls from one kill to the next. Those that make something are all killed.
var every = flag.Int("conformance.every", 32, "kill runs at every so many calls")

var creates = regexp.MustCompile(`^(Create|Publish)`)

// A killer is a network that ends a run at its nth call, or after it, when AWS has answered but nobody has read it.
type killer struct {
	doubled

	s     *simulation
	n     int
	after bool

	mu   sync.Mutex
	seen int
}

// RoundTrip sends a call to the double.
func (k *killer) RoundTrip(r *http.Request) (*http.Response, error) {
	k.mu.Lock()
	k.seen++
	last := k.seen == k.n
	k.mu.Unlock()
	if last {
		k.s.gate.Close()
		k.s.stop()
		if !k.after {
			return nil, errors.New("the process was killed")
		}
	}
	rsp, err := k.doubled.RoundTrip(r)
	if last {
		return nil, errors.New("the process was killed")
	}
	return rsp, err
}

// TestKilledAtEveryCall kills a run at its calls, before and after AWS has answered, and checks that Clean removes all
// that is left by the file that the run has written, and that nothing is made after that.
func TestKilledAtEveryCall(t *testing.T) {
	points, left := 0, 0
	for _, name := range scenarioNames(t) {
		var calls []awsdouble.Call
		simulate(t, []string{name}, nil, func(_ *testing.T, s *simulation) { calls = s.double.Calls() })
		for n := 1; n <= len(calls); n++ {
			makes := creates.MatchString(calls[n-1].Operation)
			if n%*every != 0 && !makes {
				continue
			}
			for i := range 3 {
				after, byFile := i < 2, i > 0
				if *every > 1 && (!after || !byFile && !makes) {
					continue // After is harder than before, and a name that only AWS knows harder than one of ours.
				}
				points++
				t.Run(
					fmt.Sprintf("%s %d of %d, after %v, by file %v", name, n, len(calls), after, byFile),
					func(t *testing.T) {
						simulate(t, []string{name}, func(s *simulation, r *Runner) {
							s.gate.Next = &killer{doubled: doubled{s.double}, s: s, n: n, after: after}
							r.Log = func(string, ...any) {}
						}, func(t *testing.T, s *simulation) {
							t.Helper()
							s.clean(t, byFile)
							if rest := s.left(); len(rest) > 0 {
								left++
								t.Errorf("left behind: %v", rest)
							}
						})
					},
				)
			}
		}
	}
	t.Logf("killed at %d points, left something behind at %d", points, left)
}

func scenarioNames(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("scenarios")
	if err != nil || len(entries) < 15 {
		t.Fatalf("%d scenarios, %v", len(entries), err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name()[:len(e.Name())-len(".yaml")])
	}
	return names
}
