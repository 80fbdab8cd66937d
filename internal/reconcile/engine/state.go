package engine

import (
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
)

// A stateStore keeps the state of each resource between reconciles. The queue's rate limiter cannot do that, because it
// forgets a resource that is requeued for another reason than an error.
type stateStore struct {
	mu     sync.Mutex
	states map[types.NamespacedName]*resourceState
}

// resourceState is the state of one resource.
type resourceState struct {
	// fingerprint identifies what the user has written. The errors are cleared if it changes.
	fingerprint string

	// changeMarks counts the changes to anything but the resource itself that markChanged has
	// recorded; handledMarks is how many of them were reconciled.
	changeMarks, handledMarks int

	// backoffReset is true after resetBackoff.
	backoffReset bool

	// changes counts the calls of markChanged and resetBackoff.
	changes int

	// changedReference is the referenced object that has changed since AWS was last found up
	// to date, such as "Secret db". It is empty if there is none.
	changedReference string

	// uid is the resource's UID, and wasReady whether it has been Ready, as far as known.
	uid      types.UID
	wasReady bool

	// detected is true once the resource was reconciled. lastInSync is when it was last found
	// up to date, or found to differ after that.
	detected   bool
	lastInSync time.Time

	// drift is the drift of the external resource.
	drift drift

	// watched is whether the resource is watched by lists since it was last found up to date.
	watched bool

	// heldSince is since when the status is held back. It is zero if it is not.
	heldSince time.Time

	// class and failures are the class and number of consecutive errors.
	class    backoff.Class
	failures int

	// calls is the history of calls that have not had their effect yet.
	calls *reconcile.Repeats

	// ambiguous is when the first ambiguous error occurred since the last success or change.
	// It is zero if there was none.
	ambiguous time.Time

	// throttled is the number of consecutive throttled calls.
	throttled int

	// refused is the number of consecutive changes that AWS has refused.
	refused int

	// workerDelays is the number of consecutive times that no worker was available.
	workerDelays int

	// deferredOps are the calls that the last reconciles were aborted for.
	deferredOps []string

	// events is what is known of the events about the resource.
	events eventState

	// scope and requester identify the resource's reservations of calls.
	scope     quota.Scope
	requester string
}

// resetErrors clears the errors.
func (r *resourceState) resetErrors() {
	r.failures, r.refused = 0, 0
	r.ambiguous = time.Time{}
}

// reset clears the errors, the throttled calls and the deferred calls.
func (r *resourceState) reset() {
	r.resetErrors()
	r.throttled, r.deferredOps = 0, nil
}

// isChanged returns whether there is a change that was not reconciled yet.
func (r *resourceState) isChanged() bool { return r.changeMarks > r.handledMarks }

// recordChange records that the desired state may have changed: a difference found next is not drift.
func recordChange(r *resourceState) {
	r.changes++
	r.watched = false
	r.drift.synced = ""
}

// idle returns whether nothing is left to do: no event about the resource, no error, no call that waits or has
// not had its effect yet, no drift.
func (r *resourceState) idle() bool {
	return !r.isChanged() && r.events.received.IsZero() && r.failures == 0 && r.refused == 0 && r.throttled == 0 && len(r.deferredOps) == 0 && !r.drift.pending() && r.calls.Empty()
}

func newStateStore() *stateStore {
	return &stateStore{states: map[types.NamespacedName]*resourceState{}}
}

// begin records the start of a reconcile. It returns the state of the resource, and whether
// this is its first reconcile in this process.
func (s *stateStore) begin(mg reconcile.Managed) (r resourceState, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := types.NamespacedName{Namespace: mg.GetNamespace(), Name: mg.GetName()}
	known, ok := s.states[key]
	if !ok || known.fingerprint == "" {
		first = true
		known = s.state(key)
	}
	if known.uid != mg.GetUID() {
		known.uid, known.drift = mg.GetUID(), drift{}
		known.detected, known.lastInSync = false, time.Time{}
		known.events.upToDateAt = time.Time{}
		known.wasReady = reconcile.SettledGeneration(mg) > 0 || mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue
	}
	if f := fingerprint(mg); known.fingerprint != f {
		known.fingerprint = f
		known.reset()
		known.calls, known.watched = &reconcile.Repeats{}, false
	}
	return *known, first
}

// markChanged gives the next reconcile of a resource precedence over polls, and clears its
// errors. by is the referenced object that has changed, such as "Secret db".
func (s *stateStore) markChanged(key types.NamespacedName, by string) { //nolint:unparam // Watches name other objects.
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	r.changeMarks++
	r.changedReference = by
	r.resetErrors()
	recordChange(r)
}

// resetBackoff clears the errors of a resource because something that it needs has changed.
// The first reconcile of a resource after a start is then not delayed.
func (s *stateStore) resetBackoff(key types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	r.backoffReset = true
	r.resetErrors()
	recordChange(r)
}

// mostDeferred is how many calls are reserved in advance because earlier reconciles waited for them.
const mostDeferred = 8

// recordDeferred records calls that a resource waits for, besides those that it has waited for since it last left a
// trace: otherwise two calls could wait for each other forever.
func (s *stateStore) recordDeferred(key types.NamespacedName, ops []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	if len(r.deferredOps)+len(ops) > mostDeferred {
		r.deferredOps = nil
	}
	r.deferredOps = append(slices.Clip(r.deferredOps), ops...)
}

// countThrottle records a throttled call, and returns the number of consecutive ones.
func (s *stateStore) countThrottle(key types.NamespacedName) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	r.throttled++
	return r.throttled
}

