package listpoll

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

const (
	interval = 10 * time.Minute
	pageSize = 50
)

// env is a simulated account with a Poller and a clock.
type env struct {
	*Poller

	t       testing.TB
	now     time.Time
	session *session.Session
	list    *List

	// revisions are those of AWS. fail is the error of each page, which panics if panics is true, calls has the times
	// of pages, and users the sessions that read them.
	revisions map[string]string
	prints    map[string]uint64
	sorted    []string
	fail      error
	panics    bool
	calls     []time.Time
	users     []*session.Session

	// notified counts the calls of notify.
	notified map[types.UID]int
}

func newEnv(t testing.TB, o Options) *env {
	t.Helper()
	e := &env{
		t: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), session: &session.Session{},
		revisions: map[string]string{}, prints: map[string]uint64{}, notified: map[types.UID]int{},
	}
	e.list = &List{Operation: "ListFunctions", PageSize: pageSize, Read: e.read}
	o.Interval, o.Now = interval, func() time.Time { return e.now }
	e.Poller = New(o)
	return e
}

// read returns a page of the revisions, sorted by ID. A token is the first ID of a page.
func (e *env) read(_ context.Context, s *session.Session, token string) (Page, error) {
	e.calls, e.users = append(e.calls, e.now), append(e.users, s)
	if e.panics {
		panic("an answer that nobody expects")
	}
	if e.fail != nil {
		return Page{}, e.fail
	}
	ids := e.ids()
	from, _ := slices.BinarySearch(ids, token)
	ids = ids[from:]
	var page Page
	for i, id := range ids {
		if i == pageSize {
			page.Next = id
			break
		}
		page.Items = append(page.Items, Item{ID: id, Revision: e.revisions[id], Fingerprint: e.prints[id]})
	}
	return page, nil
}

// exist adds n functions to AWS.
func (e *env) exist(n int) {
	for range n {
		id := fmt.Sprintf("f-%05d", len(e.revisions))
		e.revisions[id], e.prints[id] = "r1", 1
	}
}

// watch watches n functions, evenly spread over those of AWS, with their present revisions. readAt is as for Watch.
func (e *env) watch(n int, readAt time.Time) {
	ids := e.ids()
	for i := range n {
		e.watchOne(i, ids[i*len(ids)/n], readAt)
	}
}

// reconcile reads the first n resources in full that Check does not know, and finds them up to date.
func (e *env) reconcile(n int) {
	for i := range n {
		if uid := uidOf(i); e.Check(uid, e.session).State == Unknown {
			e.watchOne(i, e.resources[uid].ref.ID, e.now)
		}
	}
}

func (e *env) watchOne(i int, id string, readAt time.Time) {
	uid := uidOf(i)
	e.Watch(uid, e.session, &Ref{List: e.list, ID: id, Revision: e.revisions[id]}, readAt,
		func() { e.notified[uid]++ })
}

// ids returns the IDs of AWS in order. They are sorted again only if their number has changed: a test
// that deletes one and adds another reads AWS in between.
func (e *env) ids() []string {
	if len(e.sorted) != len(e.revisions) {
		e.sorted = slices.Sorted(maps.Keys(e.revisions))
	}
	return e.sorted
}

func uidOf(i int) types.UID { return types.UID("uid-" + strconv.Itoa(i)) }

// run lets time pass, reads the pages that are due, and returns how many they were.
func (e *env) run(d time.Duration) int {
	e.t.Helper()
	before, end := len(e.calls), e.now.Add(d)
	for {
		wait := e.Poll(e.t.Context())
		if wait <= 0 {
			e.t.Fatalf("Poll() returned %s, which would be a busy loop", wait)
		}
		if !e.now.Add(wait).Before(end) {
			break
		}
		e.now = e.now.Add(wait)
	}
	e.now = end
	return len(e.calls) - before
}

// states counts the states of the first n resources.
func (e *env) states(n int) map[State]int {
	states := map[State]int{}
	for i := range n {
		states[e.Check(uidOf(i), e.session).State]++
	}
	return states
}
