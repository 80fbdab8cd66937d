package config

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/crossplane-contrib/provider-lambda/internal/panics"
)

// A memo is a value that is made once for all who ask for it. A failure counts
// for a while.
type cached[T any] struct {
	now    func() time.Time
	flight singleflight.Group

	mu      sync.Mutex
	done    bool
	value   T
	failure failure
}

// get the value, made by fn if it is not there yet.
func (m *cached[T]) get(ctx context.Context, fn func(context.Context) (T, error)) (T, error) {
	if v, ok, err := m.known(); ok || err != nil {
		return v, err
	}
	made := m.flight.DoChan("", func() (any, error) {
		if v, ok, err := m.known(); ok || err != nil {
			return v, err
		}
		// Others wait for the result too: it does not depend on the first caller.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTimeout)
		defer cancel()
		// A panic would end the process: singleflight lets no one recover it.
		v, err := panics.Guard(func() (T, error) { return fn(ctx) })
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

func (m *cached[T]) known() (T, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.value, m.done, m.failure.at(m.now())
}

// retry at the next get, should it have failed. It returns the value, if there is one.
func (m *cached[T]) retry() (T, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failure = failure{}
	return m.value, m.done
}

func (m *cached[T]) keep(v T, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.failure = m.failure.again(m.now(), err)
		return
	}
	m.value, m.done, m.failure = v, true, failure{}
}

// A failure counts for a while.
type failure struct {
	err   error
	until time.Time
	times int
}

// at is the failure that counts at a time.
func (f failure) at(now time.Time) error {
	if now.Before(f.until) {
		return f.err
	}
	return nil
}

// again is the failure after one more.
func (f failure) again(now time.Time, err error) failure {
	wait := min(longestHoldOff, holdOff<<min(f.times, 10))
	return failure{err: err, until: now.Add(wait), times: f.times + 1}
}
