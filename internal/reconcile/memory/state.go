package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// A Store keeps the state of each resource between reconciles. The queue's rate limiter cannot do that, because it
// forgets a resource that is requeued for another reason than an error.
type Store struct {
	mu     sync.Mutex
	states map[types.NamespacedName]*Resource
}

// Resource is the state of one resource.
type Resource struct {
	// fingerprint identifies what the user has written, without the annotations of other tools, which may change at any
	// rate. The errors and Calls are cleared if it changes.
	fingerprint string

	// Changes counts the calls of MarkChanged and ResetBackoff, and marked is that count at the last MarkChanged that
	// was not reconciled yet. It is 0 if there is none.
	Changes, marked int

	// changedReference is the referenced object that has changed since AWS was last found up
	// to date, such as "Secret db". It is empty if there is none.
	changedReference string

	// UID is the resource's UID, and wasReady whether it has been Ready, as far as known.
	UID      types.UID
	wasReady bool

	// detected is true once the resource was reconciled. lastInSync is the time at which it was last found up to date,
	// or found to differ after that.
	detected   bool
	lastInSync time.Time

	// drift is the drift of the external resource.
	drift Drift

	// Watched reports whether the resource is watched by lists since it was last found up to date.
	Watched bool

	// class and Failures are the class and number of consecutive errors. failuresOf has the number of errors of each
	// class since the last success or change, which other errors may have come between.
	class      backoff.Class
	Failures   int
	failuresOf [backoff.Panicked + 1]int

	// Calls is the history of calls that have not had their effect yet, and of reports that AWS has to repeat.
	Calls *reconcile.Repeats

	// ambiguous is the time of the first ambiguous error since the last success or change. It is zero if there was
	// none.
	ambiguous time.Time

	// Throttled is the number of consecutive throttled calls.
	Throttled int

	// refused is the number of consecutive changes that AWS has refused.
	refused int

	// WorkerDelays is the number of consecutive times that no worker was available.
	WorkerDelays int

	// DeferredOps are the calls that the last reconciles were aborted for. Deferrals is the number of reconciles that
	// were, since one came to an end.
	DeferredOps []string
	Deferrals   int

	// Events is the state of the events about the resource.
	Events eventState

	// Scope and Requester identify the resource's reservations of calls. They are empty until it has had a session.
	Scope     quota.Scope
	Requester string
}

// A Drift is the state that distinguishes drift from changes by the user. Drift is a difference that appears although
// the desired state has not changed: one observation found AWS up to date, and the next one finds something else. The
// first observation after a start never reports drift, because what changed before it is unknown.
type Drift struct {
	// Synced is the desired state when AWS was last found up to date. It is empty if AWS has
	// something else, or if what spec refers to has changed since.
	Synced string

	// pendingFor is the desired state for which the present drift was found. It is empty if there is none.
	pendingFor string
	comparison reconcile.SyncState

	// mayUpdate reports whether the resource may correct the drift, and corrected whether a call has done so.
	mayUpdate, corrected bool
}

// Pending reports whether there is drift that is yet to be corrected.
func (d Drift) Pending() bool { return d.pendingFor != "" && d.mayUpdate }

// eventState is the state of the events about a resource.
type eventState struct {
	// account and identity belong to the session of the last reconcile. They are empty if unknown.
	account, identity string

	// Origin describes the last call by someone else since AWS was last found up to date, and calledAt is the time of
	// that call.
	Origin   string
	calledAt time.Time

	// Received is the time at which the last event that was not reconciled yet was received. It is zero if there is
	// none.
	Received time.Time

	// upToDateAt is the time of the state in which AWS was found up to date. It is zero if it was not.
	upToDateAt time.Time

	// Reconciles is the number of consecutive reconciles for events, and lastReconcile the time of the last one.
	Reconciles    int
	lastReconcile time.Time
}

func (r *Resource) reset() {
	r.resetErrors()
	r.Throttled, r.DeferredOps, r.Deferrals = 0, nil, 0
}

func (r *Resource) resetErrors() {
	r.Failures, r.refused, r.failuresOf = 0, 0, [len(r.failuresOf)]int{}
	r.ambiguous = time.Time{}
}

// IsChanged reports whether there is a change that was not reconciled yet.
func (r *Resource) IsChanged() bool { return r.marked > 0 }

// recordChange records that the desired state may have changed: a difference found next is not drift.
func recordChange(r *Resource) {
	r.Changes++
	r.Watched = false
	r.drift.Synced = ""
}

// Idle reports whether nothing is left to do: no event about the resource, no error, no call that waits or has
// not had its effect yet, no drift.
func (r *Resource) Idle() bool {
	return !r.IsChanged() && r.Events.Received.IsZero() && r.Failures == 0 && r.refused == 0 && r.Throttled == 0 &&
		len(r.DeferredOps) == 0 && !r.drift.Pending() && r.Calls.Empty()
}

// New returns a Store that remembers nothing.
func New() *Store {
	return &Store{states: map[types.NamespacedName]*Resource{}}
}

// Begin records the start of a reconcile. It returns the state of the resource. An earlier resource with the same name
// must be forgotten before.
func (s *Store) Begin(mg reconcile.Managed) Resource {
	known, unlock := s.lock(client.ObjectKeyFromObject(mg))
	defer unlock()
	if known.UID == "" {
		known.UID = mg.GetUID()
		known.wasReady = reconcile.ReconciledGeneration(mg) > 0 ||
			mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue
	}
	if f := fingerprint(mg); known.fingerprint != f {
		known.fingerprint, known.Watched, known.Calls = f, false, &reconcile.Repeats{}
		known.reset()
	}
	return *known
}

