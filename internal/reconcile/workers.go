package reconcile

import (
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"
	ctrlcontroller "sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// ParkWorkers returns the options of a controller with workers that cost little memory while
// there is no work for them.
func ParkWorkers(o ctrlcontroller.Options, log logr.Logger) ctrlcontroller.Options {
	o.NewQueue = func(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
		return &parkingQueue{PriorityQueue: priorityqueue.New(name, func(o *priorityqueue.Opts[reconcile.Request]) {
			o.Log = log.WithValues("controller", name)
			o.RateLimiter = limiter
		})}
	}
	return o
}

// A parkingQueue is a queue from which one worker takes an item at a time. The others are
// parked, and the last one parked takes the next item. So work is done by as few workers as
// possible, and the stacks of the other ones stay small. controller-runtime's queue serves the
// workers in turn, so that the stacks of all of them grow.
type parkingQueue struct {
	priorityqueue.PriorityQueue[reconcile.Request]

	mu     sync.Mutex
	taken  bool
	parked []chan struct{}
}

// GetWithPriority returns the next item.
func (q *parkingQueue) GetWithPriority() (item reconcile.Request, priority int, shutdown bool) {
	q.enter()
	defer q.leave()
	return q.PriorityQueue.GetWithPriority()
}

// Get returns the next item.
func (q *parkingQueue) Get() (item reconcile.Request, shutdown bool) {
	item, _, shutdown = q.GetWithPriority()
	return item, shutdown
}

// enter waits until it is the caller's turn to take an item.
func (q *parkingQueue) enter() {
	if turn := q.park(); turn != nil {
		<-turn
	}
}

// park returns a channel that is closed when it is the caller's turn, or nil if it is now.
func (q *parkingQueue) park() chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.taken {
		q.taken = true
		return nil
	}
	turn := make(chan struct{})
	q.parked = append(q.parked, turn)
	return turn
}

// leave lets the last worker parked take the next item.
func (q *parkingQueue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	last := len(q.parked) - 1
	if last < 0 {
		q.taken = false
		return
	}
	close(q.parked[last])
	q.parked = q.parked[:last]
}
