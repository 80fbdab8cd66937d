package watch

import (
	"context"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

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
