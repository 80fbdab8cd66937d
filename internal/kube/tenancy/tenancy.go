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
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
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

func (u User) is(o resource.ModernManaged) bool { return o.GetUID() == u.Resource.GetUID() }

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

	// planning reports whether only uses are recorded: see ForPlans.
	planning bool

	mu        *sync.Mutex
	resources map[resourceKey]*knownResource
	confirmed map[confirmedKey]resourceKey
	claims    map[resourceKey]*claim
	uses      map[use]int

	// namespaces has the annotations of Namespaces.
	namespaces readcache.Cache
}

// A resourceKey identifies a resource.
type resourceKey struct {
	kind string
	types.NamespacedName
}

// knownResource has the facts about a resource that this process has from other sources than its status
// and annotations, which anyone who may edit the resource can write.
type knownResource struct {
	uid types.UID

	// scope is the scope that the resource is served in.
	scope quota.Scope

	// has is the external name of what the resource has within the targets that it was allowed to act on, and seen is
	// when this process last saw it.
	has   string
	seen  time.Time
	acted []Target

	// owns is the target that the resource owns, as confirmed by AWS. It is empty if none was confirmed.
	owns confirmedKey

	// created is the external name of what this process has seen the resource create, empty if it was removed since,
	// and nil if the process does not know.
	created *string
}

// A confirmedKey identifies a target in AWS in one scope. account is that of the target, which an ARN may name. It is
// empty if that of the scope is unknown. Otherwise the scope has no endpoint, since configs may reach one account by
// several.
type confirmedKey struct {
	scope   quota.Scope
	account string
	target  string
}

// A claimable is a target as it is claimed, by its claimKey, in an account. The account is empty if it is unknown.
type claimable struct{ key, account string }

// A claim is the target that a resource is about to create. It lasts from before the call until AWS has shown what was
// created: during that time, neither tags nor status name an owner. called reports whether AWS was called.
type claim struct {
	claimable

	called bool
}

// A use is a target on which reconciles in progress of a namespace may act.
type use struct {
	claimable

	namespace string
}

// New returns a Registry. cached has the index Index of the kinds that own targets. live reads Namespaces, which the
// provider may not be allowed to watch, and what the cache does not have.
func New(cached client.Client, live client.Reader, now func() time.Time) *Registry {
	return &Registry{
		cached:    cached,
		live:      live,
		now:       now,
		mu:        &sync.Mutex{},
		resources: map[resourceKey]*knownResource{},
		confirmed: map[confirmedKey]resourceKey{},
		claims:    map[resourceKey]*claim{},
		uses:      map[use]int{},
	}
}

// ForPlans returns a Registry for plans. It decides as this one does, and records what plans read, but not what they
// would create or own.
func (b *Registry) ForPlans() *Registry {
	return &Registry{
		cached: b.cached, live: b.live, now: b.now, Partial: b.Partial, Denies: b.Denies, planning: true,
		mu: b.mu, resources: b.resources, confirmed: b.confirmed, claims: b.claims, uses: b.uses,
	}
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

// Share reports whether a user's target is one of another resource's targets. If the account of one is unknown, they
// are only known to be the same if both resources use the same config.
func Share(u User, t Target, other resource.ModernManaged, theirs []Target) bool {
	t = t.in(u.Session)
	return slices.ContainsFunc(theirs, func(o Target) bool {
		return o.Kind == t.Kind && o.Name == t.Name && (o.Region == "" || o.Region == t.Region) &&
			(o.Account == t.Account && o.Account != "" || (o.Account == "" || t.Account == "") &&
				sameConfig(u.Resource, other))
	})
}
