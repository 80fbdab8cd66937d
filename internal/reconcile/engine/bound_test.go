package engine

import (
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// reconciles observes, and makes the call that is due, once in each interval of a time, and returns the last Ready
// condition. Unlike the runtime, it does not record that something was created.
func reconciles(
	t *testing.T,
	c *fakeExternal,
	mg *flowSample,
	a *reconcile.Repeats,
	from time.Time,
	span, interval time.Duration,
) xpv2.Condition {
	t.Helper()
	for at := from; at.Before(from.Add(span)); at = at.Add(interval) {
		f := reconcile.Facts{Repeats: a, Fresh: readcache.Freshness{Now: at}}
		out, err := c.resource(reconcile.Calls{Create: "CreateThing", Delete: "DeleteThing"}).
			Observe(t.Context(), f, mg)
		if err != nil {
			t.Fatal(err)
		}
		mg.SetConditions(out.Ready)
		if out.Call == nil {
			continue
		}
		if _, err := out.Call.Do(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return mg.GetCondition(xpv2.TypeReady)
}

// TestAcceptedAndNotShown bounds how often a call is made that AWS accepts each time and
// whose effect it never shows.
func TestAcceptedAndNotShown(t *testing.T) {
	cases := map[string]struct {
		reason  string
		there   bool
		mg      *flowSample
		call    string
		message string

		// again is the time until another generation is tried: AWS has to say twice that something does not exist.
		again time.Duration
	}{
		"Update": {
			again:   time.Second,
			reason:  "A setting that AWS does not show.",
			there:   true,
			mg:      newExternalSample(),
			call:    "Update",
			message: "AWS has accepted a change of Value at least 3 times, but it is not visible",
		},
		"Create": {
			again:   3 * time.Second,
			reason:  "Something that a list never has.",
			mg:      newExternalSample(unnamed),
			call:    "Create",
			message: "AWS has accepted CreateThing at least 3 times, but it is not visible",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &fakeExternal{there: tc.there, value: "b", stubborn: true}
			a, start := &reconcile.Repeats{}, time.Unix(1e9, 0)
			count := func() int { return strings.Count(strings.Join(c.calls, " "), tc.call) }

			ready := reconciles(t, c, tc.mg, a, start, 2*time.Second, time.Second)
			if ready.Reason == xpv2.ReasonUnavailable || count() != 1 {
				t.Errorf("%s\nAfter a moment: %d calls, %+v", tc.reason, count(), ready)
			}
			ready = reconciles(t, c, tc.mg, a, start.Add(2*time.Second), time.Minute, time.Second)
			if count() != reconcile.ManyRepeats || ready.Reason != xpv2.ReasonUnavailable ||
				!strings.HasPrefix(ready.Message, tc.message) {
				t.Errorf("%s\nAfter a minute: %d calls, %+v", tc.reason, count(), ready)
			}
			reconciles(t, c, tc.mg, a, start.Add(time.Minute), 24*time.Hour, time.Minute)
			if count() < 20 || count() > 40 {
				t.Errorf("%s\nIn a day there were %d calls, want about one an hour", tc.reason, count())
			}
			was := count()
			reconciles(t, c, tc.mg, &reconcile.Repeats{}, start.Add(25*time.Hour), tc.again, time.Second)
			if count() != was+1 {
				t.Errorf("%s\nAnother generation of the resource was not tried at once", tc.reason)
			}
		})
	}
}

// TestShown has what AWS shows forgotten: what differs a week later is drift of its own.
func TestShown(t *testing.T) {
	c, mg, a, start := &fakeExternal{
		there: true,
		value: "b",
	}, newExternalSample(), &reconcile.Repeats{}, time.Unix(
		1e9,
		0,
	)
	for i := range 5 {
		c.value = "b"
		ready := reconciles(t, c, mg, a, start.Add(time.Duration(i)*4*time.Second), 3*time.Second, time.Second)
		if ready.Reason != xpv2.ReasonAvailable || c.value != "a" {
			t.Errorf("round %d: value %q, %+v", i, c.value, ready)
		}
	}
}

// TestDeletionNotShown looks at what AWS still shows after it has accepted the deletion
// ever more seldom, and deletes it no oftener.
func TestDeletionNotShown(t *testing.T) {
	start := time.Unix(1, 0)
	c, mg, a := &fakeExternal{
		there:    true,
		value:    "a",
		stubborn: true,
	}, newExternalSample(
		deletedSample,
	), &reconcile.Repeats{}
	at, deletions := start, 0
	for at.Before(start.Add(time.Hour)) {
		f := reconcile.Facts{Repeats: a, Fresh: readcache.Freshness{Now: at}}
		done := Once(t.Context(), c.resource(reconcile.Calls{Create: "CreateThing", Delete: "DeleteThing"}), f, mg, nil)
		if done.Called != reconcile.ToDelete || done.Err != nil || done.Later != nil {
			t.Fatalf("called %q, %v, %v", done.Called, done.Err, done.Later)
		}
		if deletions++; deletions == 1 && done.After > time.Second {
			t.Errorf("after the first deletion it comes back after %v, want at once", done.After)
		}
		at = at.Add(done.After)
	}
	if deletions > 36 {
		t.Errorf("%d deletions in an hour", deletions)
	}
	if m := mg.GetCondition(
		xpv2.TypeReady,
	).Message; m != "AWS has accepted the deletion, but the resource still exists" {
		t.Errorf("Ready says %q", m)
	}
}

// TestDeferral tells of a change that AWS puts off again and again.
func TestDeferral(t *testing.T) {
	a, at := &reconcile.Repeats{}, time.Unix(1e9, 0)
	update := func(c *fakeExternal) (aborted bool, err error) {
		f := reconcile.Facts{Repeats: a, Fresh: readcache.Freshness{Now: at}}
		done := Once(t.Context(), c.resource(reconcile.Calls{}), f, newExternalSample(), nil)
		if done.Called != reconcile.ToUpdate {
			t.Fatalf("called %q", done.Called)
		}
		at = at.Add(time.Second)
		return done.Later != nil, done.Err
	}
	busy := &fakeExternal{
		there: true,
		value: "b",
		fail: map[string]error{
			"Update": api("ResourceConflictException", "The operation cannot be performed at this time."),
		},
	}
	for range reconcile.MaxDeferrals {
		if aborted, err := update(busy); !aborted || err != nil {
			t.Fatalf("aborted %t, %v", aborted, err)
		}
	}
	if aborted, err := update(
		busy,
	); aborted || err == nil ||
		!strings.HasPrefix(err.Error(), "AWS has rejected every change for a while") {
		t.Errorf("in the end: aborted %t, %v", aborted, err)
	}
	if _, err := update(&fakeExternal{there: true, value: "b"}); err != nil {
		t.Fatal(err)
	}
	at = at.Add(time.Minute)
	if aborted, err := update(busy); !aborted || err != nil {
		t.Errorf("after a change that was taken: aborted %t, %v", aborted, err)
	}
}
