package tenancy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

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

// confirmedIn returns the key of a target in a session.
func confirmedIn(s *session.Session, t Target) confirmedKey {
	t = t.in(s)
	k := confirmedKey{scope: s.Scope, target: t.Key()}
	if s.Identity.AccountID() != "" {
		k.account, k.scope.Endpoint = t.Account, ""
	}
	return k
}

// MayAct returns an error if a resource may not act on a target, or read it, because a resource of another namespace
// owns it, or is creating it, and does not allow that. A target that no resource owns is allowed.
func (b *Registry) MayAct(ctx context.Context, u User, t Target) error {
	if b == nil {
		return nil
	}
	_, err := b.mayAct(ctx, u, t)
	return err
}

// mayAct reports whether a resource owns a target, and an error if the user may not act on it.
func (b *Registry) mayAct(ctx context.Context, u User, t Target) (owned bool, err error) {
	if t.invalid {
		return false, &RefusedError{message: fmt.Sprintf("%q is neither the name nor the ARN of a function", t.Name)}
	}
	all, err := b.owners(ctx, u, t)
	owned = len(all) > 0
	if !owned && err == nil {
		all, err = b.creators(ctx, u, t)
	}
	if err != nil {
		return owned, err
	}
	for _, o := range all {
		if ok, err := b.allows(ctx, u, o); err != nil {
			return owned, err
		} else if !ok {
			name := client.ObjectKeyFromObject(o)
			refused := &RefusedError{
				message: fmt.Sprintf("%s belongs to %s %s, which does not allow namespace %s to use it: %s",
					t.Description(), t.Kind, name, u.Resource.GetNamespace(), howToAllow(t.Kind, name,
						u.Resource.GetNamespace())),
			}
			if b.isConfirmed(u, t, o) {
				refused.owner = o
			}
			return owned, refused
		}
	}
	return owned, nil
}

// OwnedWithin reports whether a resource of the user's own namespace owns a target, as confirmed by AWS.
func (b *Registry) OwnedWithin(ctx context.Context, u User, t Target) bool {
	if b == nil {
		return false
	}
	owners, err := b.owners(ctx, u, t)
	return err == nil && len(owners) == 1 && owners[0].GetNamespace() == u.Resource.GetNamespace() &&
		b.isConfirmed(u, t, owners[0])
}

// MayOwn returns an error if another existing resource of any namespace owns a target already.
// tagged reports whether tags in AWS show the owner, which CheckTags checks then. Without tags, the
// oldest resource with the target in its status owns it. Any resource of its namespace may own a version of a layer
// that a resource has replaced.
func (b *Registry) MayOwn(ctx context.Context, u User, t Target, tagged bool) error {
	if b == nil {
		return nil
	}
	owners, err := b.owners(ctx, u, t)
	if err != nil {
		return err
	}
	owners = slices.DeleteFunc(owners, func(o resource.ModernManaged) bool {
		replaced := func(own Target) bool { return own.replaced && own.Name == t.Name }
		return o.GetNamespace() == u.Resource.GetNamespace() && slices.ContainsFunc(owned(o), replaced)
	})
	if o := rival(u, owners, tagged); o != nil {
		return &RefusedError{message: ownership.OwnedBy(t.Description(), t.Kind, o.GetNamespace(), o.GetName())}
	}
	return nil
}

func (u User) is(o resource.ModernManaged) bool { return o.GetUID() == u.Resource.GetUID() }

// rival returns the owner that takes precedence over the user, if any.
func rival(u User, owners []resource.ModernManaged, tagged bool) resource.ModernManaged {
	owns := slices.ContainsFunc(owners, u.is)
	if len(owners) == 0 || owns && (tagged || u.is(owners[0])) {
		return nil
	}
	return owners[0]
}

