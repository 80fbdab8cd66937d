package quota

import "slices"

// A fairQueue shares tokens equally among the tenants that wait, by self-clocked fair queueing with
// equal weights.
//
// Each tenant has a line of entries. The tag of an entry is the number of tokens that its tenant
// will have got with it: tenant.got plus what the entry and those before it in the line need.
// Entries are served in the order of their tags, so the tenant that has got less goes first. A
// tenant alone gets all tokens.
//
// Fairness follows from that order. Let L be the largest need of a single entry. When an entry with
// tag F is served, all entries with smaller tags have been served, so each tenant that waits has got
// at least F-L and at most F tokens. Two tenants that both wait thus differ by at most L tokens at
// any time, and by at most 2L in what they get over any period, whatever the length of their lines:
// in the long run each of k tenants gets 1/k of the rate.
//
// A tenant that begins to wait starts at reached, the largest tag served so far. So it gets nothing
// for the time in which it did not wait, and it does not wait for others to catch up. Its first
// entry, with need n, has the tag reached+n. Each other tenant has got at least reached-L tokens, so
// it gets at most n+L before that entry. With k other tenants the entry waits for at most
// n + k*(n+L) tokens, however many entries they have.
//
// Entries whose holder is late do not count for the place of others. When the holder comes back they
// are served by their tag, unless all of the tenant's were late: then it begins to wait anew.
type fairQueue struct {
	names   map[string]*tenant
	tenants []*tenant

	// entries is the number of entries, and total how many tokens those that are present need.
	entries, total int

	// reached is the virtual time: the largest tag served so far. If it were the smallest, tenants
	// that come one after the other would always be first.
	reached int
	joined  int
}

// A tenant has the entries of one namespace.
type tenant struct {
	line

	name string
	// got is the number of tokens that the tenant has got, counted from the virtual time at which
	// it began to wait.
	got int
	// number decides between two tenants with equal tags.
	number int
}

// join appends an entry to the line of a tenant.
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

// activate moves a tenant that begins to wait to the virtual time: it gets nothing for the time
// before.
func (q *fairQueue) activate(t *tenant) {
	if t.total == 0 {
		t.got = max(t.got, q.reached)
	}
}

// remove removes an entry.
func (q *fairQueue) remove(e *entry) {
	q.vanish(e)
	e.tenant.remove(e)
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

// resize changes the number of tokens that an entry needs.
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

// position returns how many tokens an entry and all entries with smaller tags need.
func (q *fairQueue) position(e *entry) int {
	t := e.tenant
	position := t.upTo(e)
	until := t.got + position
	for _, other := range q.tenants {
		switch {
		case other == t:
		case other.number < t.number:
			position += other.positionOf(until - other.got)
		default:
			position += other.positionOf(until - other.got - 1)
		}
	}
	return position
}

// drop removes a tenant without entries. If it returns it starts at the virtual time, which is not
// less than what it has got.
func (q *fairQueue) drop(t *tenant) {
	if q.entries == 0 {
		*q = fairQueue{}
		return
	}
	delete(q.names, t.name)
	i := slices.Index(q.tenants, t)
	q.tenants = slices.Delete(q.tenants, i, i+1)
}
