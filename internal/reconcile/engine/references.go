package engine

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
type references struct {
	kind    reconcile.UntypedKind
	reader  client.Client
	tenants *tenancy.Registry
	objects *refs.ObjectReader
}

// A referenceResolver has the method that angryjet generates.
type referenceResolver interface {
	ResolveReferences(ctx context.Context, c client.Reader) error
}

// resolveDeleted resolves the references of a resource that is being deleted, as far as possible.
func (r *references) resolveDeleted(ctx context.Context, mg reconcile.Managed, s *session.Session) {
	at := mg.GetDeletionTimestamp()
	mg.SetDeletionTimestamp(nil) // The generated methods do not resolve references of deleted resources.
	defer mg.SetDeletionTimestamp(at)
	_ = r.resolve(ctx, mg, s) // For references that cannot be resolved any more, status has the last value.
}

// resolve resolves the references of a resource in memory. An error contains the field, and
// the reason why its reference cannot be resolved.
func (r *references) resolve(ctx context.Context, mg reconcile.Managed, s *session.Session) error {
	rr, ok := mg.(referenceResolver)
	if !ok {
		return nil
	}
	if err := r.mayRefer(ctx, mg, s); err != nil {
		return err
	}
	reader := &selectable{
		reader: r.reader, from: mg, refs: reconcile.Values(r.kind.References, mg), named: functionOf(mg),
		permits: func(ctx context.Context, kind string, to client.Object) error {
			return r.permits(ctx, mg, s, kind, to)
		},
	}
	if err := rr.ResolveReferences(ctx, reader); err != nil {
		return errors.Wrapf(cmp.Or(reader.why, err), "cannot resolve %s", reader.field)
	}
	return r.checkNamed(mg, reader.refs)
}

