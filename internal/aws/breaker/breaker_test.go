package breaker

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
)

var here = Key{Config: "c1", Region: "eu-west-1"}

// An env has breakers without jitter, and a clock that the test sets.
type env struct {
	*Breakers

	now      time.Time
	notified []Key
}

func newEnv() *env {
	e := &env{now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	e.Breakers = New(func() time.Time { return e.now }, func() float64 { return 0 })
	e.Watch(func(k Key) { e.notified = append(e.notified, k) })
	return e
}

// fail counts n calls of one reconcile without an answer.
func (e *env) fail(n int) {
	for range n {
		e.unanswered(here)
	}
}

// failLong fails until the pause between probes is the longest.
func (e *env) failLong() {
	for range 10 {
		e.fail(most)
		e.now = e.now.Add(longestPause)
	}
	e.fail(most)
}

func TestEnter(t *testing.T) {
	const s = time.Second
	probe := func(e *env) (func(), time.Duration) { return e.Enter(here, "shop") }
	cases := map[string]struct {
		reason   string
		do       func(e *env)
		want     time.Duration
		notified int
	}{
		"Unknown": {reason: "A breaker is closed to begin with.", do: func(*env) {}},
		"AFew":    {reason: "A few calls without an answer may happen.", do: func(e *env) { e.fail(most - 1) }},
		"Answered": {
			reason: "An answer in between starts anew.",
			do:     func(e *env) { e.fail(most - 1); e.answered(here, true); e.fail(most - 1) },
		},
		"Open": {
			reason: "Calls in a row without an answer open it.", do: func(e *env) { e.fail(most) },
			want: firstPause, notified: 1,
		},
		"UnderWay": {
			reason: "Calls that were under way then change nothing.", do: func(e *env) { e.fail(100) },
			want: firstPause, notified: 1,
		},
		"Later": {
			reason: "The remaining time is returned.",
			do:     func(e *env) { e.fail(most); e.now = e.now.Add(2 * s) }, want: 3 * s, notified: 1,
		},
		"Probe": {
			reason: "Once the time is over, one may probe.",
			do:     func(e *env) { e.fail(most); e.now = e.now.Add(firstPause) }, notified: 1,
		},
		"OneProbe": {
			reason: "Only one.", do: func(e *env) { e.fail(most); e.now = e.now.Add(firstPause); probe(e) },
			want: probing, notified: 1,
		},
		"InVain": {reason: "A probe in vain doubles the time.", do: func(e *env) {
			e.fail(most)
			e.now = e.now.Add(firstPause)
			release, _ := probe(e)
			e.fail(2)
			release()
		}, want: 2 * firstPause, notified: 1},
		"NothingTold": {reason: "A probe that made no call is followed by another soon.", do: func(e *env) {
			e.fail(most)
			e.now = e.now.Add(firstPause)
			release, _ := probe(e)
			release()
			release()
		}, want: soon, notified: 1},
		"Closes": {reason: "The first answer closes it.", do: func(e *env) {
			e.fail(most)
			e.now = e.now.Add(firstPause)
			release, _ := probe(e)
			e.answered(here, true)
			release()
		}, notified: 2},
		"Earlier": {reason: "A reconcile from before the failures ends no probe.", do: func(e *env) {
			e.fail(1)
			earlier, _ := probe(e)
			e.fail(most - 1)
			e.now = e.now.Add(firstPause)
			probe(e)
			earlier()
			e.now = e.now.Add(2 * soon)
		}, want: probing, notified: 1},
		"Late": {
			reason: "The response to a call from before the failures closes the circuit.",
			do:     func(e *env) { e.fail(most); e.answered(here, true) }, notified: 2,
		},
		"Longest": {reason: "The circuit is open for a limited time before it allows a probe.", do: func(e *env) {
			for range 20 {
				e.fail(most)
				e.now = e.now.Add(longestPause)
			}
			e.fail(most)
		}, want: longestPause, notified: 1},
		"Elsewhere": {reason: "Other regions and configs are not concerned.", do: func(e *env) {
			for range most {
				e.unanswered(Key{Config: here.Config, Region: "eu-west-2"})
				e.unanswered(Key{Config: "c2", Region: here.Region})
			}
		}, notified: 2},
		"Changed": {
			reason: "One may probe a config that has changed at once.",
			do:     func(e *env) { e.failLong(); e.Probe(here.Config) }, notified: 1,
		},
		"ChangedOneProbe": {reason: "Only one, however often it changes.", do: func(e *env) {
			e.failLong()
			e.Probe(here.Config)
			probe(e)
			e.Probe(here.Config)
		}, want: probing, notified: 1},
		"ChangedInVain": {reason: "A probe in vain is followed by others as at first.", do: func(e *env) {
			e.failLong()
			e.Probe(here.Config)
			release, _ := probe(e)
			e.fail(1)
			release()
		}, want: firstPause, notified: 1},
		"OtherChanged": {
			reason: "A change of another config has no effect.",
			do:     func(e *env) { e.failLong(); e.Probe("c2") }, want: longestPause, notified: 1,
		},
		"Forgotten": {
			reason: "A config that is gone is forgotten.",
			do:     func(e *env) { e.fail(most); e.Forget(here.Config) }, notified: 1,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv()
			tc.do(e)
			_, got := e.Enter(here, "shop")
			if got != tc.want || len(e.notified) != tc.notified {
				t.Errorf("%s\nwaits %s, want %s; %d changes were told, want %d", tc.reason, got, tc.want,
					len(e.notified), tc.notified)
			}
		})
	}
}

