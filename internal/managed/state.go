package managed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

// stateStore is what the gate keeps of each resource between two reconciles. It is
// kept here rather than in the queue's rate limiter, which forgets a resource
// whenever it comes back for another reason than an error.
type stateStore struct {
	mu     sync.Mutex
	states map[types.NamespacedName]*resourceState
}

// resourceState of one resource.
type resourceState struct {
	// fingerprint of what the user wants. Another one clears the failures.
	fingerprint string

	// changeMarks counts the changes by the user to anything but the resource itself;
	// served is how many of them have been looked at.
	changeMarks, handledMarks int

	// backoffReset is true once what the resource needs has changed.
	backoffReset bool

	// changes counts all of these changes.
	changes int

	// changedReference is what the resource refers to that was changed since AWS was last found to
	// have what is wanted, such as "Secret db". Empty if nothing was.
	changedReference string

	// uid of the resource, and whether it has been Ready, as far as can be told.
	uid      types.UID
	wasReady bool

	// detected is true once the resource was looked at, and compared is when it was last
	// found to be as its spec asks for, or to differ since.
	detected   bool
	lastInSync time.Time

	// drift of the thing in AWS.
	drift drift

	// class and failures are the kind and number of errors in a row.
	class    errorClass
	failures int

	// calls are the calls whose effect AWS has not shown.
	calls *CallHistory

	// ambiguous is when the first ambiguous error occurred since the last success or
	// change. Zero if there was none.
	ambiguous time.Time

	// throttled is the number of throttled calls in a row.
	throttled int

	// refused is the number of changes in a row that AWS has refused.
	refused int

	// workerDelays is how often in a row there was no worker for it.
	workerDelays int

	// deferredOps are the calls that the last reconcile was held for.
	deferredOps []string

	// scope and holder are by which the resource reserves calls.
	scope     quota.Scope
	requester string
}

// resetErrors forgets the errors.
func (r *resourceState) resetErrors() {
	r.failures, r.refused = 0, 0
	r.ambiguous = time.Time{}
}

// reset forgets the errors, and what the resource waited for.
func (r *resourceState) reset() {
	r.resetErrors()
	r.throttled, r.deferredOps = 0, nil
}

// isChanged tells whether there is a change that is yet to be looked at.
func (r *resourceState) isChanged() bool { return r.changeMarks > r.handledMarks }

// recordChange notes that something else may be wanted now: what differs is no drift.
func recordChange(r *resourceState) {
	r.changes++
	r.drift.synced = ""
}

func newStateStore() *stateStore {
	return &stateStore{states: map[types.NamespacedName]*resourceState{}}
}

// begin notes that a resource is being looked at. It returns what is known of it,
// and whether it is seen for the first time.
func (s *stateStore) begin(mg Managed) (r resourceState, first bool) {
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
		known.wasReady = settledGeneration(mg) > 0 || mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue
	}
	if f := fingerprint(mg); known.fingerprint != f {
		known.fingerprint = f
		known.reset()
		known.calls = &CallHistory{}
	}
	return *known, first
}

// markChanged has the next look at a resource go before mere polls, and clears its errors. by is
// what has changed that the resource refers to, such as "Secret db".
func (s *stateStore) markChanged(key types.NamespacedName, by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	r.changeMarks++
	r.changedReference = by
	r.resetErrors()
	recordChange(r)
}

// resetBackoff clears the errors of a resource, since what it needs has changed. A resource
// that is not known yet is looked at rather than spread.
func (s *stateStore) resetBackoff(key types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	r.backoffReset = true
	r.resetErrors()
	recordChange(r)
}

// recordDeferred notes which calls a resource waits for.
func (s *stateStore) recordDeferred(key types.NamespacedName, wanted []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state(key).deferredOps = wanted
}

// countThrottle notes a throttled call and returns how many there were in a row.
func (s *stateStore) countThrottle(key types.NamespacedName) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	r.throttled++
	return r.throttled
}

