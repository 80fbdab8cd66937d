package quota

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func of(tenant, id string) Caller {
	return Caller{ID: tenant + "/" + id, Tenant: tenant, Priority: User}
}

// TestNewTenantIsNotBehindAnothersLine checks how long a single Function waits.
func TestNewTenantIsNotBehindAnothersLine(t *testing.T) {
	cases := map[string]struct {
		reason  string
		before  map[string]int
		poll    bool
		atLeast time.Duration
		atMost  time.Duration
	}{
		"Alone": {reason: "A full bucket makes nobody wait."},
		"OneTenant": {
			reason: "A new tenant waits for one call of the other tenant.",
			before: map[string]int{"a": 5000}, atMost: time.Second,
		},
		"ManyTenants": {
			reason: "A new tenant waits for one call of each other tenant.",
			before: map[string]int{"a": 5000, "c": 5000, "d": 5000, "e": 100, "f": 1}, atMost: time.Second,
		},
		"Polls": {
			reason: "Polls are as fair.", before: map[string]int{"a": 5000}, poll: true,
			atMost: time.Second,
		},
		"Own": {
			reason: "Earlier requests of the same tenant come first.", before: map[string]int{"b": 100},
			atLeast: 5 * time.Second, atMost: 8 * time.Second,
		},
		"Both": {
			reason: "Two tenants share the rate.", before: map[string]int{"a": 5000, "b": 100},
			atLeast: 12 * time.Second, atMost: 16 * time.Second,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(1)
			l := New(e.clock, nil)
			for tenant, n := range tc.before {
				for i := range n {
					h := of(tenant, fmt.Sprint(i))
					if tc.poll {
						h.Priority = Poll
					}
					l.Reserve(here, h, "CreateFunction")
				}
			}
			h := of("b", "new")
			if tc.poll {
				h.Priority = Poll
			}
			got := l.Reserve(here, h, "GetFunction", "CreateFunction")
			if got < tc.atLeast || got > tc.atMost {
				t.Errorf("%s\nwaits %v, want %v to %v", tc.reason, got, tc.atLeast, tc.atMost)
			}
		})
	}
}

