package node

import (
	"fmt"
	"time"
)

const (
	// firstRest is the number of checks for which a pod that has ended for the second time is not restarted. The first
	// time it is restarted at once. The number doubles each time, up to maxRest.
	firstRest = int(time.Second / pollInterval)
	maxRest   = int(30 * time.Second / pollInterval)
)

// A crash is the node's record of a pod that has ended by itself.
type crash struct {
	pod   *pod
	times int // how often it has ended
	pause int // checks for which it was not restarted this time
	left  int // remaining checks before it is restarted
}

// again records that a pod, or one that it replaced, has ended. c may be nil.
func (c *crash) again(p *pod) *crash {
	if c == nil || c.pod.fingerprint != p.fingerprint {
		return &crash{pod: p, times: 1}
	}
	pause := min(max(firstRest, 2*c.pause), maxRest)
	return &crash{pod: p, times: c.times + 1, pause: pause, left: pause}
}

// rests reports whether the pod must not be restarted at this check. c may be nil.
func (c *crash) rests() bool {
	if c == nil || c.left == 0 {
		return false
	}
	c.left--
	return true
}

// logCrash prints the end of a log once: a process that ends repeatedly most likely logs the same each time.
func (n *Node) logCrash(name string) {
	c := n.crashes[name]
	if c.times > 1 {
		logf(n.options.Trouble, "%s has ended again, %d times so far", name, c.times)
		return
	}
	logf(n.options.Trouble, "%s has ended by itself:\n%s", name, c.pod.process.Tail())
}

// Crashed returns an error if the process of an image has ended by itself at least the given number of times, without
// a change of its Deployment.
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
