package tenancy

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// A BusyError says that a target cannot be created yet, because reconciles in progress may act on it.
type BusyError struct{ message string }

// Error returns what the creation waits for.
func (e *BusyError) Error() string { return e.message }

// claimableOf returns a user's target as it is claimed. The endpoint of a tenant's own config may return any account,
// so such a config has an account of its own.
func claimableOf(u User, t Target) claimable {
	t = t.in(u.Session)
	if u.Session.Scope.Config != "" {
		t.Account = u.Session.Scope.Account + u.Session.Scope.Config
	}
	return claimable{key: claimKey(t), account: t.Account}
}

// mayBe reports whether two may be the same in AWS. An account that is unknown may be any.
func (c claimable) mayBe(other claimable) bool {
	return c.key == other.key && (c.account == other.account || c.account == "" || other.account == "")
}

// Claim claims a target that a resource is about to create. From then on, resources of other namespaces that the
// resource does not allow are refused. Claim returns a RefusedError if another resource has claimed the target first,
// and a BusyError as long as reconciles in other namespaces that began earlier may act on it.
func (b *Registry) Claim(u User, t Target) error {
	if b == nil {
		return nil
	}
	me, mine := keyOf(t.Kind, u.Resource), claimableOf(u, t)
	b.mu.Lock()
	defer b.mu.Unlock()
	for other, c := range b.claims {
		if t.exclusive() && other != me && c.mayBe(mine) {
			return &RefusedError{message: ownership.OwnedBy(t.Description(), other.kind, other.Namespace, other.Name)}
		}
	}
	if b.planning {
		return nil
	}
	b.known(t.Kind, u)
	b.claims[me] = &claim{claimable: mine}
	for by := range b.uses {
		if !u.Session.Tenancy.Trusting && by.namespace != me.Namespace && by.mayBe(mine) {
			const waits = "%s is not created before reconciles of other namespaces that try to use it have ended"
			return &BusyError{message: fmt.Sprintf(waits, t.Description())}
		}
	}
	return nil
}

// Release ends the claim of a resource that has created nothing, or that is paused: its annotations say whether it has
// begun to create something.
func (b *Registry) Release(kind string, name types.NamespacedName) {
	b.ifClaimed(kind, name, func(key resourceKey, _ *claim) { delete(b.claims, key) })
}

// Called records that AWS is called to create what a resource has claimed.
func (b *Registry) Called(kind string, name types.NamespacedName) {
	b.ifClaimed(kind, name, func(_ resourceKey, c *claim) { c.called = true })
}

// Abandon ends the claim of a resource that is not about to create what it has claimed any more, unless AWS was called.
func (b *Registry) Abandon(kind string, name types.NamespacedName) {
	b.ifClaimed(kind, name, func(key resourceKey, c *claim) {
		if !c.called {
			delete(b.claims, key)
		}
	})
}

// ifClaimed calls a function with the claim of a resource, if it has one, while it holds the lock.
func (b *Registry) ifClaimed(kind string, name types.NamespacedName, do func(key resourceKey, c *claim)) {
	if b == nil || b.planning {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	key := resourceKey{kind: kind, NamespacedName: name}
	if c, ok := b.claims[key]; ok {
		do(key, c)
	}
}

// count adds to the number of reconciles with a use.
func (b *Registry) count(by use, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.uses[by] += n; b.uses[by] == 0 {
		delete(b.uses, by)
	}
}

// creators returns the resources that may be creating a target that nobody owns yet: those that have claimed it in this
// process, and those that do so according to the cluster, for the time after a start and for other processes.
func (b *Registry) creators(ctx context.Context, u User, t Target) ([]resource.ModernManaged, error) {
	t = t.in(u.Session)
	var out []resource.ModernManaged
	for _, name := range b.claimantsOf(u, t) {
		if o, err := b.cachedResource(ctx, t, name); err != nil {
			return nil, err
		} else if o != nil {
			out = append(out, o)
		}
	}
	indexed, err := b.indexed(ctx, t, claimKey(t))
	if err != nil {
		return nil, errors.Wrapf(err, "cannot tell which %s creates %s", t.Kind, t.Description())
	}
	for _, o := range indexed {
		if b.creates(ctx, u, t, o) {
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, ByAge)
	return out, nil
}

// claimantsOf returns the resources that have claimed a target in this process.
func (b *Registry) claimantsOf(u User, t Target) []types.NamespacedName {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []types.NamespacedName
	mine := claimableOf(u, t)
	for key, c := range b.claims {
		if c.mayBe(mine) {
			out = append(out, key.NamespacedName)
		}
	}
	return out
}

// MayTake returns an error if nobody owns a target that exists, and another resource has claimed it, so that AWS may
// have created it for that one. A claim of versions of a layer keeps only other namespaces from the versions that
// exist. It trusts no annotations, as creators does.
func (b *Registry) MayTake(ctx context.Context, u User, t Target) error {
	if b == nil {
		return nil
	}
	owners, err := b.owners(ctx, u, t)
	if len(owners) > 0 || err != nil {
		return err
	}
	me, by := client.ObjectKeyFromObject(u.Resource), b.claimantsOf(u, t)
	for _, o := range by {
		if (t.exclusive() || o.Namespace != me.Namespace) && !slices.Contains(by, me) {
			return &RefusedError{message: fmt.Sprintf("%s may be what %s %s is creating", t.Description(), t.Kind, o)}
		}
	}
	return nil
}

// creates reports whether a resource may be creating a target according to the cluster: if its annotations say that a
// creation was begun, or, if other processes reconcile resources too, if it may begin at any time.
func (b *Registry) creates(ctx context.Context, u User, t Target, o resource.ModernManaged) bool {
	b.mu.Lock()
	k := b.knownOf(t.Kind, o)
	elsewhere := k != nil && k.scope.Account != u.Session.Scope.Account
	b.mu.Unlock()
	if elsewhere || !b.Partial && !creating(o) || t.Account != u.Session.Identity.AccountID() {
		return false
	}
	ref := o.GetProviderConfigReference()
	return (ref == nil || ref.Kind == v1beta1.ClusterProviderConfigKind) && !b.Denied(ctx, o, t)
}

// creating reports whether a resource has begun to create what its status does not name yet.
func creating(o client.Object) bool {
	if _, unanswered := ownership.UnansweredAt(o); unanswered {
		return true
	}
	if l, ok := o.(*v1beta1.LayerVersion); ok {
		return meta.GetExternalName(l) != ptr.Deref(l.Status.AtProvider.LayerVersionArn, "")
	}
	return meta.GetExternalCreateSucceeded(o).After(meta.GetExternalCreateFailed(o))
}
