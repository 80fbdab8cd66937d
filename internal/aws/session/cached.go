package session

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"golang.org/x/sync/singleflight"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
)

const (
	// earliest is the time before their expiry at which credentials are renewed, or a third of their lifetime if that
	// is less.
	earliest = 5 * time.Minute
	// firstBackoff is the time after a failure before the provider tries again, so that thousands of resources of one
	// broken config do not load STS. It doubles with each failure, up to longestBackoff.
	firstBackoff   = 5 * time.Second
	longestBackoff = time.Minute
	// shortestUse is the time for which a fetched value is used at least, even if it seems to have expired: if the
	// clock is wrong by hours, not each call of AWS fetches credentials first.
	shortestUse = time.Minute
	// fetchTimeout bounds one fetch.
	fetchTimeout = 30 * time.Second
)

// cached caches a value that is fetched once for all who ask for it at a time. Until a value expires only the caller
// that renews it waits. No lock is held during a fetch. A failed fetch is repeated after a while.
type cached[T any] struct {
	now func() time.Time
	// expiry returns when a value expires, and false if it never does. Nil means never.
	expiry func(T) (time.Time, bool)

	flight singleflight.Group

	mu       sync.Mutex
	value    T
	done     bool
	endless  bool
	fetched  time.Time
	renewAt  time.Time
	expires  time.Time
	renewing bool
	failure  failure
}

// get returns the cached value, or calls fetch if there is none or it has expired.
func (m *cached[T]) get(ctx context.Context, fetch func(context.Context) (T, error)) (T, error) {
	value, valid, due, err := m.state()
	switch {
	case valid && !due:
		return value, nil
	case due:
		defer m.renewed()
	case err != nil:
		var none T
		return none, err
	}
	fresh, err := m.fetch(ctx, fetch)
	if due && err != nil {
		return value, nil // It is still valid.
	}
	return fresh, err
}

// fetch fetches the value, once for all callers at a time.
func (m *cached[T]) fetch(ctx context.Context, fetch func(context.Context) (T, error)) (T, error) {
	made := m.flight.DoChan("", func() (any, error) {
		if v, ok, err := m.fresh(); ok || err != nil {
			return v, err // Another caller has fetched it in the meantime.
		}
		// Others wait for the result too, so it does not depend on the first caller.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTimeout)
		defer cancel()
		// singleflight rethrows a panic where nobody can recover it, which would end the process.
		v, err := panics.Guard(func() (T, error) { return fetch(ctx) })
		m.keep(v, err)
		return v, err
	})
	var none T
	select {
	case <-ctx.Done():
		return none, ctx.Err()
	case got := <-made:
		if got.Err != nil {
			return none, got.Err
		}
		return got.Val.(T), nil //nolint:forcetypeassert // The function above returns nothing else.
	}
}

// state returns the value, whether it is valid, whether the caller is the one to renew it, and the
// last failure if that counts still.
func (m *cached[T]) state() (value T, valid, due bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	err = m.failure.at(now)
	valid = m.done && (m.endless || now.Before(m.expires))
	due = valid && !m.endless && !now.Before(m.renewAt) && !m.renewing && err == nil
	m.renewing = m.renewing || due
	return m.value, valid, due, err
}

// fresh returns the value, whether it is not yet due for renewal, and the last failure if that counts still.
func (m *cached[T]) fresh() (T, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	return m.value, m.done && (m.endless || now.Before(m.renewAt)), m.failure.at(now)
}

// waits reports whether get would fetch the value, or wait for another caller who does.
func (m *cached[T]) waits() bool {
	_, known, failure := m.fresh()
	return !known && failure == nil
}

func (m *cached[T]) renewed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.renewing = false
}

func (m *cached[T]) keep(v T, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if err != nil {
		m.failure = m.failure.again(now, err)
		return
	}
	m.value, m.done, m.endless, m.fetched, m.failure = v, true, true, now, failure{}
	if m.expiry == nil {
		return
	}
	if expires, ok := m.expiry(v); ok {
		lasts := max(expires.Sub(now), shortestUse)
		m.endless, m.expires, m.renewAt = false, now.Add(lasts), now.Add(lasts-min(earliest, lasts/3))
	}
}

// doubt makes the next get fetch the value again, because AWS has refused it. A value that is newer than earliest is
// kept: another one would be refused, too.
func (m *cached[T]) doubt() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := m.now(); now.Sub(m.fetched) >= earliest {
		m.done, m.renewAt = m.done && !m.endless, now
	}
}

// renew makes the value due for renewal. It stays valid.
func (m *cached[T]) renew() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.renewAt = m.now()
}

// retry makes the next get fetch the value if the last fetch failed. It returns the value, zero if there is none.
func (m *cached[T]) retry() T {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failure = failure{}
	return m.value
}

// A failure counts for a while.
type failure struct {
	err   error
	until time.Time
	times int
}

// at returns the error, nil if it does not count any more.
func (f failure) at(now time.Time) error {
	if now.Before(f.until) {
		return f.err
	}
	return nil
}

// again returns the failure after one more.
func (f failure) again(now time.Time, err error) failure {
	wait := delay.Doubling(firstBackoff, f.times+1, longestBackoff)
	return failure{err: err, until: now.Add(wait), times: f.times + 1}
}

// renewing provides credentials that are renewed before they expire.
type renewing struct {
	cached[aws.Credentials]

	provider aws.CredentialsProvider
	// signer has the credentials that sign the calls of provider.
	signer aws.CredentialsProvider
}

// Retrieve returns credentials that are valid now.
func (r *renewing) Retrieve(ctx context.Context) (aws.Credentials, error) {
	return r.get(ctx, func(ctx context.Context) (aws.Credentials, error) {
		c, err := r.provider.Retrieve(ctx)
		doubt(r.signer, err)
		return c, err
	})
}

// doubt has the credentials of a call fetched again if AWS has refused them. Those of a role end before they expire if
// the role is deleted and created again, or if its sessions are revoked.
func doubt(signer aws.CredentialsProvider, err error) {
	if r, ok := signer.(*renewing); ok && (awserr.IsUnauthenticated(err) || awserr.IsExplicitlyDenied(err)) {
		r.doubt()
	}
}
