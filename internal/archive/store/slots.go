package store

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

const (
	// maxCallers is the number of those of a namespace that are worked on or wait for that. Each has an open file.
	maxCallers = 500

	// retryAfter is the delay before a reconcile asks again.
	retryAfter = 2 * time.Second
)

// slots limit how many functions run at a time. A namespace takes another one only while it has less than half as many
// as are free, and namespaces take turns, so that slow registries of some do not hold back the others.
type slots struct {
	mu   sync.Mutex
	free int

	// used has the slots of namespaces, and callers those of their callers that have or wait for one.
	used, callers map[string]int

	// line has the namespaces that wait, in the order of their turns.
	line []string

	// changed is closed once the turn may be that of another namespace.
	changed chan struct{}
}

func newSlots(n int) *slots {
	return &slots{free: n, used: map[string]int{}, callers: map[string]int{}, changed: make(chan struct{})}
}

// within calls a function while its namespace has a slot for it. It returns a reconcile.LaterError if maxCallers of the
// namespace have or wait for one.
func (s *slots) within(ctx context.Context, namespace string, do func() error) error {
	defer s.count(namespace, -1)
	if s.count(namespace, 1) > maxCallers {
		return reconcile.WaitFor(retryAfter)
	}
	for {
		ok, changed := s.take(namespace)
		if ok {
			defer s.release(namespace)
			return do()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// count adds to the number of callers of a namespace, and returns it.
func (s *slots) count(namespace string, n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.callers[namespace] += n
	count := s.callers[namespace]
	if count == s.used[namespace] {
		s.leave(namespace)
	}
	if count == 0 {
		delete(s.callers, namespace)
	}
	return count
}

// take takes a slot, or returns a channel that is closed once there may be one.
func (s *slots) take(namespace string) (ok bool, changed chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if next := slices.IndexFunc(s.line, s.mayTake); !s.mayTake(namespace) || next >= 0 && s.line[next] != namespace {
		if !slices.Contains(s.line, namespace) {
			s.line = append(s.line, namespace)
		}
		return false, s.changed
	}
	s.free--
	s.used[namespace]++
	s.leave(namespace) // Its other callers join the line at its end.
	return true, nil
}

// mayTake reports whether a namespace may take a slot when it is its turn. The caller holds the lock.
func (s *slots) mayTake(namespace string) bool {
	return 2*s.used[namespace] < s.free //nolint:mnd // Half as many.
}

func (s *slots) release(namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	if s.used[namespace]--; s.used[namespace] == 0 {
		delete(s.used, namespace)
	}
	s.wake()
}

// leave removes a namespace from the line. The caller holds the lock.
func (s *slots) leave(namespace string) {
	s.line = slices.DeleteFunc(s.line, func(n string) bool { return n == namespace })
	s.wake()
}

// wake has all who wait look whether it is their turn. The caller holds the lock.
func (s *slots) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}
