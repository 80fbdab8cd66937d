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

// memory is what the gate keeps of each resource between two reconciles. It is
// kept here rather than in the queue's rate limiter, which forgets a resource
// whenever it comes back for another reason than an error.
type memory struct {
	mu      sync.Mutex
	records map[types.NamespacedName]*record
}

// record of one resource.
type record struct {
	// fingerprint of what the user wants. Another one clears the failures.
	fingerprint string

	// pokes counts the changes by the user to anything but the resource itself;
	// served is how many of them have been looked at.
	pokes, served int

	// renewed is true once what the resource needs has changed.
	renewed bool

	// changes counts all of these changes.
	changes int

	// cause is what the resource refers to that was changed since AWS was last found to
	// have what is wanted, such as "Secret db". Empty if nothing was.
	cause string

	// uid of the resource, and whether it has been Ready, as far as can be told.
	uid     types.UID
	readied bool

	// detected is true once the resource was looked at, and compared is when it was last
	// found to be as its spec asks for, or to differ since.
	detected bool
	compared time.Time

	// drift of the thing in AWS.
	drift drift

	// class and failures are the kind and number of errors in a row.
	class    class
	failures int

	// attempts are the calls whose effect AWS has not shown.
	attempts *Attempts

	// ambiguous is when the first ambiguous error occurred since the last success or
	// change. Zero if there was none.
	ambiguous time.Time

	// throttled is the number of throttled calls in a row.
	throttled int

	// refused is the number of changes in a row that AWS has refused.
	refused int

	// crowded is how often in a row there was no worker for it.
	crowded int

	// wanted are the calls that the last reconcile was held for.
	wanted []string

	// scope and holder are by which the resource reserves calls.
	scope  quota.Scope
	holder string
}

// forgive forgets the errors.
func (r *record) forgive() {
	r.failures, r.refused = 0, 0
	r.ambiguous = time.Time{}
}

// clear forgets the errors, and what the resource waited for.
func (r *record) clear() {
	r.forgive()
	r.throttled, r.wanted = 0, nil
}

// poked tells whether there is a change that is yet to be looked at.
func (r *record) poked() bool { return r.pokes > r.served }

// changed notes that something else may be wanted now: what differs is no drift.
func changed(r *record) {
	r.changes++
	r.drift.synced = ""
}

func newMemory() *memory { return &memory{records: map[types.NamespacedName]*record{}} }

// look notes that a resource is being looked at. It returns what is known of it,
// and whether it is seen for the first time.
func (m *memory) look(mg Managed) (r record, first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := types.NamespacedName{Namespace: mg.GetNamespace(), Name: mg.GetName()}
	known, ok := m.records[key]
	if !ok || known.fingerprint == "" {
		first = true
		known = m.record(key)
	}
	if known.uid != mg.GetUID() {
		known.uid, known.drift = mg.GetUID(), drift{}
		known.detected, known.compared = false, time.Time{}
		known.readied = settledGeneration(mg) > 0 || mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue
	}
	if f := fingerprint(mg); known.fingerprint != f {
		known.fingerprint = f
		known.clear()
		known.attempts = &Attempts{}
	}
	return *known, first
}

// poke has the next look at a resource go before mere polls, and clears its errors. by is
// what has changed that the resource refers to, such as "Secret db".
func (m *memory) poke(key types.NamespacedName, by string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.record(key)
	r.pokes++
	r.cause = by
	r.forgive()
	changed(r)
}

// renew clears the errors of a resource, since what it needs has changed. A resource
// that is not known yet is looked at rather than spread.
func (m *memory) renew(key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.record(key)
	r.renewed = true
	r.forgive()
	changed(r)
}

// held notes which calls a resource waits for.
func (m *memory) held(key types.NamespacedName, wanted []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.record(key).wanted = wanted
}

// throttle notes a throttled call and returns how many there were in a row.
func (m *memory) throttle(key types.NamespacedName) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.record(key)
	r.throttled++
	return r.throttled
}

// fail notes an error and returns how many of its class there were in a row, and how many
// throttled calls, if it is of one.
func (m *memory) fail(key types.NamespacedName, c class, throttled bool) (failures, throttles int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.record(key)
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
	r.wanted = nil
	return r.failures, r.throttled
}

// succeed notes that a resource was looked at without an error. done says that AWS has taken
// a change, or that none is due: until then, what it has refused still counts.
func (m *memory) succeed(key types.NamespacedName, done bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.record(key)
	refused := r.refused
	r.clear()
	if !done {
		r.refused = refused
	}
}

// refuse notes that AWS has refused a change, and returns how often in a row it has.
func (m *memory) refuse(key types.NamespacedName) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.record(key)
	r.refused++
	return r.refused
}

// served notes that a resource was looked at after the given number of pokes. One
// that came while it was being looked at is yet to be served.
func (m *memory) served(key types.NamespacedName, pokes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.record(key).served = pokes
}

// doubt notes an ambiguous error, and returns how long ago the first of them was.
func (m *memory) doubt(key types.NamespacedName, now time.Time) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.record(key)
	if r.ambiguous.IsZero() {
		r.ambiguous = now
	}
	return now.Sub(r.ambiguous)
}

// failures of a class in a row.
func (m *memory) failures(key types.NamespacedName, c class) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.records[key]; ok && r.class == c {
		return r.failures
	}
	return 0
}

// holds notes in whose name the resource reserves calls.
func (m *memory) holds(key types.NamespacedName, s quota.Scope, holder string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.record(key)
	r.scope, r.holder = s, holder
}

// known is what is remembered of a resource, if anything is.
func (m *memory) known(key types.NamespacedName) (record, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.records[key]
	if !ok {
		return record{}, false
	}
	return *r, true
}

// forget a resource that is gone. It returns what was known of it.
func (m *memory) forget(key types.NamespacedName) (record, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.records[key]
	if !ok {
		return record{}, false
	}
	delete(m.records, key)
	return *r, true
}

// compared notes what a look that began with known has come to, and returns what that
// adds to the metrics. A change that came while it was going on may have been looked at
// or not.
func (m *memory) compared(mg Managed, t *Turn, known record) finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.record(client.ObjectKeyFromObject(mg))
	c, mends := t.Comparison()
	var f finding
	if r.drift, f = r.drift.after(c, mends, wanted(mg), t.did); r.changes != known.changes {
		r.drift.synced = ""
	} else if c == Same {
		r.cause = ""
	}
	return f
}

// released forgets the drift of a resource that is let go.
func (m *memory) released(key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.record(key).drift = drift{}
}

// drifting is the number of resources with drift that is yet to be put right.
func (m *memory) drifting() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, r := range m.records {
		if r.drift.pending() {
			n++
		}
	}
	return n
}

// ready notes that a resource is Ready, and tells whether it is so for the first time.
func (m *memory) ready(key types.NamespacedName) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.record(key)
	first := !r.readied
	r.readied = true
	return first
}

// record of a key, made if there is none. The lock is held.
func (m *memory) record(key types.NamespacedName) *record {
	r, ok := m.records[key]
	if !ok {
		r = &record{}
		m.records[key] = r
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
