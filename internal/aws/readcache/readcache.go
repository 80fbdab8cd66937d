// Package readcache caches what was read from AWS. A Cache shares answers among all resources of a
// session that need the same one: the policy of a function among its Permissions, the aliases of a
// function among its Aliases. A TagCache keeps tags that AWS returns by calls of their own. Namespaces, which are read
// from the API server, are cached by a Cache, too.
//
// AWS allows few of these reads a second, so one read for each resource would be the slowest part
// of a large fleet. Each caller says how old an answer may be.
package readcache

import (
	"context"
	"errors"
	"sync"
	"time"
)

// maxAge is the time for which answers are kept. No caller accepts older ones.
const maxAge = time.Hour

// errUnfinished is the error of callers that wait for a read that panicked.
var errUnfinished = errors.New("the read came to no end")

// A Key identifies an answer.
type Key struct {
	// Operation is the AWS operation that reads it, such as ListAliases.
	Operation string

	// Of is the argument of the operation, such as the name of a function, with its qualifier if
	// the answer depends on it.
	Of string
}

// A Cache has answers. Its zero value is ready to use, and it is safe for concurrent use. It
// belongs to one session, so that nobody sees what other credentials have read.
type Cache struct {
	mu      sync.Mutex
	entries map[Key]*entry
}

// entry is an answer, or a read that is under way.
type entry struct {
	// began is the time when the read began. Later changes may be missing.
	began time.Time
	// done is closed after value and err were set.
	done  chan struct{}
	value any
	err   error
}

// Freshness limits the age of an answer.
type Freshness struct {
	// Now is the current time.
	Now time.Time

	// Since is the time before which an answer is too old.
	Since time.Time
}

// Read returns the answer of a key: a cached one whose read began at f.Since or later, or else the
// result of fetch. Concurrent callers with the same key share one call. They do not share an error:
// each caller that waited calls fetch itself.
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
	// The other caller may have failed for a reason of its own, such as its quota or its deadline.
	return fetch(ctx)
}

// read calls fetch and finishes the entry, even after a panic.
func read[V any](ctx context.Context, c *Cache, k Key, e *entry,
	fetch func(context.Context) (V, error),
) (v V, err error) {
	err = errUnfinished
	defer func() { c.finish(k, e, v, err) }()
	v, err = fetch(ctx)
	return v, err
}

// Forget drops an answer because its subject was changed. The result of a read that is under way is not kept either.
func (c *Cache) Forget(k Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, k)
}

// ahead is the maximum time by which an answer may be later than the current time: concurrent callers read the clock at
// slightly different times. A larger difference means that the clock was set back, and the answer would count as recent
// for that long.
const ahead = time.Minute

// lookup returns the entry of an answer that is recent enough, or a new entry that is the caller's to finish.
func (c *Cache) lookup(k Key, f Freshness) (e *entry, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[k]; ok && !e.began.Before(f.Since) && (f.Now.IsZero() || e.began.Sub(f.Now) <= ahead) {
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

// finish sets the result of an entry. An error is not cached, nor is an answer that was forgotten meanwhile.
func (c *Cache) finish(k Key, e *entry, v any, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.value, e.err = v, err
	close(e.done)
	if err != nil && c.entries[k] == e {
		delete(c.entries, k)
	}
}
