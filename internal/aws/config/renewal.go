package config

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"golang.org/x/sync/singleflight"

	"github.com/crossplane-contrib/provider-lambda/internal/panics"
)

const (
	// earliest is how long before they expire credentials are renewed, or a third
	// of their lifetime if that is less.
	earliest = 5 * time.Minute
	// holdOff is how long a failure counts before the provider tries again, so
	// that thousands of resources of one broken config do not press on STS. It
	// doubles with each failure, up to longestHoldOff.
	holdOff        = 5 * time.Second
	longestHoldOff = time.Minute
	// fetchTimeout of one renewal.
	fetchTimeout = 30 * time.Second
)

// renewing are credentials that are renewed before they expire, once for all who
// need them at a time. No lock is held while they are fetched. While those in
// hand are valid nobody waits but the one that renews them.
type renewing struct {
	now   func() time.Time
	fetch aws.CredentialsProvider

	flight singleflight.Group

	mu       sync.Mutex
	value    aws.Credentials
	renewAt  time.Time
	renewing bool
	failure  failure
}

// Retrieve credentials that are valid now.
func (r *renewing) Retrieve(ctx context.Context) (aws.Credentials, error) {
	c, valid, due, err := r.state()
	switch {
	case valid && due:
		defer r.renewed()
		if fresh, err := r.renew(ctx); err == nil {
			return fresh, nil
		}
		return c, nil
	case valid:
		return c, nil
	case err != nil:
		return aws.Credentials{}, err
	default:
		return r.renew(ctx)
	}
}

// state says whether the credentials in hand are valid, and whether the caller is
// the one to renew them.
func (r *renewing) state() (c aws.Credentials, valid, due bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	valid = r.value.HasKeys() && (!r.value.CanExpire || now.Before(r.value.Expires))
	err = r.failure.at(now)
	due = valid && r.value.CanExpire && !now.Before(r.renewAt) && !r.renewing && err == nil
	if due {
		r.renewing = true
	}
	return r.value, valid, due, err
}

// fresh are the credentials in hand, if it is not yet time to renew them.
func (r *renewing) fresh() (aws.Credentials, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.value, r.value.HasKeys() && (!r.value.CanExpire || r.now().Before(r.renewAt))
}

func (r *renewing) renewed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.renewing = false
}

// renew the credentials, together with all who ask for it at the time.
func (r *renewing) renew(ctx context.Context) (aws.Credentials, error) {
	done := r.flight.DoChan("", func() (any, error) {
		if c, ok := r.fresh(); ok {
			// Fetched between this caller's look and its turn.
			return c, nil
		}
		// Others wait for the result too: it does not depend on the first caller.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTimeout)
		defer cancel()
		// A panic would end the process: singleflight lets no one recover it.
		c, err := panics.Guard(func() (aws.Credentials, error) { return r.fetch.Retrieve(ctx) })
		r.keep(c, err)
		return c, err
	})
	select {
	case <-ctx.Done():
		return aws.Credentials{}, ctx.Err()
	case got := <-done:
		if got.Err != nil {
			return aws.Credentials{}, got.Err
		}
		return got.Val.(aws.Credentials), nil //nolint:forcetypeassert // The function above returns nothing else.
	}
}

// retry at the next use, should fetching them have failed.
func (r *renewing) retry() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failure = failure{}
}

func (r *renewing) keep(c aws.Credentials, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if err != nil {
		r.failure = r.failure.again(now, err)
		return
	}
	r.value, r.failure = c, failure{}
	r.renewAt = c.Expires.Add(-min(earliest, c.Expires.Sub(now)/3))
}
