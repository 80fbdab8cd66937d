package memory

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
)

// ResetBackoff clears the errors of a resource because something that it needs has changed.
// The first reconcile of a resource after a start is then not delayed.
func (s *Store) ResetBackoff(key types.NamespacedName) {
	r, unlock := s.lock(key)
	defer unlock()
	r.resetErrors()
	recordChange(r)
}

// mostDeferred is the maximum number of calls that are reserved in advance because earlier reconciles waited for them.
const mostDeferred = 8

// RecordDeferred records calls that a resource waits for, besides those that it has waited for since it last left a
// trace: otherwise two calls could wait for each other forever.
func (s *Store) RecordDeferred(key types.NamespacedName, ops []string) {
	r, unlock := s.lock(key)
	defer unlock()
	if len(r.DeferredOps)+len(ops) > mostDeferred {
		r.DeferredOps = nil
	}
	r.DeferredOps = append(slices.Clip(r.DeferredOps), ops...)
	if len(ops) > 0 {
		r.Deferrals++
	}
}

// CountThrottle records a throttled call, and returns the number of consecutive ones.
func (s *Store) CountThrottle(key types.NamespacedName) int {
	r, unlock := s.lock(key)
	defer unlock()
	r.Throttled++
	return r.Throttled
}

// RecordFailure records an error. It returns the number of errors of its class since the last success or change, and of
// consecutive throttled calls.
func (s *Store) RecordFailure(key types.NamespacedName, c backoff.Class, throttled bool) (failures, throttles int) {
	r, unlock := s.lock(key)
	defer unlock()
	if r.class != c {
		r.Failures = 0
	}
	r.class = c
	r.Failures++
	r.failuresOf[c]++
	if throttled {
		r.Throttled++
	} else {
		r.Throttled = 0
	}
	r.DeferredOps = nil
	if c != backoff.Transient { // A call that was deferred too often is.
		r.Deferrals = 0
	}
	return r.failuresOf[c], r.Throttled
}

// RecordSuccess records a reconcile without an error. done reports whether AWS has accepted a change or none is due;
// otherwise the count of refused changes is kept.
func (s *Store) RecordSuccess(key types.NamespacedName, done bool) {
	r, unlock := s.lock(key)
	defer unlock()
	refused := r.refused
	r.reset()
	if !done {
		r.refused = refused
	}
}

// CountRefusal records that AWS has refused a change, and returns the number of consecutive refusals.
func (s *Store) CountRefusal(key types.NamespacedName) int {
	r, unlock := s.lock(key)
	defer unlock()
	r.refused++
	return r.refused
}

// AmbiguousFor records an ambiguous error, and returns the time since the first one.
func (s *Store) AmbiguousFor(key types.NamespacedName, now time.Time) time.Duration {
	r, unlock := s.lock(key)
	defer unlock()
	if r.ambiguous.IsZero() {
		r.ambiguous = now
	}
	return now.Sub(r.ambiguous)
}

// FailuresOf returns the number of consecutive errors of a class.
func (s *Store) FailuresOf(key types.NamespacedName, c backoff.Class) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.states[key]; ok && r.class == c {
		return r.Failures
	}
	return 0
}
