package engine

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// references resolves references in memory, in each reconcile: the spec in the cluster stays as the user wrote it, and
// changes of the referenced resource are followed. While a resource is being deleted, references that cannot be
// resolved are left empty, because the referenced resource may be gone.
type references[T reconcile.Managed] struct {
	kind    reconcile.Kind[T]
	reader  client.Client
	tenants *tenancy.Registry
	objects *refs.ObjectReader
}

// A referenceResolver has the method that angryjet generates.
type referenceResolver interface {
	ResolveReferences(ctx context.Context, c client.Reader) error
}

// resolveDeleted resolves the references of a resource that is being deleted, as far as possible.
func (r *references[T]) resolveDeleted(ctx context.Context, mg resource.Managed, s *session.Session) {
	at := mg.GetDeletionTimestamp()
	mg.SetDeletionTimestamp(nil) // The generated methods do not resolve references of deleted resources.
	defer mg.SetDeletionTimestamp(at)
	_ = r.resolve(ctx, mg, s) // For references that cannot be resolved any more, status has the last value.
}

// resolve resolves the references of a resource in memory. An error contains the field, and
// the reason why its reference cannot be resolved.
func (r *references[T]) resolve(ctx context.Context, mg resource.Managed, s *session.Session) error {
	rr, ok := mg.(referenceResolver)
	if !ok {
		return nil
	}
	if err := r.mayRefer(ctx, mg, s); err != nil {
		return err
	}
	permits := func(ctx context.Context, to client.Object) error { return r.permits(ctx, mg, s, "", to) }
	optional := func(to client.Object, key client.ObjectKey) bool { return r.optional(mg, to, key) }
	err := rr.ResolveReferences(ctx, &selectable{
		Reader: r.reader, named: functionOf(mg), permits: permits, optional: optional,
	})
	if err == nil {
		return nil
	}
	if t, ok := mg.(T); ok && r.kind.References != nil {
		for _, values := range []bool{false, true} {
			for _, ref := range r.kind.References(t) {
				if why := r.explain(ctx, mg, s, ref, values); why != "" {
					return errors.Wrapf(errors.New(why), "cannot resolve spec.forProvider.%s", ref.Field)
				}
			}
		}
	}
	return errors.Wrap(err, "cannot resolve references")
}

// functionOf returns a function that returns the name of the function in a spec, empty if it has none. It reads the
// spec at the first call.
func functionOf(mg resource.Managed) func() string {
	return sync.OnceValue(func() string {
		user, err := fieldpath.PaveObject(mg)
		if err != nil {
			return ""
		}
		name, _ := user.GetString("spec.forProvider.functionName") // Without one, the external name decides.
		return name
	})
}

// checkFunction returns an error if a spec names a function and refers to an alias or a version of another one.
func checkFunction(named func() string, to client.Object) error {
	of := ownership.Parent(to)
	switch to := to.(type) {
	case *v1beta1.Alias:
		of = cmp.Or(ptr.Deref(to.Status.AtProvider.FunctionName, ""), of)
	case *v1beta1.Version:
		of = cmp.Or(ptr.Deref(to.Status.AtProvider.FunctionName, ""), of)
	default:
		return nil
	}
	if of == "" || named() == "" || functionname.Plain(named()) == of {
		return nil
	}
	return errors.Errorf("%s/%s belongs to function %s, not to %s", to.GetNamespace(), to.GetName(), of, named())
}

// mayRefer returns an error if a spec refers to a resource of another namespace that does not allow it, whether or not
// the reference is going to be resolved. Selectors of another namespace are checked by selectable.
func (r *references[T]) mayRefer(ctx context.Context, mg resource.Managed, s *session.Session) error {
	t, ok := mg.(T)
	if !ok || r.kind.References == nil {
		return nil
	}
	for _, ref := range r.kind.References(t) {
		if ref.Ref == nil || cmp.Or(ref.Ref.Namespace, mg.GetNamespace()) == mg.GetNamespace() {
			continue
		}
		to, key, err := r.get(ctx, mg, ref)
		if kerrors.IsNotFound(err) || kmeta.IsNoMatchError(err) {
			to.SetNamespace(key.Namespace)
			to.SetName(key.Name)
		} else if err != nil {
			return errors.Wrapf(err, "cannot resolve spec.forProvider.%s", ref.Field)
		}
		if err := r.permits(ctx, mg, s, ref.To.Kind, to); err != nil {
			return errors.Wrapf(err, "cannot resolve spec.forProvider.%s", ref.Field)
		}
	}
	return nil
}

