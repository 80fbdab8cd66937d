package tenancy

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

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

// rival returns the owner that takes precedence over the user, if any.
func rival(u User, owners []resource.ModernManaged, tagged bool) resource.ModernManaged {
	owns := slices.ContainsFunc(owners, u.is)
	if len(owners) == 0 || owns && (tagged || u.is(owners[0])) {
		return nil
	}
	return owners[0]
}

// CheckTags returns an error if another existing resource owns what was found in AWS, according to its tags, or to the
// status of other resources if the tags do not name this resource: they may be late for what another resource has just
// created, or still name the former owner of what another has adopted. v is the result of the tags alone, targets are
// what the resource is to own, and what describes the external resource in errors.
func (b *Registry) CheckTags(ctx context.Context, u User, tags map[string]string, v ownership.Ownership,
	c ownership.Expected, what string, targets []Target,
) error {
	if b == nil {
		return nil
	}
	if tags[ownership.TagUID] != string(u.Resource.GetUID()) {
		if err := b.checkOwner(ctx, u, tags, c, what); err != nil || !v.Manageable() {
			return err
		}
		for _, t := range targets {
			if err := b.checkStatus(ctx, u, t, what); err != nil {
				return err
			}
		}
	}
	b.Confirm(u, targets)
	return nil
}

// checkStatus returns an error if another resource has claimed a target, or owns it according to its status. The claim
// is checked first: it ends when its owner is confirmed.
func (b *Registry) checkStatus(ctx context.Context, u User, t Target, what string) error {
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

// checkOwner returns an error if the resource in the tags exists and still manages what has the tags. Someone may have
// removed some tags: without a name, nobody can be looked up.
func (b *Registry) checkOwner(ctx context.Context, u User, tags map[string]string, c ownership.Expected,
	what string,
) error {
	name := types.NamespacedName{Namespace: tags[ownership.TagNamespace], Name: tags[ownership.TagName]}
	if name.Namespace == "" || name.Name == "" ||
		tags[ownership.TagCluster] != c.ClusterID || tags[ownership.TagKind] != c.Kind ||
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
