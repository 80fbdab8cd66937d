package engine

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// others returns what a resource may use.
func (r *reconciler) others(mg reconcile.Managed, s *session.Session) *reconcile.Others {
	u := tenancy.User{Resource: mg, Session: s}
	o := &reconcile.Others{Registry: r.Tenants, User: u, Kind: r.kind.GVK.Kind}
	o.OtherOwner = func(ctx context.Context, parent, name string) resource.ModernManaged {
		return r.otherOwner(ctx, u, mg, parent, name)
	}
	o.OtherNames = func(ctx context.Context) map[string]string {
		names := map[string]string{}
		for other := range r.otherResources(ctx, mg) {
			if name := ownership.WrittenName(other); names[name] != mg.GetNamespace() {
				names[name] = other.GetNamespace()
			}
		}
		return names
	}
	o.Owns = func() []tenancy.Target { return reconcile.Values(r.kind.Owns, mg) }
	o.Claims = o.Owns
	if r.kind.Claims != nil {
		o.Claims = func() []tenancy.Target { return r.kind.Claims(mg) }
	}
	return o
}

// permit returns an error if a resource may not use its targets: a function that a resource of
// another namespace owns, or one with a name that the config does not allow.
func (r *reconciler) permit(ctx context.Context, mg reconcile.Managed, o *reconcile.Others) error {
	if r.kind.Owns != nil {
		r.Tenants.Serve(r.kind.GVK.Kind, o.User)
	}
	if meta.WasDeleted(mg) && r.kind.Tagged {
		return nil // It deletes only what the tags in AWS show as its own.
	}
	for _, target := range o.Owns() {
		if err := r.mayOwn(ctx, o.User, target); err != nil {
			return err
		}
	}
	for _, target := range reconcile.Values(r.kind.ActsOn, mg) {
		if err := o.MayAct(ctx, target); err != nil && !r.mayDelete(ctx, o.User, target, err) {
			return err
		}
	}
	if meta.WasDeleted(mg) {
		return nil
	}
	return o.MayAct(ctx, reconcile.Values(r.kind.Uses, mg)...)
}

// mayOwn returns an error if a resource may not own a target, or may not observe it if it only observes.
func (r *reconciler) mayOwn(ctx context.Context, u tenancy.User, target tenancy.Target) error {
	if err := reconcile.CheckName(u, target); err != nil {
		return err
	}
	if ownership.ObserveOnly(u.Resource) {
		return r.Tenants.MayAct(ctx, u, target)
	}
	return r.Tenants.MayOwn(ctx, u, target, r.kind.Tagged)
}

// recordActs records what a resource has within what it acts on, so that it may delete that if it is refused later.
func (p *pass) recordActs(mg reconcile.Managed) {
	if p.facts.Others != nil && p.kind.ActsOn != nil {
		p.Tenants.Acts(p.kind.GVK.Kind, p.facts.Others.User, ownership.WrittenName(mg), p.kind.ActsOn(mg))
	}
}

// mayDelete reports whether a resource that is being deleted may delete what it created while it was allowed to,
// although it is refused now. Its annotations alone are no proof, because its user can write them, also while nobody
// owned the target and nothing existed in it.
func (r *reconciler) mayDelete(ctx context.Context, u tenancy.User, target tenancy.Target, err error) bool {
	name := r.has(u)
	return meta.WasDeleted(u.Resource) && reconcile.IsDenied(err) && name != "" &&
		(r.Tenants.Acted(ctx, r.kind.GVK.Kind, u, name, target) || r.Tenants.OwnedWithin(ctx, u, target))
}

// acted reports whether a resource had something with an external name within all that it acts on now. Its user may
// have made it name another function since.
func (r *reconciler) acted(ctx context.Context, mg reconcile.Managed, u tenancy.User, name string) bool {
	return !slices.ContainsFunc(r.kind.ActsOn(mg), func(t tenancy.Target) bool {
		return !r.Tenants.Acted(ctx, r.kind.GVK.Kind, u, name, t)
	})
}

// has returns the external name of what a resource may have in AWS. It is empty if that was deleted when the resource
// was refused, and for an Invocation, whatever its annotations say: to delete it may invoke the function.
func (r *reconciler) has(u tenancy.User) string {
	name, known := r.Tenants.Created(r.kind.GVK.Kind, u)
	if known && name == "" || r.kind.GVK.Kind == v1beta1.InvocationKind {
		return ""
	}
	return ownership.WrittenName(u.Resource)
}

// endClaim ends the claim of a resource that was about to create something, and then was changed or cannot be
// reconciled. Otherwise it would keep others from it for as long as it exists.
func (p *pass) endClaim() {
	if p.facts.Others == nil || !p.facts.Others.Claimed {
		p.Tenants.Abandon(p.kind.GVK.Kind, client.ObjectKeyFromObject(p.read))
	}
}

