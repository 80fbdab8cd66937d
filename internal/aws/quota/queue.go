package quota

import (
	"slices"
	"time"
)

// A queue shares tokens equally among the tenants that wait, by self-clocked fair queueing with equal weights.
//
// Entries are served in the order of the tokens that their tenant will have got with them, counted from when it began
// to wait: the tenant that has got less goes first. If L is the largest need of an entry, two tenants that both wait
// differ by at most L tokens, whatever the length of their lines. A tenant that begins to wait with a need of n waits
// for at most n + k*(n+L) tokens with k other tenants. A tenant alone gets all tokens.
type queue struct {
	// tenants are in the order in which they began to wait, which decides between equals.
	tenants []*tenant

	// reached is the most that any tenant has got. With the entries before it, a tenant whose entry joins has at least
	// as much: it gets nothing for the time in which it did not wait or did not return, and tenants that come one after
	// the other are not always first.
	reached int
}

// A tenant has the entries of one namespace, in the order of their arrival.
type tenant struct {
	name    string
	got     int
	entries []*entry
}

// An entry is the place of a caller in a queue.
type entry struct {
	caller   string
	tenant   *tenant
	priority Priority
	need     int

	// promised is the time when the caller should return.
	promised time.Time
}

func (q *queue) join(name string, e *entry) {
	i := slices.IndexFunc(q.tenants, func(t *tenant) bool { return t.name == name })
	if i < 0 {
		i = len(q.tenants)
		q.tenants = append(q.tenants, &tenant{name: name})
	}
	t := q.tenants[i]
	t.got = max(t.got, q.reached-t.waiting())
	e.tenant, t.entries = t, append(t.entries, e)
}

func (q *queue) remove(e *entry) {
	isEntry := func(other *entry) bool { return other == e }
	if e.tenant.entries = slices.DeleteFunc(e.tenant.entries, isEntry); len(e.tenant.entries) > 0 {
		return
	}
	if q.tenants = slices.DeleteFunc(q.tenants, func(t *tenant) bool { return t == e.tenant }); len(q.tenants) == 0 {
		*q = queue{}
	}
}

// granted notes that an entry, which is about to be removed, has got its tokens.
func (q *queue) granted(e *entry) {
	e.tenant.got += e.need
	q.reached = max(q.reached, e.tenant.got)
}

// waiting returns how many tokens the entries need.
func (q *queue) waiting() int {
	n := 0
	for _, t := range q.tenants {
		n += t.waiting()
	}
	return n
}

// position returns how many tokens an entry and all entries before it need.
func (q *queue) position(e *entry) int {
	position := 0
	for _, own := range e.tenant.entries {
		position += own.need
		if own == e {
			break
		}
	}
	until, tie := e.tenant.got+position, 0
	for _, t := range q.tenants {
		if t == e.tenant {
			tie = 1 // The tenants that follow are served later if they will have got as much.
			continue
		}
		position += t.within(until - t.got - tie)
	}
	return position
}

// waiting returns how many tokens the entries need.
func (t *tenant) waiting() int {
	n := 0
	for _, e := range t.entries {
		n += e.need
	}
	return n
}

// within returns how many tokens the first entries need that together need at most n.
func (t *tenant) within(n int) int {
	sum := 0
	for _, e := range t.entries {
		if sum+e.need > n {
			return sum
		}
		sum += e.need
	}
	return sum
}
