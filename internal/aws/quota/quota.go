// Package quota keeps the provider within AWS Lambda's request quotas, which are per account and
// region and cannot be raised.
//
// No function here waits. A caller, which is a managed resource, reserves the calls that it is about to make. If it
// gets them, it makes the calls. Otherwise it is queued, and gets the time after which to try again. Tokens are spent
// when a call is sent, so the number of requests that AWS receives is bounded whatever the callers do in between.
//
// Two rules make the queues fair. Tenants share the rate equally, see queue. Users' changes go before polls, which keep
// a small share of the rate, see bucket.next.
package quota

import (
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

// New returns a Limiter whose buckets are full. Buckets for which there is no rate have that of DefaultRates.
func New(now func() time.Time, rates map[Bucket]Rate) *Limiter {
	return &Limiter{now: now, rates: rates, calls: metrics.QuotaCalls(), scopes: map[Scope]*scope{}}
}

// Reserve reserves a call of each of the Lambda operations, and returns 0 if the caller has all of them. Otherwise it
// queues the caller, by priority, fairly among tenants, and by arrival among those of one tenant, and returns after how
// long the caller should call again with the same operations. By then there is most likely a token for it. A call
// before that time returns the rest of it.
//
// Operations without a quota need no reservation. What the caller has reserved already counts, so Reserve may be called
// any number of times.
func (l *Limiter) Reserve(s Scope, c Caller, operations ...string) time.Duration {
	var need [bucketCount]int
	for _, op := range operations {
		if b := BucketOf(serviceLambda, op); b != Unlimited {
			need[b]++
		}
	}
	sc := l.scope(s)
	sc.mu.Lock()
	defer sc.mu.Unlock()
	now := l.now()
	// Scarce buckets are reserved first: a caller that waits for them must not keep others from the plentiful ones.
	for b, n := range need {
		if n == 0 {
			continue
		}
		if wait := sc.buckets[b].reserve(now, c, n); wait > 0 {
			return wait
		}
	}
	return 0
}

// Release returns the unused reservations of a caller. Its places in queues stay. Call it at the end of a reconcile.
func (l *Limiter) Release(s Scope, id string) {
	l.each(s, func(b *bucket, now time.Time) { b.release(now, id) })
}

// Forget returns the unused reservations of a caller and removes it from queues. Call it when the resource is deleted.
func (l *Limiter) Forget(s Scope, id string) {
	l.each(s, func(b *bucket, now time.Time) { b.forget(now, id) })
}

// take spends a reservation of a caller, or a token that nobody waits for, for a call that is about to be sent. It
// returns 0, or how long to wait.
func (l *Limiter) take(s Scope, b Bucket, c Caller) time.Duration {
	sc := l.scope(s)
	sc.mu.Lock()
	defer sc.mu.Unlock()
	wait := sc.buckets[b].take(l.now(), c)
	result := "sent"
	if wait > 0 {
		result = "deferred"
	}
	l.counter(s, b, result).Inc()
	return wait
}

// throttled slows a bucket down after AWS has throttled a call.
func (l *Limiter) throttled(s Scope, b Bucket, pause time.Duration) {
	sc := l.scope(s)
	sc.mu.Lock()
	defer sc.mu.Unlock()
	sc.buckets[b].throttled(l.now(), pause)
	l.counter(s, b, "throttled").Inc()
}

// each calls a function with each bucket of a scope, if the scope exists.
func (l *Limiter) each(s Scope, fn func(b *bucket, now time.Time)) {
	l.mu.Lock()
	sc, ok := l.scopes[s]
	l.mu.Unlock()
	if !ok {
		return
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	now := l.now()
	for _, b := range sc.buckets {
		fn(b, now)
	}
}
