package reconcile

import (
	"context"
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
