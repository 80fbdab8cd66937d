// Package inventory shares what was read from AWS among all resources of one
// session that need the same answer: the policy of a function among its
// Permissions, the aliases of a function among its Aliases.
//
// AWS grants few of these reads in a second, so that asking once for each resource
// would be the slowest part of a large fleet. How old an answer may be is for each
// asker to say.
package inventory

import (
	"context"
	"errors"
	"sync"
	"time"
)

// maxAge of an answer that is kept: nobody asks for an older one.
const maxAge = time.Hour

// errUnfinished is what those are told who wait for a read that panicked.
var errUnfinished = errors.New("the read came to no end")

// A Key names an answer.
type Key struct {
	// Operation of AWS that reads it, such as ListAliases.
	Operation string

	// Of is what the operation is asked about, such as the name of a function, with
	// its qualifier where the answer depends on that.
	Of string
}

// A Cache keeps answers. Its zero value is ready to use, and it is safe for
// concurrent use. It belongs to one session, so that no one sees what another's
// credentials have read.
type Cache struct {
	mu      sync.Mutex
	entries map[Key]*entry
}

// entry is an answer, or one that is on its way.
type entry struct {
	// began is when the read was sent, since what changes after that may be missing.
	began time.Time
	// done is closed when value and err are there.
	done  chan struct{}
	value any
	err   error
}

// Freshness says how old an answer may be.
type Freshness struct {
	// Now is the time of asking.
	Now time.Time

	// Since is the time before which an answer is too old.
	Since time.Time
}

// Read returns the answer of a key: one that was asked for not before f.Since, by
// whomever, or else that of fetch. Askers of the same key at the same time share one
// call. An error is not shared: whoever waited for the call asks again.
func Read[V any](ctx context.Context, c *Cache, k Key, f Freshness, fetch func(context.Context) (V, error)) (V, error) {
	e, mine := c.lookup(k, f)
	if mine {
		return read(ctx, c, k, e, fetch)
	}
	select {
	case <-e.done:
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
	if v, ok := e.value.(V); ok && e.err == nil {
		return v, nil
	}
	// The one who asked got no answer, perhaps for a reason of its own: its quota, or
	// its time.
	return fetch(ctx)
}

// read the answer of an entry, and settle it however the read ends.
func read[V any](ctx context.Context, c *Cache, k Key, e *entry, fetch func(context.Context) (V, error)) (v V, err error) {
	err = errUnfinished
	defer func() { c.settle(k, e, v, err) }()
	v, err = fetch(ctx)
	return v, err
}

// Forget an answer, because what it tells of was changed. A read that is under way
// is not kept either.
func (c *Cache) Forget(k Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, k)
}

// ahead is by how much an answer may seem to be of a later time than that of asking: askers
// at the same moment are not told the same. One that is more ahead is of a clock that was
// set back since, by which it would be recent for as long.
const ahead = time.Minute

// isAheadBy tells whether a time is later than that of asking by more than the given time.
func (f Freshness) isAheadBy(at time.Time, d time.Duration) bool {
	return !f.Now.IsZero() && at.Sub(f.Now) > d
}

// lookup returns the answer that is good enough, or a new one to fill.
func (c *Cache) lookup(k Key, f Freshness) (e *entry, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[k]; ok && !e.began.Before(f.Since) && !f.isAheadBy(e.began, ahead) {
		return e, false
	}
	if c.entries == nil {
		c.entries = map[Key]*entry{}
	}
	for old, e := range c.entries {
		if f.Now.Sub(e.began) > maxAge {
			delete(c.entries, old)
		}
	}
	e = &entry{began: f.Now, done: make(chan struct{})}
	c.entries[k] = e
	return e, true
}

// settle tells those who wait. What failed, or was forgotten meanwhile, is not kept.
func (c *Cache) settle(k Key, e *entry, v any, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.value, e.err = v, err
	close(e.done)
	if err != nil && c.entries[k] == e {
		delete(c.entries, k)
	}
}
