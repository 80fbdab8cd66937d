package cloudwatch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// gathering is the time between the begin of a slot, or the first request in it, and the calls
	// of the slot, so that other requests can join.
	gathering = time.Second

	// underWay is the wait of a caller while another one makes the calls.
	underWay = time.Second

	// skew is the maximum difference between the clocks of callers. A larger difference means that the clock was set
	// back.
	skew = time.Minute

	// maxRequests is the maximum number of requests of a schedule. If there are as many, each namespace may still make
	// an equal share of it.
	maxRequests = 5000
)

// errUnfinished is the answer of requests whose calls panicked, or have left them out.
var errUnfinished = errors.New("CloudWatch was not read to the end")

// errTooMany is the error of a request beyond the share of its namespace in maxRequests.
var errTooMany = fmt.Errorf("more than %d metrics or alarms are measured at the same time with this provider config "+
	"in this region, and this namespace measures its share of them: measure fewer, or use another provider config",
	maxRequests)

// A schedule shares calls among requests with the same interval. Q is a request, R its result. A request that was made
// in one slot is taken to be made in the next one too: its caller finds the answer, or makes the calls for all.
type schedule[Q, R any] struct {
	mu    sync.Mutex
	grids map[time.Duration]*grid[Q, R]
}

// A grid has the requests of one interval.
type grid[Q, R any] struct {
	interval time.Duration
	// slot is the current one, counted from the epoch.
	slot int64
	// sendAt is the time when the calls of the slot are made. It is zero without requests.
	sendAt time.Time
	// sending and sent say that a caller makes the calls, or has made them.
	sending, sent bool
	entries       map[string]*entry[Q, R]
}

// An entry is a request and its answer in the current slot, nil if there is none.
type entry[Q, R any] struct {
	request Q
	// namespace of the first resource that made the request.
	namespace string
	// asked is the last slot in which a caller made the request.
	asked  int64
	answer *answer[R]
}

// An answer is the result of a request, or an error.
type answer[R any] struct {
	value R
	err   error
}

// ask returns the answers to requests of a namespace in the current slot, or how long to wait for them. If the calls
// are due, it passes all requests to send, which returns their answers. If the context ends meanwhile, the next caller
// makes the calls that have failed.
func (s *schedule[Q, R]) ask(ctx context.Context, now time.Time, interval time.Duration, namespace string,
	requests map[string]Q, send func(map[string]Q) map[string]answer[R],
) (map[string]answer[R], time.Duration, error) {
	s.mu.Lock()
	g, err := s.register(now, interval, namespace, requests)
	if err != nil {
		s.mu.Unlock()
		return nil, 0, err
	}
	answers, wait := g.look(now, requests)
	if len(answers) == len(requests) || wait > 0 {
		s.mu.Unlock()
		return answers, wait, nil
	}
	g.sending = true
	due := g.due()
	s.mu.Unlock()

	var got map[string]answer[R]
	defer func() { s.finish(g, due, got, ctx.Err() == nil) }() // Even after a panic.
	got = send(due)
	for k := range requests {
		if _, known := answers[k]; !known {
			answers[k] = answerOf(k, got)
		}
	}
	return answers, 0, nil
}

// announce makes requests of a namespace without asking for their answers, so that those of the next slot are there.
func (s *schedule[Q, R]) announce(now time.Time, interval time.Duration, namespace string,
	requests map[string]Q,
) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.register(now, interval, namespace, requests)
	return err
}

// register adds requests of a namespace to the current slot of an interval. The caller holds the lock.
func (s *schedule[Q, R]) register(now time.Time, interval time.Duration, namespace string,
	requests map[string]Q,
) (*grid[Q, R], error) {
	s.sweep(now)
	g := s.grids[interval]
	if g == nil {
		if s.grids == nil {
			s.grids = map[time.Duration]*grid[Q, R]{}
		}
		g = &grid[Q, R]{interval: interval, slot: slotOf(now, interval), entries: map[string]*entry[Q, R]{}}
		s.grids[interval] = g
	}
	g.advance(now)
	if !g.has(requests) && !s.hasRoom(namespace, len(requests)) {
		return nil, errTooMany
	}
	for k, q := range requests {
		e := g.entries[k]
		if e == nil {
			e = &entry[Q, R]{request: q, namespace: namespace}
			g.entries[k] = e
		}
		e.asked = g.slot
	}
	if g.sendAt.IsZero() {
		g.sendAt = later(now, g.begin()).Add(gathering)
	}
	return g, nil
}

