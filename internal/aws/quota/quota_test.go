package quota

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// small returns a limiter with a bucket of 2 that fills at 1 a second.
func small(e *env) *Limiter {
	return New(e.clock, map[Bucket]Rate{ControlPlane: {PerSecond: 1, Burst: 2}})
}

func user(id string) Caller { return Caller{ID: id, Priority: User} }

func TestReserve(t *testing.T) {
	type step struct {
		wait time.Duration
		h    Caller
		ops  []string
		want time.Duration
	}
	s := time.Second
	one := []string{"CreateFunction"}
	cases := map[string]struct {
		reason string
		steps  []step
	}{
		"Free": {"A full bucket makes nobody wait.", []step{
			{0, user("a"), one, 0},
			{0, user("b"), one, 0},
		}},
		"Reserved": {"A call that is reserved already is not reserved again.", []step{
			{0, user("z"), one, 0},
			{0, user("a"), one, 0},
			{0, user("a"), one, 0},
			{0, user("b"), one, s},
		}},
		"Order": {"Each is told the time of its own turn.", []step{
			{0, user("a"), []string{"CreateFunction", "TagResource"}, 0},
			{0, user("b"), one, 1 * s},
			{0, user("c"), one, 2 * s},
			{0, user("d"), one, 3 * s},
		}},
		"Early": {"Who comes back early is told the rest.", []step{
			{0, user("a"), []string{"CreateFunction", "TagResource"}, 0},
			{0, user("b"), one, 1 * s},
			{400 * time.Millisecond, user("b"), one, 600 * time.Millisecond},
		}},
		"Several": {"All reservations of a kind come together.", []step{
			{0, user("a"), []string{"CreateFunction"}, 0},
			{0, user("b"), []string{"CreateFunction", "TagResource"}, 1 * s},
			{1 * s, user("b"), []string{"CreateFunction", "TagResource"}, 0},
		}},
		"TooMany": {"More than a burst cannot be had at once: the rest is asked for later.", []step{
			{0, user("a"), []string{"CreateFunction", "TagResource", "UpdateAlias"}, 0},
		}},
		"OtherBucket": {"GetFunction has a quota of its own.", []step{
			{0, user("a"), []string{"CreateFunction", "TagResource"}, 0},
			{0, user("b"), []string{"GetFunction"}, 0},
			{0, user("b"), []string{"GetFunction", "UpdateFunctionCode"}, 1 * s},
		}},
		"NoQuota": {"Invoking is not limited here.", []step{
			{0, user("a"), []string{"CreateFunction", "TagResource"}, 0},
			{0, user("b"), []string{"Invoke"}, 0},
			{0, user("b"), nil, 0},
		}},
		"Newcomer": {"A newcomer does not take the token of one who is on the way back.", []step{
			{0, user("a"), []string{"CreateFunction", "TagResource"}, 0},
			{0, user("b"), one, 1 * s},
			{1 * s, user("c"), one, 1 * s},
			{0, user("b"), one, 0},
		}},
		"UserFirst": {"A user's change goes before polls that came earlier.", []step{
			{0, Caller{ID: "a"}, []string{"CreateFunction", "TagResource"}, 0},
			{0, Caller{ID: "b"}, one, 1 * s},
			{0, Caller{ID: "c"}, one, 2 * s},
			{0, user("d"), one, 1 * s},
			{1 * s, Caller{ID: "b"}, one, 1 * s},
			{0, user("d"), one, 0},
		}},
		"Promoted": {"A poll that has become a user's change moves up.", []step{
			{0, Caller{ID: "a"}, []string{"CreateFunction", "TagResource"}, 0},
			{0, Caller{ID: "b"}, one, 1 * s},
			{0, Caller{ID: "c"}, one, 2 * s},
			{0, user("c"), one, 1 * s},
		}},
		"Late": {"A caller that is late keeps its place, but a full bucket serves others.", []step{
			{0, user("a"), []string{"CreateFunction", "TagResource"}, 0},
			{0, user("b"), one, 1 * s},
			{0, user("c"), one, 2 * s},
			{0, user("d"), []string{"CreateFunction", "TagResource"}, 4 * s},
			// The bucket is full: d finds two.
			{4500 * time.Millisecond, user("d"), []string{"CreateFunction", "TagResource"}, 0},
			// b and c come before e, which is new.
			{0, user("b"), one, 1 * s},
			{0, user("e"), one, 3 * s},
			{0, user("c"), one, 2 * s},
		}},
		"Gone": {"A caller that does not return loses its place.", []step{
			{0, user("a"), []string{"CreateFunction", "TagResource"}, 0},
			{0, user("b"), one, 1 * s},
			{0, user("c"), one, 2 * s},
			{time.Minute, user("d"), []string{"CreateFunction", "TagResource"}, 0},
			{0, user("e"), one, 1 * s},
		}},
		"Spill": {"A bucket that is full is open to whom is there.", []step{
			{0, user("a"), []string{"CreateFunction", "TagResource"}, 0},
			{0, user("b"), one, 1 * s},
			{0, user("c"), one, 2 * s},
			{0, user("d"), one, 3 * s},
			{4 * s, user("e"), one, 0},
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(1)
			l := small(e)
			for i, st := range tc.steps {
				e.now = e.now.Add(st.wait)
				got := l.Reserve(here, st.h, st.ops...)
				if diff := cmp.Diff(st.want, got, cmp.Comparer(near)); diff != "" {
					t.Fatalf("\n%s\nstep %d: -want, +got:\n%s", tc.reason, i, diff)
				}
				// The first step empties the bucket: its calls are sent.
				if i == 0 {
					for range st.ops {
						l.take(here, ControlPlane, st.h)
					}
				}
			}
		})
	}
}