// recordFailure records an error. It returns the number of consecutive errors of its class,
// and of consecutive throttled calls.
func (s *stateStore) recordFailure(key types.NamespacedName, c backoff.Class, throttled bool) (failures, throttles int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	if r.class != c {
		r.failures = 0
	}
	r.class = c
	r.failures++
	if throttled {
		r.throttled++
	} else {
		r.throttled = 0
	}
	r.deferredOps = nil
	return r.failures, r.throttled
}

// recordSuccess records a reconcile without an error. done is whether AWS has accepted a
// change or none is due; otherwise the count of refused changes is kept.
func (s *stateStore) recordSuccess(key types.NamespacedName, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	refused := r.refused
	r.reset()
	if !done {
		r.refused = refused
	}
}

// countRefusal records that AWS has refused a change, and returns the number of consecutive refusals.
func (s *stateStore) countRefusal(key types.NamespacedName) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	r.refused++
	return r.refused
}

// recordWatched records that a resource is watched by lists, unless it has changed since its state was known.
func (s *stateStore) recordWatched(key types.NamespacedName, known resourceState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	r.watched = r.changes == known.changes
}

// markHandled records that the given number of change marks was reconciled. A mark that was
// set during the reconcile remains.
func (s *stateStore) markHandled(key types.NamespacedName, marks int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state(key).handledMarks = marks
}

// ambiguousFor records an ambiguous error, and returns the time since the first one.
func (s *stateStore) ambiguousFor(key types.NamespacedName, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	if r.ambiguous.IsZero() {
		r.ambiguous = now
	}
	return now.Sub(r.ambiguous)
}

// failuresOf returns the number of consecutive errors of a class.
func (s *stateStore) failuresOf(key types.NamespacedName, c backoff.Class) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.states[key]; ok && r.class == c {
		return r.failures
	}
	return 0
}

// recordSession records the session with which a resource is observed, and the id with which it reserves calls.
func (s *stateStore) recordSession(key types.NamespacedName, by *session.Session, requester string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	r.scope, r.requester = by.Scope, requester
	r.events.account, r.events.identity = by.Identity.Account, by.Identity.ARN
}

// get returns the state of a resource, if there is one.
func (s *stateStore) get(key types.NamespacedName) (resourceState, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.states[key]
	if !ok {
		return resourceState{}, false
	}
	return *r, true
}

// forget removes the state of a resource that does not exist any more, and returns it.
func (s *stateStore) forget(key types.NamespacedName) (resourceState, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.states[key]
	if !ok {
		return resourceState{}, false
	}
	delete(s.states, key)
	return *r, true
}

// compareResult is the result of comparing AWS with spec in one reconcile, as far as drift is concerned.
type compareResult struct {
	state     reconcile.SyncState
	mayUpdate bool
	did       action

	// upToDate is whether AWS was found up to date, by answers since a time. failed is whether there was an error.
	upToDate, failed bool
	since            time.Time
}

// recordComparison records the result of an observation, and returns what it adds to the
// metrics. known is the state at the start of the observation: if something changed since, the
// observation may or may not have seen the change, so no drift is derived from it.
func (s *stateStore) recordComparison(mg reconcile.Managed, c compareResult, known resourceState) driftChange {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(client.ObjectKeyFromObject(mg))
	var f driftChange
	if r.drift, f = r.drift.after(c.state, c.mayUpdate, desiredState(mg), c.did); r.changes != known.changes {
		r.drift.synced = ""
	} else if c.state == reconcile.UpToDate {
		r.changedReference = ""
	}
	switch {
	case c.upToDate && r.changes == known.changes && !c.since.IsZero():
		r.events.recordUpToDate(c.since)
	case !c.failed:
		r.events.recordDifferent()
	}
	return f
}

// forgetDrift clears the drift of a resource that is not managed any more.
func (s *stateStore) forgetDrift(key types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state(key).drift = drift{}
}

// countDrifting returns the number of resources with drift that is yet to be corrected.
func (s *stateStore) countDrifting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.states {
		if r.drift.pending() {
			n++
		}
	}
	return n
}

// recordReady records that a resource is Ready, and returns whether this is the first time.
func (s *stateStore) recordReady(key types.NamespacedName) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	first := !r.wasReady
	r.wasReady = true
	return first
}

// state returns the state of a key, and creates it if there is none. The caller holds the lock.
func (s *stateStore) state(key types.NamespacedName) *resourceState {
	r, ok := s.states[key]
	if !ok {
		r = &resourceState{}
		s.states[key] = r
	}
	return r
}

// beginHold records that the status of a resource is held back, and returns since when it is.
func (s *stateStore) beginHold(key client.ObjectKey, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	if r.heldSince.IsZero() || r.heldSince.After(now) {
		r.heldSince = now
	}
	return r.heldSince
}

// endHold records that the status of a resource is not held back.
func (s *stateStore) endHold(key client.ObjectKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.states[key]; ok {
		r.heldSince = time.Time{}
	}
}

// countWorkerDelay records whether a resource was delayed for lack of a worker, and returns
// how many times in a row it was.
func (s *stateStore) countWorkerDelay(key client.ObjectKey, crowded bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	r.workerDelays++
	if !crowded {
		r.workerDelays = 0
	}
	return r.workerDelays
}

// recordDetection returns whether this is the first reconcile of a resource.
func (s *stateStore) recordDetection(key client.ObjectKey) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	first := !r.detected
	r.detected = true
	return first
}

// recordInSync records the result of an observation. If it found a difference, it returns when
// the resource was compared before, or the zero time.
func (s *stateStore) recordInSync(key client.ObjectKey, c reconcile.SyncState, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	was := r.lastInSync
	switch c {
	case reconcile.UpToDate:
		r.lastInSync = now
	case reconcile.SourceChanged, reconcile.Differs, reconcile.Missing:
		if !was.IsZero() {
			r.lastInSync = now
		}
		return was
	case reconcile.Undecided:
	}
	return time.Time{}
}
