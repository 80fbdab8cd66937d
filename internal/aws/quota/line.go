package quota

import (
	"container/heap"
	"math/bits"
	"time"
)

// An entry is a holder's place in a line.
type entry struct {
	requester string
	tenant    *tenant
	priority  Priority
	need      int

	// present entries count for those behind them. One that is late does not.
	present  bool
	position int

	// promised is when the holder was told to come back.
	promised time.Time
	// due is when the entry is looked at if the holder does not come back.
	due   time.Time
	index int
}

// A line has the entries of one tenant in the order of their arrival, and knows how
// many tokens are needed up to each of them. Sums are kept in a Fenwick tree over the
// positions, which are handed out upwards and compacted when they run out.
type line struct {
	sums    []int
	entries []*entry
	next    int
	length  int
	total   int
}

const smallestLine = 8

// join puts an entry at the end.
func (l *line) join(e *entry) {
	if l.next == len(l.entries) {
		l.compact()
	}
	e.position = l.next
	l.entries[l.next] = e
	l.next++
	l.length++
	l.appear(e)
}

// leave takes an entry out.
func (l *line) leave(e *entry) {
	l.vanish(e)
	l.entries[e.position] = nil
	l.length--
}

// appear makes an entry count.
func (l *line) appear(e *entry) {
	if e.present {
		return
	}
	e.present = true
	l.add(e.position, e.need)
}

// vanish makes an entry keep its place without counting.
func (l *line) vanish(e *entry) {
	if !e.present {
		return
	}
	e.present = false
	l.add(e.position, -e.need)
}

// resize an entry's need.
func (l *line) resize(e *entry, need int) {
	if e.present {
		l.add(e.position, need-e.need)
	}
	e.need = need
}

// upTo is how many tokens are needed for an entry and all that are before it.
func (l *line) upTo(e *entry) int {
	sum := 0
	for i := e.position + 1; i > 0; i -= i & -i {
		sum += l.sums[i]
	}
	return sum
}

// positionOf is how many tokens are needed for the entries at the front that need no more
// than n together.
func (l *line) positionOf(n int) int {
	if n <= 0 {
		return 0
	}
	if n >= l.total {
		return l.total
	}
	sum, position := 0, 0
	for step := 1 << (bits.Len(uint(len(l.entries))) - 1); step > 0; step /= 2 {
		if next := position + step; next < len(l.sums) && sum+l.sums[next] <= n {
			sum += l.sums[next]
			position = next
		}
	}
	return sum
}

func (l *line) add(position, n int) {
	l.total += n
	for i := position + 1; i < len(l.sums); i += i & -i {
		l.sums[i] += n
	}
}

// compact gives the entries new positions without gaps, and room to grow.
func (l *line) compact() {
	kept := make([]*entry, 0, l.next)
	for _, e := range l.entries[:l.next] {
		if e != nil {
			kept = append(kept, e)
		}
	}
	size := max(smallestLine, 2*len(kept))
	l.entries, l.sums, l.total = make([]*entry, size), make([]int, size+1), 0
	l.next = len(kept)
	copy(l.entries, kept)
	for i, e := range kept {
		e.position = i
		if e.present {
			l.add(i, e.need)
		}
	}
}

// dueHeap has the entry that is due first on top.
type dueHeap []*entry

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push is for package heap.
func (h *dueHeap) Push(x any) {
	e, ok := x.(*entry)
	if !ok {
		return
	}
	e.index = len(*h)
	*h = append(*h, e)
}

// Pop is for package heap.
func (h *dueHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return e
}

// set when an entry is due.
func (h *dueHeap) set(e *entry, due time.Time) {
	e.due = due
	heap.Fix(h, e.index)
}