// near reports whether durations differ only by the rounding of an estimate.
func near(a, b time.Duration) bool { return (a - b).Abs() <= 2*time.Millisecond }

func TestReservationsExpire(t *testing.T) {
	e := newEnv(1)
	l := small(e)
	l.Reserve(here, user("a"), "CreateFunction", "TagResource")
	if wait := l.Reserve(here, user("b"), "CreateFunction"); wait == 0 {
		t.Fatal("b got a reservation that a has")
	}
	e.now = e.now.Add(4 * time.Second)
	if wait := l.Reserve(here, user("b"), "CreateFunction"); wait == 0 {
		t.Error("reservations are a's for five seconds")
	}
	e.now = e.now.Add(1100 * time.Millisecond)
	if wait := l.Reserve(here, user("b"), "CreateFunction"); wait != 0 {
		t.Errorf("a's reservations have expired, b waits %v still", wait)
	}
	if got := l.Stats()[ControlPlane].Reserved; got != 1 {
		t.Errorf("%d tokens are reserved, want b's alone", got)
	}
}

// TestClockSetBack checks that tokens go on to arrive, and a pause ends, after the clock was set back.
func TestClockSetBack(t *testing.T) {
	e := newEnv(1)
	l := small(e)
	e.now = e.now.Add(time.Hour)
	for _, id := range []string{"a", "b"} {
		if wait := l.take(here, ControlPlane, user(id)); wait != 0 {
			t.Errorf("%s waits for %s", id, wait)
		}
	}
	e.now = e.now.Add(-time.Hour)
	wait := l.Reserve(here, user("c"), "CreateFunction")
	e.now = e.now.Add(wait)
	if again := l.Reserve(here, user("c"), "CreateFunction"); again != 0 || !near(wait, time.Second) {
		t.Errorf("waits for %s, and then for %s", wait, again)
	}
	e.now = e.now.Add(time.Hour)
	l.throttled(here, ControlPlane, 10*time.Second)
	e.now = e.now.Add(-time.Hour)
	if wait := l.Reserve(here, user("d"), "CreateFunction"); wait > 12*time.Second {
		t.Errorf("waits for %s", wait)
	}
}

func TestReleaseAndForget(t *testing.T) {
	e := newEnv(1)
	l := small(e)
	l.Reserve(here, user("a"), "CreateFunction", "TagResource")
	l.Reserve(here, user("b"), "CreateFunction")
	l.Release(here, "a")
	if wait := l.Reserve(here, user("b"), "CreateFunction"); wait != 0 {
		t.Errorf("a gave its reservations back, b waits %v", wait)
	}
	l.Reserve(here, user("c"), "CreateFunction", "TagResource")
	l.Forget(here, "c")
	l.Forget(here, "unknown")
	if s := l.Stats()[ControlPlane]; s.WaitingUsers != 0 || s.Reserved != 1 {
		t.Errorf("want b's reservation only: %+v", s)
	}
}

