package listpoll

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

func TestRound(t *testing.T) {
	const n = 1000
	e := newEnv(t, Options{})
	e.exist(n)
	e.watch(n, e.now)
	if got := e.run(interval); got != n/pageSize {
		t.Errorf("%d calls in the first interval, want %d", got, n/pageSize)
	}
	for round := range 10 {
		before := len(e.calls)
		if got := e.run(interval); got > n/pageSize {
			t.Errorf("round %d: %d calls, want at most %d", round, got, n/pageSize)
		}
		for i := before + 1; i < len(e.calls); i++ {
			if gap := e.calls[i].Sub(e.calls[i-1]); gap < interval/(2*n/pageSize)/2 {
				t.Errorf("round %d: two pages within %s: they should be spread over the interval", round, gap)
			}
		}
		e.reconcile(n)
		if diff := cmp.Diff(map[State]int{Unchanged: n}, e.states(n)); diff != "" {
			t.Errorf("round %d: -want, +got:\n%s", round, diff)
		}
	}
	if len(e.notified) > 0 {
		t.Errorf("%d resources were reconciled although nothing changed", len(e.notified))
	}
}

// TestCallsOfLargeFleets counts the calls for large fleets in a poll interval: pages, and full reads of
// single resources.
func TestCallsOfLargeFleets(t *testing.T) {
	for n, most := range map[int]int{1000: 60, 10_000: 250, 30_000: 650} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			e := newEnv(t, Options{})
			e.exist(n)
			e.watch(n, time.Time{})
			e.run(interval)
			pages, reads, pending := 0, 0, 0
			const rounds = 3
			for range rounds * 10 {
				pages += e.run(interval / 10)
				for i := range n {
					switch uid := uidOf(i); e.Check(uid, e.session).State {
					case Unknown:
						reads++
						e.watchOne(i, e.resources[uid].ref.ID, e.now)
					case Pending:
						pending++
					case Unchanged:
					}
				}
			}
			t.Logf("%d resources: %d pages and %d full reads in an interval", n, pages/rounds, reads/rounds)
			if got := (pages + reads) / rounds; got > most || pending > 0 {
				t.Errorf("%d calls in an interval, want at most %d; %d times a resource was not checked yet, want none",
					got, most, pending)
			}
		})
	}
}

func TestAgeOfWhatIsBelieved(t *testing.T) {
	const n = 500
	e := newEnv(t, Options{})
	e.exist(n)
	e.watch(n, e.now)
	e.run(2 * interval)
	oldest := time.Duration(0)
	for range 300 {
		e.run(interval / 60)
		for _, it := range e.lists[keyOf(e.session, e.list)].items {
			oldest = max(oldest, e.now.Sub(it.readAt))
		}
	}
	if most := interval + interval/20; oldest > most {
		t.Errorf("an item was not read for %s, want at most %s", oldest, most)
	}
}

func TestDifference(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(e *env, id string)
	}{
		"Revision": {
			reason: "The revision of a function that someone has changed is another one.",
			change: func(e *env, id string) { e.revisions[id] = "r2" },
		},
		"Fingerprint": {
			reason: "AWS may change what it shows without a new revision.",
			change: func(e *env, id string) { e.prints[id] = 2 },
		},
		"Deleted": {
			reason: "A function that a whole round does not show is deleted.",
			change: func(e *env, id string) { delete(e.revisions, id) },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			const n, changed = 200, 77
			e := newEnv(t, Options{FullReadSpacing: time.Hour})
			e.exist(n)
			e.watch(n, time.Time{})
			e.run(interval)
			id := e.ids()[changed]
			tc.change(e, id)
			e.run(2 * interval)
			if got := e.notified[uidOf(changed)]; got != 1 {
				t.Errorf("%s\nthe resource was reconciled %d times because of it, want once", tc.reason, got)
			}
			if len(e.notified) != 1 {
				t.Errorf("%d resources were reconciled, want 1", len(e.notified))
			}
			if s := e.Check(uidOf(changed), e.session).State; s != Unknown {
				t.Errorf("%s\nCheck() is %v, want Unknown", tc.reason, s)
			}
			if name == "Deleted" {
				return
			}
			e.watchOne(changed, id, e.now) // The full read has found and corrected it.
			e.run(2 * interval)
			if s := e.Check(uidOf(changed), e.session).State; s != Unchanged || e.notified[uidOf(changed)] != 1 {
				t.Errorf("after the full read: Check() is %v and %d calls of notify, want Unchanged and 1", s,
					e.notified[uidOf(changed)])
			}
		})
	}
}

