package e2e

import (
	"context"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A writeCounter counts the writes of the objects of a namespace, by kind and writer.
type writeCounter struct {
	stop context.CancelFunc
	done sync.WaitGroup

	mu     sync.Mutex
	writes map[string]map[string]int
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
	c := &writeCounter{stop: cancel, writes: map[string]map[string]int{}}
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
			before := map[types.UID]*unstructured.Unstructured{}
			for event := range w.ResultChan() {
				if u, ok := event.Object.(*unstructured.Unstructured); ok {
					c.add(kind.GetKind(), writer(before[u.GetUID()], u))
					before[u.GetUID()] = u
				}
			}
		})
	}
	return c
}

func (c *writeCounter) add(kind, writer string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writes[kind] == nil {
		c.writes[kind] = map[string]int{}
	}
	c.writes[kind][writer]++
}

// writer returns who has written an object, by its managed fields, and whether that was its status.
func writer(before, after *unstructured.Unstructured) string {
	for _, now := range after.GetManagedFields() {
		written := before == nil ||
			!slices.ContainsFunc(before.GetManagedFields(), func(then metav1.ManagedFieldsEntry) bool {
				return equality.Semantic.DeepEqual(now, then)
			})
		if written {
			manager, _, _ := strings.Cut(now.Manager, "-")
			manager, _, _ = strings.Cut(manager, "/")
			return strings.TrimSuffix(manager+" "+now.Subresource, " ")
		}
	}
	return "apiextensions.crossplane.io" // It only renewed its managed fields.
}

// end returns the writes by kind and writer.
func (c *writeCounter) end() map[string]map[string]int {
	c.stop()
	c.done.Wait()
	return c.writes
}
