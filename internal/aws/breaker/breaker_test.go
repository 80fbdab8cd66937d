package breaker

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var here = Key{Config: "c1", Region: "eu-west-1"}

// A world has breakers on a clock that stands still, without jitter.
type world struct {
	*Breakers

	now  time.Time
	told []Key
}

func newWorld() *world {
	w := &world{now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	w.Breakers = New(func() time.Time { return w.now }, func() float64 { return 0 })
	w.Watch(func(k Key) { w.told = append(w.told, k) })
	return w
}

// fail n calls of a reconcile.
func (w *world) fail(n int) {
	for range n {
		w.unanswered(here)
	}
}

// failLong enough for probes to be as seldom as they get.
func (w *world) failLong() {
	for range 10 {
		w.fail(most)
		w.now = w.now.Add(longestPause)
	}
	w.fail(most)
}

func TestEnter(t *testing.T) {
	const s = time.Second
	probe := func(w *world) (func(), time.Duration) { return w.Enter(here) }
	cases := map[string]struct {
		reason string
		do     func(w *world)
		want   time.Duration
		told   int
	}{
		"Unknown":  {reason: "A breaker is closed to begin with.", do: func(*world) {}},
		"AFew":     {reason: "A few calls without an answer may happen.", do: func(w *world) { w.fail(most - 1) }},
		"Answered": {reason: "An answer in between starts anew.", do: func(w *world) { w.fail(most - 1); w.answered(here); w.fail(most - 1) }},
		"Open":     {reason: "Calls in a row without an answer open it.", do: func(w *world) { w.fail(most) }, want: firstPause, told: 1},
		"UnderWay": {reason: "Calls that were under way then change nothing.", do: func(w *world) { w.fail(100) }, want: firstPause, told: 1},
		"Later":    {reason: "The rest of the time is told.", do: func(w *world) { w.fail(most); w.now = w.now.Add(2 * s) }, want: 3 * s, told: 1},
		"Probe":    {reason: "Once the time is over, one may probe.", do: func(w *world) { w.fail(most); w.now = w.now.Add(firstPause) }, told: 1},
		"OneProbe": {reason: "Only one.", do: func(w *world) { w.fail(most); w.now = w.now.Add(firstPause); probe(w) }, want: probing, told: 1},
		"InVain": {reason: "A probe in vain doubles the time.", do: func(w *world) {
			w.fail(most)
			w.now = w.now.Add(firstPause)
			leave, _ := probe(w)
			w.fail(2)
			leave()
		}, want: 2 * firstPause, told: 1},
		"NothingTold": {reason: "A probe that made no call is followed by another soon.", do: func(w *world) {
			w.fail(most)
			w.now = w.now.Add(firstPause)
			leave, _ := probe(w)
			leave()
			leave()
		}, want: soon, told: 1},
		"Closes": {reason: "The first answer closes it.", do: func(w *world) {
			w.fail(most)
			w.now = w.now.Add(firstPause)
			leave, _ := probe(w)
			w.answered(here)
			leave()
		}, told: 2},
		"Late": {reason: "So does one that was long under way.", do: func(w *world) { w.fail(most); w.answered(here) }, told: 2},
		"Longest": {reason: "It never stays open for long without a probe.", do: func(w *world) {
			for range 20 {
				w.fail(most)
				w.now = w.now.Add(longestPause)
			}
			w.fail(most)
		}, want: longestPause, told: 1},
		"Elsewhere": {reason: "Other regions and configs are not concerned.", do: func(w *world) {
			for range most {
				w.unanswered(Key{Config: here.Config, Region: "eu-west-2"})
				w.unanswered(Key{Config: "c2", Region: here.Region})
			}
		}, told: 2},
		"Changed": {reason: "One may probe a config that has changed at once.", do: func(w *world) { w.failLong(); w.Probe(here.Config) }, told: 1},
		"ChangedOneProbe": {reason: "Only one, however often it changes.", do: func(w *world) {
			w.failLong()
			w.Probe(here.Config)
			probe(w)
			w.Probe(here.Config)
		}, want: probing, told: 1},
		"ChangedInVain": {reason: "A probe in vain is followed by others as at first.", do: func(w *world) {
			w.failLong()
			w.Probe(here.Config)
			leave, _ := probe(w)
			w.fail(1)
			leave()
		}, want: firstPause, told: 1},
		"OtherChanged": {reason: "Another config's change says nothing.", do: func(w *world) { w.failLong(); w.Probe("c2") }, want: longestPause, told: 1},
		"Forgotten":    {reason: "A config that is gone is forgotten.", do: func(w *world) { w.fail(most); w.Forget(here.Config) }, told: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			tc.do(w)
			_, got := w.Enter(here)
			if got != tc.want || len(w.told) != tc.told {
				t.Errorf("%s\nwaits %s, want %s; %d changes were told, want %d", tc.reason, got, tc.want, len(w.told), tc.told)
			}
		})
	}
}

func TestOpen(t *testing.T) {
	w := newWorld()
	for _, r := range []string{"us-east-1", "eu-west-1", "ap-south-1"} {
		for range most {
			w.unanswered(Key{Config: "c1", Region: r})
		}
	}
	w.unanswered(Key{Config: "c1", Region: "eu-west-2"})
	if diff := cmp.Diff([]string{"ap-south-1", "eu-west-1", "us-east-1"}, w.Open("c1")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got := w.Open("c2"); got != nil {
		t.Errorf("another config's are open: %v", got)
	}
	w.now = w.now.Add(idle)
	w.Enter(Key{Config: "c1", Region: "eu-west-1"})
	w.now = w.now.Add(time.Minute)
	if diff := cmp.Diff([]string{"eu-west-1"}, w.Open("c1")); diff != "" || len(w.circuits) != 1 {
		t.Errorf("what nobody asks for is forgotten: -want, +got:\n%s", diff)
	}
}

func TestJitter(t *testing.T) {
	w := newWorld()
	w.random = func() float64 { return 0.5 }
	w.fail(most)
	if _, got := w.Enter(here); got != firstPause+firstPause/4 {
		t.Errorf("want a quarter more, got %s", got)
	}
}

func TestNil(t *testing.T) {
	var b *Breakers
	leave, wait := b.Enter(here)
	leave()
	b.Probe("c1")
	b.Forget("c1")
	if wait != 0 || b.IsOpen(here) || b.Open("c1") != nil {
		t.Error("no breakers let all pass")
	}
}
