package tenancy

import (
	"cmp"
	"context"
	"slices"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// OwnedWithin reports whether a resource of the user's own namespace owns a target, as confirmed by AWS.
func (b *Registry) OwnedWithin(ctx context.Context, u User, t Target) bool {
	if b == nil {
		return false
	}
	owners, err := b.owners(ctx, u, t)
	return err == nil && len(owners) == 1 && owners[0].GetNamespace() == u.Resource.GetNamespace() &&
		b.isConfirmed(u, t, owners[0])
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

// Acted reports whether this process has seen that a resource of a kind had something with an external name within a
// target, on which it was allowed to act, and which its owner has not created anew since.
func (b *Registry) Acted(ctx context.Context, kind string, u User, name string, t Target) bool {
	if b == nil {
		return true
	}
	owners, err := b.owners(ctx, u, t)
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.knownOf(kind, u.Resource)
	return err == nil && k != nil && k.has == name && slices.Contains(k.acted, t) &&
		!slices.ContainsFunc(owners, k.outlived)
}

// outlived reports whether the owner of a function has created it since this process last saw what a resource had
// within it, which is gone with the earlier function of the same name.
func (k *knownResource) outlived(owner resource.ModernManaged) bool {
	_, ok := owner.(*v1beta1.Function) // AWS gives the number of a layer's version only once.
	return ok && meta.GetExternalCreatePending(owner).After(k.seen)
}
