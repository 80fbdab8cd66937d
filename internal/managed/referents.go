package managed

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlcontroller "sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/managed/objects"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tenancy"
)

// referentIndex is the field index from a resource to what its references name.
const referentIndex = "spec.references"

// anyName stands for whatever a selector may match.
const anyName = "*"

// A Referent has more to tell to those that refer to it than its external name and
// whether it is Ready.
type Referent interface {
	// Referred are the values that references to it may be resolved to.
	Referred() []string
}

// indexReferences has the cache find the resources that refer to another.
func indexReferences[T Managed](mgr ctrl.Manager, k Kind[T]) error {
	return mgr.GetFieldIndexer().IndexField(context.Background(), k.New(), referentIndex, func(obj client.Object) []string {
		mg, ok := obj.(T)
		if !ok {
			return nil
		}
		return append(referentKeys(k.References(mg), mg.GetNamespace()), actingKeys(k, mg)...)
	})
}

// actingKeys are the index keys of what a resource acts on, whoever owns it.
func actingKeys[T Managed](k Kind[T], mg T) []string {
	if k.ActsOn == nil {
		return nil
	}
	var keys []string
	for _, t := range k.ActsOn(mg) {
		t.Region = cmp.Or(t.Region, k.Region(mg))
		keys = append(keys, t.Key())
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// referentKeys are the index keys of the references of a resource in a namespace.
func referentKeys(refs []Reference, namespace string) []string {
	var keys []string
	for _, r := range refs {
		switch {
		case r.Ref != nil:
			keys = append(keys, referentKey(r.To, cmp.Or(r.Ref.Namespace, namespace), r.Ref.Name))
		case r.Selector != nil:
			keys = append(keys, referentKey(r.To, cmp.Or(r.Selector.Namespace, namespace), anyName))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func referentKey(gvk schema.GroupVersionKind, namespace, name string) string {
	return strings.Join([]string{gvk.Kind, namespace, name}, "/")
}

// watchReferents has a resource reconciled when another that it refers to comes,
// goes, or changes in what a reference may be resolved to. A kind that the cluster
// does not have yet is watched as soon as it does.
func watchReferents[T Managed](mgr ctrl.Manager, o Options, k Kind[T], c ctrlcontroller.Controller, markChanged func(name client.ObjectKey, by string)) error {
	for _, gvk := range k.RefersTo {
		obj, err := mgr.GetScheme().New(gvk)
		if err != nil {
			return errors.Wrapf(err, "cannot watch %s", gvk.Kind)
		}
		to, ok := obj.(client.Object)
		if !ok {
			return errors.Errorf("cannot watch %s", gvk.Kind)
		}
		h := &referentHandler{gvk: gvk, resources: mgr.GetCache(), newList: func() client.ObjectList { return k.NewList() }, markChanged: markChanged}
		watch := func() error { return c.Watch(source.Kind[client.Object](mgr.GetCache(), to, h)) }
		if o.Gate == nil {
			if err := watch(); err != nil {
				return errors.Wrapf(err, "cannot watch %s", gvk.Kind)
			}
			continue
		}
		o.Gate.Register(func() {
			if err := watch(); err != nil {
				Stop(mgr, errors.Wrapf(err, "cannot watch %s for %s", gvk.Kind, k.GVK.Kind))
			}
		}, gvk)
	}
	return nil
}

// referentHandler enqueues the resources that refer to one of the watched kind.
type referentHandler struct {
	gvk         schema.GroupVersionKind
	resources   client.Reader
	newList     func() client.ObjectList
	markChanged func(name types.NamespacedName, by string)
}

var _ handler.EventHandler = &referentHandler{}

// Create handles a new object. Those that are there at the start are not new.
func (h *referentHandler) Create(ctx context.Context, e event.CreateEvent, q queue) {
	if !e.IsInInitialList {
		h.enqueue(ctx, e.Object, q)
	}
}

// Update handles an object that may be resolved to something else now.
func (h *referentHandler) Update(ctx context.Context, e event.UpdateEvent, q queue) {
	if referred(e.ObjectOld) != referred(e.ObjectNew) {
		h.enqueue(ctx, e.ObjectNew, q)
	}
	if allowed(e.ObjectOld) != allowed(e.ObjectNew) {
		h.enqueueActing(ctx, e.ObjectNew, q)
	}
}

// Delete handles an object that is gone.
func (h *referentHandler) Delete(ctx context.Context, e event.DeleteEvent, q queue) {
	h.enqueue(ctx, e.Object, q)
	h.enqueueActing(ctx, e.Object, q)
}

// Generic events do not occur.
func (h *referentHandler) Generic(context.Context, event.GenericEvent, queue) {}

// referrers to an object of the kind.
func (h *referentHandler) referrers(o client.Object) objects.Referrers {
	return objects.Referrers{Resources: h.resources, NewList: h.newList, Index: referentIndex, Changed: func(name types.NamespacedName) {
		h.markChanged(name, h.gvk.Kind+" "+o.GetName())
	}}
}

func (h *referentHandler) enqueue(ctx context.Context, o client.Object, q queue) {
	r := h.referrers(o)
	for _, name := range []string{o.GetName(), anyName} {
		objects.EnqueueReferrers(ctx, q, r, referentKey(h.gvk, o.GetNamespace(), name))
	}
}

// enqueueActing enqueues the resources that act on what an object owns, or are refused to.
func (h *referentHandler) enqueueActing(ctx context.Context, o client.Object, q queue) {
	r := h.referrers(o)
	for _, key := range tenancy.IndexedBy(o) {
		objects.EnqueueReferrers(ctx, q, r, key)
	}
}

// allowed are the namespaces that an object allows.
func allowed(o client.Object) string { return o.GetAnnotations()[tenancy.AnnotationAllowedNamespaces] }

// referred is all of an object that those who refer to it may go by, as one text.
func referred(o client.Object) string {
	parts := []string{meta.GetExternalName(o), allowed(o)}
	if c, ok := o.(resource.Conditioned); ok {
		parts = append(parts, string(isTrue(c.GetCondition(xpv2.TypeReady))))
	}
	if r, ok := o.(Referent); ok {
		parts = append(parts, r.Referred()...)
	}
	labels := o.GetLabels()
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		parts = append(parts, k+"="+labels[k])
	}
	return strings.Join(parts, "\x00")
}

// isTrue tells a condition that is True from any other.
func isTrue(c xpv2.Condition) corev1.ConditionStatus {
	if c.Status == corev1.ConditionTrue {
		return corev1.ConditionTrue
	}
	return corev1.ConditionFalse
}