// permits returns an error if a resource may not refer to another. Without a session, annotations decide.
func (r *references[T]) permits(
	ctx context.Context, mg resource.Managed, s *session.Session, kind string, to client.Object,
) error {
	user, ok := mg.(resource.ModernManaged)
	if !ok {
		return nil
	}
	return r.tenants.MayRefer(ctx, tenancy.User{Resource: user, Session: s}, kind, to, client.ObjectKeyFromObject(to))
}

// optional reports whether a resource has an optional reference to an object.
func (r *references[T]) optional(mg resource.Managed, to client.Object, key client.ObjectKey) bool {
	t, ok := mg.(T)
	gvk, err := apiutil.GVKForObject(to, r.reader.Scheme())
	if !ok || err != nil || r.kind.References == nil {
		return false
	}
	return slices.ContainsFunc(r.kind.References(t), func(ref reconcile.Reference) bool {
		return ref.Ref != nil && isOptional(ref) && ref.To == gvk && ref.Ref.Name == key.Name &&
			cmp.Or(ref.Ref.Namespace, mg.GetNamespace()) == key.Namespace
	})
}

// isOptional reports whether a resource does without what it refers to if that does not exist.
func isOptional(ref reconcile.Reference) bool {
	if ref.Selects() {
		return ref.Selector.Policy.IsResolutionPolicyOptional()
	}
	return ref.Ref != nil && ref.Ref.Policy.IsResolutionPolicyOptional()
}

// explain returns why a reference cannot be resolved, or "" if it can or is optional. With values, it expects values of
// what is referred to besides its external name: not every reference needs them.
func (r *references[T]) explain(
	ctx context.Context, mg resource.Managed, s *session.Session, ref reconcile.Reference, values bool,
) string {
	if ref.Ref == nil && ref.Selector == nil || isOptional(ref) {
		return ""
	}
	if ref.Selects() {
		return r.explainSelector(ctx, mg, s, ref, values)
	}
	obj, key, err := r.get(ctx, mg, ref)
	switch {
	case kerrors.IsNotFound(err):
		return fmt.Sprintf("%s %s does not exist", ref.To.Kind, key)
	case kmeta.IsNoMatchError(err):
		return fmt.Sprintf("the cluster has no kind %s: activate its ManagedResourceDefinition", ref.To.Kind)
	case err != nil:
		return err.Error()
	}
	if err := checkFunction(functionOf(mg), obj); err != nil {
		return ref.To.Kind + " " + err.Error()
	}
	return awaited(ref.To.Kind, obj, values)
}

// awaited returns what an object lacks for references to it, or "" if it lacks nothing.
func awaited(kind string, to client.Object, values bool) string {
	t, ok := to.(reconcile.ReferenceTarget)
	switch name := kind + " " + client.ObjectKeyFromObject(to).String(); {
	case meta.GetExternalName(to) == "":
		return name + " does not exist in AWS yet"
	case values && ok && cmp.Or(t.ReferenceValues()...) == "":
		return name + " is not ready yet"
	}
	return ""
}

// explainSelector returns why a selector selects no usable resource, or "" if it does.
func (r *references[T]) explainSelector(
	ctx context.Context, mg resource.Managed, s *session.Session, ref reconcile.Reference, values bool,
) string {
	list, err := r.reader.Scheme().New(ref.To.GroupVersion().WithKind(ref.To.Kind + "List"))
	if err != nil {
		return err.Error()
	}
	l, ok := list.(resource.ManagedList)
	if !ok {
		return ""
	}
	namespace := cmp.Or(ref.Selector.Namespace, mg.GetNamespace())
	err = r.reader.List(ctx, l, client.InNamespace(namespace), client.MatchingLabels(ref.Selector.MatchLabels))
	switch {
	case kmeta.IsNoMatchError(err):
		return fmt.Sprintf("the cluster has no kind %s: activate its ManagedResourceDefinition", ref.To.Kind)
	case err != nil:
		return err.Error()
	}
	named := functionOf(mg)
	items := slices.DeleteFunc(l.GetItems(), func(to resource.Managed) bool {
		return ref.Selector.MatchControllerRef != nil && *ref.Selector.MatchControllerRef &&
			!meta.HaveSameController(mg, to) || checkFunction(named, to) != nil ||
			r.permits(ctx, mg, s, ref.To.Kind, to) != nil
	})
	if len(items) == 0 && namespace != mg.GetNamespace() {
		if err := r.permits(ctx, mg, s, ref.To.Kind,
			&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace}}); err != nil {
			return err.Error()
		}
	}
	if len(items) == 0 {
		return fmt.Sprintf("no %s in namespace %s matches the selector", ref.To.Kind, namespace)
	}
	for _, to := range items {
		if why := awaited(ref.To.Kind, to, values); why != "" {
			return why
		}
	}
	return ""
}

