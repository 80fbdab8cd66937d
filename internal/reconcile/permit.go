package reconcile

import (
	"context"
	"iter"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// Others knows which other resources own what a resource may use, in one reconcile. A nil Others allows everything.
type Others struct {
	registry *tenancy.Registry
	user     tenancy.User
	kind     string

	// owns returns the targets that the resource owns, or is to own. claims returns those that
	// it claims before it creates something.
	owns, claims func() []tenancy.Target

	// claimed is whether the resource has claimed what it is about to create.
	claimed bool

	// leaves end the uses of targets when the reconcile ends.
	leaves []func()

	// otherOwner returns another existing resource of the kind that has created or adopted the
	// external resource with a name. Nil if none is known.
	otherOwner func(ctx context.Context, name string) resource.ModernManaged

	// otherNames returns the external names that other resources of the kind and region have written.
	otherNames func(ctx context.Context) map[string]bool
}

// others returns what a resource may use.
func (r *reconciler[T]) others(mg T, s *session.Session) *Others {
	u := tenancy.User{Resource: mg, Session: s}
	o := &Others{registry: r.tenants, user: u, kind: r.kind.GVK.Kind}
	o.otherOwner = func(ctx context.Context, name string) resource.ModernManaged { return r.otherOwner(ctx, u, mg, name) }
	o.otherNames = func(ctx context.Context) map[string]bool {
		names := map[string]bool{}
		for other := range r.otherResources(ctx, mg) {
			names[ownership.WrittenName(other)] = true
		}
		return names
	}
	o.owns = func() []tenancy.Target { return nil }
	if r.kind.Owns != nil {
		o.owns = func() []tenancy.Target { return r.kind.Owns(mg) }
	}
	o.claims = o.owns
	if r.kind.Claims != nil {
		o.claims = func() []tenancy.Target { return r.kind.Claims(mg) }
	}
	return o
}

// permit returns an error if a resource may not use its targets: a function that a resource of
// another namespace owns, or one with a name that the config does not allow.
func (r *reconciler[T]) permit(ctx context.Context, mg T, o *Others) error {
	if r.kind.Owns != nil {
		r.tenants.Serve(r.kind.GVK.Kind, o.user)
	}
	if meta.WasDeleted(mg) && r.kind.Tagged {
		return nil // It deletes only what the tags in AWS show as its own.
	}
	for _, target := range o.owns() {
		if err := r.mayOwn(ctx, o.user, target); err != nil {
			return err
		}
	}
	var acts []tenancy.Target
	if r.kind.ActsOn != nil {
		acts = r.kind.ActsOn(mg)
	}
	for _, target := range acts {
		if err := o.mayAct(ctx, target); err != nil && !r.mayDelete(ctx, o.user, target, err) {
			return err
		}
	}
	r.tenants.Acts(r.kind.GVK.Kind, o.user, acts)
	if r.kind.Uses == nil || meta.WasDeleted(mg) {
		return nil
	}
	return o.MayAct(ctx, r.kind.Uses(mg)...)
}

// mayOwn returns an error if a resource may not own a target, or may not observe it if it only observes.
func (r *reconciler[T]) mayOwn(ctx context.Context, u tenancy.User, target tenancy.Target) error {
	if err := checkName(u, target); err != nil {
		return err
	}
	if ownership.ObserveOnly(u.Resource) {
		return r.tenants.MayAct(ctx, u, target)
	}
	return r.tenants.MayOwn(ctx, u, target, r.kind.Tagged)
}

// mayDelete returns whether a resource that is being deleted may delete what it created while it was allowed to,
// although it is refused now. Its annotations alone are no proof, because its user can write them.
func (r *reconciler[T]) mayDelete(ctx context.Context, u tenancy.User, target tenancy.Target, err error) bool {
	if !meta.WasDeleted(u.Resource) || !isDenied(err) || ownership.WrittenName(u.Resource) == "" || r.removed(u) {
		return false
	}
	return r.tenants.Acted(r.kind.GVK.Kind, u, target) || r.tenants.OwnedWithin(ctx, u, target)
}

// removed returns whether what a resource had created was deleted when it was refused.
func (r *reconciler[T]) removed(u tenancy.User) bool {
	name, known := r.tenants.Created(r.kind.GVK.Kind, u)
	return known && name == ""
}

// mayAct returns an error if the resource may not act on a target.
func (o *Others) mayAct(ctx context.Context, target tenancy.Target) error {
	if err := checkName(o.user, target); err != nil {
		return err
	}
	leave, err := o.registry.Act(ctx, o.user, target)
	o.leaves = append(o.leaves, leave)
	return err
}

// leave ends the uses of targets.
func (o *Others) leave() {
	if o == nil {
		return
	}
	for _, leave := range o.leaves {
		leave()
	}
	o.leaves = nil
}

// claimDelay is the requeue interval while other reconciles may use what is to be created.
const claimDelay = 500 * time.Millisecond

// claim claims what a resource is about to create, so that no resource of another namespace uses it before its
// owner is known. It returns a NotReadyError while reconciles that began earlier may.
func (o *Others) claim() error {
	if o == nil {
		return nil
	}
	o.claimed = true
	for _, target := range o.claims() {
		err := o.registry.Claim(o.user, target)
		if busy := (&tenancy.BusyError{}); errors.As(err, &busy) {
			return &NotReadyError{Reason: busy.Error(), After: claimDelay}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// release ends the claim of a resource that has created nothing.
func (o *Others) release() {
	if o != nil && len(o.claims()) > 0 {
		o.registry.Release(o.kind, client.ObjectKeyFromObject(o.user.Resource))
	}
}

// calls records that AWS is called to create what the resource has claimed.
func (o *Others) calls() {
	if o != nil {
		o.registry.Called(o.kind, client.ObjectKeyFromObject(o.user.Resource))
	}
}

// endClaim ends the claim of a resource that was about to create something, and then was changed or cannot be
// reconciled. Otherwise it would keep others from it for as long as it exists.
func (p *pass[T]) endClaim() {
	if p.facts.Others == nil || !p.facts.Others.claimed {
		p.tenants.Abandon(p.kind.GVK.Kind, client.ObjectKeyFromObject(p.read))
	}
}

// confirm records that AWS has shown what the resource owns.
func (o *Others) confirm() {
	if o != nil {
		o.registry.Confirm(o.user, o.owns())
	}
}

// checkName returns an error if the config does not allow the resource's namespace to use a
// function with the target's name.
func checkName(u tenancy.User, target tenancy.Target) error {
	if target.Kind != v1beta1.FunctionKind {
		return nil
	}
	return Invalid(u.Session.CheckFunctionName(u.Resource.GetNamespace(), target.Name))
}

// isDenied returns whether an error denies a resource the use of a target. When such a
// resource is deleted, the target is left in AWS.
func isDenied(err error) bool { return tenancy.IsRefused(err) || isInvalid(err) }

// MayAct returns an error if the resource may not act on functions, or read them. It is for functions that are only
// known from AWS or from fields of other objects. The functions in spec were checked before the observation.
func (o *Others) MayAct(ctx context.Context, targets ...tenancy.Target) error {
	if o == nil {
		return nil
	}
	for _, target := range targets {
		if err := o.mayAct(ctx, target); err != nil {
			return err
		}
	}
	return nil
}

// CheckOwner returns an error if another existing resource owns the external resource with these tags, even if the tags
// alone say otherwise. what describes the external resource in the error.
func (o *Others) CheckOwner(
	ctx context.Context, tags map[string]string, v ownership.Ownership, c ownership.Expected, what string,
) error {
	if o == nil {
		return nil
	}
	return o.registry.CheckTags(ctx, o.user, tags, v, c, what, o.owns())
}

// Owner returns the kind, namespace and name of another existing resource of the same kind,
// such as "Alias shop/live", that has created or adopted the external resource with this
// external name. It returns an empty string if none is known.
func (o *Others) Owner(ctx context.Context, name string) string {
	if o == nil {
		return ""
	}
	other := o.otherOwner(ctx, name)
	if other == nil {
		return ""
	}
	return o.kind + " " + client.ObjectKeyFromObject(other).String()
}

// Names returns the external names that other resources of the same kind and region have written.
func (o *Others) Names(ctx context.Context) map[string]bool {
	if o == nil {
		return nil
	}
	return o.otherNames(ctx)
}

// NewForeignUntaggedError returns the error for an external resource that cannot have tags and is not owned by this
// resource. It suggests an import only if no other existing resource owns it.
func (o *Others) NewForeignUntaggedError(ctx context.Context, what, name string) error {
	if other := o.Owner(ctx, name); other != "" {
		return ownership.NewOwnedUntaggedError(what, name, other)
	}
	return ownership.NewForeignUntaggedError(what, name)
}

// otherOwner returns the resource of the kind that has written an external name for the same
// function or layer. Names of aliases and statements are only unique within one.
func (r *reconciler[T]) otherOwner(ctx context.Context, u tenancy.User, mg T, name string) resource.ModernManaged {
	for o := range r.otherResources(ctx, mg) {
		if ownership.WrittenName(o) == name && (r.kind.ActsOn == nil || tenancy.Share(u, r.kind.ActsOn(mg), o, r.kind.ActsOn(o))) {
			return o
		}
	}
	return nil
}

// otherResources iterates over the other resources of the kind and region that may own something in
// AWS. It ends early if they cannot be listed.
func (r *reconciler[T]) otherResources(ctx context.Context, mg T) iter.Seq[T] {
	return func(yield func(T) bool) {
		list := r.kind.NewList()
		if err := r.references.reader.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return // The decision is correct without them.
		}
		for _, item := range list.GetItems() {
			o, ok := item.(T)
			if !ok || o.GetUID() == mg.GetUID() || ownership.ObserveOnly(o) || r.kind.Region(o) != r.kind.Region(mg) {
				continue
			}
			if !yield(o) {
				return
			}
		}
	}
}
