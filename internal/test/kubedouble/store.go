package kubedouble

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// history is the number of changes of a type that are kept, from which watches can begin.
const history = 2048

// stored is a version of an object. It is never changed.
type stored struct {
	*unstructured.Unstructured

	version int64
	json    []byte
}

type change struct {
	kind watch.EventType
	*stored

	// before is the version before the change, if there is one.
	before *stored
}

// table is the objects of a type.
type table struct {
	resource *resource
	objects  map[types.NamespacedName]*stored
	changes  []change
	// forgotten is the last version before the changes that are kept.
	forgotten int64
	watchers  map[*watcher]bool
}

// sorted returns the objects of a namespace, or of all namespaces, by name.
func (t *table) sorted(namespace string) []*stored {
	var out []*stored
	for n, o := range t.objects {
		if namespace == "" || n.Namespace == namespace {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b *stored) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return out
}

// put stores a new version of an object and notifies the watchers.
func (s *Server) put(t *table, kind watch.EventType, u *unstructured.Unstructured) *stored {
	s.version++
	u.SetResourceVersion(strconv.FormatInt(s.version, 10))
	b, err := json.Marshal(u.Object)
	if err != nil {
		panic(err) // A tree of JSON values can be marshalled.
	}
	o := &stored{Unstructured: u, version: s.version, json: b}
	name := types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}
	before := t.objects[name]
	if kind == watch.Deleted {
		delete(t.objects, name)
	} else {
		t.objects[name] = o
	}
	t.record(change{kind: kind, stored: o, before: before})
	return o
}

func (t *table) record(c change) {
	if len(t.changes) >= 2*history {
		n := len(t.changes) - history
		t.forgotten = t.changes[n-1].version
		t.changes = append([]change(nil), t.changes[n:]...)
	}
	t.changes = append(t.changes, c)
	for w := range t.watchers {
		w.enqueue(c)
	}
}

// remove removes an object without finalizers and the objects that it owned.
func (s *Server) remove(t *table, o *stored) *stored {
	gone := s.put(t, watch.Deleted, o.DeepCopy())
	s.collect(o.GetUID())
	s.emptied(o.GetNamespace())
	return gone
}

// collect deletes the objects with an owner that is gone, as the garbage collector does.
func (s *Server) collect(owner types.UID) {
	for _, t := range s.tables {
		for _, o := range t.sorted("") {
			refs := o.GetOwnerReferences()
			if len(refs) == 1 && refs[0].UID == owner {
				s.delete(t, o)
			}
		}
	}
}

// emptied removes a namespace that is being deleted once it is empty.
func (s *Server) emptied(namespace string) {
	ns := s.namespace(namespace)
	if ns == nil || ns.GetDeletionTimestamp() == nil {
		return
	}
	for _, t := range s.tables {
		if t.resource.Resource != "events" && len(t.sorted(namespace)) > 0 {
			return
		}
	}
	s.put(s.namespaces(), watch.Deleted, ns.DeepCopy())
}

func (s *Server) namespaces() *table {
	return s.tables[schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}]
}

func (s *Server) namespace(name string) *stored {
	return s.namespaces().objects[types.NamespacedName{Name: name}]
}
