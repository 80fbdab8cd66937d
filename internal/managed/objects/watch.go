package objects

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Index is the name of the field index from a resource to the objects that its
// spec refers to.
const Index = "spec.objectRefs"

// Keys are the index keys of a resource that refers to these objects.
func Keys(refs []Ref) []string {
	keys := make([]string, 0, len(refs))
	for _, r := range refs {
		keys = append(keys, r.String())
	}
	return keys
}

// A Handler asks for a reconcile of every resource that refers to an object which
// was created, changed or deleted.
type Handler struct {
	// Kind of the objects.
	Kind Kind

	// Resources lists the resources that have a value in the field index.
	Resources client.Reader

	// NewList returns an empty list of the resources.
	NewList func() client.ObjectList

	// Changed is told of each resource before it is enqueued, and of what has changed,
	// such as "Secret db".
	Changed func(name types.NamespacedName, by string)

	// Forget is told of each object that has changed.
	Forget func(Ref)
}

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

var _ handler.EventHandler = &Handler{}

// Create handles a new object. The objects that are there when the watch starts
// are not new: their resources are all looked at anyway.
func (h *Handler) Create(ctx context.Context, e event.CreateEvent, q queue) {
	if !e.IsInInitialList {
		h.enqueue(ctx, e.Object, q)
	}
}

// Update handles a changed object. A resync changes nothing.
func (h *Handler) Update(ctx context.Context, e event.UpdateEvent, q queue) {
	if e.ObjectOld.GetResourceVersion() != e.ObjectNew.GetResourceVersion() {
		h.enqueue(ctx, e.ObjectNew, q)
	}
}

// Delete handles an object that is gone.
func (h *Handler) Delete(ctx context.Context, e event.DeleteEvent, q queue) {
	h.enqueue(ctx, e.Object, q)
}

// Generic events do not occur.
func (h *Handler) Generic(context.Context, event.GenericEvent, queue) {}

func (h *Handler) enqueue(ctx context.Context, o metav1.Object, q queue) {
	ref := Ref{Kind: h.Kind, Namespace: o.GetNamespace(), Name: o.GetName()}
	h.Forget(ref)
	EnqueueReferrers(ctx, q, Referrers{Resources: h.Resources, NewList: h.NewList, Index: Index, Changed: func(name types.NamespacedName) {
		h.Changed(name, fmt.Sprintf("%s %s", h.Kind, o.GetName()))
	}}, ref.String())
}

// Referrers are the resources that a field index finds.
type Referrers struct {
	// Resources lists them.
	Resources client.Reader

	// NewList returns an empty list of them.
	NewList func() client.ObjectList

	// Index is the name of the field index.
	Index string

	// Only says which of them are meant. Nil means all.
	Only func(client.Object) bool

	// Changed is told of each of them before it is enqueued.
	Changed func(types.NamespacedName)
}

// EnqueueReferrers asks for a reconcile of every resource that has the key in the
// field index.
func EnqueueReferrers(ctx context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request], r Referrers, key string) {
	list := r.NewList()
	if err := r.Resources.List(ctx, list, client.MatchingFields{r.Index: key}, client.UnsafeDisableDeepCopy); err != nil {
		log.FromContext(ctx).Error(err, "cannot list the resources that refer to an object", "object", key)
		return
	}
	// The function returns no error, so neither does the loop.
	_ = meta.EachListItem(list, func(o runtime.Object) error {
		if obj, ok := o.(client.Object); ok && (r.Only == nil || r.Only(obj)) {
			name := client.ObjectKeyFromObject(obj)
			r.Changed(name)
			q.Add(reconcile.Request{NamespacedName: name})
		}
		return nil
	})
}