// TestOrderAmongTenants checks the order in which tokens are promised.
func TestOrderAmongTenants(t *testing.T) {
	cases := map[string]struct {
		reason   string
		arrivals []Caller
		need     map[string]int
		want     []string
	}{
		"RoundRobin": {
			reason:   "Each tenant has one in each round, by arrival.",
			arrivals: []Caller{of("a", "1"), of("a", "2"), of("a", "3"), of("b", "1"), of("b", "2"), of("c", "1")},
			want:     []string{"a/1", "b/1", "c/1", "a/2", "b/2", "a/3"},
		},
		"ByTokens": {
			reason:   "What counts is tokens, not callers.",
			arrivals: []Caller{of("a", "1"), of("a", "2"), of("b", "1"), of("b", "2"), of("b", "3")},
			need:     map[string]int{"a/1": 2, "a/2": 2},
			want:     []string{"b/1", "a/1", "b/2", "b/3", "a/2"},
		},
		"NoTenant": {
			reason:   "What belongs to no tenant is one of its own.",
			arrivals: []Caller{of("a", "1"), of("a", "2"), {ID: "account", Priority: User}},
			want:     []string{"a/1", "account", "a/2"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			q := &queue{}
			var got []string
			waiting := map[string]*entry{}
			for _, h := range tc.arrivals {
				e := &entry{caller: h.ID, need: max(1, tc.need[h.ID])}
				q.join(h.Tenant, e)
				waiting[h.ID] = e
			}
			for len(waiting) > 0 {
				first, firsts := (*entry)(nil), 0
				for _, e := range waiting {
					if q.position(e) == e.need {
						first = e
						firsts++
					}
				}
				if firsts != 1 {
					t.Fatalf("%s\n%d entries are the first, after %v", tc.reason, firsts, got)
				}
				q.granted(first)
				q.remove(first)
				delete(waiting, first.caller)
				got = append(got, first.caller)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPositionsAreAnOrder has entries of random tenants that come, go and change, and checks that their places
// are the sums of one order.
func TestPositionsAreAnOrder(t *testing.T) {
	w := newEnv(9)
	q := &queue{}
	var all []*entry
	for i := range 4000 {
		switch n := w.random.IntN(10); {
		case n < 4 || len(all) == 0:
			e := &entry{caller: fmt.Sprint(i), need: 1 + w.random.IntN(3)}
			q.join(fmt.Sprint(w.random.IntN(7)), e)
			all = append(all, e)
		case n < 7:
			j := w.random.IntN(len(all))
			e := all[j]
			if q.position(e) <= 20 {
				q.granted(e)
			}
			q.remove(e)
			all = append(all[:j], all[j+1:]...)
		default:
			all[w.random.IntN(len(all))].need = 1 + w.random.IntN(3)
		}
		ends, total := map[int]bool{}, 0
		for _, e := range all {
			total += e.need
			ends[q.position(e)] = true
		}
		for _, e := range all {
			if begin := q.position(e) - e.need; begin != 0 && !ends[begin] {
				t.Fatalf("step %d: an entry begins at %d, where none ends", i, begin)
			}
		}
		if len(ends) != len(all) || q.waiting() != total {
			t.Fatalf("step %d: %d places for %d entries, a total of %d, want %d", i, len(ends), len(all), q.waiting(),
				total)
		}
	}
}

// TestShares has waiting tenants of very different sizes, and checks what each gets while others wait too.
func TestShares(t *testing.T) {
	e := newEnv(21)
	l, aws := New(e.clock, nil), newAWSSide(e)
	sizes := map[string]int{"large": 5000, "medium": 50, "small": 1}
	last, visits := map[string]time.Time{}, map[string]int{}
	served := map[string]int{}
	atTen := map[string]int{}
	for tenant, n := range sizes {
		for i := range n {
			c := &caller{
				w: e, l: l, aws: aws, by: of(tenant, fmt.Sprint(i)), lateness: 5 * time.Millisecond,
				latency: 50 * time.Millisecond,
			}
			c.done = func() {
				last[tenant] = e.now
				visits[tenant] += c.visits
				served[tenant]++
			}
			// The large tenant comes first.
			spread := time.Duration(0)
			if tenant != "large" {
				spread = time.Second
			}
			e.after(e.between(spread, 2*spread), c.arrivals)
		}
	}
	e.after(5*time.Second, func() { atTen["large"], atTen["medium"] = served["large"], served["medium"] })
	e.run(time.Hour)

	if aws.refused != 0 || aws.served != 5051 {
		t.Errorf("AWS served %d and refused %d", aws.served, aws.refused)
	}
	if took := last["small"].Sub(epoch); took > 3*time.Second {
		t.Errorf("the one call of the small tenant was served after %v", took)
	}
	// Half the rate is 7.35 a second.
	if took := last["medium"].Sub(epoch); took > 10*time.Second {
		t.Errorf("the 50 calls of the medium tenant took %v, want about 50 / 7.35 a second", took)
	}
	if m := atTen["medium"]; m < 15 || m > 30 {
		t.Errorf("after four seconds the medium tenant has %d calls and the large one %d: want them to share", m,
			atTen["large"])
	}
	best := 5051.0 / 15
	if took := aws.lastDone.Sub(epoch).Seconds(); took > best/0.97 {
		t.Errorf("all took %.1f s, want within 3 %% of %.1f s: a tenant alone gets all", took, best)
	}
	for tenant, n := range sizes {
		per := float64(visits[tenant]) / float64(n)
		t.Logf("%s: last at %v, %.2f visits a caller", tenant, last[tenant].Sub(epoch), per)
		if per > 5 {
			t.Errorf("%s: %.1f visits a by: the estimates are bad", tenant, per)
		}
	}
}

// TestTenantThatRetriesOften has one tenant with many callers, and another that returns as soon
// as it was served: neither gets more than half.
func TestTenantThatRetriesOften(t *testing.T) {
	e := newEnv(4)
	l, aws := New(e.clock, nil), newAWSSide(e)
	many, often := 0, 0
	for i := range 2000 {
		c := &caller{
			w: e, l: l, aws: aws, by: of("many", fmt.Sprint(i)), lateness: 5 * time.Millisecond,
			latency: 20 * time.Millisecond,
		}
		c.done = func() { many++ }
		e.after(0, c.arrivals)
	}
	for i := range 3 {
		c := &caller{w: e, l: l, aws: aws, by: of("often", fmt.Sprint(i)), latency: 2 * time.Millisecond}
		c.done = func() {
			often++
			e.after(0, c.arrivals)
		}
		e.after(time.Second, c.arrivals)
	}
	e.run(time.Minute)
	t.Logf("many: %d, often: %d", many, often)
	if all := many + often; all < 14*60 {
		t.Errorf("%d calls in a minute, want the full rate", all)
	}
	if often < 300 || many < 400 {
		t.Errorf("the tenant with many got %d, the other %d: want them to share", many, often)
	}
}

// TestManyTenants has a thousand namespaces that come, wait and go.
func TestManyTenants(t *testing.T) {
	e := newEnv(2)
	l, aws := New(e.clock, nil), newAWSSide(e)
	const tenants, each = 1000, 3
	first := map[string]time.Duration{}
	for n := range tenants {
		tenant := fmt.Sprint("ns-", n)
		for i := range each {
			c := &caller{
				w: e, l: l, aws: aws, by: of(tenant, fmt.Sprint(i)), lateness: 20 * time.Millisecond,
				latency: 50 * time.Millisecond,
			}
			c.done = func() {
				if _, ok := first[tenant]; !ok {
					first[tenant] = e.now.Sub(epoch)
				}
			}
			e.after(e.between(0, 10*time.Second), c.arrivals)
		}
	}
	e.run(time.Hour)
	if aws.served != tenants*each || aws.refused != 0 {
		t.Errorf("AWS served %d and refused %d", aws.served, aws.refused)
	}
	if took, best := aws.lastDone.Sub(epoch).Seconds(), tenants*each/15.0; took > best/0.97 {
		t.Errorf("took %.1f s, want within 3 %% of %.1f s", took, best)
	}
	for tenant, at := range first {
		if at > tenants/15*time.Second+25*time.Second {
			t.Errorf("%s got its first call after %v", tenant, at)
		}
	}
	e.now = e.now.Add(time.Minute)
	l.Stats()
	if b := l.scopes[here].buckets[ControlPlane]; len(b.waiting)+len(b.reserved) != 0 ||
		!cmp.Equal(queue{}, b.queues[User], cmp.AllowUnexported(queue{})) {
		t.Errorf("something is left: %v waiting, %v reserved, %+v", b.waiting, b.reserved, b.queues[User])
	}
}

// TestTenantsAreDropped has tenants that come and go while another one waits all the time.
func TestTenantsAreDropped(t *testing.T) {
	e := newEnv(8)
	l, aws := New(e.clock, nil), newAWSSide(e)
	served, most, long := 0, 0, 0
	for i := range 3000 {
		c := &caller{
			w: e, l: l, aws: aws, by: of("long", fmt.Sprint(i)), lateness: 5 * time.Millisecond,
			latency: 20 * time.Millisecond,
		}
		c.done = func() { long++ }
		e.after(0, c.arrivals)
	}
	var arrive func()
	arrive = func() {
		c := &caller{w: e, l: l, aws: aws, by: of(fmt.Sprint("ns-", served), "one"), latency: 20 * time.Millisecond}
		c.done = func() {
			served++
			e.after(0, arrive)
		}
		most = max(most, len(l.scopes[here].buckets[ControlPlane].queues[User].tenants))
		c.arrivals()
	}
	e.after(time.Second, arrive)
	e.run(2 * time.Minute)
	t.Logf("%d tenants came and went, the one that waits got %d", served, long)
	if served < 500 || most > 5 {
		t.Errorf("%d tenants came and went, and %d were kept at most", served, most)
	}
	if long < 800 {
		t.Errorf("the tenant that waits got %d: those that come one after the other starve it", long)
	}
}

// TestFairBounds has tenants with long lines and a newcomer, and checks the bounds that the comment of queue derives.
func TestFairBounds(t *testing.T) {
	const tenants, largest = 5, 4
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // It is for a test.
	q := &queue{}
	var waiting []*entry
	join := func(name string, need int) *entry {
		e := &entry{caller: name, need: need}
		q.join(name, e)
		waiting = append(waiting, e)
		return e
	}
	serve := func() string {
		next := slices.MinFunc(waiting, func(a, b *entry) int { return q.position(a) - q.position(b) })
		waiting = slices.DeleteFunc(waiting, func(e *entry) bool { return e == next })
		q.granted(next)
		q.remove(next)
		return next.caller
	}
	for i := range 60 * tenants {
		join(strconv.Itoa(i%tenants), 1+random.IntN(largest))
	}
	for i := range 150 {
		serve()
		if low, high := slices.MinFunc(q.tenants, byGot), slices.MaxFunc(q.tenants, byGot); high.got-low.got > largest {
			t.Fatalf("after %d calls %s has got %d tokens and %s %d: more than %d apart", i+1, low.name, low.got,
				high.name, high.got, largest)
		}
		if i%10 > 0 {
			continue
		}
		n := 1 + random.IntN(largest)
		e := join("newcomer", n)
		if got, most := q.position(e), n+tenants*(n+largest); got > most {
			t.Fatalf("after %d calls a newcomer with a need of %d waits for %d tokens, want at most %d", i+1, n, got,
				most)
		}
		for last := ""; last != "newcomer"; {
			last = serve()
		}
	}
}

// TestTenantThatWasLate has a tenant that does not return for what it was promised while another one is served, and
// that comes with many entries then: they share but for the one that was promised, however much the other one has got.
func TestTenantThatWasLate(t *testing.T) {
	q := &queue{}
	var line []*entry
	join := func(name string, n int) {
		for range n {
			e := &entry{caller: name, need: 1}
			q.join(name, e)
			line = append(line, e)
		}
	}
	serve := func(n int, isReady func(e *entry) bool) map[string]int {
		got := map[string]int{}
		for range n {
			ready := slices.DeleteFunc(slices.Clone(line), func(e *entry) bool { return !isReady(e) })
			next := slices.MinFunc(ready, func(a, b *entry) int { return q.position(a) - q.position(b) })
			line = slices.DeleteFunc(line, func(e *entry) bool { return e == next })
			q.granted(next)
			q.remove(next)
			got[next.caller]++
		}
		return got
	}
	join("late", 1)
	join("other", 100)
	serve(50, func(e *entry) bool { return e.caller == "other" })
	join("late", 50)
	got := serve(40, func(*entry) bool { return true })
	if diff := cmp.Diff(map[string]int{"late": 1 + 20, "other": 19}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func byGot(a, b *tenant) int { return a.got - b.got }
