package listpoll

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// tolerance is the maximum age of what a list shows, as a multiple of the interval. It allows for jitter
// of polls and for pages that had to wait.
const tolerance = 1.25

// A State is the state of a resource according to its list.
type State int

const (
	// Unknown means that the resource has to be read: it is not watched, its list does not pay or does
	// not show it as it was, or a full read is due.
	Unknown State = iota

	// Pending means that the resource's list is being read.
	Pending

	// Unchanged means that the list shows the resource as it was when it was found up to date.
	Unchanged
)

// A Result is the result of Check.
type Result struct {
	State State

	// Until is the latest time at which a Pending state is decided.
	Until time.Time

	// Unlisted is the function of the resource's Ref. An Unchanged state holds if it is nil or returns true.
	Unlisted func(ctx context.Context, s *session.Session, f readcache.Freshness) bool
}

// Watch watches a resource that was found up to date. ref is its item, with the revision that was found. readAt is the
// time at which the resource was read in full, or zero if that was before the start. notify is called, without
// blocking, when the list shows a difference. Without ref, the resource is not watched.
func (p *Poller) Watch(uid types.UID, s *session.Session, ref *Ref, readAt time.Time, notify func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ref == nil {
		p.drop(uid)
		return
	}
	r := p.resources[uid]
	if r == nil || keyOf(r.session, r.ref.List) != keyOf(s, ref.List) || r.ref.ID != ref.ID {
		p.drop(uid)
		r = &resource{}
		p.resources[uid] = r
		p.add(uid, s, *ref)
	}
	if r.ref.Revision != ref.Revision {
		r.reported = "" // What the list showed was another revision.
	}
	r.session, r.ref, r.readAt, r.watchedAt, r.notify = s, *ref, readAt, p.o.Now(), notify
	r.fingerprint = 0
}

// Forget stops watching a resource.
func (p *Poller) Forget(uid types.UID) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(uid)
}

// add adds a resource to an item of a list. The caller holds the lock.
func (p *Poller) add(uid types.UID, s *session.Session, ref Ref) {
	k := keyOf(s, ref.List)
	l, ok := p.lists[k]
	if !ok {
		gather := time.Duration(gatherShare * float64(p.o.Interval))
		l = &list{definition: ref.List, session: s, items: map[string]*item{}, nextAt: p.o.Now().Add(gather)}
		p.lists[k] = l
	}
	it, ok := l.items[ref.ID]
	if !ok {
		it = &item{}
		l.items[ref.ID] = it
	}
	it.resources = append(it.resources, uid)
	p.wakeUp()
}

// drop removes a resource, if it is watched. The caller holds the lock.
func (p *Poller) drop(uid types.UID) {
	r := p.resources[uid]
	if r == nil {
		return
	}
	delete(p.resources, uid)
	l := p.lists[keyOf(r.session, r.ref.List)]
	it := l.items[r.ref.ID]
	it.resources = slices.DeleteFunc(it.resources, func(u types.UID) bool { return u == uid })
	if len(it.resources) > 0 {
		return
	}
	delete(l.items, r.ref.ID)
	if it.seen {
		l.seen--
	}
}

// Check returns what its list shows of a resource that Watch was called for with a session of the same config and
// account. It is read with this one from now on.
func (p *Poller) Check(uid types.UID, s *session.Session) Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.resources[uid]
	if r == nil || r.session.Reader() != s.Reader() {
		return Result{}
	}
	now, l := p.o.Now(), p.lists[keyOf(s, r.ref.List)]
	if r.session = s; l.session != s {
		l.use(s)
		p.wakeUp()
	}
	if !p.pays(l) || p.fullReadDue(uid, r, len(l.items), now) {
		return Result{}
	}
	return Result{
		State:    r.stateOf(l.items[r.ref.ID], now, p.maxAge()),
		Until:    r.watchedAt.Add(p.maxAge()),
		Unlisted: r.ref.Unlisted,
	}
}

// maxAge returns how old what a list shows may be.
func (p *Poller) maxAge() time.Duration { return time.Duration(tolerance * float64(p.o.Interval)) }

// stateOf returns the state of a resource with an item. What a list shows may be as old as maxAge.
func (r *resource) stateOf(it *item, now time.Time, maxAge time.Duration) State {
	since := now.Add(-maxAge)
	isNew := r.watchedAt.After(since) // A list may not have shown it yet.
	switch recent := !it.readAt.Before(since) && !it.readAt.After(now.Add(replication)); {
	case recent && !r.differs(it):
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