// CheckTags returns an error if another existing resource owns what was found in AWS, according to its tags, or to the
// status of other resources if it has no such tags, which may also be late for what another resource has just created.
// v is the result of the tags alone, targets are what the resource is to own, and what describes the external resource
// in errors.
func (b *Registry) CheckTags(ctx context.Context, u User, tags map[string]string, v ownership.Ownership,
	c ownership.Expected, what string, targets []Target,
) error {
	if b == nil {
		return nil
	}
	// Someone may have removed some tags. Without a name, nobody can be looked up.
	unnamed := tags[ownership.TagNamespace] == "" || tags[ownership.TagName] == ""
	other := tags[ownership.TagUID] != string(u.Resource.GetUID())
	if other && !unnamed {
		if err := b.checkOwner(ctx, u, tags, c, what); err != nil {
			return err
		}
	}
	if !v.Manageable() {
		return nil
	}
	if tags[ownership.TagUID] == "" && tags[ownership.TagCluster] == "" || other && unnamed {
		for _, t := range targets {
			if err := b.checkUntagged(ctx, u, t, what); err != nil {
				return err
			}
		}
	}
	b.Confirm(u, targets)
	return nil
}

// checkUntagged returns an error if another resource has claimed or owns a target whose tags name nobody. The claim is
// checked first: it ends when its owner is confirmed.
func (b *Registry) checkUntagged(ctx context.Context, u User, t Target, what string) error {
	if err := b.MayTake(ctx, u, t); err != nil {
		return err
	}
	owners, err := b.owners(ctx, u, t)
	if err != nil {
		return err
	}
	if o := rival(u, owners, false); o != nil {
		return ownership.NewOwnedError(what, t.Kind, o.GetNamespace(), o.GetName())
	}
	return nil
}

// checkOwner returns an error if the resource in the tags exists and still manages what has the tags.
func (b *Registry) checkOwner(ctx context.Context, u User, tags map[string]string, c ownership.Expected,
	what string,
) error {
	name := types.NamespacedName{Namespace: tags[ownership.TagNamespace], Name: tags[ownership.TagName]}
	if tags[ownership.TagCluster] != c.ClusterID || tags[ownership.TagKind] != c.Kind ||
		name == client.ObjectKeyFromObject(u.Resource) {
		return nil
	}
	gvk, err := apiutil.GVKForObject(u.Resource, b.cached.Scheme())
	if err != nil {
		return err
	}
	o, err := b.get(ctx, gvk.Kind, name)
	if err != nil || o == nil || ownership.ObserveOnly(o) {
		return err
	}
	if string(o.GetUID()) != tags[ownership.TagUID] && plainName(o) != plainName(u.Resource) {
		return nil // The resource has the owner's name, but another external resource.
	}
	return ownership.NewOwnedError(what, gvk.Kind, name.Namespace, name.Name)
}

// get gets a resource of a kind. It returns nil if there is none. If the cache does not have it, it reads it from the
// API server, because the cache may lag, or may not contain all namespaces.
func (b *Registry) get(ctx context.Context, kind string, name types.NamespacedName) (resource.ModernManaged, error) {
	for _, r := range []client.Reader{b.cached, b.live} {
		o := b.newResource(kind)
		switch err := r.Get(ctx, name, o); {
		case err == nil:
			return o, nil
		case r == b.live && !kerrors.IsNotFound(err):
			return nil, errors.Wrapf(err, "cannot check whether %s %s, the owner by its tags, exists", kind, name)
		}
	}
	return nil, nil //nolint:nilnil // There is none.
}

// plainName returns the name in AWS of what a resource manages or is going to create.
func plainName(o client.Object) string {
	name := cmp.Or(meta.GetExternalName(o), ownership.WrittenName(o), o.GetName())
	for _, t := range Named(&name) {
		return t.Name
	}
	return functionname.Plain(name)
}

