package watch

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlcontroller "sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// ReferenceIndex is the field index from a resource to what its references refer to.
const ReferenceIndex = "spec.references"

// IndexReferences indexes the resources of a kind by what they refer to and act on.
func IndexReferences(mgr ctrl.Manager, k reconcile.UntypedKind) error {
	return index(mgr, k, ReferenceIndex, func(mg reconcile.Managed) []string {
		return append(ReferenceKeys(k.References(mg), mg), ActingKeys(k, mg)...)
	})
}

// ActingKeys returns the index keys of what a resource acts on or uses, independent of the owner.
func ActingKeys(k reconcile.UntypedKind, mg reconcile.Managed) []string {
	keys := targetKeys(slices.Concat(reconcile.Values(k.ActsOn, mg), reconcile.Values(k.Uses, mg)), k.Region(mg))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// targetKeys returns the index keys of targets. Those without a region are in the given one.
func targetKeys(targets []tenancy.Target, region string) []string {
	var keys []string
	for _, t := range targets {
		t.Region = cmp.Or(t.Region, region)
		keys = append(keys, t.Key())
	}
	return keys
}

// ReferenceKeys returns the index keys of the references of a resource.
func ReferenceKeys(refs []reconcile.Reference, from client.Object) []string {
	var keys []string
	for _, r := range refs {
		switch {
		case r.Selects():
			namespace := cmp.Or(r.Selector.Namespace, from.GetNamespace())
			keys = append(keys, referenceKey(r.To, namespace, selectorName(r.Selector, from)))
		case r.Ref != nil:
			keys = append(keys, referenceKey(r.To, cmp.Or(r.Ref.Namespace, from.GetNamespace()), r.Ref.Name))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// selectorName returns what stands in the index key of a selector for the name: the controller and the first of the
// labels that it asks for, so that an object that it cannot select requeues nothing.
func selectorName(s *xpv2.NamespacedSelector, from client.Object) string {
	label, of := "", ""
	if len(s.MatchLabels) > 0 {
		key := slices.Min(slices.Collect(maps.Keys(s.MatchLabels)))
		label = key + "=" + s.MatchLabels[key]
	}
	if ptr.Deref(s.MatchControllerRef, false) {
		of = controllerUID(from)
	}
	return "*" + of + "*" + label
}

// maxLabels is the number of labels of an object by which selectors are looked up, in the order of their keys. The API
// server stores tens of thousands, and each costs two look-ups for each kind. What selects the object by others of its
// labels alone finds it at its next poll or retry.
const maxLabels = 100

// selectorNames returns what stands in the index keys of the selectors that may select an object: see selectorName.
func selectorNames(o client.Object) []string {
	names := []string{"**", "*" + controllerUID(o) + "*"}
	labels := o.GetLabels()
	keys := slices.Sorted(maps.Keys(labels))
	for _, key := range keys[:min(len(keys), maxLabels)] {
		label := key + "=" + labels[key]
		names = append(names, "**"+label, "*"+controllerUID(o)+"*"+label)
	}
	slices.Sort(names)
	return slices.Compact(names) // Not all objects have a controller.
}

// controllerUID returns the UID of an object's controller, empty if it has none.
func controllerUID(o client.Object) string {
	if c := metav1.GetControllerOfNoCopy(o); c != nil {
		return string(c.UID)
	}
	return ""
}

func referenceKey(gvk schema.GroupVersionKind, namespace, name string) string {
	return strings.Join([]string{gvk.Kind, namespace, name}, "/")
}

// References enqueues a resource when a resource that it refers to is created or deleted, or changes a value that
// references are resolved to, and a resource that may wait for another when that becomes Ready. A kind that does not
// exist in the cluster yet is watched once it does.
func References(
	mgr ctrl.Manager, all cache.Cache, gate controller.Gate, k reconcile.UntypedKind, c ctrlcontroller.Controller,
	markChanged func(name client.ObjectKey, by string),
) error {
	for _, gvk := range k.RefersTo {
		to := resource.MustCreateObject(gvk, mgr.GetScheme()).(client.Object) //nolint:forcetypeassert // All kinds are.
		users := dependents(mgr.GetCache(), k, ReferenceIndex, markChanged)
		watch := func() error { return c.Watch(source.Kind(all, to, DependentsHandler(k, users, gvk))) }
		if gate == nil {
			if err := watch(); err != nil {
				return errors.Wrapf(err, "cannot watch %s", gvk.Kind)
			}
			continue
		}
		gate.Register(func() {
			if err := watch(); err != nil {
				Stop(mgr, errors.Wrapf(err, "cannot watch %s for %s", gvk.Kind, k.GVK.Kind))
			}
		}, gvk)
	}
	return nil
}

// DependentsHandler enqueues the resources that refer to an object of another kind, or act on what it owns in AWS. If
// the object only becomes Ready, it enqueues those that may wait for that, and those that follow the object.
func DependentsHandler(
	k reconcile.UntypedKind, users Dependents, to schema.GroupVersionKind,
) handler.EventHandler {
	awaits := func(o client.Object) bool {
		mg := o.(reconcile.Managed) //nolint:forcetypeassert // It is called for resources of the kind alone.
		return !reconcile.Steady(mg) ||
			slices.ContainsFunc(k.References(mg), func(r reconcile.Reference) bool { return r.Follows })
	}
	// requests maps an object to the resources that refer to it by one of the names of an index key.
	requests := func(only func(client.Object) bool, names func(client.Object) []string) handler.EventHandler {
		return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []ctrl.Request {
			var keys []string
			for _, name := range names(o) {
				keys = append(keys, referenceKey(to, o.GetNamespace(), name))
			}
			return users.requests(ctx, to.Kind+" "+o.GetName(), only, keys...)
		})
	}
	named := func(o client.Object) []string { return []string{o.GetName()} }
	return joined{
		{predicate.And(notInitial(), changes(ReferenceState)), requests(nil, named)},
		{predicate.And(notInitial(), predicate.Or(changes(selected), predicate.LabelChangedPredicate{})), requests(nil,
			selectorNames)},
		{becameReady(), requests(awaits, named)},
		{becameReady(), requests(awaits, selectorNames)},
		{allowedChanged(), handler.EnqueueRequestsFromMapFunc(actingRequests(users, to))},
	}
}

// changes drops updates of objects that do not change their state.
func changes(state func(client.Object) string) predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return state(e.ObjectOld) != state(e.ObjectNew)
	}}
}

