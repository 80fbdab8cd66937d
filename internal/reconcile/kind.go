package reconcile

import (
	"context"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// A Kind describes a kind of managed resource.
type Kind[T Managed] struct {
	// GVK is the kind, which is registered in the manager's scheme.
	GVK schema.GroupVersionKind

	// New returns an empty resource, and NewList an empty list of resources. Nil means those that the manager's scheme
	// has for the GVK, see WithTypes.
	New     func() T
	NewList func() resource.ManagedList

	// Region returns the AWS region of the resource. Nil means that of spec.forProvider.
	Region func(T) string

	// Reads returns the AWS operations, such as GetFunction, that one Observe calls, as far as spec and status
	// determine them. An operation may occur more than once. If a resource is yet to be created, including the
	// operation that creates it saves a reconcile: unused reservations are released.
	Reads func(T) []string

	// PollAge is the age of a shared answer that a poll of a steady resource accepts, if it is longer than half the
	// poll interval: of what hardly ever changes.
	PollAge time.Duration

	// Observer returns the observer of a resource in one reconcile, which uses the session. It makes no call.
	Observer func(mg T, s *session.Session) Observer[T]

	// Refs returns the Secrets and ConfigMaps that spec refers to. When one of them changes,
	// the resource is reconciled. Nil if the kind has no such fields.
	Refs func(T) []refs.ObjectRef

	// Fields returns the selectors by which spec refers to fields of other providers' objects. When one of them
	// changes, the resource is reconciled, if the provider may watch the object. Nil if the kind has no such fields.
	Fields func(T) []v1beta1.FieldSelector

	// References returns the references of spec to other resources of this provider. They are
	// resolved in each reconcile, in memory. Nil means those of the function References, if the kind has any.
	References func(T) []Reference

	// RefersTo are the kinds that References may refer to: by default, those of the tags of the spec's fields. When a
	// resource that spec refers to changes in a way that affects references, this one is reconciled.
	RefersTo []schema.GroupVersionKind

	// Listed returns the item of the list of AWS that shows whether a resource is still what its status says, with the
	// revision in status. It returns nil if that does not show all that spec depends on. Nil if the kind has no such
	// list.
	Listed func(T) *listpoll.Ref

	// Owns returns what a resource owns in AWS, or only observes, and others may act on or use:
	// a function, for example. Nil if the kind owns nothing that other kinds name.
	Owns func(T) []tenancy.Target

	// Claims returns what a resource claims before it creates something in AWS. Nil means what Owns returns.
	Claims func(T) []tenancy.Target

	// ActsOn returns what a resource acts on and others may own: all functions and versions of layers that spec with
	// resolved references, status and annotations name. Nil means the function that spec.forProvider and annotations
	// name, if spec has a v1beta1.ConfiguredFunction, and else none.
	ActsOn func(T) []tenancy.Target

	// Uses returns what else of others spec names with resolved references, such as the layers of
	// a function: what resources refer to, by ARN as well as by reference. Nil if there is nothing.
	Uses func(T) []tenancy.Target

	// Tagged is true if tags in AWS show who owns external resources of this kind.
	Tagged bool

	// Redact removes from a copy of a resource what a change log must not contain, such as the
	// values of environment variables. Nil if there is nothing to remove.
	Redact func(T)

	// Reported reports whether CloudTrail records the calls by which AWS comes to differ from spec, so that drift
	// events make polls rare. It records no new object in S3, for example. Nil means no.
	Reported func(T) bool

	// Invocations returns how often AWS has invoked a function within a time ago, or how long to wait for that. Nil if
	// the kind is not about functions themselves.
	Invocations func(ctx context.Context, mg T, s *session.Session, within time.Duration) (count float64,
		wait time.Duration, err error)

	// Outdate drops what the kind keeps of AWS's answers about a resource longer than Facts.Fresh allows, because an
	// event is about the resource. Nil if it keeps nothing.
	Outdate func(uid types.UID)

	// Forget removes what the kind keeps in memory of a resource that is gone. Nil if there is nothing.
	Forget func(uid types.UID)
}

// acts returns the functions that spec and annotations of a resource with a configured function name.
func acts(mg Managed) []tenancy.Target {
	return tenancy.Functions(part[v1beta1.ConfiguredFunction](mg).FunctionName, ptr.To(meta.GetExternalName(mg)),
		ptr.To(ownership.WrittenName(mg)), ptr.To(ownership.Parent(mg)))
}

// An UntypedKind is a kind whose functions take a resource of any type, which must be of the kind. What all kinds share
// uses it, so that it is compiled once, and not for the type of each kind.
type UntypedKind = Kind[Managed]

// WithTypes returns a kind with what its types say: the functions that return empty objects of the types that a scheme
// has for its GVK, and the region, the function and the references of its spec.
func WithTypes(k UntypedKind, s *runtime.Scheme) UntypedKind {
	if k.New == nil {
		k.New = func() Managed {
			return resource.MustCreateObject(k.GVK, s).(Managed) //nolint:forcetypeassert // All kinds are.
		}
	}
	if k.NewList == nil {
		list := k.GVK.GroupVersion().WithKind(k.GVK.Kind + "List")
		k.NewList = func() resource.ManagedList {
			return resource.MustCreateObject(list, s).(resource.ManagedList) //nolint:forcetypeassert // See New.
		}
	}
	if k.Region == nil {
		k.Region = func(mg Managed) string { return part[v1beta1.Regional](mg).Region }
	}
	if k.ActsOn == nil && part[v1beta1.ConfiguredFunction](k.New()) != nil {
		k.ActsOn = acts
	}
	if k.RefersTo != nil {
		return k
	}
	for _, f := range referenceFields(reflect.ValueOf(k.New()).Elem().FieldByName("Spec").Type()) {
		if !slices.Contains(k.RefersTo, f.to) {
			k.RefersTo = append(k.RefersTo, f.to)
		}
		if k.References == nil {
			k.References = References
		}
	}
	return k
}

// Untyped returns the kind as an UntypedKind.
func (k Kind[T]) Untyped() UntypedKind {
	a := UntypedKind{
		GVK: k.GVK, NewList: k.NewList, PollAge: k.PollAge, RefersTo: k.RefersTo, Tagged: k.Tagged,
		Outdate: k.Outdate, Forget: k.Forget,
		Region: taking(k.Region), Reads: taking(k.Reads), Refs: taking(k.Refs), Fields: taking(k.Fields),
		References: taking(k.References), Listed: taking(k.Listed), Owns: taking(k.Owns), Claims: taking(k.Claims),
		ActsOn: taking(k.ActsOn), Uses: taking(k.Uses), Reported: taking(k.Reported),
	}
	if k.New != nil {
		a.New = func() Managed { return k.New() }
	}
	if k.Observer != nil {
		a.Observer = func(mg Managed, s *session.Session) UntypedObserver {
			return Untyped(k.Observer(of[T](mg), s))
		}
	}
	if k.Redact != nil {
		a.Redact = func(mg Managed) { k.Redact(of[T](mg)) }
	}
	if k.Invocations != nil {
		a.Invocations = func(ctx context.Context, mg Managed, s *session.Session, within time.Duration) (float64,
			time.Duration, error,
		) {
			return k.Invocations(ctx, of[T](mg), s, within)
		}
	}
	return a
}

// An UntypedObserver is an observer that takes a resource of any type, which must be of its kind.
type UntypedObserver = Observer[Managed]

// Untyped returns an observer as an UntypedObserver.
func Untyped[T Managed](o Observer[T]) UntypedObserver {
	return ObserverFunc[Managed](func(ctx context.Context, f Facts, mg Managed) (Outcome, error) {
		return o.Observe(ctx, f, of[T](mg))
	})
}

// taking returns a function of a kind as one that takes a resource of any type. It returns nil for nil.
func taking[T Managed, V any](f func(T) V) func(Managed) V {
	if f == nil {
		return nil
	}
	return func(mg Managed) V { return f(of[T](mg)) }
}

// of returns a resource as one of its kind's type.
func of[T Managed](mg Managed) T {
	return mg.(T) //nolint:forcetypeassert // A kind's functions get resources of the kind alone.
}

// Values returns what a function of a kind returns for a resource, nothing if the kind has no such function.
func Values[T, V any](of func(T) []V, mg T) []V {
	if of == nil {
		return nil
	}
	return of(mg)
}