func TestLateList(t *testing.T) {
	e := newEnv(t, Options{})
	e.exist(100)
	e.watch(100, e.now)
	e.run(interval)
	id := e.ids()[3]
	e.Watch(uidOf(3), e.session, &Ref{List: e.list, ID: id, Revision: "r2"}, e.now,
		func() { t.Error("a list that is late was believed") })
	if s := e.Check(uidOf(3), e.session).State; s != Pending {
		t.Errorf("Check() is %v right after a full read that is newer than the list, want Pending", s)
	}
	e.revisions[id] = "r2"
	e.run(interval)
	if s := e.Check(uidOf(3), e.session).State; s != Unchanged {
		t.Errorf("Check() is %v once the list shows the revision, want Unchanged", s)
	}
}

// TestDeletedTwice checks that a function is noticed as deleted again after it was created again.
func TestDeletedTwice(t *testing.T) {
	e := newEnv(t, Options{})
	e.exist(100)
	e.watch(100, e.now)
	e.run(2 * interval)
	id := e.ids()[3]
	for times := 1; times <= 2; times++ {
		delete(e.revisions, id)
		e.run(2 * interval)
		if got := e.notified[uidOf(3)]; got != times {
			t.Errorf("after %d deletions, %d reconciles were requested", times, got)
		}
		e.revisions[id] = fmt.Sprint("again ", times)
		e.watchOne(3, id, e.now)
		e.run(2 * interval)
	}
}

// TestNeverAgrees is about an endpoint whose lists show other revisions than its single reads.
func TestNeverAgrees(t *testing.T) {
	const n = 200
	e := newEnv(t, Options{})
	e.exist(n)
	for i, id := range e.ids() {
		e.Watch(uidOf(i), e.session, &Ref{List: e.list, ID: id, Revision: "other"}, e.now.Add(-time.Hour),
			func() { e.notified[uidOf(i)]++ })
	}
	e.run(2 * interval)
	if len(e.notified) != n {
		t.Errorf("%d resources were reconciled, want all %d once", len(e.notified), n)
	}
	for i, id := range e.ids() {
		e.Watch(uidOf(i), e.session, &Ref{List: e.list, ID: id, Revision: "other"}, e.now.Add(-time.Hour),
			func() { t.Error("a difference that a full read did not resolve was reported again") })
	}
	e.run(2 * interval)
	if got := e.run(20 * interval); got > 0 {
		t.Errorf("%d calls although the list is of no use, want none", got)
	}
}

func TestPays(t *testing.T) {
	cases := map[string]struct {
		reason        string
		account, ours int
		o             Options
		first, next   int
	}{
		"AllOurs": {
			reason: "All functions of the account are ours.", account: 1000, ours: 1000, first: 20,
			next: 20,
		},
		"Half": {reason: "It still takes far fewer calls.", account: 2000, ours: 1000, first: 40, next: 40},
		"FewOurs": {
			reason:  "The list is given up at as many pages as there are functions of ours, for a day.",
			account: 12_000, ours: 100, first: 101, next: 0,
		},
		"Small": {reason: "One page of functions is not worth it.", account: 49, ours: 49},
		"FullReads": {
			reason:  "If functions are to be read in full as often as polled, lists save nothing.",
			account: 500, ours: 500, o: Options{FullReadSpacing: time.Second},
		},
		"FullReadsMost": {
			reason: "The same, by the longest interval.", account: 500, ours: 500,
			o: Options{MaxFullReadInterval: interval},
		},
		"Lower": {
			reason: "How many are worth it is an option.", account: 40, ours: 40,
			o: Options{MinResources: 40}, first: 1, next: 1,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, tc.o)
			e.exist(tc.account)
			e.watch(tc.ours, e.now)
			first := e.run(interval)
			next := e.run(interval)
			if first != tc.first || next != tc.next {
				t.Errorf("%s\n%d and %d calls, want %d and %d", tc.reason, first, next, tc.first, tc.next)
			}
			e.reconcile(tc.ours)
			if used := e.states(tc.ours)[Unknown] < tc.ours; used != (tc.next > 0) {
				t.Errorf("%s\n%v, want that the list is used: %t", tc.reason, e.states(tc.ours), tc.next > 0)
			}
		})
	}
}

