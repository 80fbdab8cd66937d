package quota

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

var (
	epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	here  = Scope{Account: "123456789012", Region: "eu-west-1"}
)

// An env runs events in the order of their time, on a clock of its own.
type env struct {
	now    time.Time
	events eventHeap
	seq    int
	random *rand.Rand
}

func newEnv(seed uint64) *env {
	return &env{now: epoch, random: rand.New(rand.NewPCG(seed, 1))}
}

func (e *env) clock() time.Time { return e.now }

func (e *env) after(d time.Duration, fn func()) {
	e.seq++
	heap.Push(&e.events, event{at: e.now.Add(d), seq: e.seq, run: fn})
}

// run runs until no event is left, or until the end of the given time.
func (e *env) run(most time.Duration) {
	end := e.now.Add(most)
	for len(e.events) > 0 {
		entry := heap.Pop(&e.events).(event)
		if entry.at.After(end) {
			e.now = end
			return
		}
		e.now = entry.at
		entry.run()
	}
}

// between returns a random duration.
func (e *env) between(low, high time.Duration) time.Duration {
	return low + time.Duration(e.random.Int64N(int64(high-low)+1))
}

type event struct {
	at  time.Time
	seq int
	run func()
}

type eventHeap []event

func (h eventHeap) Len() int      { return len(h) }
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h eventHeap) Less(i, j int) bool {
	return h[i].at.Before(h[j].at) || h[i].at.Equal(h[j].at) && h[i].seq < h[j].seq
}
func (h *eventHeap) Push(x any) { *h = append(*h, x.(event)) }
func (h *eventHeap) Pop() any {
	e := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return e
}

// An awsSide counts requests as AWS does: a bucket of 15 that fills at 15 a second.
type awsSide struct {
	w        *env
	tokens   float64
	at       time.Time
	served   int
	refused  int
	lastDone time.Time
}

func newAWSSide(e *env) *awsSide { return &awsSide{w: e, tokens: 15, at: e.now} }

func (s *awsSide) arrive() bool {
	s.tokens = min(15, s.tokens+15*s.w.now.Sub(s.at).Seconds())
	s.at = s.w.now
	if s.tokens < 1 {
		s.refused++
		return false
	}
	s.tokens--
	s.served++
	s.lastDone = s.w.now
	return true
}

// A caller reserves one call, sends one call, and counts how often it had to return.
type caller struct {
	w        *env
	l        *Limiter
	aws      *awsSide
	by       Caller
	lateness time.Duration
	latency  time.Duration
	visits   int
	sent     time.Time
	done     func()
}

func (c *caller) arrivals() {
	c.visits++
	if wait := c.l.Reserve(here, c.by, "CreateFunction"); wait > 0 {
		c.w.after(wait+c.w.between(0, c.lateness), c.arrivals)
		return
	}
	c.w.after(c.w.between(0, c.lateness), c.send)
}

func (c *caller) send() {
	if wait := c.l.take(here, ControlPlane, c.by); wait > 0 {
		c.w.after(wait, c.arrivals)
		return
	}
	c.sent = c.w.now
	c.w.after(c.w.between(time.Millisecond, c.latency), func() {
		if !c.aws.arrive() {
			c.l.throttled(here, ControlPlane, 0)
			c.w.after(0, c.arrivals)
			return
		}
		if c.done != nil {
			c.done()
		}
	})
}

// TestFullRate has many concurrent callers, and checks what AWS receives.
func TestFullRate(t *testing.T) {
	cases := map[string]struct {
		reason            string
		callers           int
		spread            time.Duration
		lateness, latency time.Duration
		perCaller         float64
	}{
		"300": {"A namespace is applied at once.", 300, 0, 5 * time.Millisecond, 60 * time.Millisecond, 3},
		"300Late": {
			"Workers are busy, and the network is bad.", 300, 0, 100 * time.Millisecond,
			300 * time.Millisecond, 4,
		},
		"10000": {"A cluster is restored.", 10_000, 0, 20 * time.Millisecond, 100 * time.Millisecond, 3},
		"10000Spread": {
			"Arrivals outrun the quota.", 10_000, 5 * time.Minute, 20 * time.Millisecond,
			100 * time.Millisecond, 3,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(7)
			l, aws := New(e.clock, nil), newAWSSide(e)
			callers := make([]*caller, tc.callers)
			for i := range callers {
				callers[i] = &caller{
					w: e, l: l, aws: aws, by: Caller{ID: fmt.Sprint(i), Priority: User},
					lateness: tc.lateness, latency: tc.latency,
				}
				e.after(e.between(0, tc.spread), callers[i].arrivals)
			}
			e.run(time.Hour)

			if aws.refused != 0 {
				t.Errorf("%s\nAWS refused %d calls", tc.reason, aws.refused)
			}
			if aws.served != tc.callers {
				t.Fatalf("%s\nAWS served %d of %d", tc.reason, aws.served, tc.callers)
			}
			took, best := aws.lastDone.Sub(epoch).Seconds(), float64(tc.callers)/15
			t.Logf("took %.1f s, the quota's own time is %.1f s (%.1f %% of its rate)", took, best, 100*best/took)
			if took > best/0.97 {
				t.Errorf("%s\ntook %.1f s, want within 3 %% of %.1f s", tc.reason, took, best)
			}
			visits := 0
			for _, c := range callers {
				visits += c.visits
			}
			if per := float64(visits) / float64(tc.callers); per > tc.perCaller {
				t.Errorf("%s\n%.1f visits a caller, want at most %.1f: the estimates are bad", tc.reason, per,
					tc.perCaller)
			} else {
				t.Logf("%.2f visits a caller", per)
			}
			if s := l.Stats()[ControlPlane]; s.WaitingUsers != 0 || s.Reserved != 0 ||
				len(l.scopes[here].buckets[ControlPlane].waiting)+len(
					l.scopes[here].buckets[ControlPlane].reserved) != 0 {
				t.Errorf("%s\nsomething is left: %+v", tc.reason, s)
			}
		})
	}
}