// values returns what a resolved reference stands for: the external name of what it refers to, and, if the resource
// follows that, its values. What a reference is resolved to is not always part of the spec's JSON. The name is empty
// if there is no such resource.
func (r *references[T]) values(
	ctx context.Context, mg resource.Managed, ref reconcile.Reference,
) ([]string, error) {
	if ref.Ref == nil {
		return []string{""}, nil
	}
	to, _, err := r.get(ctx, mg, ref)
	switch {
	case kerrors.IsNotFound(err) || kmeta.IsNoMatchError(err):
		return []string{""}, nil
	case err != nil:
		return nil, err
	}
	values := []string{meta.GetExternalName(to)}
	if t, ok := to.(reconcile.ReferenceTarget); ok && ref.Follows {
		values = append(values, t.ReferenceValues()...)
	}
	return values, nil
}

// get reads the object that a reference names, and returns it with its key. If it does not exist, the object is empty.
func (r *references[T]) get(
	ctx context.Context, mg resource.Managed, ref reconcile.Reference,
) (client.Object, client.ObjectKey, error) {
	key := client.ObjectKey{Namespace: cmp.Or(ref.Ref.Namespace, mg.GetNamespace()), Name: ref.Ref.Name}
	to, err := r.object(ref.To)
	if err != nil {
		return nil, key, err
	}
	return to, key, r.reader.Get(ctx, key, to)
}

func (r *references[T]) object(gvk schema.GroupVersionKind) (client.Object, error) {
	obj, err := r.reader.Scheme().New(gvk)
	if err != nil {
		return nil, err
	}
	o, ok := obj.(client.Object)
	if !ok {
		return nil, errors.Errorf("%s is not an object", gvk.Kind)
	}
	return o, nil
}

// selectable reads what references refer to. It lists what a selector may select, the oldest resource first, so that a
// selector that matches several resources keeps selecting the same one when another is created.
type selectable struct {
	client.Reader

	// named returns the function in the spec. Its reference is resolved before those to an alias or a version.
	named func() string

	// permits returns an error if an object may not be referred to.
	permits func(ctx context.Context, to client.Object) error

	// optional reports whether an object may be missing, and missing has the types of those that are.
	optional func(to client.Object, key client.ObjectKey) bool
	missing  map[reflect.Type]bool
}

// Get gets an object. An optional one that does not exist is empty: for its sake, the generated methods would drop all
// references of a list. They do not check a list behind an optional reference without a value either, so that from
// there on, a required object that has no external name yet is an error.
func (s *selectable) Get(
	ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption,
) error {
	err, of := s.Reader.Get(ctx, key, obj, opts...), reflect.TypeOf(obj)
	switch optional := s.optional(obj, key); {
	case optional && kerrors.IsNotFound(err):
		reflect.ValueOf(obj).Elem().SetZero()
	case err != nil:
		return err
	case meta.GetExternalName(obj) != "":
		return checkFunction(s.named, obj)
	case !optional && s.missing[of]:
		return errors.Errorf("%s does not exist in AWS yet", key)
	case !optional:
		return nil
	}
	if s.missing == nil {
		s.missing = map[reflect.Type]bool{}
	}
	s.missing[of] = true
	return nil
}

// List lists the permitted objects, without aliases and versions of other functions, the oldest first.
func (s *selectable) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if err := s.Reader.List(ctx, list, opts...); err != nil {
		return err
	}
	items, err := kmeta.ExtractList(list)
	if err != nil {
		return err
	}
	items = slices.DeleteFunc(items, func(item runtime.Object) bool {
		o, ok := item.(client.Object)
		if !ok {
			return true
		}
		refused := s.permits(ctx, o)
		if refused != nil && !tenancy.IsRefused(refused) {
			err = refused
		}
		return refused != nil || checkFunction(s.named, o) != nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(items, byAge)
	return kmeta.SetList(list, items)
}

func byAge(a, b runtime.Object) int {
	x, okx := a.(client.Object)
	y, oky := b.(client.Object)
	if !okx || !oky {
		return 0
	}
	return tenancy.ByAge(x, y)
}

// registerFields registers the fields that a resource refers to with the field reader, which
// only watches those. It returns a context in which fields are read for this resource.
func (r *reconciler[T]) registerFields(ctx context.Context, mg T) context.Context {
	if r.kind.Fields == nil {
		return ctx
	}
	u := r.user(client.ObjectKeyFromObject(mg))
	r.Fields.Refer(u, r.kind.Fields(mg))
	return refs.WithUser(ctx, u)
}

func (r *reconciler[T]) user(name types.NamespacedName) refs.User {
	return refs.User{Kind: r.kind.GVK.Kind, NamespacedName: name}
}
