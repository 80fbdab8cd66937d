// Package tenancy separates namespaces that use the same AWS account: it determines which resource owns a function or a
// version of a layer, and which resources of other namespaces may act on it or refer to it.
package tenancy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// AnyNamespace is the value of AnnotationAllowedNamespaces that allows all.
const AnyNamespace = "*"

// A RefusedError is the error of a resource that may not use something. It tells the user how to allow it.
type RefusedError struct {
	message string

	// owner is the resource that owns it, as confirmed by AWS. It is nil if there is none.
	owner client.Object
}

// Error returns the message for the user.
func (e *RefusedError) Error() string { return e.message }

// IsRefused reports whether an error says that a resource may not use something.
func IsRefused(err error) bool {
	var r *RefusedError
	return errors.As(err, &r)
}

// RefusedBy returns the resource that owns, as confirmed by AWS, what an error says that another resource may not use.
// It is nil if there is none.
func RefusedBy(err error) client.Object {
	var r *RefusedError
	if !errors.As(err, &r) {
		return nil
	}
	return r.owner
}

// A User is a resource that is about to use something, and its session. The session may be nil
// if only references are checked.
type User struct {
	Resource resource.ModernManaged
	Session  *session.Session
}

// A Registry determines who owns what. It is safe for concurrent use. A nil Registry allows everything.
type Registry struct {
	cached client.Client
	live   client.Reader
	now    func() time.Time

	// Partial reports whether other processes reconcile some of the resources, so that this one does not see their
	// claims in time. It then refuses what any resource in another namespace might be about to create.
	Partial bool

	// Denies reports whether a resource can do nothing in AWS, or nothing with a function, because its config does not
	// allow it. An empty name stands for no function. Nil denies nothing.
	Denies func(ctx context.Context, mg resource.ModernManaged, function string) bool

	mu        sync.Mutex
	resources map[resourceKey]*knownResource
	confirmed map[confirmedKey]resourceKey
	claims    map[resourceKey]*claim
	uses      map[use]int

	// namespaces has the annotations of Namespaces.
	namespaces readcache.Cache
}

// New returns a Registry. cached has the index Index of the kinds for which Owns returns true. live reads Namespaces,
// which the provider may not be allowed to watch, and what the cache does not have.
func New(cached client.Client, live client.Reader, now func() time.Time) *Registry {
	return &Registry{
		cached:    cached,
		live:      live,
		now:       now,
		resources: map[resourceKey]*knownResource{},
		confirmed: map[confirmedKey]resourceKey{},
		claims:    map[resourceKey]*claim{},
		uses:      map[use]int{},
	}
}

// MayRefer returns an error if a resource may not refer to one of another namespace. The error is the same whether that
// resource exists or not. name has an empty Name for the resources that a selector may match.
func (b *Registry) MayRefer(ctx context.Context, u User, kind string, to client.Object,
	name types.NamespacedName,
) error {
	from := u.Resource.GetNamespace()
	if b == nil || name.Namespace == from {
		return nil
	}
	if to != nil && b.byObject(u, to) {
		return nil
	}
	if ok, err := b.byNamespace(ctx, from, name.Namespace); ok || err != nil {
		return err
	}
	what := fmt.Sprintf("%s %s", kind, name)
	if name.Name == "" {
		what = fmt.Sprintf("any %s in namespace %s that the selector matches", kind, name.Namespace)
	}
	return &RefusedError{message: fmt.Sprintf("namespace %s may not refer to %s: %s", from, what,
		howToAllow(kind, name, from))}
}

// Denied reports whether the config of a resource does not let it use a target. What its annotations say about the
// target is then forged, or outdated.
func (b *Registry) Denied(ctx context.Context, mg resource.ModernManaged, t Target) bool {
	if b == nil || b.Denies == nil {
		return false
	}
	function := ""
	if t.Kind == v1beta1.FunctionKind {
		function = t.Name
	}
	return b.Denies(ctx, mg, function)
}

func howToAllow(kind string, name types.NamespacedName, namespace string) string {
	of := kind + " " + name.String()
	if name.Name == "" {
		of = "the " + kind
	}
	return fmt.Sprintf("set the annotation %s of %s, or of Namespace %s, to %q", v1beta1.AnnotationAllowedNamespaces,
		of,
		name.Namespace, namespace)
}

// allows reports whether a user may use what another resource owns.
func (b *Registry) allows(ctx context.Context, u User, owner resource.ModernManaged) (bool, error) {
	if owner.GetNamespace() == u.Resource.GetNamespace() || b.byObject(u, owner) {
		return true, nil
	}
	return b.byNamespace(ctx, u.Resource.GetNamespace(), owner.GetNamespace())
}

// byObject reports whether an object itself allows a user, or the config of both does.
func (b *Registry) byObject(u User, o client.Object) bool {
	if names(o.GetAnnotations()[v1beta1.AnnotationAllowedNamespaces], u.Resource.GetNamespace()) {
		return true
	}
	owner, ok := o.(resource.ModernManaged)
	return ok && u.Session != nil && u.Session.Tenancy.Trusting && sameConfig(u.Resource, owner)
}

func sameConfig(a, b resource.ModernManaged) bool {
	x, y := a.GetProviderConfigReference(), b.GetProviderConfigReference()
	if x == nil || y == nil || *x != *y {
		return false
	}
	return x.Kind == v1beta1.ClusterProviderConfigKind || a.GetNamespace() == b.GetNamespace()
}

// names reports whether the value of AnnotationAllowedNamespaces contains a namespace.
func names(value, namespace string) bool {
	return slices.ContainsFunc(strings.Split(value, ","), func(s string) bool {
		s = strings.TrimSpace(s)
		return s == AnyNamespace || s == namespace
	})
}

// namespaceAge is the time for which the annotation of a Namespace is cached.
const namespaceAge = 10 * time.Second

// byNamespace reports whether a Namespace allows another one. It returns false if the provider may not read Namespaces.
func (b *Registry) byNamespace(ctx context.Context, from, to string) (bool, error) {
	now := b.now()
	k := readcache.Key{Operation: "Namespace", Of: to}
	f := readcache.Freshness{Now: now, Since: now.Add(-namespaceAge)}
	allowed, err := readcache.Read(ctx, &b.namespaces, k, f, func(ctx context.Context) (string, error) {
		ns := &corev1.Namespace{}
		err := b.live.Get(ctx, types.NamespacedName{Name: to}, ns)
		if err != nil && !kerrors.IsForbidden(err) && !kerrors.IsNotFound(err) {
			return "", errors.Wrapf(err, "cannot read the annotation %s of Namespace %s",
				v1beta1.AnnotationAllowedNamespaces, to)
		}
		return ns.GetAnnotations()[v1beta1.AnnotationAllowedNamespaces], nil
	})
	return err == nil && names(allowed, from), err
}
