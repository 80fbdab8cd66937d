package quota

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkReserve has 10,000 waiting holders that call one after the other.
func BenchmarkReserve(b *testing.B) {
	e := newEnv(1)
	l := New(e.clock, Options{})
	holders := make([]Requester, 10_000)
	for i := range holders {
		holders[i] = user(fmt.Sprint(i))
		l.Reserve(here, holders[i], "CreateFunction")
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		l.Reserve(here, holders[i%len(holders)], "CreateFunction")
		i++
	}
}

// BenchmarkReserveAndTake has holders that get a ticket, use it, and queue again behind 10,000
// others.
func BenchmarkReserveAndTake(b *testing.B) {
	e := newEnv(1)
	l := New(e.clock, Options{Rates: map[Bucket]Rate{ControlPlane: {PerSecond: 1000, Burst: 10}}})
	holders := make([]Requester, 10_000)
	for i := range holders {
		holders[i] = user(fmt.Sprint(i))
		l.Reserve(here, holders[i], "CreateFunction")
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		h := holders[i%len(holders)]
		e.now = e.now.Add(time.Millisecond)
		if l.Reserve(here, h, "CreateFunction") == 0 {
			l.take(here, ControlPlane, h)
		}
		l.Reserve(here, h, "CreateFunction")
		i++
	}
}

// BenchmarkReserveAmongTenants has 10,000 waiting holders of 1,000 tenants that call one after the
// other.
func BenchmarkReserveAmongTenants(b *testing.B) {
	e := newEnv(1)
	l := New(e.clock, Options{})
	holders := make([]Requester, 10_000)
	for i := range holders {
		holders[i] = of(fmt.Sprint(i%1000), fmt.Sprint(i))
		l.Reserve(here, holders[i], "CreateFunction")
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		l.Reserve(here, holders[i%len(holders)], "CreateFunction")
		i++
	}
}
