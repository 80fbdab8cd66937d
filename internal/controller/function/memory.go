package function

import (
	"maps"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// patience is how often AWS refuses a call for a reason that may pass before others go
// ahead of it.
const patience = 5

// records are what the provider remembers of each function between two reconciles. They
// are kept in memory only: after a restart, each call is tried anew. They are safe for
// concurrent use.
type records struct {
	mu      sync.Mutex
	records map[types.UID]*record
}

// record of one resource. All but sent is of one generation.
type record struct {
	generation int64

	// refusals are the calls that AWS has refused, and refused how many there were.
	refusals map[call]refusal
	refused  int

	// repairs is how often a failed creation or update was tried again in a row, and
	// repaired when that was last.
	repairs  int
	repaired time.Time

	// sent are fingerprints of settings as AWS has accepted them last, by path.
	sent map[string]string
}

// refusal of a call with the same changes.
type refusal struct {
	changes string
	count   int
	// number of the refusal among all, so that calls take turns.
	number int
}

func newRecords() *records { return &records{records: map[types.UID]*record{}} }

// of a resource. The lock is held.
func (m *records) of(mg metav1.Object) *record {
	r := m.records[mg.GetUID()]
	if r == nil {
		r = &record{sent: map[string]string{}}
		m.records[mg.GetUID()] = r
	}
	if r.generation != mg.GetGeneration() {
		*r = record{generation: mg.GetGeneration(), sent: r.sent}
	}
	return r
}

// forget a resource.
func (m *records) forget(mg metav1.Object) { m.drop(mg.GetUID()) }

// drop what is kept of a resource that is gone.
func (m *records) drop(uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.records, uid)
}

// refuse notes that AWS has refused a call. One that is final stands back at once.
func (m *records) refuse(mg metav1.Object, c call, changes diff.Changes, final bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(mg)
	r.refused++
	was := r.refusals[c]
	if was.changes != changes.String() {
		was = refusal{changes: changes.String()}
	}
	was.count, was.number = was.count+1, r.refused
	if final {
		was.count = max(was.count, patience)
	}
	if r.refusals == nil {
		r.refusals = map[call]refusal{}
	}
	r.refusals[c] = was
}

// accept notes that AWS has accepted a call, with settings of these fingerprints.
func (m *records) accept(mg metav1.Object, c call, sent map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(mg)
	delete(r.refusals, c)
	maps.Copy(r.sent, sent)
}

// inTurn are the calls that may be made: those that AWS refuses stand back behind the
// others, so that one setting that AWS does not take does not hold up the rest. What
// depends on a refused call is not made before it.
func (m *records) inTurn(mg metav1.Object, calls []call, changes diff.Changes) []call {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(mg)
	number := func(c call) int {
		if was := r.refusals[c]; was.count >= patience && was.changes == c.carried(changes).String() {
			return was.number
		}
		return 0
	}
	waits := func(c call) bool {
		return slices.ContainsFunc(calls, func(other call) bool { return number(other) > 0 && c.dependsOn(other) })
	}
	out := slices.DeleteFunc(slices.Clone(calls), waits)
	slices.SortStableFunc(out, func(a, b call) int { return number(a) - number(b) })
	return out
}

// repair notes that a failed creation or update is tried again.
func (m *records) repair(mg metav1.Object, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(mg)
	r.repairs++
	r.repaired = now
}

// repairs is how often in a row that was, and when last.
func (m *records) repairs(mg metav1.Object) (int, time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(mg)
	return r.repairs, r.repaired
}

// recovered notes that nothing has failed.
func (m *records) recovered(mg metav1.Object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(mg)
	r.repairs, r.repaired = 0, time.Time{}
}

// owes tells whether a setting that AWS does not show has still to be sent. It is sent
// once for each change, and trusted after that. What was not sent by this process counts
// as sent, unless the spec is fresh.
func (m *records) owes(mg metav1.Object, path, fingerprint string, fresh bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of(mg)
	was, known := r.sent[path]
	switch {
	case was == fingerprint:
		return false
	case !known && !fresh:
		r.sent[path] = fingerprint
		return false
	case !known:
		r.sent[path] = ""
	}
	return true
}
