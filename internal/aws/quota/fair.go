package quota

import "slices"

// A fairQueue has a line for each tenant that waits. Tokens go to the tenants by
// self-clocked fair queueing, all with the same weight: whoever has got less while others
// waited goes first. A tenant alone gets all.
type fairQueue struct {
	names   map[string]*tenant
	tenants []*tenant

	// entries that wait, and how many tokens they wait for.
	entries, total int

	// reached is the virtual time: that up to which the tenant has got its tokens which
	// has got the most. Were it that of the one which got the least, tenants that come one
	// after the other would always be first.
	reached int
	joined  int
}

// A tenant is whose entries share a line.
type tenant struct {
	line

	name string
	// got is the virtual time up to which the tenant has had its tokens.
	got int
	// number says who goes first of two that have got the same.
	number int
}

// join puts an entry at the end of a tenant's line.
func (q *fairQueue) join(name string, e *entry) {
	e.tenant = q.tenant(name)
	q.activate(e.tenant)
	e.tenant.join(e)
	q.entries++
	q.total += e.need
}

func (q *fairQueue) tenant(name string) *tenant {
	if t, ok := q.names[name]; ok {
		return t
	}
	if q.names == nil {
		q.names = map[string]*tenant{}
	}
	t := &tenant{name: name, number: q.joined}
	q.joined++
	q.names[name] = t
	q.tenants = append(q.tenants, t)
	return t
}

// activate a tenant that waits for nothing: what it did not ask for it does not get
// later.
func (q *fairQueue) activate(t *tenant) {
	if t.total == 0 {
		t.got = max(t.got, q.reached)
	}
}

// leave takes an entry out.
func (q *fairQueue) leave(e *entry) {
	q.vanish(e)
	e.tenant.leave(e)
	q.entries--
	if e.tenant.length == 0 {
		q.drop(e.tenant)
	}
}

// appear makes an entry count.
func (q *fairQueue) appear(e *entry) {
	if e.present {
		return
	}
	q.activate(e.tenant)
	e.tenant.appear(e)
	q.total += e.need
}

// vanish makes an entry keep its place without counting.
func (q *fairQueue) vanish(e *entry) {
	if e.present {
		q.total -= e.need
	}
	e.tenant.vanish(e)
}

// resize an entry's need.
func (q *fairQueue) resize(e *entry, need int) {
	if e.present {
		q.total += need - e.need
	}
	e.tenant.resize(e, need)
}

// granted notes that an entry, which is about to leave, has got its tokens.
func (q *fairQueue) granted(e *entry) {
	t := e.tenant
	t.got += e.need
	q.reached = max(q.reached, t.got)
}

// position is how many tokens are needed for an entry and all that go before it.
func (q *fairQueue) position(e *entry) int {
	t := e.tenant
	place := t.upTo(e)
	until := t.got + place
	for _, other := range q.tenants {
		switch {
		case other == t:
		case other.number < t.number:
			place += other.positionOf(until - other.got)
		default:
			place += other.positionOf(until - other.got - 1)
		}
	}
	return place
}

// drop a tenant that waits for nothing. What it has got is no more than what counts as
// got for one that joins now.
func (q *fairQueue) drop(t *tenant) {
	if q.entries == 0 {
		*q = fairQueue{}
		return
	}
	delete(q.names, t.name)
	i := slices.Index(q.tenants, t)
	q.tenants = slices.Delete(q.tenants, i, i+1)
}