func TestTriedAgainAfterADay(t *testing.T) {
	e := newEnv(t, Options{})
	e.exist(12_000)
	e.watch(100, e.now)
	e.run(interval)
	if got := e.run(23 * time.Hour); got != 0 {
		t.Errorf("%d calls within a day, want none", got)
	}
	if got := e.run(2 * time.Hour); got == 0 || got > 101 {
		t.Errorf("%d calls after a day, want 1 to 101", got)
	}
}

func TestErrors(t *testing.T) {
	cases := map[string]struct {
		reason string
		err    error
		panics bool
		hour   int // The most calls in an hour.
	}{
		"Denied": {
			reason: "Without the permission, the list is tried ever more rarely, but soon if it was just granted.",
			err:    &smithy.GenericAPIError{Code: "AccessDeniedException"}, hour: 6,
		},
		"Failing":  {reason: "Failures are retried less and less often.", err: errors.New("no answer"), hour: 20},
		"Deferred": {reason: "The quota says when.", err: &quota.DeferredError{After: 6 * time.Minute}, hour: 10},
		"Panics":   {reason: "A panic is a failure: nobody else recovers it.", panics: true, hour: 20},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			const n = 300
			e := newEnv(t, Options{FullReadSpacing: time.Hour})
			e.exist(n)
			e.watch(n, time.Time{})
			e.fail, e.panics = tc.err, tc.panics
			if got := e.run(time.Hour); got < 1 || got > tc.hour {
				t.Errorf("%s\n%d calls in the first hour, want 1 to %d", tc.reason, got, tc.hour)
			}
			if got := e.run(time.Hour); got > tc.hour {
				t.Errorf("%s\n%d calls in the second hour, want at most %d", tc.reason, got, tc.hour)
			}
			if diff := cmp.Diff(map[State]int{Unknown: n}, e.states(n)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			e.fail, e.panics = nil, false
			e.run(12 * time.Hour)
			e.reconcile(n)
			e.run(interval)
			if e.states(n)[Unchanged] < n-10 {
				t.Errorf("%s\n%v after it works again, want nearly all Unchanged", tc.reason, e.states(n))
			}
		})
	}
}

// TestPostponedPages postpones pages in the middle of a round: the items that come later than usual are not missing.
func TestPostponedPages(t *testing.T) {
	const n = 10 * pageSize
	cases := map[string]struct {
		reason string
		err    error
		during time.Duration
	}{
		"Quota": {
			reason: "The quota is used up by others.",
			err:    &quota.DeferredError{After: 4 * time.Minute},
			during: time.Second,
		},
		"Repeated": {
			reason: "Each wait is short, but there are many.",
			err:    &quota.DeferredError{After: 10 * time.Second},
			during: 4 * time.Minute,
		},
		"Failure": {reason: "AWS does not answer.", err: errors.New("no answer"), during: 4 * time.Minute},
		"Long": {
			reason: "The round is given up.",
			err:    &quota.DeferredError{After: 5 * time.Minute},
			during: 40 * time.Minute,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, Options{})
			e.exist(n)
			e.watch(n, e.now.Add(-time.Hour))
			e.run(2*interval + interval/4)
			before := len(e.calls)
			e.fail = tc.err
			for end := e.now.Add(tc.during); len(e.calls) == before || e.now.Before(end); {
				e.run(time.Second)
			}
			e.fail = nil
			e.run(2 * interval)
			if len(e.notified) > 0 {
				t.Errorf("%s\n%d functions count as deleted, want none", tc.reason, len(e.notified))
			}
		})
	}
}

