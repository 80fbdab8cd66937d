package listpoll

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// functionsOfAccount is how many functions each account of these tests has.
const functionsOfAccount = 1000

// An organization is accounts with the same functions, each with a session of its own.
type organization struct {
	*env

	accounts []*session.Session
}

func newOrganization(t testing.TB, accounts int) *organization {
	t.Helper()
	o := &organization{env: newEnv(t, Options{})}
	o.exist(functionsOfAccount)
	for account := range accounts {
		o.accounts = append(o.accounts, &session.Session{Ref: session.Ref{Name: fmt.Sprint(account)}})
	}
	for account := range o.accounts {
		for i := range functionsOfAccount {
			o.found(account, i, time.Time{})
		}
	}
	return o
}

// found watches a function that was found up to date.
func (o *organization) found(account, i int, readAt time.Time) {
	id := o.ids()[i]
	o.Watch(o.uid(account, i), o.accounts[account], &Ref{List: o.list, ID: id, Revision: o.revisions[id]}, readAt,
		func() {})
}

func (o *organization) uid(account, i int) types.UID {
	return types.UID(fmt.Sprintf("%04d-%s", account, uidOf(i)))
}

// interval polls for one interval and checks each function once. It returns the number of pages, of
// full reads and of functions that are not checked yet, and the most calls within a second.
func (o *organization) interval() (pages, reads, pending, most int) {
	const parts = 10
	inSecond := map[int64]int{}
	for part := range parts {
		from := len(o.calls)
		pages += o.run(interval / parts)
		for _, at := range o.calls[from:] {
			inSecond[at.Unix()]++
		}
		for account := part; account < len(o.accounts); account += parts {
			for i := range functionsOfAccount {
				switch o.Check(o.uid(account, i), o.accounts[account]).State {
				case Unknown:
					reads++
					o.found(account, i, o.now)
				case Pending:
					pending++
				case Unchanged:
				}
			}
		}
	}
	for _, n := range inSecond {
		most = max(most, n)
	}
	return pages, reads, pending, most
}

// TestCallsOfAPod counts the calls of a pod with 30,000 functions, in 30 accounts: lists of one account
// do not delay those of another, and their pages are spread over the interval.
func TestCallsOfAPod(t *testing.T) {
	const accounts = 30
	o := newOrganization(t, accounts)
	o.interval()
	pages, reads, pending, most := o.interval()
	t.Logf("%d accounts: %d pages, at most %d a second, and %d full reads in an interval", accounts, pages, most, reads)
	if got := (pages + reads) / accounts; got > 60 || pending > 0 {
		t.Errorf("%d calls for each account in an interval, want at most 60; %d functions were not checked yet, want "+
			"none", got, pending)
	}
	if most > accounts {
		t.Errorf("%d pages in a second, want at most one for each account", most)
	}
}

// BenchmarkMillion polls a million functions in a thousand accounts by their lists, in one process. It
// shows what the Poller takes for that, and how many calls it makes.
func BenchmarkMillion(b *testing.B) {
	for _, accounts := range []int{30, 1000} {
		b.Run(fmt.Sprint(accounts), func(b *testing.B) {
			before := heap()
			o := newOrganization(b, accounts)
			n := accounts * functionsOfAccount
			o.interval()
			size := float64(heap()-before) / float64(n)
			var pages, reads, most int
			for b.Loop() {
				pages, reads, _, most = o.interval()
			}
			b.ReportMetric(float64(pages)/interval.Seconds(), "pages/s")
			b.ReportMetric(float64(reads)/interval.Seconds(), "reads/s")
			b.ReportMetric(float64(most), "pages/s-at-most")
			b.ReportMetric(size, "B/function")
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