// TestNoShows has callers of which half never return.
func TestNoShows(t *testing.T) {
	e := newEnv(3)
	l, aws := New(e.clock, nil), newAWSSide(e)
	const n = 600
	for i := range n {
		c := &caller{
			w: e, l: l, aws: aws, by: Caller{ID: fmt.Sprint(i), Priority: User},
			lateness: 5 * time.Millisecond, latency: 50 * time.Millisecond,
		}
		if i%2 == 0 {
			e.after(0, func() { l.Reserve(here, c.by, "CreateFunction") })
			continue
		}
		e.after(0, c.arrivals)
	}
	e.run(time.Hour)
	if aws.served != n/2 || aws.refused != 0 {
		t.Errorf("served %d, refused %d, want %d and 0", aws.served, aws.refused, n/2)
	}
	// Only the tokens of those that do not return are lost.
	if took := aws.lastDone.Sub(epoch); took > 50*time.Second {
		t.Errorf("took %v for the slots of %d", took, n)
	}
	e.now = e.now.Add(time.Hour)
	if s := l.Stats()[ControlPlane]; s.WaitingUsers != 0 || s.Reserved != 0 {
		t.Errorf("something is left: %+v", s)
	}
}

// TestPriorities has queued polls, then a user's change, then an endless number of users.
func TestPriorities(t *testing.T) {
	e := newEnv(5)
	l, aws := New(e.clock, nil), newAWSSide(e)
	polls := make([]*caller, 200)
	for i := range polls {
		polls[i] = &caller{
			w: e, l: l, aws: aws, by: Caller{ID: fmt.Sprint("poll", i)},
			lateness: 5 * time.Millisecond, latency: 30 * time.Millisecond,
		}
		e.after(0, polls[i].arrivals)
	}
	var change *caller
	e.after(2*time.Second, func() {
		change = &caller{
			w: e, l: l, aws: aws, by: Caller{ID: "change", Priority: User},
			latency: 30 * time.Millisecond,
		}
		change.arrivals()
	})
	e.run(4 * time.Second)
	if change.sent.IsZero() || change.sent.Sub(epoch) > 2500*time.Millisecond {
		t.Errorf("a user's change was sent at %v behind 200 polls", change.sent.Sub(epoch))
	}

	// From here on there are 30 users a second, twice what AWS allows.
	users := []*caller{}
	var arrive func()
	arrive = func() {
		u := &caller{
			w: e, l: l, aws: aws, by: Caller{ID: fmt.Sprint("user", len(users)), Priority: User},
			lateness: 5 * time.Millisecond, latency: 30 * time.Millisecond,
		}
		users = append(users, u)
		u.arrivals()
		e.after(time.Second/30, arrive)
	}
	arrive()
	before := count(polls)
	start, served := e.now, aws.served
	e.run(time.Minute)
	got, all := count(polls)-before, aws.served-served
	t.Logf("%d polls of %d calls in a minute", got, all)
	if got < 60 || got > 120 {
		t.Errorf("%d polls were sent in a minute of constant load, want about a tenth of %d", got, all)
	}
	if rate := float64(all) / e.now.Sub(start).Seconds(); rate < 14.3 {
		t.Errorf("rate %.2f/s, want the full rate", rate)
	}
	if aws.refused != 0 {
		t.Errorf("AWS refused %d", aws.refused)
	}
	for i := 1; i < len(users); i++ {
		if !users[i].sent.IsZero() && (users[i-1].sent.IsZero() || users[i-1].sent.Sub(users[i].sent) > time.Second) {
			t.Fatalf("user %d was sent long before user %d, who came first", i, i-1)
		}
	}
}

func count(cs []*caller) int {
	n := 0
	for _, c := range cs {
		if !c.sent.IsZero() {
			n++
		}
	}
	return n
}

// TestSharedQuota has another client that uses half of AWS's rate: the limiter must adapt to the throttles.
func TestSharedQuota(t *testing.T) {
	e := newEnv(11)
	l, aws := New(e.clock, nil), newAWSSide(e)
	const n = 1000
	left := n
	for i := range n {
		c := &caller{
			w: e, l: l, aws: aws, by: Caller{ID: fmt.Sprint(i), Priority: User},
			lateness: 5 * time.Millisecond, latency: 50 * time.Millisecond,
		}
		c.done = func() { left-- }
		e.after(0, c.arrivals)
	}
	others := 0
	var other func()
	other = func() {
		if aws.arrive() {
			others++
		}
		e.after(time.Second/8, other)
	}
	other()
	e.run(5 * time.Minute)
	throttled := counted(t, l, "throttled")
	t.Logf("%d left, the other tool got %d, %d calls throttled", left, others, throttled)
	if left != 0 {
		t.Errorf("%d callers are left after five minutes", left)
	}
	if throttled == 0 || throttled > n/5 {
		t.Errorf("%d of %d calls were throttled", throttled, n)
	}
}