func TestThrottle(t *testing.T) {
	e := newEnv(1)
	l := New(e.clock, map[Bucket]Rate{ControlPlane: {PerSecond: 10, Burst: 5}})
	stats := func() Stats { return l.Stats()[ControlPlane] }
	l.Reserve(here, user("a"), "CreateFunction")
	l.throttled(here, ControlPlane, 0)
	l.throttled(here, ControlPlane, 0)
	if s := stats(); s.Paused != time.Second || s.Rate != 7 {
		t.Errorf("two refusals at a time are one throttle: paused %v, rate %v", s.Paused, s.Rate)
	}
	if wait := l.take(here, ControlPlane, user("a")); !near(wait, time.Second) {
		t.Errorf("a's reservation waits %v, want the pause", wait)
	}
	if wait := l.Reserve(here, user("b"), "CreateFunction"); wait < time.Second {
		t.Errorf("b waits %v, want more than the pause", wait)
	}
	e.now = e.now.Add(1001 * time.Millisecond)
	if wait := l.take(here, ControlPlane, user("a")); wait != 0 {
		t.Errorf("a kept its reservation over the pause, but waits %v", wait)
	}
	e.now = e.now.Add(9 * time.Second)
	if s := stats(); s.Rate <= 8 || s.Rate >= 9 {
		t.Errorf("rate %v after 9 s, want it to recover by a sixtieth a second", s.Rate)
	}
	e.now = e.now.Add(time.Minute)
	if s := stats(); s.Rate != 10 {
		t.Errorf("rate %v after a minute, want all of it", s.Rate)
	}
	for range 20 {
		l.throttled(here, ControlPlane, 3*time.Second)
		e.now = e.now.Add(4 * time.Second)
	}
	if s := stats(); s.Rate < 1 || counted(t, l, "throttled") != 22 {
		t.Errorf("the rate has a floor: %+v", s)
	}
}

func TestScopesAreApart(t *testing.T) {
	e := newEnv(1)
	l := small(e)
	there := Scope{Account: here.Account, Region: "us-east-1"}
	l.Reserve(here, user("a"), "CreateFunction", "TagResource")
	if wait := l.Reserve(there, user("b"), "CreateFunction"); wait != 0 {
		t.Errorf("another region waits %v", wait)
	}
	want := []Scope{here, here, here, there, there, there}
	got := []Scope{}
	for _, s := range l.Stats() {
		got = append(got, s.Scope)
	}
	slices.SortFunc(got, func(a, b Scope) int { return strings.Compare(a.Region, b.Region) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Stats: -want, +got:\n%s", diff)
	}
}

func TestConcurrentUse(t *testing.T) {
	var mu sync.Mutex
	now := epoch
	l := New(func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Millisecond)
		return now
	}, nil)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				h := Caller{ID: fmt.Sprint(g, i%50), Priority: Priority(i % 2)}
				if l.Reserve(here, h, "GetFunction", "UpdateFunctionCode") == 0 {
					l.take(here, ControlPlane, h)
				}
				l.Stats()
				l.Release(here, h.ID)
			}
		})
	}
	wg.Wait()
	for _, s := range l.Stats() {
		if s.Reserved != 0 || s.Tokens < 0 {
			t.Errorf("%+v", s)
		}
	}
}

func TestBucketOf(t *testing.T) {
	cases := map[string]struct {
		service, operation string
		want               Bucket
	}{
		"Get":      {"Lambda", "GetFunction", GetFunction},
		"Policy":   {"Lambda", "GetPolicy", GetPolicy},
		"Create":   {"Lambda", "CreateFunction", ControlPlane},
		"List":     {"Lambda", "ListTags", ControlPlane},
		"Unknown":  {"Lambda", "SomethingNew", ControlPlane},
		"Invoke":   {"Lambda", "Invoke", Unlimited},
		"Durable":  {"Lambda", "StopDurableExecution", Unlimited},
		"Identity": {"STS", "GetCallerIdentity", Unlimited},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := BucketOf(tc.service, tc.operation); got != tc.want {
				t.Errorf("BucketOf(%s, %s): got %v, want %v", tc.service, tc.operation, got, tc.want)
			}
		})
	}
}
