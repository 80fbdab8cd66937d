package node

import (
	"fmt"
	"time"
)

const (
	// firstRest is for how many looks a pod is left alone that has ended for the second time. The first time it is
	// started anew at once. The rest doubles each time, up to maxRest.
	firstRest = int(time.Second / glance)
	maxRest   = int(30 * time.Second / glance)
)

// A crash is what the node keeps in mind of a pod that has ended by itself.
type crash struct {
	pod   *pod
	times int // that it has ended
	pause int // looks that it rested for this time
	left  int // looks that it rests for
}

// again takes note that a pod has ended, maybe as others did in its place. c may be nil.
func (c *crash) again(p *pod) *crash {
	if c == nil || c.pod.fingerprint != p.fingerprint {
		return &crash{pod: p, times: 1}
	}
	pause := min(max(firstRest, 2*c.pause), maxRest)
	return &crash{pod: p, times: c.times + 1, pause: pause, left: pause}
}

// rests tells whether to leave the pod alone at this look. c may be nil.
func (c *crash) rests() bool {
	if c == nil || c.left == 0 {
		return false
	}
	c.left--
	return true
}

// tellCrash shows the end of a log once: one that ends again and again most likely says the same each time.
func (n *Node) tellCrash(name string) {
	c := n.crashes[name]
	if c.times > 1 {
		logf(n.options.Trouble, "%s has ended again, %d times so far", name, c.times)
		return
	}
	logf(n.options.Trouble, "%s has ended by itself:\n%s", name, c.pod.process.Tail())
}

// Crashed returns an error if what runs an image has ended by itself as often as given, without a change of what it
// runs.
func (n *Node) Crashed(image string, times int) error {
	return n.crashed(func(p *pod) bool { return p.image == image }, times)
}

func (n *Node) crashed(of func(*pod) bool, times int) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for name, c := range n.crashes {
		if of(c.pod) && c.times >= times {
			return fmt.Errorf("%s has ended by itself, %d times so far", name, c.times)
		}
	}
	return nil
}
