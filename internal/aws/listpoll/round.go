package listpoll

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

const (
	// roundShare is the part of the interval over which the pages of a list are spread.
	roundShare = 0.95

	// maxRound is the maximum duration of a round, as a multiple of the interval.
	maxRound = 3

	// overdueAfter is the age at which an item that was not read again counts as missing. scanShare is the interval at
	// which such items are looked for, and the maximum delay of a punctual round. Both are parts of the poll interval.
	overdueAfter = 1.1
	scanShare    = 1.0 / 20

	// gatherShare is the part of the interval that a new list waits for more resources.
	gatherShare = 1.0 / 60

	// minSpacing is the shortest time between two pages.
	minSpacing = 50 * time.Millisecond

	// maxHaste is the factor by which the pages of a late round may be read faster than those of others.
	maxHaste = 2

	// replication is the time after a full read during which a list may still show an older revision.
	replication = time.Minute

	// pagesValid is the time for which the known number of pages of a list that does not pay is used.
	pagesValid = 24 * time.Hour

	// maxFailures is the number of consecutive failed pages after which the list is read from its beginning, unless the
	// failure is AWS's: the token may be invalid.
	maxFailures = 3

	// Delays after a failed page, and after a denied one: they double with each. While AWS fails, the delay is short,
	// so that the round goes on before what the list has shown is too old.
	minFailureDelay, maxFailureDelay = time.Second, 5 * time.Minute
	maxTransientDelay                = 30 * time.Second
	minDeniedDelay, maxDeniedDelay   = time.Minute, 24 * time.Hour
)

func (l *list) caller(s *session.Session) quota.Caller {
	return quota.Caller{ID: "list/" + string(s.Ref.UID) + "/" + l.definition.Operation, Priority: quota.Poll}
}

// use makes the next pages be read with a session. What other credentials of the config were denied, or failed to read,
// it reads at once.
func (l *list) use(s *session.Session) {
	l.session = s
	if l.failures > 0 {
		l.failures, l.denials, l.nextAt = 0, 0, time.Time{}
	}
}

// begin marks a page as being read. It begins a round if none is under way, or if the present one
// began too long ago for its pages to describe the same state, as after an outage.
func (l *list) begin(now time.Time, interval time.Duration) {
	l.reading = true
	if !l.roundStart.IsZero() && now.Sub(l.roundStart) < maxRound*interval {
		return
	}
	l.punctual = l.punctual && l.roundStart.IsZero() && now.Sub(l.nextAt) < time.Duration(scanShare*float64(interval))
	l.roundStart, l.token, l.pages, l.seen, l.differing = now, "", 0, 0, 0
	for _, it := range l.items {
		it.seen = false
	}
}

// postpone makes the next page due after the given time.
func (l *list) postpone(now time.Time, wait time.Duration) { l.nextAt = now.Add(max(wait, minSpacing)) }

// fail records the error of a page that could not be read.
func (l *list) fail(now time.Time, err error) {
	l.failures++
	longest := maxFailureDelay
	switch {
	case awserr.IsAccessDenied(err):
		l.denials++
		l.roundStart = time.Time{}
		l.postpone(now, delay.Doubling(minDeniedDelay, l.denials, maxDeniedDelay))
		return
	case awserr.IsTransient(err):
		longest = maxTransientDelay
	case l.failures%maxFailures == 0:
		l.token, l.pages = "", 0
	}
	l.postpone(now, delay.Doubling(minFailureDelay, l.failures, longest))
}

// denied reports whether the list was denied and is not to be tried again yet.
func (l *list) denied(now time.Time) bool { return l.denials > 0 && now.Before(l.nextAt) }

// expectedPages returns how many pages a round has: as many as the last one, or else at least as
// many as its items fill.
func (l *list) expectedPages() int {
	return max(l.lastPages, (len(l.items)+l.definition.PageSize-1)/l.definition.PageSize)
}

// remainingPages returns how many pages of a round are left. In the first round, it assumes that the items are spread
// evenly over the list; if none was seen yet, that there are as many pages as pay.
func (l *list) remainingPages() int {
	left := l.lastPages - l.pages
	switch {
	case l.lastPages == 0 && l.seen == 0:
		left = len(l.items) - l.pages
	case l.lastPages == 0:
		left = l.pages*len(l.items)/l.seen - l.pages
	}
	unseen := (len(l.items) - l.seen + l.definition.PageSize - 1) / l.definition.PageSize
	return max(left, unseen, 1)
}

// advance makes the next page due. The remaining pages are spread over the rest of the round.
func (l *list) advance(now time.Time, interval time.Duration) {
	whole, remaining := time.Duration(roundShare*float64(interval)), l.remainingPages()
	spacing := l.roundStart.Add(whole).Sub(now) / time.Duration(remaining)
	l.postpone(now, max(spacing, whole/time.Duration(maxHaste*(l.pages+remaining))))
}

