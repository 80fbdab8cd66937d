// Package quota keeps the provider within AWS Lambda's request quotas, which
// are per account and region and cannot be raised.
//
// Nothing here waits. A holder, which is a managed resource, reserves tickets
// for the calls that it means to make. If it gets them it makes the calls; if
// not it is told how long it may stay away, and is queued. Tokens are taken
// when a call is sent, so what arrives at AWS is bounded whatever the callers
// do in between.
package quota

import (
	"context"
	"sync"
	"time"
)

// A Scope is what AWS counts requests by. Only an account that AWS itself has told is
// shared by configs: who could claim another's account could use up its quota, or have
// it closed by answering that it is used up.
type Scope struct {
	// Account is the AWS account id, or Unverified.
	Account string
	// Region such as eu-west-1.
	Region string
	// Config is the UID of the one config that a scope of an unverified account is of.
	Config string
	// Endpoint is the URL that told the account where an administrator's config has
	// one of its own. Empty where that was AWS's STS.
	Endpoint string
}

// Unverified stands for an account id that AWS has not told.
const Unverified = "unverified"

// A Priority says who goes first.
type Priority int

// Priorities. A user's change goes before a poll for drift; polls get a small
// share even so.
const (
	Poll Priority = iota
	User
)

// A Holder is who makes calls: a managed resource.
type Requester struct {
	// ID is the UID of the resource.
	ID string
	// Tenant that the resource belongs to: its namespace. Tenants that wait in a scope
	// get the same share of it each.
	Tenant string
	// Priority of its calls.
	Priority Priority
}

type requesterKey struct{}

// WithRequester returns a context whose calls use the holder's tickets.
func WithRequester(ctx context.Context, h Requester) context.Context {
	return context.WithValue(ctx, requesterKey{}, h)
}

// RequesterFrom is the holder of a context, if it has one.
func RequesterFrom(ctx context.Context) (Requester, bool) {
	h, ok := ctx.Value(requesterKey{}).(Requester)
	return h, ok
}

// Options of a Limiter. Zero values mean the defaults.
type Options struct {
	// Rates by bucket. A bucket that is not named has DefaultRates'.
	Rates map[Bucket]Rate

	// TicketTTL is how long a ticket may stay unused. The default is 5 s.
	TicketTTL time.Duration

	// MaxHold is how long after the promised time a token is kept for a holder
	// that has not come back. The default is 2 s.
	MaxHold time.Duration

	// Grace is how long after the promised time a holder keeps its place in the
	// queue. The default is 30 s.
	Grace time.Duration

	// PollShare is the part of the rate that polls get while users wait, from 0
	// to less than 1. The default is 0.1.
	PollShare float64
}

func (o Options) withDefaults() Options {
	if o.TicketTTL <= 0 {
		o.TicketTTL = 5 * time.Second
	}
	if o.MaxHold <= 0 {
		o.MaxHold = 2 * time.Second
	}
	if o.Grace < o.MaxHold {
		o.Grace = max(30*time.Second, o.MaxHold)
	}
	if o.PollShare <= 0 || o.PollShare >= 1 {
		o.PollShare = 0.1
	}
	return o
}

// A Limiter shares out the request quotas of every account and region. It is
// safe for concurrent use, never waits, and costs O(t log n) a call with t tenants
// waiting, of n holders each.
type Limiter struct {
	now     func() time.Time
	options Options

	mu     sync.Mutex
	scopes map[Scope]*scope
	swept  time.Time
	// gone is what scopes have counted that were swept out, by the labels that they
	// shared with others.
	gone map[labels]Counts
}

// A scope has the buckets of one account and region.
type scope struct {
	// used is when somebody last asked for it. The limiter's lock guards it.
	used time.Time

	mu      sync.Mutex
	buckets [bucketCount]*bucket
}

// New returns a Limiter whose buckets are full.
func New(now func() time.Time, o Options) *Limiter {
	return &Limiter{now: now, options: o.withDefaults(), scopes: map[Scope]*scope{}, swept: now(), gone: map[labels]Counts{}}
}

// Reserve makes sure that the holder has a ticket for each of the Lambda
// operations. It returns 0 when it has all of them. Otherwise the holder is
// queued, by priority, fairly among tenants, and by arrival among those of a
// tenant. The result is how long it may stay away: it calls again then, with the
// same operations, and it is most likely its turn. If it is not, or if it calls
// earlier, the answer is the rest of the time.
// Operations without a quota need no ticket. Tickets that it has already count,
// so it may be called any number of times.
func (l *Limiter) Reserve(s Scope, h Requester, operations ...string) time.Duration {
	var need [bucketCount]int
	for _, op := range operations {
		if b := BucketOf(ServiceLambda, op); b != Unlimited {
			need[b]++
		}
	}
	sc := l.scope(s)
	sc.mu.Lock()
	defer sc.mu.Unlock()
	now := l.now()
	// Scarce buckets are the first in line: while a holder waits for them it
	// would only keep others from the plentiful ones.
	for b, n := range need {
		if n == 0 {
			continue
		}
		if wait := sc.buckets[b].reserve(now, h, n); wait > 0 {
			return wait
		}
	}
	return 0
}

// Release gives back the tickets that a holder did not use. Its place in a
// queue stays. To be called when a reconcile ends.
func (l *Limiter) Release(s Scope, id string) {
	l.each(s, func(b *bucket, now time.Time) { b.release(now, id) })
}

// Forget gives back the tickets of a holder and its places in the queues. To be
// called when the resource is gone.
func (l *Limiter) Forget(s Scope, id string) {
	l.each(s, func(b *bucket, now time.Time) { b.forget(now, id) })
}

// take a token for a call that is about to be sent: the holder's ticket, or a
// token that nobody waits for. It returns 0, or how long to stay away.
func (l *Limiter) take(s Scope, b Bucket, h Requester) time.Duration {
	sc := l.scope(s)
	sc.mu.Lock()
	defer sc.mu.Unlock()
	return sc.buckets[b].take(l.now(), h)
}

// throttled slows a bucket down, since AWS refused a call for its rate.
func (l *Limiter) throttled(s Scope, b Bucket, pause time.Duration) {
	sc := l.scope(s)
	sc.mu.Lock()
	defer sc.mu.Unlock()
	sc.buckets[b].throttled(l.now(), pause)
}

// each bucket of a scope that is known.
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
