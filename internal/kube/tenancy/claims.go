package tenancy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

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

// A BusyError says that a target cannot be created yet, because reconciles in progress may act on it.
type BusyError struct{ message string }

// Error returns what the creation waits for.
func (e *BusyError) Error() string { return e.message }

// Layer returns all versions of a layer.
func Layer(name string) Target { return Target{Kind: v1beta1.LayerVersionKind, Name: name} }

// claimed returns the target as it is claimed: the number of a version of a layer is unknown before AWS gives it.
func (t Target) claimed() Target {
	if t.Kind == v1beta1.LayerVersionKind {
		t.Name, _, _ = strings.Cut(t.Name, ":")
	}
	return t
}

// exclusive reports whether only one resource can create the target. Many may publish versions of one layer.
func (t Target) exclusive() bool { return t.Kind != v1beta1.LayerVersionKind }

// claimKey returns the key in Index of the resources that may be creating a target.
func claimKey(t Target) string { return "creates/" + t.claimed().Key() }

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
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	key := resourceKey{kind: kind, NamespacedName: name}
	if c, ok := b.claims[key]; ok {
		do(key, c)
	}
}

// Act returns an error if a resource may not act on a target, as MayAct does. If nobody owns the target, the resource
// uses it until it calls leave, and nobody creates it meanwhile. The use begins before the check: either the check
// finds a claim, or the claim finds the use.
func (b *Registry) Act(ctx context.Context, u User, t Target) (leave func(), err error) {
	if b == nil {
		return func() {}, nil
	}
	by := use{claimable: claimableOf(u, t), namespace: u.Resource.GetNamespace()}
	b.count(by, 1)
	leave = func() { b.count(by, -1) }
	owned, err := b.mayAct(ctx, u, t)
	if owned || err != nil {
		leave()
		return func() {}, err
	}
	return leave, nil
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

// creatable returns what a resource may be creating, which its status does not name. A LayerVersion may publish another
// version at any time.
func creatable(o client.Object) (t Target, ok bool) {
	mg, ok := o.(resource.ModernManaged)
	if !ok || ownership.ObserveOnly(mg) {
		return Target{}, false
	}
	switch r := o.(type) {
	case *v1beta1.Function:
		t = Target{Kind: v1beta1.FunctionKind, Region: r.Spec.ForProvider.Region, Name: plainName(r)}
		return t, r.Status.AtProvider.FunctionArn == nil
	case *v1beta1.CapacityProvider:
		t = Target{Kind: v1beta1.CapacityProviderKind, Region: r.Spec.ForProvider.Region, Name: plainName(r)}
		return t, r.Status.AtProvider.CapacityProviderArn == nil
	case *v1beta1.LayerVersion:
		t = Layer(ptr.Deref(r.Spec.ForProvider.LayerName, r.GetName()))
		t.Region = r.Spec.ForProvider.Region
		return t, true
	}
	return Target{}, false
}
