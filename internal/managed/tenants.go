package managed

import (
	"context"
	"iter"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/config"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tenancy"
)

// ReasonNotDeleted is the reason of the event that tells of something that was left in AWS
// when its resource was deleted, since it is not that resource's.
const ReasonNotDeleted event.Reason = "LeftForeignResource"

// permission is what a resource may use in one reconcile.
type permission struct {
	book *tenancy.Book
	user tenancy.User

	// owns is what the resource is to own.
	owns []tenancy.Target

	// otherOwner is another resource of the kind that is there, and that has made or taken over
	// what has a name in AWS. Nil if none is known.
	otherOwner func(ctx context.Context, name string) resource.ModernManaged
	otherNames func(ctx context.Context) map[string]bool
	kind       string
}

// permit returns an error where a resource may not use what it is about: a function that a
// resource of another namespace owns, or one whose name the config does not allow.
func (c *connector[T]) permit(ctx context.Context, a *Attempt, mg T, s *config.Session) error {
	u := tenancy.User{Resource: mg, Session: s}
	p := permission{book: c.tenants, user: u, kind: c.kind.GVK.Kind}
	p.otherOwner = func(ctx context.Context, name string) resource.ModernManaged { return c.otherOwner(ctx, u, mg, name) }
	p.otherNames = func(ctx context.Context) map[string]bool {
		names := map[string]bool{}
		for o := range c.others(ctx, mg) {
			names[ownership.WrittenName(o)] = true
		}
		return names
	}
	if c.kind.Owns != nil {
		p.owns = c.kind.Owns(mg)
		c.tenants.Serve(c.kind.GVK.Kind, u)
	}
	a.permission = &p
	if meta.WasDeleted(mg) && c.kind.Tagged {
		return nil // What it owns, and so deletes, its tags in AWS tell.
	}
	for _, target := range p.owns {
		if err := c.mayOwn(ctx, u, target); err != nil {
			return err
		}
	}
	var acts []tenancy.Target
	if c.kind.ActsOn != nil {
		acts = c.kind.ActsOn(mg)
	}
	for _, target := range acts {
		if err := p.mayAct(ctx, target); err != nil && !c.mayDelete(ctx, u, target, err) {
			return err
		}
	}
	c.tenants.Acts(c.kind.GVK.Kind, u, acts)
	return nil
}

// mayOwn returns an error where a resource may not own a target, or not look at it if that
// is all it does.
func (c *connector[T]) mayOwn(ctx context.Context, u tenancy.User, target tenancy.Target) error {
	if err := checkName(u, target); err != nil {
		return err
	}
	if ownership.ObserveOnly(u.Resource) {
		return c.tenants.MayAct(ctx, u, target)
	}
	return c.tenants.MayOwn(ctx, u, target, c.kind.Tagged)
}

// mayDelete tells whether a resource that is being deleted may delete what it made when it
// was allowed to, whatever it is refused for now. Its annotations alone are no proof of
// that: its user can write them.
func (c *connector[T]) mayDelete(ctx context.Context, u tenancy.User, target tenancy.Target, err error) bool {
	if !meta.WasDeleted(u.Resource) || !isDenied(err) || ownership.WrittenName(u.Resource) == "" {
		return false
	}
	return c.tenants.Acted(c.kind.GVK.Kind, u, target) || c.tenants.OwnedWithin(ctx, u, target)
}

// mayAct returns an error where the user may not act on a target.
func (p *permission) mayAct(ctx context.Context, target tenancy.Target) error {
	if err := checkName(p.user, target); err != nil {
		return err
	}
	return p.book.MayAct(ctx, p.user, target)
}

// checkName returns an error where the config does not let the user's namespace use a
// function of that name.
func checkName(u tenancy.User, target tenancy.Target) error {
	if target.Kind != v1beta1.FunctionKind {
		return nil
	}
	return Invalid(u.Session.CheckFunctionName(u.Resource.GetNamespace(), target.Name))
}

