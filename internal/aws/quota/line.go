package quota

import (
	"container/heap"
	"math/bits"
	"time"
)

// An entry is the place of a holder in a queue.
type entry struct {
	requester string
	tenant    *tenant
	priority  Priority
	need      int

	// present is true if the entry counts for those behind it. One whose holder is late does not.
	present  bool
	position int

	// promised is when the holder should come back.
	promised time.Time
	// due is when the entry is checked if the holder does not come back.
	due   time.Time
	index int
}

// A line has the entries of one tenant in the order of their arrival, and the number of tokens that
// are needed up to each of them. A Fenwick tree over the positions has the sums, so that each
// operation costs O(log n). Positions are assigned in ascending order, and compacted when they run
// out.
type line struct {
	sums    []int
	entries []*entry
	next    int
	length  int
	total   int
}

const smallestLine = 8

// join appends an entry.
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

// remove removes an entry.
func (l *line) remove(e *entry) {
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

// resize changes the number of tokens that an entry needs.
func (l *line) resize(e *entry, need int) {
	if e.present {
		l.add(e.position, need-e.need)
	}
	e.need = need
}

// upTo returns how many tokens an entry and all before it need.
func (l *line) upTo(e *entry) int {
	sum := 0
	for i := e.position + 1; i > 0; i -= i & -i {
		sum += l.sums[i]
	}
	return sum
}

// positionOf returns how many tokens the entries at the front need that together need at most n.
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

// compact assigns new positions without gaps, and makes room for more entries.
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

// dueHeap is a heap with the entry that is due first on top.
type dueHeap []*entry

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push appends an entry, for package heap.
func (h *dueHeap) Push(x any) {
	e, ok := x.(*entry)
	if !ok {
		return
	}
	e.index = len(*h)
	*h = append(*h, e)
}

// Pop removes the last entry, for package heap.
func (h *dueHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return e
}

// set changes when an entry is due.
func (h *dueHeap) set(e *entry, due time.Time) {
	e.due = due
	heap.Fix(h, e.index)
}
