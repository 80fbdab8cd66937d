package reconcile

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// TestAttempts checks when the same call may be repeated.
func TestAttempts(t *testing.T) {
	start := time.Unix(1e9, 0)
	made := func(n int) *Repeats {
		a := &Repeats{}
		for range n {
			a.Record("UpdateThing", "value", start)
		}
		return a
	}
	cases := map[string]struct {
		reason   string
		attempts *Repeats
		changes  string
		after    time.Duration
		wait     time.Duration
		count    int
	}{
		"None": {reason: "A first call is made at once.", attempts: made(0), changes: "value"},
		"Once": {
			reason:   "AWS may show it in a moment.",
			attempts: made(1),
			changes:  "value",
			wait:     2 * time.Second,
			count:    1,
		},
		"Later": {
			reason:   "What has passed counts.",
			attempts: made(1),
			changes:  "value",
			after:    5 * time.Second,
			count:    1,
		},
		"Thrice": {
			reason:   "AWS does not take it.",
			attempts: made(3),
			changes:  "value",
			wait:     5 * time.Minute,
			count:    3,
		},
		"Often":  {reason: "The delay is bounded.", attempts: made(30), changes: "value", wait: time.Hour, count: 30},
		"Others": {reason: "Other changes are not the same.", attempts: made(3), changes: "size"},
		"LongAgo": {
			reason:   "After hours it is tried anew.",
			attempts: made(30),
			changes:  "value",
			after:    repeatsMaxAge,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if wait, count := tc.attempts.Delay(
				"UpdateThing",
				tc.changes,
				start.Add(tc.after),
			); wait != tc.wait ||
				count != tc.count {
				t.Errorf("%s\nwait %v, count %d; want %v, %d", tc.reason, wait, count, tc.wait, tc.count)
			}
		})
	}
}

// TestOtherwise has a call that AWS does not take hold up no other.
func TestOtherwise(t *testing.T) {
	tags, code := diff.Changes{{Path: "tags"}}, diff.Changes{{Path: "code"}}
	plan := Plan{Ready: Updating(1, "changing code, tags"), Changes: append(code, tags...)}.
		With(PlannedCall{Call: "TagThing", Applies: tags}, PlannedCall{Call: "UpdateThing", Applies: code, Slow: true})
	a, at := &Repeats{}, time.Unix(1e9, 0)
	next := func() (string, bool) {
		p := bounded(Facts{Repeats: a, Fresh: readcache.Freshness{Now: at}}, &v1beta1.Function{}, plan)
		if p.Call != "" {
			a.Record(p.Call, p.Applies.String(), at)
		}
		return p.Call, p.Slow
	}
	var got []string
	for range 4 {
		call, slow := next()
		if slow != (call == "UpdateThing") {
			t.Errorf("%s: slow is %t", call, slow)
		}
		got = append(got, call)
	}
	at = at.Add(3 * time.Second)
	call, _ := next()
	if diff := cmp.Diff([]string{"TagThing", "UpdateThing", "", "", "TagThing"}, append(got, call)); diff != "" {
		t.Errorf("calls: -want, +got:\n%s", diff)
	}
}

// TestSince checks that an answer that has led to a record does not count for another one.
func TestSince(t *testing.T) {
	at, recorded := time.Unix(1e9, 0), &Repeats{}
	recorded.Record(absenceReport, "", at)
	cases := map[string]struct {
		reason  string
		repeats *Repeats
		since   time.Time
		want    time.Time
	}{
		"None":  {reason: "Nothing is remembered.", since: at, want: at},
		"Other": {reason: "Nothing was reported.", repeats: &Repeats{}, since: at, want: at},
		"Recorded": {
			reason:  "What was read at that moment is what was reported.",
			repeats: recorded,
			since:   at.Add(-time.Minute),
			want:    at.Add(1),
		},
		"Later": {
			reason:  "A later answer is another one.",
			repeats: recorded,
			since:   at.Add(time.Second),
			want:    at.Add(time.Second),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.repeats.since(absenceReport, tc.since); !got.Equal(tc.want) {
				t.Errorf("%s\n%s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}