// sweep drops the grids that nobody has used for a slot, and those that are ahead of the clock. The
// caller holds the lock.
func (s *schedule[Q, R]) sweep(now time.Time) {
	for interval, g := range s.grids {
		unused := slotOf(now, interval)-g.slot > 1
		ahead := g.begin().Sub(now) > skew
		if !g.sending && (unused || ahead) {
			delete(s.grids, interval)
		}
	}
}

// size returns the number of requests. The caller holds the lock.
func (s *schedule[Q, R]) size() int {
	n := 0
	for _, g := range s.grids {
		n += len(g.entries)
	}
	return n
}

// hasRoom reports whether a namespace may make n more requests. The caller holds the lock.
func (s *schedule[Q, R]) hasRoom(namespace string, n int) bool {
	if s.size()+n <= maxRequests {
		return true
	}
	of := map[string]int{namespace: n}
	for _, g := range s.grids {
		for _, e := range g.entries {
			of[e.namespace]++
		}
	}
	return of[namespace]*len(of) <= maxRequests
}

// begin returns when the current slot begins.
func (g *grid[Q, R]) begin() time.Time { return time.Unix(0, g.slot*int64(g.interval)) }

// advance moves to the slot of the time now, if it is later than the current one, and drops requests that nobody made
// in the slot before. The slot of calls in flight does not end before they do.
func (g *grid[Q, R]) advance(now time.Time) {
	slot := slotOf(now, g.interval)
	if g.sending || slot <= g.slot {
		return
	}
	for k, e := range g.entries {
		if e.asked < slot-1 {
			delete(g.entries, k)
			continue
		}
		e.answer = nil
	}
	g.slot, g.sent, g.sendAt = slot, false, time.Time{}
	if len(g.entries) > 0 {
		g.sendAt = g.begin().Add(gathering)
	}
}

func (g *grid[Q, R]) has(requests map[string]Q) bool {
	for k := range requests {
		if g.entries[k] == nil {
			return false
		}
	}
	return true
}

// look returns the answers that are there, and how long to wait for the others. If that is 0, the calls are due.
func (g *grid[Q, R]) look(now time.Time, requests map[string]Q) (map[string]answer[R], time.Duration) {
	answers := make(map[string]answer[R], len(requests))
	for k := range requests {
		if a := g.entries[k].answer; a != nil {
			answers[k] = *a
		}
	}
	switch {
	case len(answers) == len(requests):
		return answers, 0
	case g.sending:
		return answers, underWay
	case g.sent:
		next := g.begin().Add(g.interval + gathering)
		return answers, max(next.Sub(now), gathering)
	default:
		return answers, max(g.sendAt.Sub(now), 0)
	}
}

// due returns the requests that have no answer.
func (g *grid[Q, R]) due() map[string]Q {
	due := make(map[string]Q, len(g.entries))
	for k, e := range g.entries {
		if e.answer == nil {
			due[k] = e.request
		}
	}
	return due
}

// finish ends the calls of a slot with the answers to all requests that were due. If not all calls were completed,
// errors do not count.
func (s *schedule[Q, R]) finish(g *grid[Q, R], due map[string]Q, got map[string]answer[R], completed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g.sending, g.sent = false, completed
	for k := range due {
		if a := answerOf(k, got); completed || a.err == nil {
			g.entries[k].answer = &a
		}
	}
}

// answerOf returns the answer to a request, an error if there is none.
func answerOf[R any](key string, got map[string]answer[R]) answer[R] {
	if a, ok := got[key]; ok {
		return a
	}
	return answer[R]{err: errUnfinished}
}
