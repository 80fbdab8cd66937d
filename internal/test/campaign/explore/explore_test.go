package explore

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/figures"
)

var (
	maxStates = flag.Int("explore.states", 0, "visit so many states at most, of all scenarios together; 0 is "+
		"1,000,000 with -campaign.sample=1 and 24,000 else")
	workers = flag.Int("explore.workers", 1, "how many states to expand at a time")
	faults  = flag.Int("explore.faults", 2, "how many things may go wrong on the way to a state")
	changes = flag.Int("explore.changes", 2, "how many changes by users and in AWS there may be on the way to a state")
)

// scenarios are those that are explored.
var scenarios = map[string]scenario{
	"name of spec":           {kind: kind{Tagged: true}},
	"name of spec, untagged": {kind: kind{}},
	"name given by AWS":      {kind: kind{NameGiven: true, Tagged: true}},
	"import":                 {kind: kind{Tagged: true}, imports: true},
}

func limit() int {
	switch {
	case *maxStates > 0:
		return *maxStates
	case *figures.Sample == 1:
		return 1_000_000
	}
	return 24_000
}

// TestEveryState checks that with any fault at any time, at most one external resource is
// ours, nothing is left behind, and the resource converges.
func TestEveryState(t *testing.T) {
	total, findings := counts{}, 0
	for name, sc := range scenarios {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := explore(t, sc, limit()/len(scenarios))
				total.add(c)
			})
			if t.Failed() {
				findings++
			}
		})
	}
	figures.Record(t, figures.Figures{
		Campaign: "Every state of a small model",
		Figures: map[string]int{
			"states": total.states, "states expanded": total.expanded,
			"transitions":      total.transitions,
			"transitions deep": total.depth, "seconds to the end at most": total.slowest,
		},
		Findings: findings,
	})
}

// counts of explorations.
type counts struct{ states, expanded, transitions, depth, slowest int }

func (c *counts) add(o counts) {
	c.states, c.expanded, c.transitions = c.states+o.states, c.expanded+o.expanded, c.transitions+o.transitions
	c.depth, c.slowest = max(c.depth, o.depth), max(c.slowest, o.slowest)
}

// explore explores a scenario in a bubble with a stopped clock.
func explore(t *testing.T, sc scenario, most int) counts {
	t.Helper()
	e, err := newExploration(sc, most)
	if err != nil {
		t.Fatal(err)
	}
	e.found(e.workers[0].initial(int8(*faults), int8(*changes)), -1, label{}) //nolint:gosec // They are few.
	broken, at := e.run()
	c := counts{
		states: len(e.nodes), expanded: e.expanded, transitions: e.transitions,
		depth: int(e.nodes[len(e.nodes)-1].depth),
	}
	t.Logf("%d states, %d of them expanded by %d transitions to a depth of %d, complete: %t", c.states, c.expanded,
		c.transitions, c.depth, c.states == c.expanded)
	if broken != nil {
		t.Fatalf("%s\n%s", strings.Join(broken.violations, "\n"), e.trace(at, broken.label))
	}
	worst, reported, n, problem := e.converge()
	if problem != "" {
		t.Fatalf("%s\n%snothing goes wrong any more:\n%s", problem, e.trace(n),
			e.replay(alone(e.nodes[n].state), make([]label, manySteps)))
	}
	c.slowest = int(worst.after)
	t.Logf("all of them come to their end, within %s at most; Ready says for how many what the user has to do: %v",
		time.Duration(worst.after)*time.Second, reported)
	if !time.Now().Equal(epoch) {
		t.Errorf("the clock did not stand still, it says %s", time.Now())
	}
	return c
}

// manySteps is more steps than a resource needs to converge.
const manySteps = 60

// node is a state that was found.
type node struct {
	state

	// parent and label are the state and the transition by which it was found first.
	parent int32
	depth  int16
	label  label
}

func newExploration(sc scenario, most int) (*exploration, error) {
	e := &exploration{pool: newPool(), known: map[state]struct{}{}, limit: most}
	for range *workers {
		x, err := newExplorer(sc, e.pool)
		if err != nil {
			return nil, err
		}
		e.workers = append(e.workers, x)
	}
	return e, nil
}

// exploration is a search of the states of a scenario, breadth first.
type exploration struct {
	*pool

	workers []*explorer
	nodes   []node
	known   map[state]struct{}

	// expanded is how many nodes have been expanded, in order.
	expanded    int
	transitions int
	limit       int
}

// found adds a state if it is new and if the limit allows it.
func (e *exploration) found(s state, parent int32, l label) {
	if _, ok := e.known[s]; ok || len(e.nodes) >= e.limit {
		return
	}
	d := int16(0)
	if parent >= 0 {
		d = e.nodes[parent].depth + 1
	}
	e.known[s] = struct{}{}
	e.nodes = append(e.nodes, node{state: s, parent: parent, depth: d, label: l})
}

// run expands states until all are expanded or the limit is reached. It returns the first
// transition that breaks an invariant, and the number of the state that it starts from.
func (e *exploration) run() (broken *step, at int32) {
	const share = 256
	for e.expanded < len(e.nodes) && len(e.nodes) < e.limit {
		batch := make([][]step, min(share*len(e.workers), len(e.nodes)-e.expanded))
		var wg sync.WaitGroup
		for i, x := range e.workers {
			wg.Go(func() {
				for n := i; n < len(batch); n += len(e.workers) {
					batch[n] = x.steps(e.nodes[e.expanded+n].state)
				}
			})
		}
		wg.Wait()
		for _, steps := range batch {
			from := int32(e.expanded) //nolint:gosec // There are fewer.
			for _, st := range steps {
				e.transitions++
				if len(st.violations) > 0 {
					return &st, from
				}
				e.found(st.to, from, st.label)
			}
			e.expanded++
		}
	}
	return nil, 0
}

// trace returns the trace to a node, as a test prints it.
func (e *exploration) trace(n int32, last ...label) string {
	var labels []label
	for at := n; e.nodes[at].parent >= 0; at = e.nodes[at].parent {
		labels = append(labels, e.nodes[at].label)
	}
	slices.Reverse(labels)
	labels = append(labels, last...)
	return e.replay(e.nodes[0].state, labels)
}

func (e *exploration) replay(s state, labels []label) string {
	var b strings.Builder
	seen := map[state]bool{}
	_, _ = fmt.Fprintf(&b, "   0. %s\n", s)
	for i, l := range labels {
		after := ""
		if l.reconciles() && s.due[l.leader] > 0 {
			after = fmt.Sprintf("after %d s, ", s.due[l.leader])
		}
		st := e.workers[0].take(s, l)
		ops := make([]string, len(st.calls))
		for i, c := range st.calls {
			ops[i] = c.op
		}
		s = st.to
		_, _ = fmt.Fprintf(&b, "%4d. %s%s: %s\n      %s\n", i+1, after, l.text(st.calls), strings.Join(ops, "; "), s)
		if seen[s] {
			b.WriteString("      and so on\n")
			break
		}
		seen[s] = true
	}
	return b.String()
}