func TestOpen(t *testing.T) {
	e := newEnv()
	e.unanswered(Key{Config: "c1", Region: "eu-west-2"})
	for _, r := range []string{"us-east-1", "eu-west-1", "ap-south-1"} {
		for range most {
			e.unanswered(Key{Config: "c1", Region: r})
		}
	}
	if diff := cmp.Diff([]string{"ap-south-1", "eu-west-1", "us-east-1"}, e.Open("c1")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got := e.Open("c2"); got != nil {
		t.Errorf("another config's are open: %v", got)
	}
	e.now = e.now.Add(idle)
	e.Enter(Key{Config: "c1", Region: "eu-west-1"}, "shop")
	e.now = e.now.Add(time.Minute)
	if diff := cmp.Diff([]string{"eu-west-1"}, e.Open("c1")); diff != "" || len(e.configs["c1"].circuits) != 1 {
		t.Errorf("what nobody asks for is forgotten: -want, +got:\n%s", diff)
	}
}

// TestUnprovenRegions has regions that have not answered lately, if ever.
func TestUnprovenRegions(t *testing.T) {
	at := func(region string) Key { return Key{Config: here.Config, Region: region} }
	hang := func(e *env, regions int) {
		for i := range regions {
			e.unanswered(at(fmt.Sprintf("eu-south-%d", i)))
		}
	}
	enter := func(e *env, n int, tenant string) (releases []func()) {
		for i := range n {
			if release, wait := e.Enter(at(fmt.Sprintf("us-east-%d", i)), tenant); wait == 0 {
				releases = append(releases, release)
			}
		}
		return releases
	}
	cases := map[string]struct {
		reason string
		do     func(e *env) time.Duration
		want   time.Duration
	}{
		"Known": {reason: "A region that answers may be called by all.", do: func(e *env) time.Duration {
			e.answered(here, true)
			enter(e, 100, "evil")
			return waits(e, here, "evil")
		}},
		"New": {
			reason: "A few reconciles may find out whether a region answers.",
			do:     func(e *env) time.Duration { enter(e, 2, "evil"); return waits(e, here, "evil") },
		},
		"TooMany": {
			reason: "No more may at a time: the others wait for the answer, which takes some milliseconds.",
			do:     func(e *env) time.Duration { enter(e, 3, "evil"); return waits(e, here, "evil") },
			want:   briefly,
		},
		"Long": {reason: "The longer there is no answer, the longer the others wait.", do: func(e *env) time.Duration {
			enter(e, 3, "evil")
			e.now = e.now.Add(time.Second)
			return waits(e, here, "evil")
		}, want: time.Second},
		"Longest": {reason: "The others wait for a limited time.", do: func(e *env) time.Duration {
			enter(e, 3, "evil")
			e.now = e.now.Add(time.Minute)
			return waits(e, here, "evil")
		}, want: crowded},
		"Ended": {reason: "One of the few has ended.", do: func(e *env) time.Duration {
			enter(e, 3, "evil")[0]()
			return waits(e, here, "evil")
		}},
		"Tenant": {reason: "Another tenant of the config has a share of its own.", do: func(e *env) time.Duration {
			hang(e, most)
			enter(e, 100, "evil")
			return waits(e, here, "good")
		}},
		"Answers": {reason: "A region that has answered lately is not limited.", do: func(e *env) time.Duration {
			e.answered(here, true)
			e.now = e.now.Add(idle / 2)
			hang(e, most)
			enter(e, 100, "evil")
			return waits(e, here, "evil")
		}},
		"LongAgo": {reason: "It is limited if it has answered long ago.", do: func(e *env) time.Duration {
			e.answered(here, true)
			e.now = e.now.Add(idle)
			enter(e, 100, "evil")
			return waits(e, here, "evil")
		}, want: briefly},
		"AnsweredOnce": {reason: "A region that does not answer any more is limited.", do: func(e *env) time.Duration {
			e.answered(here, true)
			e.unanswered(here)
			enter(e, 100, "evil")
			return waits(e, here, "evil")
		}, want: briefly},
		"Opens": {
			reason: "If other regions of the config do not answer, one call without an answer opens the breaker of a region.",
			do: func(e *env) time.Duration {
				hang(e, most)
				e.unanswered(here)
				return waits(e, here, "evil")
			},
			want: firstPause,
		},
		"Probes": {reason: "Probes of open breakers count.", do: func(e *env) time.Duration {
			hang(e, most)
			e.unanswered(here)
			e.now = e.now.Add(firstPause)
			enter(e, 3, "evil")
			return waits(e, here, "evil")
		}, want: probing},
		"Elsewhere": {reason: "Other configs are not concerned.", do: func(e *env) time.Duration {
			hang(e, most)
			enter(e, 100, "evil")
			return waits(e, Key{Config: "c2", Region: here.Region}, "evil")
		}},
		"Half": {
			reason: "Each tenant has one reconcile at a time while many call new regions.",
			do: func(e *env) time.Duration {
				for i := range maxTrying / maxUnproven / 2 {
					enter(e, 3, strconv.Itoa(i))
				}
				enter(e, 1, "evil")
				return waits(e, here, "evil")
			},
			want: briefly,
		},
		"Configs": {reason: "A tenant may have any number of configs.", do: func(e *env) time.Duration {
			for i := range maxOfTenant {
				waits(e, Key{Config: types.UID(strconv.Itoa(i)), Region: here.Region}, "evil")
			}
			return waits(e, here, "evil")
		}, want: soon},
		"OtherTenant": {reason: "Those of other tenants do not count.", do: func(e *env) time.Duration {
			for i := range maxOfTenant {
				waits(e, Key{Config: types.UID(strconv.Itoa(i)), Region: here.Region}, "evil")
			}
			return waits(e, here, "good")
		}},
		"All": {reason: "The reconciles of all tenants are limited.", do: func(e *env) time.Duration {
			for i := range 2 * maxTrying {
				enter(e, 1, strconv.Itoa(i))
			}
			return waits(e, here, "evil")
		}, want: soon},
		"Failing": {reason: "Where a call had no answer, fewer may find out.", do: func(e *env) time.Duration {
			hang(e, 1)
			for i := range maxFailing {
				enter(e, 1, strconv.Itoa(i))
			}
			return waits(e, here, "evil")
		}, want: soon},
		"NotFailing": {reason: "They leave room for configs that are new.", do: func(e *env) time.Duration {
			hang(e, 1)
			for i := range 2 * maxFailing {
				enter(e, 1, strconv.Itoa(i))
			}
			return waits(e, Key{Config: "c2", Region: here.Region}, "good")
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv()
			if got := tc.do(e); got != tc.want {
				t.Errorf("%s\nwaits %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

func waits(e *env, k Key, tenant string) time.Duration {
	_, wait := e.Enter(k, tenant)
	return wait
}

// TestRegionsAreBounded has more regions without an answer than AWS has.
func TestRegionsAreBounded(t *testing.T) {
	e := newEnv()
	for i := range 10 * maxRegions {
		e.now = e.now.Add(time.Millisecond)
		e.fail(1)
		e.unanswered(Key{Config: here.Config, Region: strconv.Itoa(i)})
	}
	if n := len(e.configs[here.Config].circuits); n != maxRegions || !e.IsOpen(here) {
		t.Errorf("%d breakers are kept, want %d, with the one in use: %t", n, maxRegions, e.IsOpen(here))
	}
}

func TestJitter(t *testing.T) {
	e := newEnv()
	e.random = func() float64 { return 0.5 }
	e.fail(most)
	if _, got := e.Enter(here, "shop"); got != firstPause+firstPause/4 {
		t.Errorf("want a quarter more, got %s", got)
	}
}

func TestNil(t *testing.T) {
	var b *Breakers
	release, wait := b.Enter(here, "shop")
	release()
	b.Probe("c1")
	if wait != 0 || b.IsOpen(here) {
		t.Error("no breakers let all pass")
	}
}

func TestReachable(t *testing.T) {
	cases := map[string]struct {
		reason string
		do     func(e *env)
		want   bool
	}{
		"Unknown": {reason: "Nothing is known before the first call.", do: func(*env) {}},
		"Served":  {reason: "AWS has served a call.", do: func(e *env) { e.answered(here, true) }, want: true},
		"Failed":  {reason: "AWS has answered, but served nothing.", do: func(e *env) { e.answered(here, false) }},
		"FailedNow": {
			reason: "AWS served a call, and the next one failed.",
			do:     func(e *env) { e.answered(here, true); e.answered(here, false) },
		},
		"Unanswered": {
			reason: "AWS served a call, and did not answer the next one.",
			do:     func(e *env) { e.answered(here, true); e.fail(1) },
		},
		"Again": {
			reason: "AWS serves calls again.", do: func(e *env) { e.fail(most); e.answered(here, true) },
			want: true,
		},
		"Recently": {
			reason: "It was less than a minute ago.",
			do:     func(e *env) { e.answered(here, true); e.now = e.now.Add(reliable - 1) }, want: true,
		},
		"LongAgo": {
			reason: "It was a minute ago.",
			do:     func(e *env) { e.answered(here, true); e.now = e.now.Add(reliable) },
		},
		"Forgotten": {
			reason: "The config was deleted.",
			do:     func(e *env) { e.answered(here, true); e.Forget(here.Config) },
		},
		"Elsewhere": {
			reason: "Another region has another endpoint.",
			do:     func(e *env) { e.answered(Key{Config: here.Config, Region: "eu-west-2"}, true) },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv()
			tc.do(e)
			if got := e.Reachable(here); got != tc.want {
				t.Errorf("%s\nReachable: want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
	var none *Breakers
	if none.Reachable(here) {
		t.Error("Without breakers, nothing is known.")
	}
}

// TestServedIsForgotten checks that keys that are not used any more take no memory.
func TestServedIsForgotten(t *testing.T) {
	e := newEnv()
	for i := range 100 {
		e.answered(Key{Config: types.UID(strconv.Itoa(i)), Region: here.Region}, true)
	}
	e.now = e.now.Add(idle)
	e.answered(here, true)
	if len(e.configs) != 1 {
		t.Errorf("%d configs are kept, want 1", len(e.configs))
	}
}
