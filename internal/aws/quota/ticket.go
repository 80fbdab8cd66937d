package quota

import "time"

// A ticket is a token that is set aside for a holder.
type ticket struct {
	requester string
	expires   time.Time
	void      bool
}

// A ticketQueue has tickets in the order in which they were issued, which is the order in which
// they expire.
type ticketQueue struct {
	queue  []*ticket
	unused int
}

func (q *ticketQueue) issue(holder string, expires time.Time) *ticket {
	t := &ticket{requester: holder, expires: expires}
	q.queue = append(q.queue, t)
	q.unused++
	return t
}

// void marks a ticket as spent, returned or expired.
func (q *ticketQueue) void(t *ticket) {
	t.void = true
	q.unused--
	if q.unused == 0 {
		q.queue = nil
	}
}

// expired returns the next ticket that has expired unused, or nil.
func (q *ticketQueue) expired(now time.Time) *ticket {
	for len(q.queue) > 0 {
		t := q.queue[0]
		if !t.void && t.expires.After(now) {
			return nil
		}
		if !t.void {
			return t
		}
		q.queue[0] = nil
		q.queue = q.queue[1:]
	}
	return nil
}
