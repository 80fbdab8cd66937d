package reconcile

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// Others knows which other resources own what a resource may use, in one reconcile. A nil Others allows everything.
type Others struct {
	Registry *tenancy.Registry
	User     tenancy.User
	Kind     string

	// Owns returns the targets that the resource owns, or is to own. Claims returns those that it claims before it
	// creates something.
	Owns, Claims func() []tenancy.Target

	// Claimed reports whether the resource has claimed what it is about to create.
	Claimed bool

	// leaves end the uses of targets when the reconcile ends.
	leaves []func()

	// OtherOwner returns another existing resource of the kind that has created or adopted the
	// external resource with a name within a parent: see ownership.Parent. If this one has too, only an older one
	// counts. Nil if none is known.
	OtherOwner func(ctx context.Context, parent, name string) resource.ModernManaged

	// OtherNames returns the external names that other resources of the kind and region have written, each with a
	// namespace of such a resource: the user's own if there is one in it.
	OtherNames func(ctx context.Context) map[string]string
}

// Leave ends the uses of targets.
func (o *Others) Leave() {
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
	o.Claimed = true
	for _, target := range o.Claims() {
		err := o.Registry.Claim(o.User, target)
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
	if o != nil && len(o.Claims()) > 0 {
		o.Registry.Release(o.Kind, client.ObjectKeyFromObject(o.User.Resource))
	}
}

// calls records that AWS is called to create what the resource has claimed.
func (o *Others) calls() {
	if o != nil {
		o.Registry.Called(o.Kind, client.ObjectKeyFromObject(o.User.Resource))
	}
}

// confirm records that AWS has shown what the resource owns.
func (o *Others) confirm() {
	if o != nil {
		o.Registry.Confirm(o.User, o.Owns())
	}
}

// CheckName returns an error if the config does not allow the resource's namespace to use a
// function with the target's name.
func CheckName(u tenancy.User, target tenancy.Target) error {
	if target.Kind != v1beta1.FunctionKind {
		return nil
	}
	return Invalid(u.Session.CheckFunctionName(u.Resource.GetNamespace(), target.Name))
}

// IsDenied reports whether an error denies a resource the use of a target. When such a
// resource is deleted, the target is left in AWS.
func IsDenied(err error) bool { return tenancy.IsRefused(err) || IsInvalid(err) }

// MayAct returns an error if the resource may not act on functions, or read them. It is for functions that are only
// known from AWS or from fields of other objects. The functions in spec were checked before the observation.
func (o *Others) MayAct(ctx context.Context, targets ...tenancy.Target) error {
	if o == nil {
		return nil
	}
	for _, target := range targets {
		if err := CheckName(o.User, target); err != nil {
			return err
		}
		leave, err := o.Registry.Act(ctx, o.User, target)
		if err != nil {
			return err
		}
		o.leaves = append(o.leaves, leave)
	}
	return nil
}

// MayOwn returns an error if another existing resource owns a target that AWS has shown, and whose tags do not show the
// owner, or if another resource may just have created it.
func (o *Others) MayOwn(ctx context.Context, target tenancy.Target) error {
	if o == nil {
		return nil
	}
	if err := o.Registry.MayTake(ctx, o.User, target); err != nil {
		return err
	}
	return o.Registry.MayOwn(ctx, o.User, target, false) // Another owner may have been confirmed while AWS was read.
}

// CheckOwner returns an error if another existing resource owns the external resource with these tags, even if the tags
// alone say otherwise, or if the config does not allow its name and the tags do not show that this resource created it.
// what describes the external resource in the error.
func (o *Others) CheckOwner(
	ctx context.Context, tags map[string]string, v ownership.Ownership, c ownership.Expected, what string,
) error {
	if o == nil {
		return nil
	}
	for _, target := range o.Owns() {
		if err := CheckName(o.User, target); err != nil && v.Manageable() && !v.ShownByTags(tags, o.User.Resource) {
			return ownership.NewNotAllowedError(what, err)
		}
	}
	return o.Registry.CheckTags(ctx, o.User, tags, v, c, what, o.Owns())
}

// Owner returns the kind, namespace and name of another existing resource of the same kind,
// such as "Alias shop/live", that has created or adopted the external resource with this
// external name within a parent. It returns an empty string if none is known.
func (o *Others) Owner(ctx context.Context, parent, name string) string {
	if o == nil {
		return ""
	}
	other := o.OtherOwner(ctx, parent, name)
	if other == nil {
		return ""
	}
	return o.Kind + " " + client.ObjectKeyFromObject(other).String()
}

// Names returns the external names that other resources have written, with their namespaces: see OtherNames. They are
// annotations, which users of any namespace can write.
func (o *Others) Names(ctx context.Context) map[string]string {
	if o == nil {
		return nil
	}
	return o.OtherNames(ctx)
}

// CheckUntaggedOwner returns an error if an external resource that cannot have tags is not owned. v is the ownership by
// the annotations of the managed resource alone. What another existing resource has is not adopted: the external name
// may be a copy of that one's, and the two would change it back and forth, or the deletion of one would delete it. Once
// a resource has written the name, it is checked before it changes or deletes something only, see MayChange.
func (o *Others) CheckUntaggedOwner(
	ctx context.Context, mg metav1.Object, v ownership.Ownership, what, parent, name string,
) (ownership.Ownership, error) {
	if o != nil {
		for _, target := range o.Owns() {
			if err := o.MayOwn(ctx, target); err != nil {
				return ownership.Foreign, err
			}
		}
	}
	if v.Manageable() && ownership.WrittenName(mg) == name && !meta.WasDeleted(mg) {
		return v, nil
	}
	if err := o.MayChange(ctx, what, parent, name); err != nil {
		return ownership.Foreign, err
	}
	if v.Manageable() {
		return v, nil
	}
	return ownership.Foreign, ownership.NewForeignUntaggedError(what, name)
}

// MayChange returns an error if another existing resource owns an external resource that cannot have tags. Several
// resources that create or adopt one at once do not know of each other before, so that the oldest of them owns it.
func (o *Others) MayChange(ctx context.Context, what, parent, name string) error {
	if other := o.Owner(ctx, parent, name); other != "" {
		return ownership.NewOwnedUntaggedError(what, name, other)
	}
	return nil
}