// checkNamed returns an error if a resource acts on something that only an optional reference names, which refers to
// nothing: AWS cannot be asked about it then.
func (r *references) checkNamed(mg reconcile.Managed, refs []reconcile.Reference) error {
	if r.kind.ActsOn == nil || len(r.kind.ActsOn(mg)) > 0 || reconcile.ExternalName(mg) != "" {
		return nil
	}
	if i := slices.IndexFunc(refs, isOptional); i >= 0 {
		return errors.Errorf("cannot resolve %s: it refers to no %s that exists in AWS, and nothing else names one",
			refs[i].SetIn(), refs[i].To.Kind)
	}
	return nil
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
func checkFunction(named func() string, kind string, to client.Object) error {
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
	return errors.Errorf("%s %s belongs to function %s, not to %s", kind, client.ObjectKeyFromObject(to), of, named())
}

// mayRefer returns an error if a spec refers to a resource of another namespace that does not allow it, whether or not
// the reference is going to be resolved. Selectors of another namespace are checked by selectable.
func (r *references) mayRefer(ctx context.Context, mg reconcile.Managed, s *session.Session) error {
	for _, ref := range reconcile.Values(r.kind.References, mg) {
		if ref.Ref == nil || cmp.Or(ref.Ref.Namespace, mg.GetNamespace()) == mg.GetNamespace() {
			continue
		}
		to, err := r.get(ctx, mg, ref)
		if err == nil {
			err = r.permits(ctx, mg, s, ref.To.Kind, to)
		}
		if err != nil {
			return errors.Wrapf(err, "cannot resolve %s", ref.SetIn())
		}
	}
	return nil
}

// permits returns an error if a resource may not refer to another. Without a session, annotations decide.
func (r *references) permits(
	ctx context.Context, mg reconcile.Managed, s *session.Session, kind string, to client.Object,
) error {
	return r.tenants.MayRefer(ctx, tenancy.User{Resource: mg, Session: s}, kind, to, client.ObjectKeyFromObject(to))
}

// isOptional reports whether a resource does without what it refers to if that does not exist.
func isOptional(ref reconcile.Reference) bool {
	if ref.Selects() {
		return ref.Selector.Policy.IsResolutionPolicyOptional()
	}
	return ref.Ref != nil && ref.Ref.Policy.IsResolutionPolicyOptional()
}

// values returns what a resolved reference stands for: the external name of what it refers to, and, if the resource
// follows that, its values. What a reference is resolved to is not always part of the spec's JSON. The name is empty
// if there is no such resource.
func (r *references) values(ctx context.Context, mg reconcile.Managed, ref reconcile.Reference) ([]string, error) {
	if ref.Ref == nil {
		return []string{""}, nil
	}
	to, err := r.get(ctx, mg, ref)
	if err != nil {
		return nil, err
	}
	values := []string{meta.GetExternalName(to)}
	if t, ok := to.(reconcile.ReferenceTarget); ok && ref.Follows {
		values = append(values, t.ReferenceValues()...)
	}
	return values, nil
}

// get reads the object that a reference names. One that does not exist has nothing but its name.
func (r *references) get(ctx context.Context, mg reconcile.Managed, ref reconcile.Reference) (client.Object, error) {
	key := client.ObjectKey{Namespace: cmp.Or(ref.Ref.Namespace, mg.GetNamespace()), Name: ref.Ref.Name}
	to := resource.MustCreateObject(ref.To, r.reader.Scheme()).(client.Object) //nolint:forcetypeassert // All kinds are.
	err := r.reader.Get(ctx, key, to)
	if kerrors.IsNotFound(err) || kmeta.IsNoMatchError(err) {
		to.SetNamespace(key.Namespace)
		to.SetName(key.Name)
		err = nil
	}
	return to, err
}

// selectable reads what references refer to. It lists what a selector may select, the oldest resource first, so that a
// selector that matches several resources keeps selecting the same one when another is created.
type selectable struct {
	reader client.Client

	// from is the resource that refers to others, and refs are its references.
	from resource.Managed
	refs []reconcile.Reference

	// named returns the function in the spec. Its reference is resolved before those to an alias or a version.
	named func() string

	// permits returns an error if an object of a kind may not be referred to.
	permits func(ctx context.Context, kind string, to client.Object) error

	// field is the field whose reference was read last, and why is the reason if it cannot be resolved. The generated
	// methods stop at the first such reference, and do not name what they miss.
	field string
	why   error
}

// Get gets an object. An optional one that does not exist is empty: for its sake, the generated methods would drop all
// references of a list. They do not check a list behind an optional reference without a value either, so that a
// required object that has no external name yet is an error.
func (s *selectable) Get(
	ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption,
) error {
	gvk, err := apiutil.GVKForObject(obj, s.reader.Scheme())
	if err != nil {
		return err
	}
	refs := s.readFor(gvk, func(ref reconcile.Reference) bool {
		return ref.Ref != nil && ref.Ref.Name == key.Name &&
			cmp.Or(ref.Ref.Namespace, s.from.GetNamespace()) == key.Namespace
	})
	optional := slices.ContainsFunc(refs, isOptional)
	switch err = s.reader.Get(ctx, key, obj, opts...); {
	case kerrors.IsNotFound(err) && optional:
		reflect.ValueOf(obj).Elem().SetZero()
		err = nil
	case kerrors.IsNotFound(err):
		err = errors.Errorf("%s %s does not exist", gvk.Kind, key)
	case err != nil:
		err = unreadable(gvk.Kind, err)
	case meta.GetExternalName(obj) != "":
		err = checkFunction(s.named, gvk.Kind, obj)
	case !optional:
		err = errors.Errorf("%s %s does not exist in AWS yet", gvk.Kind, key)
	}
	s.why = cmp.Or(err, errors.Errorf("%s %s is not ready yet", gvk.Kind, key))
	return err
}

// List lists the permitted objects, without aliases and versions of other functions, the oldest first.
func (s *selectable) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	gvk, err := apiutil.GVKForObject(list, s.reader.Scheme())
	if err != nil {
		return err
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	by := (&client.ListOptions{}).ApplyOptions(opts)
	refs := s.readFor(gvk, func(ref reconcile.Reference) bool {
		return ref.Selects() && cmp.Or(ref.Selector.Namespace, s.from.GetNamespace()) == by.Namespace &&
			by.LabelSelector.String() == labels.SelectorFromSet(ref.Selector.MatchLabels).String()
	})
	// The generated methods only read the objects.
	if err := s.reader.List(ctx, list, append(opts, client.UnsafeDisableDeepCopy)...); err != nil {
		s.why = unreadable(gvk.Kind, err)
		return err
	}
	items, err := kmeta.ExtractList(list)
	if err != nil {
		return err
	}
	sameController := len(refs) > 0 && !slices.ContainsFunc(refs, func(ref reconcile.Reference) bool {
		return !ptr.Deref(ref.Selector.MatchControllerRef, false)
	})
	items = slices.DeleteFunc(items, func(item runtime.Object) bool {
		to := item.(client.Object) //nolint:forcetypeassert // The items of a list of objects are objects.
		if sameController && !meta.HaveSameController(s.from, to) {
			return true
		}
		refused := s.permits(ctx, gvk.Kind, to)
		if refused != nil && !tenancy.IsRefused(refused) {
			err = refused
		}
		return refused != nil || checkFunction(s.named, gvk.Kind, to) != nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(items, func(a, b runtime.Object) int {
		return tenancy.ByAge(a.(client.Object), b.(client.Object)) //nolint:forcetypeassert // As above.
	})
	s.why = s.unselected(ctx, gvk.Kind, by.Namespace, items)
	return kmeta.SetList(list, items)
}

// readFor records which reference objects of a kind are read for. It returns all that the read may be for: several may
// have the same name or selector.
func (s *selectable) readFor(
	to schema.GroupVersionKind, reads func(reconcile.Reference) bool,
) []reconcile.Reference {
	s.field, s.why = "", nil
	refs := slices.DeleteFunc(slices.Clone(s.refs), func(ref reconcile.Reference) bool {
		return ref.To != to || !reads(ref)
	})
	if len(refs) > 0 {
		s.field = refs[0].SetIn()
	}
	return refs
}

// unselected returns why a selector selects nothing of use, if it does not: what the first of the objects that it may
// select lacks, or that there is none.
func (s *selectable) unselected(ctx context.Context, kind, namespace string, items []runtime.Object) error {
	for _, item := range items {
		to := item.(resource.Managed) //nolint:forcetypeassert // All kinds that are referred to are managed.
		if meta.GetExternalName(to) == "" {
			return errors.Errorf("%s %s does not exist in AWS yet", kind, client.ObjectKeyFromObject(to))
		}
		if t, ok := to.(reconcile.ReferenceTarget); ok && cmp.Or(t.ReferenceValues()...) == "" {
			return errors.Errorf("%s %s is not ready yet", kind, client.ObjectKeyFromObject(to))
		}
	}
	of := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace}}
	if err := s.permits(ctx, kind, of); err != nil {
		return errors.New(err.Error()) // Not one for which what the resource has created is removed.
	}
	return errors.Errorf("no %s in namespace %s matches the selector", kind, namespace)
}

// unreadable returns why the objects of a kind cannot be read.
func unreadable(kind string, err error) error {
	if kmeta.IsNoMatchError(err) {
		return errors.Errorf("the cluster has no kind %s: activate its ManagedResourceDefinition", kind)
	}
	return err
}