// isDenied tells whether an error says that something is not for a resource, which lets go of
// it when it is deleted.
func isDenied(err error) bool { return tenancy.IsRefused(err) || isInvalid(err) }

// CheckMayAct returns an error where a resource may not act on functions, or read them, of which
// it learns only from AWS or from fields of other objects. What spec names was checked
// before its client was connected.
func CheckMayAct(ctx context.Context, targets ...tenancy.Target) error {
	p := attemptFrom(ctx).permission
	if p == nil {
		return nil
	}
	for _, target := range targets {
		if err := p.mayAct(ctx, target); err != nil {
			return err
		}
	}
	return nil
}

// CheckOwner returns an error where another resource that is there owns what was found in
// AWS with these tags, whatever the verdict by the tags alone.
func CheckOwner(ctx context.Context, tags map[string]string, v ownership.Verdict, c ownership.Claim, what string) error {
	p := attemptFrom(ctx).permission
	if p == nil {
		return nil
	}
	return p.book.CheckTags(ctx, p.user, tags, v, c, what, p.owns)
}

// Owner names another resource of the same kind that is there, such as "Alias shop/live",
// which has made or taken over what has this external name. It is empty if none is known.
func Owner(ctx context.Context, name string) string {
	p := attemptFrom(ctx).permission
	if p == nil {
		return ""
	}
	o := p.otherOwner(ctx, name)
	if o == nil {
		return ""
	}
	return p.kind + " " + client.ObjectKeyFromObject(o).String()
}

// OtherNames returns the external names that other resources of the same kind and region have
// written.
func OtherNames(ctx context.Context) map[string]bool {
	p := attemptFrom(ctx).permission
	if p == nil {
		return nil
	}
	return p.otherNames(ctx)
}

// NewForeignUntaggedError is the error of something in AWS that cannot carry tags and is not this
// resource's. To import it is offered only where no resource that is there owns it.
func NewForeignUntaggedError(ctx context.Context, what, name string) error {
	if o := Owner(ctx, name); o != "" {
		return ownership.NewOwnedUntaggedError(what, name, o)
	}
	return ownership.NewForeignUntaggedError(what, name)
}

// otherOwner looks for the resource of the kind that has written an external name, and is about
// the same function or layer: the names of aliases and statements are unique only there.
func (c *connector[T]) otherOwner(ctx context.Context, u tenancy.User, mg T, name string) resource.ModernManaged {
	for o := range c.others(ctx, mg) {
		if ownership.WrittenName(o) == name && (c.kind.ActsOn == nil || tenancy.Share(u, c.kind.ActsOn(mg), o, c.kind.ActsOn(o))) {
			return o
		}
	}
	return nil
}

// others iterates over the other resources of the kind and region that may own something in
// AWS. It ends early if they cannot be listed.
func (c *connector[T]) others(ctx context.Context, mg T) iter.Seq[T] {
	return func(yield func(T) bool) {
		list := c.kind.NewList()
		if err := c.references.reader.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return // What is decided without them is true as well.
		}
		for _, item := range list.GetItems() {
			o, ok := item.(T)
			if !ok || o.GetUID() == mg.GetUID() || ownership.ObserveOnly(o) || c.kind.Region(o) != c.kind.Region(mg) {
				continue
			}
			if !yield(o) {
				return
			}
		}
	}
}

// releasingClient is an external client of a resource that is being deleted and may not touch what
// it names: for the runtime, there is nothing to delete.
func releasingClient[T Managed](why error) xpmanaged.TypedExternalClient[T] {
	return xpmanaged.TypedExternalClientFns[T]{
		ObserveFn: func(ctx context.Context, _ T) (xpmanaged.ExternalObservation, error) {
			Emit(ctx, event.Normal(ReasonNotDeleted, "Left in AWS, because this resource does not own it: "+why.Error()))
			return xpmanaged.ExternalObservation{}, nil
		},
		DeleteFn: func(context.Context, T) (xpmanaged.ExternalDelete, error) {
			return xpmanaged.ExternalDelete{}, nil
		},
		DisconnectFn: func(context.Context) error { return nil },
	}
}
