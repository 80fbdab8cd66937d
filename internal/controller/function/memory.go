package function

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// maxRejections is the number of times that AWS may reject a call for a reason that may be temporary
// before the other calls go ahead of it.
const maxRejections = 5

// records keeps the state of each function between reconciles. It is in memory only: after
// a restart, each call is tried again. It is safe for concurrent use. A record itself is not: a resource is in one
// reconcile at a time.
type records struct {
	mu      sync.Mutex
	records map[types.UID]*record
}

// record is the state of one resource. All fields but sent belong to one generation.
type record struct {
	generation int64

	// fresh is true if the spec is new, until AWS has accepted a creation or an update of it, or was seen without a
	// failure: what has failed is then not the last attempt at this spec.
	fresh bool

	// refusals has the calls that AWS has rejected, and refused counts the rejections.
	refusals map[call]refusal
	refused  int

	// repairs counts how often in a row a failed creation or update was retried, and
	// repaired is the time of the last retry.
	repairs  int
	repaired time.Time

	// sent has the fingerprints of the settings that AWS accepted last, by path.
	sent map[string]string
}

// refusal counts the rejections of a call with the same changes.
type refusal struct {
	changes string
	count   int
	// number is the sequence number of the last rejection. The call rejected longest ago is tried first.
	number int
}

func newRecords() *records { return &records{records: map[types.UID]*record{}} }

// of returns the record of a resource and creates it if there is none.
func (m *records) of(f *v1beta1.Function) *record {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, known := m.records[f.GetUID()]
	if !known {
		r = &record{sent: map[string]string{}}
		m.records[f.GetUID()] = r
	}
	if g := f.GetGeneration(); !known || r.generation != g {
		fresh := f.GetCondition(xpv2.TypeReady).ObservedGeneration != g
		*r = record{generation: g, fresh: fresh, sent: r.sent}
	}
	return r
}

// drop removes the record of the resource with this UID.
func (m *records) drop(uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.records, uid)
}

// refuse records that AWS rejected a call. After a final rejection the other calls go first immediately.
func (r *record) refuse(c call, changes diff.Changes, final bool) {
	r.refused++
	was := r.refusals[c]
	if was.changes != changes.String() {
		was = refusal{changes: changes.String()}
	}
	was.count, was.number = was.count+1, r.refused
	if final {
		was.count = max(was.count, maxRejections)
	}
	if r.refusals == nil {
		r.refusals = map[call]refusal{}
	}
	r.refusals[c] = was
}

// accept records that AWS accepted a call, with the fingerprints of the settings that it sent.
func (r *record) accept(c call, sent map[string]string) {
	delete(r.refusals, c)
	maps.Copy(r.sent, sent)
	r.fresh = r.fresh && c != opCreate && !c.asynchronous()
}

// unanswered records that AWS may have made a call that sent settings: it may have those or the earlier ones.
func (r *record) unanswered(sent map[string]string) {
	for path := range sent {
		r.sent[path] = ""
	}
}

// orderedCalls returns the calls that may be made, in order. Calls that AWS rejects repeatedly come last, so that one
// rejected setting does not block the others. A call that depends on a rejected one is left out.
func (r *record) orderedCalls(calls []call, changes diff.Changes) []call {
	number := func(c call) int {
		if was := r.refusals[c]; was.count >= maxRejections && was.changes == c.applies(changes).String() {
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

// repair records that a failed creation or update is retried.
func (r *record) repair(now time.Time) {
	r.repairs++
	r.repaired = now
}

// recovered resets the count of retries after a healthy observation.
func (r *record) recovered() {
	r.repairs, r.repaired, r.fresh = 0, time.Time{}, false
}

// mustSend reports whether a setting that AWS does not return still has to be sent. It is sent
// once for each change and assumed correct after that. A setting that this process has not
// sent counts as sent, unless the user has changed the spec.
func (r *record) mustSend(path, fingerprint string) bool {
	was, known := r.sent[path]
	switch {
	case was == fingerprint:
		return false
	case !known && !r.fresh:
		r.sent[path] = fingerprint
		return false
	case !known:
		r.sent[path] = ""
	}
	return true
}