// endRound ends a round. complete is false if it did not reach the last page, because the list has more pages than it
// is worth reading.
func (l *list) endRound(now time.Time, interval time.Duration, complete bool) {
	l.lastPages, l.countedAt = l.pages, now
	if l.punctual = complete; complete {
		l.lastDiffering = l.differing
	}
	l.nextAt = l.roundStart.Add(interval)
	l.roundStart = time.Time{}
}

// pays reports whether it takes fewer calls to read the list than to read its items one by one. The
// caller holds the lock.
func (p *Poller) pays(l *list) bool {
	now := p.o.Now()
	if l.denied(now) {
		return false
	}
	if l.lastPages > 0 && l.roundStart.IsZero() && now.Sub(l.countedAt) > pagesValid {
		l.lastPages, l.lastDiffering = 0, 0
	}
	n := len(l.items)
	fullReads := float64(n) * p.o.Interval.Seconds() / p.fullReadInterval(n).Seconds()
	return n >= p.o.MinResources && float64(l.expectedPages()+l.lastDiffering)+fullReads < float64(n)
}

// fullReadInterval returns how often each of n resources is read in full: the interval, doubled as
// often as it takes to keep the spacing.
func (p *Poller) fullReadInterval(n int) time.Duration {
	d := p.o.Interval
	for d/p.o.FullReadSpacing < time.Duration(n) && d < p.o.MaxFullReadInterval { // The product may be too large.
		d *= 2
	}
	return max(min(d, p.o.MaxFullReadInterval), p.o.Interval)
}

// apply records a page of a list, and returns what to call because of it. began is the time at which its read began.
// The caller holds the lock.
func (p *Poller) apply(l *list, page Page, began, now time.Time) (notify []func()) {
	l.failures, l.denials = 0, 0
	l.pages++
	for _, i := range page.Items {
		it, ok := l.items[i.ID]
		if !ok {
			continue
		}
		if !it.seen {
			it.seen = true
			l.seen++
		}
		it.revision, it.fingerprint, it.readAt = strings.Clone(i.Revision), i.Fingerprint, began
		notify = append(notify, p.compare(l, it)...)
	}
	switch l.token = page.Next; {
	case l.seen == len(l.items):
		l.endRound(now, p.o.Interval, true)
	case page.Next == "":
		notify = append(notify, p.reportMissing(l, l.roundStart)...)
		l.endRound(now, p.o.Interval, true)
	case l.pages > len(l.items):
		l.endRound(now, p.o.Interval, false)
	default:
		notify = append(notify, p.reportOverdue(l, now)...)
		l.advance(now, p.o.Interval)
	}
	return notify
}

// reportOverdue returns what to call for the resources that this round should have shown by now: each
// item is read one interval after it was last. If the rounds are late, it is decided when they end.
func (p *Poller) reportOverdue(l *list, now time.Time) []func() {
	whole, most := roundShare*float64(p.o.Interval), time.Duration(scanShare*float64(p.o.Interval))
	due := l.roundStart.Add(time.Duration(whole * float64(l.pages) / float64(l.expectedPages())))
	if !l.punctual || now.Sub(due) > most || now.Sub(l.scannedAt) < most {
		return nil
	}
	l.scannedAt = now
	return p.reportMissing(l, now.Add(-time.Duration(overdueAfter*float64(p.o.Interval))))
}

// compare compares what the list shows of an item with its resources, and returns what to call for those that differ.
func (p *Poller) compare(l *list, it *item) (notify []func()) {
	for _, uid := range it.resources {
		r := p.resources[uid]
		if r.differs(it) {
			notify = append(notify, r.report(l, it.readAt, fmt.Sprint(it.revision, " ", it.fingerprint))...)
		}
	}
	return notify
}

// reportMissing returns what to call for the resources that a list has not shown since the given time.
func (p *Poller) reportMissing(l *list, since time.Time) (notify []func()) {
	for _, it := range l.items {
		if !it.readAt.Before(since) || it.readAt.IsZero() && !since.Equal(l.roundStart) {
			continue
		}
		it.revision, it.fingerprint, it.readAt = "", 0, l.roundStart
		for _, uid := range it.resources {
			notify = append(notify, p.resources[uid].report(l, it.readAt, "missing")...)
		}
	}
	return notify
}

// differs reports whether the item of a resource differs from what it was when the resource was found up to date. The
// first fingerprint that comes with the same revision is the one that later ones are compared with.
func (r *resource) differs(it *item) bool {
	if r.ref.Revision != it.revision {
		return true
	}
	r.fingerprint = cmp.Or(r.fingerprint, it.fingerprint)
	return r.fingerprint != it.fingerprint
}

// report returns the function to call for a difference that a list shows. A difference that a full read did
// not remove is not reported again, and one soon after a full read is ignored.
func (r *resource) report(l *list, at time.Time, difference string) []func() {
	switch {
	case at.Sub(r.watchedAt) < replication && !r.readAt.IsZero():
		return nil
	case r.reported == difference:
		l.differing++
		return nil
	}
	r.reported = difference
	return []func(){r.notify}
}
