package watch

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlcontroller "sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// ParkWorkers returns the options of a controller with workers that cost little memory while there is no work for them.
func ParkWorkers(o ctrlcontroller.Options, log logr.Logger) ctrlcontroller.Options {
	o.NewQueue = func(name string,
		limiter workqueue.TypedRateLimiter[ctrl.Request],
	) workqueue.TypedRateLimitingInterface[ctrl.Request] {
		q := &parkingQueue{PriorityQueue: priorityqueue.New(name, func(o *priorityqueue.Opts[ctrl.Request]) {
			o.Log = log.WithValues("controller", name)
			o.RateLimiter = limiter
		})}
		q.left.L = &q.mu
		return q
	}
	return o
}

// A parkingQueue is a queue from which one worker takes an item at a time. The others are parked, and the last one
// parked takes the next item. So work is done by as few workers as possible, and the stacks of the other ones stay
// small. controller-runtime's queue serves the workers in turn, so that the stacks of all of them grow.
type parkingQueue struct {
	priorityqueue.PriorityQueue[ctrl.Request]

	mu     sync.Mutex
	taken  bool
	parked []chan struct{}

	// closed says that no worker takes an item any more. left tells when none waits for one.
	closed bool
	left   sync.Cond
}

// GetWithPriority returns the next item.
func (q *parkingQueue) GetWithPriority() (item ctrl.Request, priority int, shutdown bool) {
	if turn := q.park(); turn != nil {
		<-turn
	}
	defer q.leave()
	if q.isClosed() {
		return ctrl.Request{}, 0, true
	}
	item, priority, shutdown = q.PriorityQueue.GetWithPriority()
	return item, priority, shutdown || q.isClosed()
}

// Get returns the next item.
func (q *parkingQueue) Get() (item ctrl.Request, shutdown bool) {
	item, _, shutdown = q.GetWithPriority()
	return item, shutdown
}

// ShutDown ends the queue once no worker waits for an item. Otherwise, controller-runtime's queue passes an item that
// becomes ready at that moment to a worker that has left, and blocks forever with its lock.
func (q *parkingQueue) ShutDown() {
	q.mu.Lock()
	q.closed = true
	if q.taken {
		q.AddWithOpts(priorityqueue.AddOpts{Priority: ptr.To(math.MaxInt)}, ctrl.Request{}) // It wakes the worker.
	}
	for q.taken {
		q.left.Wait()
	}
	q.mu.Unlock()
	q.PriorityQueue.ShutDown()
}

// ShutDownWithDrain does what ShutDown does, as that of controller-runtime's queue.
func (q *parkingQueue) ShutDownWithDrain() { q.ShutDown() }

func (q *parkingQueue) isClosed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
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
	if last >= 0 {
		close(q.parked[last])
		q.parked = q.parked[:last]
		return
	}
	q.taken = false
	q.left.Broadcast()
}

// Queue is the queue of a controller.
type Queue = workqueue.TypedRateLimitingInterface[ctrl.Request]

// A WorkQueue is the queue of a controller, once it has started. It is a source of the controller.
type WorkQueue struct{ queue atomic.Pointer[Queue] }

// Start makes the queue known when the controller starts, which enqueues all resources then.
func (w *WorkQueue) Start(_ context.Context, q Queue) error {
	w.queue.Store(&q)
	return nil
}

// Add enqueues a resource after a time, if the controller has started. It never blocks.
func (w *WorkQueue) Add(key client.ObjectKey, after time.Duration) {
	if q := w.queue.Load(); q != nil {
		(*q).AddAfter(ctrl.Request{NamespacedName: key}, after)
	}
}
