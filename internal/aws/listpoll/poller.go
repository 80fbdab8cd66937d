// Package listpoll polls synced resources with AWS's List operations. A page of ListFunctions shows
// the revisions of 50 functions, so that one call replaces 50 of GetFunction.
//
// A resource that was found up to date is watched with the revision that it had. As long as a list
// shows the same revision, it needs no reconcile. If the list shows another one, or does not show the
// item any more, the resource is reconciled at once.
//
// A list does not show everything: tags, for example. Each resource is therefore still read in full
// from time to time, see Options.FullReadSpacing.
//
// A list is read only if that takes fewer calls than reading each resource. It is read by nobody's
// reconcile, with the priority of polls, and its pages are spread over the poll interval.
package listpoll

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

const (
	// maxConcurrent is the maximum number of pages, of all lists, that are read at the same time.
	maxConcurrent = 16

	// pageTimeout is the time limit of a page.
	pageTimeout = 30 * time.Second

	// idleWait is the time for which the poller waits if no list is due. It is woken when one is.
	idleWait = time.Hour
)

// Defaults of Options.
const (
	DefaultMinResources        = 50
	DefaultFullReadSpacing     = 20 * time.Second
	DefaultMaxFullReadInterval = 7 * 24 * time.Hour
)

// New returns a Poller. Start makes it read.
func New(o Options) *Poller {
	o.MinResources = cmp.Or(o.MinResources, DefaultMinResources)
	o.FullReadSpacing = cmp.Or(o.FullReadSpacing, DefaultFullReadSpacing)
	o.MaxFullReadInterval = cmp.Or(o.MaxFullReadInterval, DefaultMaxFullReadInterval)
	if o.Log == nil {
		o.Log = logging.NewNopLogger()
	}
	return &Poller{
		o: o, wake: make(chan struct{}, 1), lists: map[listKey]*list{}, resources: map[types.UID]*resource{},
	}
}

// NeedLeaderElection returns true: only the leader reads lists.
func (p *Poller) NeedLeaderElection() bool { return true }

// Start reads lists until the context is cancelled.
func (p *Poller) Start(ctx context.Context) error {
	slots := make(chan struct{}, maxConcurrent)
	for {
		due, wait := p.due()
		for _, l := range due {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
			go func() {
				defer func() { <-slots }()
				p.readOrFail(ctx, l)
				p.wakeUp()
			}()
		}
		timer := time.NewTimer(wait) //nolint:forbidigo // This is not a reconcile.
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-p.wake:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// Poll reads one page of each list that is due, one after the other. It is for callers that
// schedule reads themselves instead of calling Start. It returns when to call it again.
func (p *Poller) Poll(ctx context.Context) time.Duration {
	for {
		due, wait := p.due()
		if len(due) == 0 {
			return wait
		}
		for _, l := range due {
			p.readOrFail(ctx, l)
		}
	}
}

func (p *Poller) wakeUp() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// due returns the lists whose next page is due, and marks them as being read. wait is when the
// next one is due. Lists without resources are dropped.
func (p *Poller) due() (due []*list, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, wait := p.o.Now(), idleWait
	for k, l := range p.lists {
		if len(l.items) == 0 && !l.reading {
			delete(p.lists, k)
			continue
		}
		after := l.nextAt.Sub(now)
		switch {
		case l.reading:
			continue
		case l.denied(now):
			wait = min(wait, after)
			continue
		case !p.pays(l):
			continue
		case after > max(p.o.Interval, maxFailureDelay): // The clock was set back.
			l.roundStart = time.Time{}
		case after > 0:
			wait = min(wait, after)
			continue
		}
		l.begin(now, p.o.Interval)
		due = append(due, l)
	}
	return due, wait
}

// readOrFail reads the next page of a list that due has returned. A panic, such as one because of what an endpoint has
// answered, counts as a failed page.
func (p *Poller) readOrFail(ctx context.Context, l *list) {
	_, err := panics.Guard(func() (struct{}, error) { p.read(ctx, l); return struct{}{}, nil })
	if err == nil {
		return
	}
	if panicked, ok := errors.AsType[*panics.Error](err); ok {
		p.o.Log.Info("A poll by list panicked, which is a bug", "list", l.definition.Operation, "error", err, "stack",
			panicked.Stack())
	}
	p.finish(l, func(now time.Time) []func() { l.fail(now, err); return nil })
}

// read reads the next page of a list that due has returned.
func (p *Poller) read(ctx context.Context, l *list) {
	s, token := p.position(l)
	if p.o.Breakers != nil {
		release, wait := p.o.Breakers.Enter(s.BreakerKey(), "")
		defer release()
		if wait > 0 {
			p.finish(l, func(now time.Time) []func() { l.postpone(now, wait); return nil })
			return
		}
	}
	ctx, cancel := context.WithTimeout(quota.WithCaller(ctx, l.caller(s)), pageTimeout)
	defer cancel()
	began := p.o.Now()
	page, err := l.definition.Read(ctx, s, token)
	p.finish(l, func(now time.Time) []func() {
		wait, deferred := quota.Deferred(err)
		switch {
		case deferred:
			l.postpone(now, wait)
		case err != nil:
			l.fail(now, err)
		default:
			return p.apply(l, page, began, now)
		}
		return nil
	})
}

// finish applies the result of a read, and calls what the result returns without holding the lock.
func (p *Poller) finish(l *list, result func(now time.Time) []func()) {
	decide := func() []func() {
		p.mu.Lock()
		defer p.mu.Unlock() // Also if it panics.
		l.reading = false
		return result(p.o.Now())
	}
	for _, notify := range decide() {
		notify()
	}
}

// position returns the session and the token of the next page.
func (p *Poller) position(l *list) (s *session.Session, token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return l.session, l.token
}

// NewCollector returns a collector of the number of items that are polled by list, by operation. A nil Poller has no
// metrics.
func NewCollector(p *Poller) prometheus.Collector {
	return metrics.Computed(func(ch chan<- prometheus.Metric) {
		for operation, n := range p.countItems() {
			ch <- prometheus.MustNewConstMetric(metrics.ItemsPolledByList, prometheus.GaugeValue, float64(n), operation)
		}
	}, metrics.ItemsPolledByList)
}

// countItems counts the items of the lists that are read, by operation.
func (p *Poller) countItems() map[string]int {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := map[string]int{}
	for _, l := range p.lists {
		count := 0
		if p.pays(l) {
			count = len(l.items)
		}
		n[l.definition.Operation] += count
	}
	return n
}
