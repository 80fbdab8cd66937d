package listpoll

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// tolerance is the maximum age of what a list shows, as a multiple of the interval. It allows for jitter
// of polls and for pages that had to wait.
const tolerance = 1.25

// A State is the state of a resource according to lists.
type State int

const (
	// Unknown means that the resource has to be read: it is not watched, its list does not pay or does
	// not show it as it was, or a full read is due.
	Unknown State = iota

	// Pending means that the resource's lists are being read.
	Pending

	// Unchanged means that the lists show the resource as it was when it was found up to date.
	Unchanged
)

// A Result is the result of Check.
type Result struct {
	State State

	// Until is the latest time at which a Pending state is decided.
	Until time.Time

	// Direct has the items that are not read by list, because their list does not pay. The state
	// holds if Get returns their revisions.
	Direct []Ref
}

// Watch watches a resource that was found up to date. refs are its items, with the revisions that were found: the first
// one decides whether lists are used. readAt is the time at which the resource was read in full, or zero if that was
// before the start. notify is called, without blocking, when a list shows a difference; nil leaves it to Check. Without
// refs, the resource is not watched.
func (p *Poller) Watch(uid types.UID, s *session.Session, refs []Ref, readAt time.Time, notify func()) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.resources[uid]
	if len(refs) == 0 {
		p.drop(uid, r)
		return
	}
	if r == nil || r.session.Reader() != s.Reader() || !slices.EqualFunc(r.refs, refs, sameItem) {
		p.drop(uid, r)
		r = &resource{}
		p.resources[uid] = r
		for i, ref := range refs {
			p.add(uid, s, ref, i == 0)
		}
	}
	if !slices.EqualFunc(r.refs, refs, func(a, b Ref) bool { return a.Revision == b.Revision }) {
		r.reported = "" // What the list showed was another revision.
	}
	r.session, r.refs, r.readAt, r.watchedAt, r.notify = s, refs, readAt, p.o.Now(), notify
	r.fingerprints = make([]uint64, len(refs))
}

func sameItem(a, b Ref) bool { return a.List.is(b.List) && a.ID == b.ID }

// Forget stops watching a resource.
func (p *Poller) Forget(uid types.UID) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(uid, p.resources[uid])
}

// add adds a resource to an item of a list. The caller holds the lock.
func (p *Poller) add(uid types.UID, s *session.Session, ref Ref, primary bool) {
	k := keyOf(s, ref.List)
	l, ok := p.lists[k]
	if !ok {
		gather := time.Duration(gatherShare * float64(p.o.Interval))
		l = &list{definition: ref.List, session: s, items: map[string]*item{}, nextAt: p.o.Now().Add(gather)}
		p.lists[k] = l
	}
	l.primary = l.primary || primary
	it, ok := l.items[ref.ID]
	if !ok {
		it = &item{}
		l.items[ref.ID] = it
	}
	it.resources = append(it.resources, uid)
	p.wakeUp()
}

// drop removes a resource. The caller holds the lock.
func (p *Poller) drop(uid types.UID, r *resource) {
	if r == nil {
		return
	}
	delete(p.resources, uid)
	for _, ref := range r.refs {
		l := p.lists[keyOf(r.session, ref.List)]
		it := l.items[ref.ID]
		it.resources = slices.DeleteFunc(it.resources, func(u types.UID) bool { return u == uid })
		if len(it.resources) == 0 {
			delete(l.items, ref.ID)
		}
	}
}

// Check returns what lists show of a resource that Watch was called for with a session of the same config and account.
// They are read with this one from now on.
func (p *Poller) Check(uid types.UID, s *session.Session) Result {
	if p == nil {
		return Result{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.resources[uid]
	if r == nil || r.session.Reader() != s.Reader() {
		return Result{}
	}
	now := p.o.Now()
	r.session = s
	for _, ref := range r.refs {
		p.lists[keyOf(s, ref.List)].use(s)
	}
	primary := p.lists[keyOf(s, r.refs[0].List)]
	if !p.pays(primary) || p.fullReadDue(uid, r, len(primary.items), now) {
		return Result{}
	}
	result := Result{State: Unchanged}
	for _, ref := range r.refs {
		l := p.lists[keyOf(s, ref.List)]
		maxAge := p.maxAge()
		if l != primary && !p.pays(l) && ref.List.Get != nil {
			// No item is older than one interval and a half.
			if maxAge = p.o.Interval / 2; l.items[ref.ID].readAt.Before(now.Add(-maxAge)) { //nolint:mnd // See above.
				result.Direct = append(result.Direct, ref)
				continue
			}
		}
		switch r.stateOf(l, ref.ID, now, maxAge) {
		case Unknown:
			return Result{}
		case Pending:
			result.State, result.Until = Pending, r.watchedAt.Add(p.maxAge())
		case Unchanged:
		}
	}
	return result
}

// Record records the revision of an item that Check has returned in Direct, so that it is not read again for each
// resource that it belongs to. began is the time at which its read began.
func (p *Poller) Record(s *session.Session, ref Ref, revision string, began time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, ok := p.lists[keyOf(s, ref.List)]
	if !ok || l.items[ref.ID] == nil {
		return
	}
	it := l.items[ref.ID]
	it.revision, it.fingerprint, it.readAt = revision, 0, began
}

// maxAge returns how old what a list shows may be.
func (p *Poller) maxAge() time.Duration { return time.Duration(tolerance * float64(p.o.Interval)) }

// stateOf returns the state of one item. What a list shows may be as old as maxAge.
func (r *resource) stateOf(l *list, id string, now time.Time, maxAge time.Duration) State {
	it, since := l.items[id], now.Add(-maxAge)
	isNew := r.watchedAt.After(since) // A list may not have shown it yet.
	switch recent := !it.readAt.Before(since) && !it.readAt.After(now.Add(replication)); {
	case recent && !r.differs(l, id, it):
		return Unchanged
	case isNew && (!recent || it.readAt.Before(r.watchedAt)):
		return Pending
	}
	return Unknown
}

// fullReadDue reports whether a resource has to be read in full. Each resource has times of its own,
// one in each interval, which do not depend on when the provider was started.
func (p *Poller) fullReadDue(uid types.UID, r *resource, n int, now time.Time) bool {
	last, every := r.readAt, p.fullReadInterval(n)
	if last.IsZero() { // A time between the last poll by another process and the start counts, too.
		last = r.watchedAt.Add(-p.o.Interval)
	}
	since := time.Duration(now.UnixNano()-int64(delay.Spread(string(uid), every))) % every
	isDue := since < 2*p.o.Interval || now.Sub(last) > 2*every //nolint:mnd // Else, every was longer at that time.
	return isDue && last.Before(now.Add(-since))
}