// otherOwner returns the resource of the kind that has written an external name for the same function or layer.
// Names of aliases and statements are only unique within a parent. One whose parent is not known may have it. If mg has
// written it too, it is an older one, unless mg is refused.
func (r *reconciler) otherOwner(
	ctx context.Context, u tenancy.User, mg reconcile.Managed, parent, name string,
) resource.ModernManaged {
	for o := range r.otherResources(ctx, mg) {
		within := ownership.Parent(o)
		switch {
		case ownership.WrittenName(o) != name, within != parent && within != "", !r.mayHave(ctx, u, mg, o, parent):
		case ownership.WrittenName(mg) != name, tenancy.ByAge(o, mg) < 0, !r.mayHave(ctx, u, mg, mg, parent):
			return o
		}
	}
	return nil
}

// mayHave reports whether another resource may have what mg has, because both act on one target, and its config and the
// owner of the target allow that. Its annotations alone are no proof, because its user can write them.
func (r *reconciler) mayHave(ctx context.Context, u tenancy.User, mg, o reconcile.Managed, parent string) bool {
	other := tenancy.User{Resource: o, Session: u.Session}
	if r.kind.ActsOn == nil {
		return !slices.ContainsFunc(reconcile.Values(r.kind.Owns, mg), func(t tenancy.Target) bool {
			return r.Tenants.Denied(ctx, o, t) || tenancy.IsRefused(r.Tenants.MayOwn(ctx, other, t, r.kind.Tagged))
		})
	}
	return slices.ContainsFunc(r.actsWithin(mg, parent), func(t tenancy.Target) bool {
		return tenancy.Share(u, t, o, r.seenBy(o, r.actsWithin(o, parent))) && !r.Tenants.Denied(ctx, o, t) &&
			!tenancy.IsRefused(r.Tenants.MayAct(ctx, other, t))
	})
}

// actsWithin returns what a resource acts on to have something within a parent. A mapping's name is unique in an
// account, and its spec may name another function than it has in AWS, to which it would move the mapping.
func (r *reconciler) actsWithin(mg reconcile.Managed, parent string) []tenancy.Target {
	if r.kind.Tagged {
		return tenancy.Functions(&parent)
	}
	return r.kind.ActsOn(mg)
}

// seenBy returns the targets of another resource in the account in which it was seen. The endpoint of a tenant's own
// config may return any account.
func (r *reconciler) seenBy(o reconcile.Managed, all []tenancy.Target) []tenancy.Target {
	if ref := o.GetProviderConfigReference(); ref != nil && ref.Kind == v1beta1.ClusterProviderConfigKind {
		for i := range all {
			all[i].Account = cmp.Or(all[i].Account, o.GetSummary().AccountID)
		}
	}
	return all
}

// otherResources iterates over the other resources of the kind and region that may own something in
// AWS. It ends early if they cannot be listed.
func (r *reconciler) otherResources(ctx context.Context, mg reconcile.Managed) iter.Seq[reconcile.Managed] {
	return func(yield func(reconcile.Managed) bool) {
		list := r.kind.NewList()
		if err := r.references.reader.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return // The decision is correct without them.
		}
		for _, item := range list.GetItems() {
			o, ok := item.(reconcile.Managed)
			if !ok || o.GetUID() == mg.GetUID() || ownership.ObserveOnly(o) || r.kind.Region(o) != r.kind.Region(mg) {
				continue
			}
			if !yield(o) {
				return
			}
		}
	}
}

// usedAccount returns the account in which this reconcile has found or changed the external resource, or may have
// created it by a call without an answer. It returns "" if it has done none of these, or the account is not known.
func (p *pass) usedAccount(mg reconcile.Managed) string {
	_, unanswered := ownership.UnansweredAt(mg)
	if p.session != nil && (p.found() || p.did != "" || p.changing && unanswered) {
		return p.session.Identity.AccountID()
	}
	return ""
}

// checkAccount returns an error if the external resource is in another account than that of the session, in which it
// would seem to be deleted. A resource that only observes leaves nothing behind. There must be a session.
func (p *pass) checkAccount() error {
	was, is := p.read.GetSummary().AccountID, p.session.Identity.AccountID()
	if was == "" || is == "" || was == is || reconcile.ObserveOnly(p.read) {
		return nil
	}
	return reconcile.Invalid(errors.Errorf("it is in AWS account %s, where it would be left behind, but the "+
		"credentials of its provider config are of account %s: use credentials of account %s, or delete this "+
		"resource with managementPolicies that do not include Delete, which leaves it in AWS, and create it again",
		was, is, was))
}