// TestServerFailures has each page fail for two minutes, in any part of a round: the round goes on soon, from where it
// was, so that what the list has shown of each item is always believed.
func TestServerFailures(t *testing.T) {
	const n, parts = 20 * pageSize, 8
	for part := range parts {
		t.Run(fmt.Sprintf("Part%d", part), func(t *testing.T) {
			e := newEnv(t, Options{FullReadSpacing: time.Hour})
			e.exist(n)
			e.watch(n, e.now)
			e.run(2*interval + time.Duration(part)*interval/parts)
			e.fail = &smithy.GenericAPIError{Code: "ServiceException"}
			e.run(2 * time.Minute)
			e.fail = nil
			for range 2 * interval / time.Minute {
				e.run(time.Minute)
				if states := e.states(n); states[Unchanged] < n-5 { // A few full reads are due.
					t.Fatalf("states %v, want nearly all Unchanged", states)
				}
			}
		})
	}
}

// TestForgottenDuringRound forgets resources that a round has read already: the round goes on to the last item.
func TestForgottenDuringRound(t *testing.T) {
	const pages = 3
	e := newEnv(t, Options{})
	e.exist(pages * pageSize)
	e.watch(pages*pageSize, e.now)
	e.run(2 * interval)
	l := e.lists[keyOf(e.session, e.list)]
	for l.roundStart.IsZero() || l.pages == 0 {
		e.run(time.Second)
	}
	for i := range pageSize {
		e.Forget(uidOf(i))
	}
	began := l.roundStart
	e.run(time.Duration(roundShare*float64(interval)) + time.Second)
	for id, it := range l.items {
		if it.readAt.Before(began) {
			t.Errorf("%s was not read in this round, but %s before it", id, began.Sub(it.readAt))
		}
	}
}

// TestBrokenOffRound checks that the pages of a list that is read from its beginning again, after failures, do not
// count twice: the list would seem not to pay for a day.
func TestBrokenOffRound(t *testing.T) {
	const n, pages = 120, 60
	e := newEnv(t, Options{})
	e.exist(pages * pageSize)
	e.watch(n, e.now)
	e.run(interval + interval*9/10)
	e.fail = errors.New("no answer")
	for failed := 0; failed < maxFailures; {
		failed += e.run(time.Second)
	}
	e.fail = nil
	e.run(2 * interval)
	if got := e.run(interval); got < pages-1 || got > pages+1 {
		t.Errorf("%d calls in an interval, want %d", got, pages)
	}
}

func TestFullReads(t *testing.T) {
	cases := map[string]struct {
		n     int
		o     Options
		every time.Duration
	}{
		"Few":    {n: 100, every: 40 * time.Minute},
		"Many":   {n: 10_000, every: 512 * interval},
		"Most":   {n: 100_000, every: DefaultMaxFullReadInterval},
		"Faster": {n: 10_000, o: Options{FullReadSpacing: time.Second}, every: 32 * interval},
		"Capped": {n: 10_000, o: Options{MaxFullReadInterval: time.Hour}, every: time.Hour},
		"Rarely": {n: 400, o: Options{FullReadSpacing: 365 * 24 * time.Hour}, every: DefaultMaxFullReadInterval},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := newEnv(t, tc.o).fullReadInterval(tc.n); got != tc.every {
				t.Errorf("each of %d resources is read in full every %s, want %s", tc.n, got, tc.every)
			}
		})
	}
}

// TestFullReadsOfRestarts checks that each resource is read in full although the provider is
// restarted more often than that.
func TestFullReadsOfRestarts(t *testing.T) {
	const n = 300 // Read in full every 160 minutes.
	full := map[int]int{}
	e := newEnv(t, Options{})
	e.exist(n)
	for range 48 {
		e.Poller = New(Options{Interval: interval, Now: func() time.Time { return e.now }})
		e.watch(n, time.Time{})
		for poll := range 6 {
			if poll > 0 {
				e.run(interval / 2)
			}
			e.run(interval / 2)
			for i, id := range e.ids() {
				if e.Check(uidOf(i), e.session).State == Unknown {
					full[i]++
					e.watchOne(i, id, e.now)
				}
			}
		}
		e.run(interval / 2) // The next polls would have come as late after the restart.
	}
	for i := range n {
		if full[i] < 17 || full[i] > 37 { // 18 times 160 minutes are 48 hours. A restart may add one.
			t.Fatalf("resource %d was read in full %d times in 48 hours, want 17 to 37", i, full[i])
		}
	}
}

