package watch

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlcontroller "sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

func request(name string) ctrl.Request {
	return ctrl.Request{NamespacedName: types.NamespacedName{Name: name}}
}

// newParkingQueue returns the queue of a controller.
func newParkingQueue(t *testing.T) priorityqueue.PriorityQueue[ctrl.Request] {
	t.Helper()
	o := ParkWorkers(ctrlcontroller.Options{}, logr.Discard())
	q, ok := o.NewQueue("test", workqueue.DefaultTypedControllerRateLimiter[ctrl.Request]()).(priorityqueue.PriorityQueue[ctrl.Request])
	if !ok {
		t.Fatal("the queue of a controller must have priorities")
	}
	return q
}

// TestParkedWorkers has 100 workers and items that arrive one by one: two workers alternate, one
// that works and one that takes the next item. So 98 of them never work.
func TestParkedWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers, items = 100, 1000
		q := newParkingQueue(t)
		worked := make(chan int)
		for n := range workers {
			go func() {
				for {
					item, _, shutdown := q.GetWithPriority()
					if shutdown {
						return
					}
					worked <- n
					q.Done(item)
				}
			}()
		}
		synctest.Wait()
		used := map[int]bool{}
		for i := range items {
			q.Add(request(fmt.Sprint(i)))
			used[<-worked] = true
			synctest.Wait()
		}
		if len(used) > 2 {
			t.Errorf("want 2 workers to do it all, %d did", len(used))
		}
		q.ShutDown()
	})
}

// TestParkedWorkersAll has as many items in work at once as there are workers.
func TestParkedWorkersAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 100
		q := newParkingQueue(t)
		started, finish := make(chan string, 2*workers), make(chan struct{})
		for range workers {
			go func() {
				for {
					item, _, shutdown := q.GetWithPriority()
					if shutdown {
						return
					}
					started <- item.Name
					<-finish
					q.Done(item)
				}
			}()
		}
		for i := range 2 * workers {
			q.Add(request(fmt.Sprint(i)))
		}
		synctest.Wait()
		if got := len(started); got != workers {
			t.Errorf("want %d items in work at once, got %d", workers, got)
		}
		close(finish)
		synctest.Wait()
		seen := map[string]int{}
		for range len(started) {
			seen[<-started]++
		}
		want := map[string]int{}
		for i := range 2 * workers {
			want[fmt.Sprint(i)] = 1
		}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("every item is taken once: -want, +got:\n%s", diff)
		}
		q.ShutDown()
	})
}

// TestParkedWorkersEnd shuts a queue down while all workers wait.
func TestParkedWorkersEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newParkingQueue(t)
		ended := make(chan bool, 3)
		for range cap(ended) {
			go func() {
				_, shutdown := q.Get()
				ended <- shutdown
			}()
		}
		synctest.Wait()
		q.ShutDown()
		for range cap(ended) {
			if !<-ended {
				t.Error("a worker got an item of an empty queue")
			}
		}
	})
}

// TestParkedWorkersEndWithItem shuts a queue down at the moment at which an item becomes ready: no goroutine of the
// queue may stay behind, for which synctest fails a test.
func TestParkedWorkersEndWithItem(t *testing.T) {
	for range 200 { // The goroutines of the queue may run in any order.
		synctest.Test(t, func(t *testing.T) {
			q := newParkingQueue(t)
			q.Add(request("again"))
			item, _ := q.Get()
			go q.Get()
			q.Add(item)
			synctest.Wait()
			go q.ShutDown()
			q.Done(item)
		})
	}
}
