package e2e

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A writeCounter counts the writes of the objects of a namespace, by kind.
type writeCounter struct {
	stop context.CancelFunc
	done sync.WaitGroup

	mu     sync.Mutex
	writes map[string]int
}

// countWrites counts the writes of all objects of some kinds in a namespace, from their creation on. The kinds must be
// served.
func (e *env) countWrites(namespace string, kinds ...*unstructured.Unstructured) *writeCounter {
	e.Helper()
	api, err := client.NewWithWatch(e.Cluster.Config, client.Options{Scheme: e.Kube.Scheme()})
	if err != nil {
		e.Fatal(err)
	}
	ctx, cancel := context.WithCancel(e.Context())
	c := &writeCounter{stop: cancel, writes: map[string]int{}}
	e.Cleanup(cancel)
	for _, kind := range kinds {
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion(kind.GetAPIVersion())
		list.SetKind(kind.GetKind() + "List")
		var w watch.Interface
		e.until("changes of "+kind.GetKind()+" are watched", func(context.Context) (err error) {
			w, err = api.Watch(ctx, list, client.InNamespace(namespace))
			return err
		})
		c.done.Go(func() {
			defer w.Stop()
			for range w.ResultChan() {
				c.add(kind.GetKind())
			}
		})
	}
	return c
}

func (c *writeCounter) add(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes[kind]++
}

// end returns the writes by kind.
func (c *writeCounter) end() map[string]int {
	c.stop()
	c.done.Wait()
	return c.writes
}