// owners returns the resources that own a target in the user's session, the oldest first: the
// one that AWS has confirmed, or else all that have it in their status.
func (b *Registry) owners(ctx context.Context, u User, t Target) ([]resource.ModernManaged, error) {
	t = t.in(u.Session)
	if o, err := b.confirmedOwner(ctx, u, t); o != nil || err != nil {
		return []resource.ModernManaged{o}, err
	}
	indexed, err := b.indexed(ctx, t, t.Key())
	if err != nil {
		return nil, errors.Wrapf(err, "cannot tell which %s owns %s", t.Kind, t.Description())
	}
	owners := slices.DeleteFunc(indexed, func(o resource.ModernManaged) bool { return !b.reaches(u, t, o) })
	slices.SortStableFunc(owners, ByAge)
	return owners, nil
}

// indexed returns the resources of a target's kind that have a key in the index, none if the cluster lacks the kind.
func (b *Registry) indexed(ctx context.Context, t Target, key string) ([]resource.ModernManaged, error) {
	list := b.create(t.Kind + "List").(resource.ManagedList) //nolint:forcetypeassert // All lists of these kinds are.
	err := b.cached.List(ctx, list, client.MatchingFields{Index: key}, client.UnsafeDisableDeepCopy)
	if kmeta.IsNoMatchError(err) {
		return nil, nil
	}
	var found []resource.ModernManaged
	for _, item := range list.GetItems() {
		found = append(found, item.(resource.ModernManaged)) //nolint:forcetypeassert // As above.
	}
	return found, err
}

// ByAge compares the ages of two resources, or else their names, because a cache lists in any order.
func ByAge[T metav1.Object](x, y T) int {
	return cmp.Or(x.GetCreationTimestamp().Time.Compare(y.GetCreationTimestamp().Time),
		cmp.Compare(x.GetNamespace(), y.GetNamespace()), cmp.Compare(x.GetName(), y.GetName()))
}

// confirmedOwner returns the resource that AWS has confirmed as the owner of a target, whether or not the cache has its
// status yet. It returns nil if there is none.
func (b *Registry) confirmedOwner(ctx context.Context, u User, t Target) (resource.ModernManaged, error) {
	b.mu.Lock()
	key, ok := b.confirmed[confirmedIn(u.Session, t)]
	b.mu.Unlock()
	if !ok {
		return nil, nil //nolint:nilnil // There is none.
	}
	o, err := b.cachedResource(ctx, t, key.NamespacedName)
	if o == nil || err != nil || ownership.ObserveOnly(o) || !b.isConfirmed(u, t, o) {
		return nil, err
	}
	return o, nil
}

// cachedResource returns a resource of the kind that owns a target. It returns nil if there is none.
func (b *Registry) cachedResource(ctx context.Context, t Target,
	name types.NamespacedName,
) (resource.ModernManaged, error) {
	o := b.newResource(t.Kind)
	err := b.cached.Get(ctx, name, o, client.UnsafeDisableDeepCopy)
	if kerrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // There is none.
	}
	return o, errors.Wrapf(err, "cannot read %s %s", t.Kind, name)
}

func (b *Registry) newResource(kind string) resource.ModernManaged {
	return b.create(kind).(resource.ModernManaged) //nolint:forcetypeassert // All of this provider's kinds are.
}

// create returns an empty object of a kind of this provider, or an empty list.
func (b *Registry) create(kind string) runtime.Object {
	return resource.MustCreateObject(v1beta1.SchemeGroupVersion.WithKind(kind), b.cached.Scheme())
}

// reaches reports whether a resource that owns something with the target's region and name
// owns the target in the target's account. If the session's account is unknown, only resources
// with the same config are known to use the same account.
func (b *Registry) reaches(u User, t Target, o resource.ModernManaged) bool {
	if t.Account == "" {
		return sameConfig(u.Resource, o)
	}
	if !slices.ContainsFunc(owned(o), func(own Target) bool { return own.Account == t.Account }) {
		return false
	}
	// The endpoint of a tenant's own config may return any account, and the resource may name another config since.
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.knownOf(t.Kind, o)
	return k == nil || k.scope.Account == t.Account || k.scope.Account == u.Session.Scope.Account
}
