package resourcepolicy

import (
	"cmp"
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// The AWS operations that this kind calls.
const (
	opRead   = "GetResourcePolicy"
	opPut    = "PutResourcePolicy"
	opDelete = "DeleteResourcePolicy"
)

// calls are the operations by which this kind creates, updates and deletes.
var calls = reconcile.Calls{Create: opPut, Update: opPut, Delete: opDelete}

// external is a policy in AWS. It lives for one reconcile.
type external struct {
	api    *lambda.Client
	fields refs.Getter

	// arn of the resource that has the policy, set by read.
	arn string
}

type (
	awsResource = reconcile.Resource[*v1beta1.ResourcePolicy, observed, policy.Document]
	found       = reconcile.Observation[observed, policy.Document]
	update      = reconcile.Update[policy.Document]
)

func newExternal(api *lambda.Client, fields refs.Getter) awsResource {
	e := &external{api: api, fields: fields}
	return awsResource{
		Calls: calls, Read: e.read, Desired: e.desired, PrepareCreate: e.prepareCreate, Create: e.create,
		Update: e.update, Delete: e.delete,
		Compare: reconcile.By[*v1beta1.ResourcePolicy, observed](compare),
		Status:  func(p *v1beta1.ResourcePolicy, o found) { p.Status.AtProvider = observation(o.Resource) },
	}
}

func (e *external) read(ctx context.Context, f reconcile.Facts, p *v1beta1.ResourcePolicy) (found, error) {
	fp := p.Spec.ForProvider
	const from = "spec.forProvider.resourceArnFrom"
	arn, err := refs.One(ctx, e.fields, p.GetNamespace(), from, fp.ResourceArn, fp.ResourceArnFrom)
	if err != nil && !meta.WasDeleted(p) {
		return found{}, err
	}
	named := cmp.Or(reconcile.ExternalName(p), ptr.Deref(p.Status.AtProvider.ResourceArn, ""))
	if e.arn, err = ownership.ParentOf(p, named, ptr.Deref(arn, "")); err != nil {
		return found{}, reconcile.Invalid(err)
	}
	if e.arn == "" || meta.WasDeleted(p) && ownership.UserSetName(p) && arn != nil && *arn != e.arn {
		return found{}, nil // It is being deleted and was never created or adopted.
	}
	if err := f.Others.MayAct(ctx, tenancy.Functions(ptr.To(e.arn))...); err != nil {
		if meta.WasDeleted(p) && known(p) == "" {
			return found{}, nil // Nothing was created.
		}
		if !meta.WasDeleted(p) {
			return found{}, err
		}
	}
	o := found{Resource: observed{arn: e.arn}, Name: e.arn, Description: "the policy of " + e.arn, Parent: e.arn}
	out, err := e.api.GetResourcePolicy(ctx, &lambda.GetResourcePolicyInput{ResourceArn: ptr.To(e.arn)})
	if awserr.IsNotFound(err) {
		return o, nil
	}
	if err != nil {
		return found{}, errors.Wrapf(err, "cannot get %s", o.Description)
	}
	if ptr.Deref(out.Policy, "") == "" {
		return found{}, errors.Errorf("cannot read %s: AWS's answer lacks policy", o.Description)
	}
	o.Resource.text, o.Resource.revision = *out.Policy, ptr.Deref(out.RevisionId, "")
	o.Resource.policy, err = policy.Parse(o.Resource.text)
	o.Settings = o.Resource.policy
	o.Exists = len(o.Resource.policy.Statements) > 0 // A policy without statements counts as absent.
	return o, errors.Wrapf(err, "cannot read %s", o.Description)
}

// desired returns the policy that spec asks for, if it asks for one.
func (e *external) desired(
	_ context.Context, p *v1beta1.ResourcePolicy,
) (forProvider, initProvider policy.Document, err error) {
	if p.Spec.ForProvider.Policy != nil {
		forProvider, err = desired(p)
	}
	return forProvider, initProvider, reconcile.Invalid(err)
}

// prepareCreate checks that spec has a policy.
func (e *external) prepareCreate(
	_ context.Context, p *v1beta1.ResourcePolicy, _ policy.Document,
) (reconcile.Creation, error) {
	_, err := desired(p)
	return reconcile.Creation{}, reconcile.Invalid(err)
}

func (e *external) create(
	ctx context.Context, p *v1beta1.ResourcePolicy, _ policy.Document,
) (reconcile.Result, error) {
	return reconcile.Result{Name: e.arn}, e.put(ctx, p, "")
}

// update replaces the policy, if it is still the revision that was compared.
func (e *external) update(
	ctx context.Context, p *v1beta1.ResourcePolicy, o found, _ update,
) (reconcile.Result, error) {
	return reconcile.Result{}, e.put(ctx, p, o.Resource.revision)
}

func (e *external) put(ctx context.Context, p *v1beta1.ResourcePolicy, revision string) error {
	_, err := e.api.PutResourcePolicy(ctx, putInput(e.arn, ptr.Deref(p.Spec.ForProvider.Policy, ""), revision))
	return errors.Wrapf(err, "cannot put the policy of %s", e.arn)
}

// delete deletes the policy, if it is still the revision that was observed.
func (e *external) delete(ctx context.Context, _ *v1beta1.ResourcePolicy, o found) (reconcile.Result, error) {
	_, err := e.api.DeleteResourcePolicy(ctx, deleteInput(o.Resource))
	return reconcile.Result{}, errors.Wrapf(err, "cannot delete %s", o.Description)
}