// TestFullReadsOfStandby checks that a replica that becomes the leader after days does not read all resources in full:
// the leader before it has done so.
func TestFullReadsOfStandby(t *testing.T) {
	const n = 1000 // Read in full every 640 minutes.
	e := newEnv(t, Options{})
	e.exist(n)
	e.now = e.now.Add(48 * time.Hour)
	e.watch(n, time.Time{})
	e.run(interval)
	if got := e.states(n)[Unknown]; got > n/10 {
		t.Errorf("%d of %d resources are to be read in full, want as many as in any interval", got, n)
	}
}

// TestFullReadsOfFewer checks that half of the resources are not read in full at once when there are so many less that
// each is read twice as often.
func TestFullReadsOfFewer(t *testing.T) {
	const n, fewer = 490, 470
	e := newEnv(t, Options{})
	e.exist(n)
	e.watch(n, e.now)
	each := func(d time.Duration, n int) (most int) {
		for range d / interval {
			e.run(interval)
			most = max(most, e.states(n)[Unknown])
			e.reconcile(n)
		}
		return most
	}
	each(e.fullReadInterval(n), n)
	for i := fewer; i < n; i++ {
		e.Forget(uidOf(i))
	}
	if most := each(2*e.fullReadInterval(fewer), fewer); most > fewer/5 {
		t.Errorf("%d of %d resources are read in full at once", most, fewer)
	}
}

func TestSessions(t *testing.T) {
	e := newEnv(t, Options{})
	e.exist(100)
	e.watch(100, e.now)
	e.run(interval)
	other := &session.Session{Ref: session.Ref{UID: "other"}}
	if s := e.Check(uidOf(0), other).State; s != Unknown {
		t.Errorf("Check() with another session is %v, want Unknown: what one config reads is nobody else's", s)
	}
	for i, id := range e.ids() {
		e.Watch(uidOf(i), other, &Ref{List: e.list, ID: id, Revision: "r1"}, e.now, func() {})
	}
	e.run(interval)
	if len(e.lists) != 1 {
		t.Errorf("%d lists are kept, want that of the new session alone", len(e.lists))
	}
	for i := range 100 {
		e.Forget(uidOf(i))
	}
	e.run(interval)
	if len(e.lists)+len(e.resources) != 0 {
		t.Errorf("%d lists and %d resources are kept, want none", len(e.lists), len(e.resources))
	}
}

// TestRenewedCredentials has the credentials of a config rotated, a quarter of an interval after the last round: its
// list goes on with them, also if the earlier ones could not read it.
func TestRenewedCredentials(t *testing.T) {
	for _, denied := range []bool{false, true} {
		t.Run(fmt.Sprint("Denied", denied), func(t *testing.T) {
			e := newEnv(t, Options{FullReadSpacing: 100 * time.Hour, MaxFullReadInterval: 20_000 * time.Hour})
			e.exist(100)
			e.watch(100, e.now)
			e.run(interval + interval/4)
			want := map[State]int{Unchanged: 100}
			if denied {
				want = map[State]int{Unknown: 100}
				e.fail = &smithy.GenericAPIError{Code: "AccessDeniedException"}
				e.run(2 * interval)
				e.fail = nil
			}
			e.session = &session.Session{}
			if diff := cmp.Diff(want, e.states(100)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			e.reconcile(100)
			e.run(2 * replication)
			e.revisions[e.ids()[7]] = "r2"
			e.run(interval)
			if diff := cmp.Diff(map[types.UID]int{uidOf(7): 1}, e.notified); diff != "" {
				t.Errorf("who is reconciled: -want, +got:\n%s", diff)
			}
			if used := e.users[len(e.users)-1]; used != e.session || len(e.lists) != 1 {
				t.Errorf(
					"%d lists, the last page was read with the earlier credentials: %t",
					len(e.lists),
					used != e.session,
				)
			}
		})
	}
}

// TestRenewedCredentialsAtOnce renews credentials that could not read a list: the new ones are used at once.
func TestRenewedCredentialsAtOnce(t *testing.T) {
	for _, code := range []string{"AccessDeniedException", "UnrecognizedClientException"} {
		t.Run(code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEnv(t, Options{})
				e.o.Now = time.Now
				e.exist(100)
				e.watch(100, time.Now())
				e.fail = &smithy.GenericAPIError{Code: code}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() { _ = e.Start(ctx) }()
				time.Sleep(2*interval + time.Second)
				synctest.Wait()
				e.fail, e.session = nil, &session.Session{}
				e.states(100)
				time.Sleep(time.Second)
				synctest.Wait()
				if used := e.users[len(e.users)-1]; used != e.session {
					t.Error("the list was not read with the new credentials")
				}
			})
		})
	}
}