// recordFailure notes an error and returns how many of its class there were in a row, and how many
// throttled calls, if it is of one.
func (s *stateStore) recordFailure(key types.NamespacedName, c errorClass, throttled bool) (failures, throttles int) {
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

// recordSuccess notes that a resource was looked at without an error. done says that AWS has taken
// a change, or that none is due: until then, what it has refused still counts.
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

// countRefusal notes that AWS has refused a change, and returns how often in a row it has.
func (s *stateStore) countRefusal(key types.NamespacedName) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	r.refused++
	return r.refused
}

// markHandled notes that a resource was looked at after the given number of pokes. One
// that came while it was being looked at is yet to be served.
func (s *stateStore) markHandled(key types.NamespacedName, pokes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state(key).handledMarks = pokes
}

// ambiguousFor notes an ambiguous error, and returns how long ago the first of them was.
func (s *stateStore) ambiguousFor(key types.NamespacedName, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	if r.ambiguous.IsZero() {
		r.ambiguous = now
	}
	return now.Sub(r.ambiguous)
}

// failuresOf of a class in a row.
func (s *stateStore) failuresOf(key types.NamespacedName, c errorClass) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.states[key]; ok && r.class == c {
		return r.failures
	}
	return 0
}

// setRequester notes in whose name the resource reserves calls.
func (m *stateStore) setRequester(key types.NamespacedName, s quota.Scope, requester string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.state(key)
	r.scope, r.requester = s, requester
}

// get is what is remembered of a resource, if anything is.
func (s *stateStore) get(key types.NamespacedName) (resourceState, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.states[key]
	if !ok {
		return resourceState{}, false
	}
	return *r, true
}

// forget a resource that is gone. It returns what was known of it.
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

// recordComparison notes what a look that began with known has come to, and returns what that
// adds to the metrics. A change that came while it was going on may have been looked at
// or not.
func (s *stateStore) recordComparison(mg Managed, a *Attempt, known resourceState) driftChange {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(client.ObjectKeyFromObject(mg))
	c, mends := a.Comparison()
	var f driftChange
	if r.drift, f = r.drift.after(c, mends, desiredState(mg), a.action); r.changes != known.changes {
		r.drift.synced = ""
	} else if c == UpToDate {
		r.changedReference = ""
	}
	return f
}

// forgetDrift forgets the drift of a resource that is let go.
func (s *stateStore) forgetDrift(key types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state(key).drift = drift{}
}

// countDrifting is the number of resources with drift that is yet to be put right.
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

// recordReady notes that a resource is Ready, and tells whether it is so for the first time.
func (s *stateStore) recordReady(key types.NamespacedName) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state(key)
	first := !r.wasReady
	r.wasReady = true
	return first
}

// state of a key, made if there is none. The lock is held.
func (s *stateStore) state(key types.NamespacedName) *resourceState {
	r, ok := s.states[key]
	if !ok {
		r = &resourceState{}
		s.states[key] = r
	}
	return r
}

// fingerprint of what the user wants of a resource: another one has errors
// forgotten. What the provider itself annotates does not count.
func fingerprint(mg metav1.Object) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s %d %t", mg.GetUID(), mg.GetGeneration(), meta.WasDeleted(mg)) // A hash cannot fail.
	a := desiredAnnotations(mg)
	for _, k := range slices.Sorted(maps.Keys(a)) {
		_, _ = fmt.Fprintf(h, " %q=%q", k, a[k])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// desiredAnnotations are those that the provider has not written itself.
func desiredAnnotations(mg metav1.Object) map[string]string {
	a := maps.Clone(mg.GetAnnotations())
	delete(a, meta.AnnotationKeyExternalCreatePending)
	delete(a, meta.AnnotationKeyExternalCreateSucceeded)
	delete(a, meta.AnnotationKeyExternalCreateFailed)
	if ownership.WroteName(mg) || meta.GetExternalName(mg) == "" {
		delete(a, meta.AnnotationKeyExternalName)
	}
	delete(a, ownership.AnnotationNamedBy)
	delete(a, ownership.AnnotationRecord)
	delete(a, ownership.AnnotationParent)
	delete(a, ownership.AnnotationIntent)
	delete(a, ownership.AnnotationUnanswered)
	return a
}
