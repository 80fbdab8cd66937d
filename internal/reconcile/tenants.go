package reconcile

import (
	"context"
	"iter"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// ReasonNotDeleted is the reason of the event about an external resource that was left in
// AWS when its managed resource was deleted, because the managed resource does not own it.
const ReasonNotDeleted event.Reason = "LeftForeignResource"

// Reasons of the events about a resource that is refused after it has created something. They are emitted about the
// resource that owns what was acted on, and about the refused one.
const (
	// ReasonRemoved means that the provider has deleted from AWS what the resource created.
	ReasonRemoved event.Reason = "RemovedRefusedResource"

	// ReasonNotRemoved means that the resource may have left something in AWS.
	ReasonNotRemoved event.Reason = "LeftRefusedResource"
)

// A permission is what a resource may use in one reconcile.
type permission struct {
	book *tenancy.Registry
	user tenancy.User

	// owns returns the targets that the resource owns, or is to own. claims returns those that
	// it claims before it creates something.
	owns, claims func() []tenancy.Target

	// leaves end the uses of targets when the reconcile ends.
	leaves []func()

	// otherOwner returns another existing resource of the kind that has created or adopted the
	// external resource with a name. Nil if none is known.
	otherOwner func(ctx context.Context, name string) resource.ModernManaged

	// otherNames returns the external names that other resources of the kind and region have
	// written.
	otherNames func(ctx context.Context) map[string]bool

	kind string

	// claimed is whether the resource has claimed what it is about to create.
	claimed bool
}

// permit returns an error if a resource may not use its targets: a function that a resource of
// another namespace owns, or one with a name that the config does not allow.
func (c *connector[T]) permit(ctx context.Context, a *Attempt, mg T, s *session.Session) error {
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
	p.owns = func() []tenancy.Target { return nil }
	if c.kind.Owns != nil {
		p.owns = func() []tenancy.Target { return c.kind.Owns(mg) }
		c.tenants.Serve(c.kind.GVK.Kind, u)
	}
	p.claims = p.owns
	if c.kind.Claims != nil {
		p.claims = func() []tenancy.Target { return c.kind.Claims(mg) }
	}
	a.permission = &p
	if meta.WasDeleted(mg) && c.kind.Tagged {
		return nil // It deletes only what the tags in AWS show as its own.
	}
	for _, target := range p.owns() {
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
	if c.kind.Uses == nil || meta.WasDeleted(mg) {
		return nil
	}
	return p.mayUse(ctx, c.kind.Uses(mg)...)
}

// mayUse returns an error if the resource may not use all targets.
func (p *permission) mayUse(ctx context.Context, targets ...tenancy.Target) error {
	for _, target := range targets {
		if err := p.mayAct(ctx, target); err != nil {
			return err
		}
	}
	return nil
}

// mayOwn returns an error if a resource may not own a target, or may not observe it if it only
// observes.
func (c *connector[T]) mayOwn(ctx context.Context, u tenancy.User, target tenancy.Target) error {
	if err := checkName(u, target); err != nil {
		return err
	}
	if ownership.ObserveOnly(u.Resource) {
		return c.tenants.MayAct(ctx, u, target)
	}
	return c.tenants.MayOwn(ctx, u, target, c.kind.Tagged)
}

// mayDelete returns whether a resource that is being deleted may delete what it created while
// it was allowed to, although it is refused now. Its annotations alone are no proof, because
// its user can write them.
func (c *connector[T]) mayDelete(ctx context.Context, u tenancy.User, target tenancy.Target, err error) bool {
	if !meta.WasDeleted(u.Resource) || !isDenied(err) || ownership.WrittenName(u.Resource) == "" || c.removed(u) {
		return false
	}
	return c.tenants.Acted(c.kind.GVK.Kind, u, target) || c.tenants.OwnedWithin(ctx, u, target)
}

// removed returns whether what a resource had created was deleted when it was refused.
func (c *connector[T]) removed(u tenancy.User) bool {
	name, known := c.tenants.Created(c.kind.GVK.Kind, u)
	return known && name == ""
}

// mayAct returns an error if the resource may not act on a target.
func (p *permission) mayAct(ctx context.Context, target tenancy.Target) error {
	if err := checkName(p.user, target); err != nil {
		return err
	}
	leave, err := p.book.Act(ctx, p.user, target)
	p.leaves = append(p.leaves, leave)
	return err
}

// leave ends the uses of targets.
func (p *permission) leave() {
	for _, leave := range p.leaves {
		leave()
	}
	p.leaves = nil
}

// claimDelay is the requeue interval while other reconciles may use what is to be created.
const claimDelay = 500 * time.Millisecond

// claimTargets claims what a resource is about to create, so that no resource of another namespace uses it before its
// owner is known. It returns a NotReadyError while reconciles that began earlier may.
func claimTargets(ctx context.Context) error {
	p := attemptFrom(ctx).permission
	if p == nil {
		return nil
	}
	p.claimed = true
	for _, target := range p.claims() {
		err := p.book.Claim(p.user, target)
		if busy := (&tenancy.BusyError{}); errors.As(err, &busy) {
			return &NotReadyError{Reason: busy.Error(), After: claimDelay}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// callCreates records that AWS is called to create what the resource has claimed.
func callCreates(ctx context.Context) {
	if p := attemptFrom(ctx).permission; p != nil {
		p.book.Called(p.kind, client.ObjectKeyFromObject(p.user.Resource))
	}
}

// endClaim ends the claim of a resource that was about to create something, and then was changed or cannot be reconciled.
// Otherwise it would keep others from it for as long as it exists.
func (r *reconciler[T]) endClaim(mg T, a *Attempt) {
	if a.permission == nil || !a.permission.claimed {
		r.tenants.Abandon(r.kind.GVK.Kind, client.ObjectKeyFromObject(mg))
	}
}

// releaseTargets ends the claim of a resource that has created nothing.
func releaseTargets(ctx context.Context) {
	if p := attemptFrom(ctx).permission; p != nil && len(p.claims()) > 0 {
		p.book.Release(p.kind, client.ObjectKeyFromObject(p.user.Resource))
	}
}

// confirmTargets records that AWS has shown what a resource owns.
func confirmTargets(ctx context.Context) {
	if p := attemptFrom(ctx).permission; p != nil {
		p.book.Confirm(p.user, p.owns())
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

// CheckMayAct returns an error if a resource may not act on functions, or read them. It is for
// functions that are only known from AWS or from fields of other objects. The functions in
// spec were checked before the client was connected.
func CheckMayAct(ctx context.Context, targets ...tenancy.Target) error {
	p := attemptFrom(ctx).permission
	if p == nil {
		return nil
	}
	return p.mayUse(ctx, targets...)
}

// CheckOwner returns an error if another existing resource owns the external resource with
// these tags, even if the tags alone say otherwise. what describes the external resource
// in the error.
func CheckOwner(ctx context.Context, tags map[string]string, v ownership.Ownership, c ownership.Expected, what string) error {
	p := attemptFrom(ctx).permission
	if p == nil {
		return nil
	}
	return p.book.CheckTags(ctx, p.user, tags, v, c, what, p.owns())
}

// Owner returns the kind, namespace and name of another existing resource of the same kind,
// such as "Alias shop/live", that has created or adopted the external resource with this
// external name. It returns an empty string if none is known.
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

// NewForeignUntaggedError returns the error for an external resource that cannot have tags and
// is not owned by this resource. It suggests an import only if no other existing resource owns
// it.
func NewForeignUntaggedError(ctx context.Context, what, name string) error {
	if o := Owner(ctx, name); o != "" {
		return ownership.NewOwnedUntaggedError(what, name, o)
	}
	return ownership.NewForeignUntaggedError(what, name)
}

// otherOwner returns the resource of the kind that has written an external name for the same
// function or layer. Names of aliases and statements are only unique within one.
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
			return // The decision is correct without them.
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

// refused returns the external client of a resource that is refused. If this process has seen it create something in
// AWS, the client deletes that, and nothing else: annotations are no proof, because users can write them. If there is
// no client, the resource makes no call.
func (c *connector[T]) refused(ctx context.Context, mg T, s *session.Session, why error) (
	managed.TypedExternalClient[T], error,
) {
	u, owner, name := tenancy.User{Resource: mg, Session: s}, tenancy.RefusedBy(why), ownership.WrittenName(mg)
	if owner == nil || name == "" || c.kind.ActsOn == nil || ObserveOnly(mg) {
		return nil, nil //nolint:nilnil // There is none.
	}
	what := c.kind.GVK.Kind + " " + client.ObjectKeyFromObject(mg).String()
	if c.removed(u) {
		return nil, nil //nolint:nilnil // There is none.
	}
	if created, _ := c.tenants.Created(c.kind.GVK.Kind, u); created != name || !Allows(mg, xpv2.ManagementActionDelete) {
		c.events.Event(owner, event.Warning(ReasonNotRemoved, errors.New(what+
			" is refused, and may have left in AWS what it created earlier: look for it, and delete it if you do not want it")))
		return nil, nil //nolint:nilnil // There is none.
	}
	inner, err := c.kind.Connect(ctx, mg, s)
	return &removingClient[T]{TypedExternalClient: inner, why: unusableError{&refusedError{why}}, removed: func() {
		c.tenants.RecordCreated(c.kind.GVK.Kind, u, "")
		e := event.Normal(ReasonRemoved, "Deleted from AWS what "+what+" created before it was refused")
		c.events.Event(owner, e)
		Emit(ctx, e)
	}}, err
}

// A removingClient is the external client of a refused resource that has created something in AWS. It deletes that as
// if the resource were being deleted, and returns the refusal.
type removingClient[T Managed] struct {
	managed.TypedExternalClient[T]

	why     error
	removed func()
}

// Observe deletes the external resource if it exists.
func (c *removingClient[T]) Observe(ctx context.Context, mg T) (managed.ExternalObservation, error) {
	deleted, ok := mg.DeepCopyObject().(T)
	if !ok {
		return managed.ExternalObservation{}, c.why
	}
	deleted.SetDeletionTimestamp(&metav1.Time{Time: Freshness(ctx).Now})
	o, err := c.TypedExternalClient.Observe(ctx, deleted)
	if _, aborted := attemptFrom(ctx).Aborted(); err != nil || aborted {
		return managed.ExternalObservation{}, err
	}
	if !o.ResourceExists {
		c.removed()
		return managed.ExternalObservation{}, c.why
	}
	_, err = c.TypedExternalClient.Delete(ctx, deleted)
	if _, aborted := attemptFrom(ctx).Aborted(); err != nil || aborted {
		return managed.ExternalObservation{}, err
	}
	return managed.ExternalObservation{}, c.why
}

// releasingClient returns an external client for a resource that is being deleted and may
// not delete what it refers to. It reports to the runtime that there is nothing to delete.
func releasingClient[T Managed](why error, removed bool) managed.TypedExternalClient[T] {
	return managed.TypedExternalClientFns[T]{
		ObserveFn: func(ctx context.Context, _ T) (managed.ExternalObservation, error) {
			if removed {
				return managed.ExternalObservation{}, nil
			}
			Emit(ctx, event.Normal(ReasonNotDeleted, "Left in AWS, because this resource does not own it: "+why.Error()))
			return managed.ExternalObservation{}, nil
		},
		DeleteFn: func(context.Context, T) (managed.ExternalDelete, error) {
			return managed.ExternalDelete{}, nil
		},
		DisconnectFn: func(context.Context) error { return nil },
	}
}
