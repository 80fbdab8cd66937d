package quota

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkReserve has 10,000 waiting callers that call one after the other.
func BenchmarkReserve(b *testing.B) {
	e := newEnv(1)
	l := New(e.clock, nil)
	callers := make([]Caller, 10_000)
	for i := range callers {
		callers[i] = user(fmt.Sprint(i))
		l.Reserve(here, callers[i], "CreateFunction")
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		l.Reserve(here, callers[i%len(callers)], "CreateFunction")
		i++
	}
}

// BenchmarkReserveAndTake has callers that get a reservation, use it, and queue again behind 10,000 others.
func BenchmarkReserveAndTake(b *testing.B) {
	e := newEnv(1)
	l := New(e.clock, map[Bucket]Rate{ControlPlane: {PerSecond: 1000, Burst: 10}})
	callers := make([]Caller, 10_000)
	for i := range callers {
		callers[i] = user(fmt.Sprint(i))
		l.Reserve(here, callers[i], "CreateFunction")
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		h := callers[i%len(callers)]
		e.now = e.now.Add(time.Millisecond)
		if l.Reserve(here, h, "CreateFunction") == 0 {
			l.take(here, ControlPlane, h)
		}
		l.Reserve(here, h, "CreateFunction")
		i++
	}
}

// BenchmarkReserveAmongTenants has 10,000 waiting callers of 1,000 tenants that call one after the other.
func BenchmarkReserveAmongTenants(b *testing.B) {
	e := newEnv(1)
	l := New(e.clock, nil)
	callers := make([]Caller, 10_000)
	for i := range callers {
		callers[i] = of(fmt.Sprint(i%1000), fmt.Sprint(i))
		l.Reserve(here, callers[i], "CreateFunction")
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		l.Reserve(here, callers[i%len(callers)], "CreateFunction")
		i++
	}
}