// MarkChanged gives the next reconcile of a resource precedence over polls, and clears its
// errors. by is the referenced object that has changed, such as "Secret db".
func (s *Store) MarkChanged(key types.NamespacedName, by string) {
	r, unlock := s.lock(key)
	defer unlock()
	r.changedReference = by
	r.resetErrors()
	recordChange(r)
	r.marked = r.Changes
}

// RecordWatched records that a resource is watched by lists, unless it has changed since its state was known.
func (s *Store) RecordWatched(key types.NamespacedName, known Resource) {
	r, unlock := s.lock(key)
	defer unlock()
	r.Watched = r.Changes == known.Changes
}

// MarkHandled records that the changes and the event that were known at the start of a reconcile were reconciled. What
// has come since remains.
func (s *Store) MarkHandled(key types.NamespacedName, known Resource, now time.Time) {
	r, unlock := s.lock(key)
	defer unlock()
	if r.marked == known.marked {
		r.marked = 0
	}
	if known.Events.Received.IsZero() {
		return
	}
	e := &r.Events
	e.Reconciles, e.lastReconcile = e.Reconciles+1, now
	if e.Received.Equal(known.Events.Received) {
		e.Received = time.Time{}
	}
}

// RecordSession records the session with which a resource is observed, and the id with which it reserves calls.
func (s *Store) RecordSession(key types.NamespacedName, by *session.Session, requester string) {
	r, unlock := s.lock(key)
	defer unlock()
	r.Scope, r.Requester = by.Scope, requester
	r.Events.account, r.Events.identity = by.Identity.Account, by.Identity.ARN
}

// Len returns the number of resources that are remembered.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.states)
}

// Get returns the state of a resource, if there is one.
func (s *Store) Get(key types.NamespacedName) (Resource, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.states[key]
	if !ok {
		return Resource{}, false
	}
	return *r, true
}

// Forget removes the state of a resource that does not exist any more, and returns it.
func (s *Store) Forget(key types.NamespacedName) Resource {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.states[key]
	if !ok {
		return Resource{}
	}
	delete(s.states, key)
	return *r
}

// RecordReady records that a resource is Ready, and returns whether this is the first time.
func (s *Store) RecordReady(key types.NamespacedName) bool {
	r, unlock := s.lock(key)
	defer unlock()
	first := !r.wasReady
	r.wasReady = true
	return first
}

// lock returns the state of a key, which it creates if there is none, and the function that unlocks the Store.
func (s *Store) lock(key types.NamespacedName) (r *Resource, unlock func()) {
	s.mu.Lock()
	r, ok := s.states[key]
	if !ok {
		r = &Resource{}
		s.states[key] = r
	}
	return r, s.mu.Unlock
}

// CountWorkerDelay records whether a resource was delayed for lack of a worker, and returns
// how many times in a row it was.
func (s *Store) CountWorkerDelay(key client.ObjectKey, crowded bool) int {
	r, unlock := s.lock(key)
	defer unlock()
	r.WorkerDelays++
	if !crowded {
		r.WorkerDelays = 0
	}
	return r.WorkerDelays
}

// RecordDetection reports whether this is the first reconcile of a resource.
func (s *Store) RecordDetection(key client.ObjectKey) bool {
	r, unlock := s.lock(key)
	defer unlock()
	first := !r.detected
	r.detected = true
	return first
}

// recordInSync records the result of an observation. If it found a difference, it returns when the resource was
// compared before, or the zero time.
func (r *Resource) recordInSync(c reconcile.SyncState, now time.Time) time.Time {
	was := r.lastInSync
	switch c {
	case reconcile.UpToDate:
		r.lastInSync = now
	case reconcile.SourceChanged, reconcile.Differs, reconcile.Missing:
		if !was.IsZero() {
			r.lastInSync = now
		}
		return was
	case reconcile.Undecided, reconcile.Unserved:
	}
	return time.Time{}
}

// fingerprint returns a hash of what the user has written.
func fingerprint(mg metav1.Object) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s %d %t %q", mg.GetUID(), mg.GetGeneration(), meta.WasDeleted(mg),
		DesiredAnnotations(mg)) // A hash cannot fail, and the format sorts the map.
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// DesiredAnnotations returns the annotations of Crossplane and of this provider that others have written.
func DesiredAnnotations(mg metav1.Object) map[string]string {
	a := ownership.Annotations(mg)
	delete(a, meta.AnnotationKeyExternalCreatePending)
	delete(a, meta.AnnotationKeyExternalCreateSucceeded)
	delete(a, meta.AnnotationKeyExternalCreateFailed)
	if ownership.WroteName(mg) || meta.GetExternalName(mg) == "" {
		delete(a, meta.AnnotationKeyExternalName)
	}
	delete(a, v1beta1.AnnotationNamedBy)
	delete(a, v1beta1.AnnotationLastInvocation)
	delete(a, v1beta1.AnnotationParent)
	delete(a, v1beta1.AnnotationAsked)
	delete(a, v1beta1.AnnotationIntent)
	delete(a, v1beta1.AnnotationUnanswered)
	return a
}
