package capacityprovider

import (
	"cmp"
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// The AWS operations that this kind calls.
const (
	opGet    = "GetCapacityProvider"
	opTags   = "ListTags"
	opCreate = "CreateCapacityProvider"
	opUpdate = "UpdateCapacityProvider"
	opDelete = "DeleteCapacityProvider"
)

// calls are the operations by which this kind creates, updates and deletes.
var calls = reconcile.Calls{Create: opCreate, Update: opUpdate, Delete: opDelete}

// external is a capacity provider in AWS. It lives for one reconcile.
type external struct {
	api    *lambda.Client
	fields refs.Getter
	tags   *readcache.TagCache
	owner  tagging.Owner

	// active says that the capacity provider was Active when it was last observed or changed.
	active bool
}

type (
	awsResource = reconcile.Resource[*v1beta1.CapacityProvider, observed, settings]
	found       = reconcile.Observation[observed, settings]
	update      = reconcile.Update[settings]
)

// newExternal returns the capacity provider as a reconcile.Resource.
func newExternal(e *external) awsResource {
	return awsResource{
		Calls: calls, Read: e.read, Owner: e.checkOwnership, Status: e.status, Ready: e.ready, Desired: e.desired,
		Compare: e.compare, Plan: e.plan, Create: e.create, Update: e.update, Delete: e.delete, Details: e.details,
	}
}

func nameOf(c *v1beta1.CapacityProvider) string {
	return cmp.Or(reconcile.ExternalName(c), c.GetName())
}

func description(name string) string { return "capacity provider " + name }

// read reads a capacity provider with GetCapacityProvider, and its tags if their cached value is outdated.
func (e *external) read(ctx context.Context, _ reconcile.Facts, c *v1beta1.CapacityProvider) (found, error) {
	name := nameOf(c)
	out, err := e.api.GetCapacityProvider(ctx, &lambda.GetCapacityProviderInput{CapacityProviderName: ptr.To(name)})
	if awserr.IsNotFound(err) {
		return found{Description: description(name)}, nil
	}
	if err != nil {
		return found{}, errors.Wrapf(awserr.Sanitize(err), "cannot read %s", description(name))
	}
	if out.CapacityProvider == nil {
		return found{}, errors.Errorf("cannot read %s: AWS's answer to %s contains no CapacityProvider",
			description(name), opGet)
	}
	tags, err := tagging.Read(ctx, c, ptr.Deref(out.CapacityProvider.CapacityProviderArn, ""), e.tags, e.api)
	o := observed{provider: out.CapacityProvider, tags: tags}
	return found{
		Resource: o, Settings: fromAWS(name, o), Exists: err == nil, Name: name, Description: description(name),
	}, err
}

// checkOwnership decides by the tags.
func (e *external) checkOwnership(
	ctx context.Context, f reconcile.Facts, c *v1beta1.CapacityProvider, o found,
) (ownership.Ownership, error) {
	arn := ptr.Deref(o.Resource.provider.CapacityProviderArn, "")
	same := ownership.WroteName(c) && (arn == "" || ptr.Deref(c.Status.AtProvider.CapacityProviderArn, arn) == arn)
	named := same || ownership.UserSetName(c)
	return e.owner.CheckOwnership(ctx, f.Others, c, o.Resource.tags, named, o.Description)
}

func (e *external) status(c *v1beta1.CapacityProvider, o found) {
	e.active = wasActive(c)
	c.Status.AtProvider = observation(o.Name, o.Resource)
}

// wasActive reports whether the capacity provider has been usable before.
func wasActive(c *v1beta1.CapacityProvider) bool {
	r := c.GetCondition(xpv2.TypeReady).Reason
	return r == xpv2.ReasonAvailable || r == v1beta1.ReasonUpdating || r == v1beta1.ReasonDiffers ||
		ptr.Deref(c.Status.AtProvider.State, "") == string(types.CapacityProviderStateActive)
}

// ready returns the Ready condition from the AWS value.
func (e *external) ready(c *v1beta1.CapacityProvider, o found) xpv2.Condition {
	return tagging.Ready(c, o.Resource.tags, ready(c.GetGeneration(), o.Resource.provider.State, e.active))
}

// desired returns the settings of spec, with what it refers to resolved.
func (e *external) desired(
	ctx context.Context, c *v1beta1.CapacityProvider,
) (forProvider, initProvider settings, err error) {
	p, err := refs.Resolve(ctx, e.fields, c.GetNamespace(), "spec.forProvider", c.Spec.ForProvider)
	if err != nil {
		return forProvider, initProvider, err
	}
	forProvider = fromSpec(p.CapacityProviderSettings)
	fixedToSettings.Copy(&forProvider, &p)
	if c.Spec.InitProvider != nil {
		initProvider = fromSpec(*c.Spec.InitProvider)
	}
	forProvider.Tags = e.owner.Desired(c, forProvider.Tags, initProvider.Tags)
	return forProvider, initProvider, nil
}

func (e *external) compare(
	_ context.Context, c *v1beta1.CapacityProvider, d reconcile.Desired[settings], o found,
) (reconcile.Comparison[settings], error) {
	k := compare(o.Name, d, o.Settings, e.owner)
	if fixed := immutable(k.Changes); len(fixed) > 0 && reconcile.Allows(c, xpv2.ManagementActionUpdate) {
		return k, reconcile.Unchangeable(o.Description, v1beta1.CapacityProviderKind, fixed)
	}
	return k, nil
}

// plan returns the call that is due. Tags are changed first. While AWS is busy, nothing else is changed.
func (e *external) plan(
	_ context.Context, c *v1beta1.CapacityProvider, o found, k reconcile.Comparison[settings],
) (reconcile.Plan, error) {
	p := reconcile.Plan{Changes: k.Changes}
	rest := k.Changes.But("tags")
	if busy(o.Resource.provider.State) {
		rest = nil
	}
	calls, err := tagging.Calls(c, e.tags, k.Target.Tags, k.Observed.Tags, k.Changes, rest, opUpdate)
	return p.With(calls...), err
}

func (e *external) create(ctx context.Context, c *v1beta1.CapacityProvider, s settings) (reconcile.Result, error) {
	name := nameOf(c)
	s.Tags = e.owner.Target(s.Tags, nil)
	_, err := e.api.CreateCapacityProvider(ctx, createInput(name, s))
	return reconcile.Result{Name: name}, errors.Wrapf(awserr.Sanitize(err), "cannot create %s", description(name))
}

// update makes the call that is due.
func (e *external) update(
	ctx context.Context, c *v1beta1.CapacityProvider, o found, u update,
) (reconcile.Result, error) {
	var err error
	if u.Call == opUpdate {
		_, err = e.api.UpdateCapacityProvider(ctx, updateInput(o.Name, u.Target, u.Changes))
	} else {
		e.tags.Forget(c)
		arn := ptr.Deref(o.Resource.provider.CapacityProviderArn, "")
		err = tagging.Apply(ctx, e.api, arn, u.Target.Tags, u.Observed.Tags)
	}
	return reconcile.Result{}, errors.Wrapf(awserr.Sanitize(err), "cannot update %s (%s)", o.Description, u.Call)
}

// delete deletes the capacity provider. AWS rejects the call while functions use it, and
// takes a while to complete it. While AWS is busy, it returns a reconcile.LaterError.
func (e *external) delete(ctx context.Context, c *v1beta1.CapacityProvider, o found) (reconcile.Result, error) {
	if busy(o.Resource.provider.State) {
		return reconcile.Result{}, reconcile.WaitFor(reconcile.MaxPending)
	}
	in := &lambda.DeleteCapacityProviderInput{CapacityProviderName: ptr.To(o.Name)}
	_, err := e.api.DeleteCapacityProvider(ctx, in)
	if err == nil || awserr.IsNotFound(err) {
		e.tags.Forget(c)
	}
	return reconcile.Result{}, errors.Wrapf(awserr.Sanitize(err), "cannot delete %s", o.Description)
}

// details returns what functions need to use the capacity provider.
func (e *external) details(c *v1beta1.CapacityProvider) managed.ConnectionDetails {
	arn := ptr.Deref(c.Status.AtProvider.CapacityProviderArn, "")
	return managed.ConnectionDetails{"capacityProviderArn": []byte(arn)}
}