// actingRequests maps an object of a kind to the resources that act on what it owns in AWS,
// including those that are not allowed to.
func actingRequests(users Dependents, gvk schema.GroupVersionKind) handler.MapFunc {
	return func(ctx context.Context, o client.Object) []ctrl.Request {
		return users.requests(ctx, gvk.Kind+" "+o.GetName(), nil, tenancy.Owned(o)...)
	}
}

// allowedChanged selects objects that are deleted, or that changed which namespaces they allow.
func allowedChanged() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: changes(Allowed).Update,
	}
}

// Allowed returns the namespaces that an object allows, as annotated.
func Allowed(o client.Object) string { return o.GetAnnotations()[v1beta1.AnnotationAllowedNamespaces] }

// ReferenceState returns everything about an object that references by name depend on, as one string. An object that
// is created again may have lost what others have created within it.
func ReferenceState(o client.Object) string {
	parts := []string{meta.GetExternalName(o), Allowed(o)}
	if c, ok := o.(resource.Conditioned); ok {
		parts = append(parts, strconv.FormatBool(reconcile.NotCreated(c)))
	}
	if r, ok := o.(reconcile.ReferenceTarget); ok {
		parts = append(parts, r.ReferenceValues()...)
	}
	return strings.Join(parts, "\x00")
}

// selected returns everything about an object but its labels that selectors depend on, as one string.
func selected(o client.Object) string { return ReferenceState(o) + "\x00" + controllerUID(o) }