// TestGranted denies a list once, as IAM does for some seconds after a policy was attached: it is read soon after.
func TestGranted(t *testing.T) {
	e := newEnv(t, Options{})
	e.exist(100)
	e.watch(100, time.Time{})
	e.fail = &smithy.GenericAPIError{Code: "AccessDeniedException"}
	if got := e.run(interval / 30); got != 1 {
		t.Errorf("%d calls while the list is denied, want 1", got)
	}
	e.fail = nil
	if got := e.run(2 * time.Minute); got == 0 {
		t.Error("the list was not read again within two minutes")
	}
}

// TestTimeJumps sets the clock back and forth: reads neither stop nor come in a burst.
func TestTimeJumps(t *testing.T) {
	const n = 500
	for name, jump := range map[string]time.Duration{"Back": -48 * time.Hour, "Forth": 48 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, Options{})
			e.exist(n)
			e.watch(n, e.now)
			e.run(interval + interval/2)
			e.now = e.now.Add(jump)
			if got := e.run(interval); got > 3*n/pageSize {
				t.Errorf("%d calls in the interval after the jump, want at most %d", got, 3*n/pageSize)
			}
			e.watch(n, e.now)
			e.run(2 * interval)
			if e.states(n)[Unchanged] < n/2 {
				t.Errorf("%v two intervals after the jump, want most Unchanged", e.states(n))
			}
		})
	}
}

// TestRandom changes, deletes and restores functions at random, while resources are watched and
// forgotten. It checks that Check never returns Unchanged for what AWS has had differently for the
// whole time within which it must be checked, and that calls stay within their bound.
func TestRandom(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			const n = 300
			e := newEnv(t, Options{})
			e.exist(n + r.IntN(300))
			e.watch(n, time.Time{})
			var ids []string
			for i := range n {
				ids = append(ids, e.resources[uidOf(i)].ref.ID)
			}
			changedAt := map[string]time.Time{}
			for range 400 {
				switch id := ids[r.IntN(n)]; r.IntN(8) {
				case 0:
					e.revisions[id], changedAt[id] = fmt.Sprint("r", r.IntN(1e9)), e.now
				case 1:
					delete(e.revisions, id)
					changedAt[id] = e.now
				case 2:
					e.fail = errors.New("no answer")
				case 3:
					e.fail = nil
				case 4:
					e.Forget(uidOf(r.IntN(n)))
				}
				if got := e.run(time.Duration(r.IntN(300)) * time.Second); got > 40 {
					t.Fatalf("%d pages in less than half an interval", got)
				}
				for i, id := range ids {
					state := e.Check(uidOf(i), e.session).State
					if at, ok := changedAt[id]; ok && state == Unchanged && e.now.Sub(at) > e.maxAge() {
						t.Fatalf("%s counts as unchanged %s after it was changed", id, e.now.Sub(at))
					}
					if _, ok := e.revisions[id]; ok && state == Unknown { // It is read in full and found up to date.
						e.watchOne(i, id, e.now)
						delete(changedAt, id)
					}
				}
			}
		})
	}
}
