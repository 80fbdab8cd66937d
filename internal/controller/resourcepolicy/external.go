package resourcepolicy

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/fields"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/policy"
)

// thing is how a policy is seen in AWS. It lives for one reconcile.
type thing struct {
	api    lambdaAPI
	fields fields.Getter

	// arn of the resource whose policy it is, once Read has worked it out.
	arn string
}

type found = flow.Found[observed]

// Read the policy.
func (t *thing) Read(ctx context.Context, p *v1beta1.ResourcePolicy) (found, error) {
	fp := p.Spec.ForProvider
	arn, err := fields.One(ctx, t.fields, p.GetNamespace(), "spec.forProvider.resourceArnFrom", fp.ResourceArn, fp.ResourceArnFrom)
	if err != nil && !meta.WasDeleted(p) {
		return found{}, err
	}
	if t.arn, err = target(p, ptr.Deref(arn, "")); err != nil {
		return found{}, managed.Invalid(err)
	}
	if t.arn == "" {
		return found{}, nil // It is being deleted, and was never put.
	}
	if err := managed.CheckMayAct(ctx, tenancy.Functions(ptr.To(t.arn))...); err != nil {
		if meta.WasDeleted(p) && known(p) == "" {
			return found{}, nil // Nothing was put.
		}
		if !meta.WasDeleted(p) {
			return found{}, err
		}
	}
	f := found{Thing: observed{arn: t.arn}, Name: t.arn, What: "the policy of " + t.arn}
	out, err := t.api.GetResourcePolicy(ctx, &lambda.GetResourcePolicyInput{ResourceArn: ptr.To(t.arn)})
	if awserr.IsNotFound(err) {
		return f, nil
	}
	if err != nil {
		return found{}, errors.Wrapf(err, "cannot get %s", f.What)
	}
	f.Thing.text, f.Thing.revision = ptr.Deref(out.Policy, ""), ptr.Deref(out.RevisionId, "")
	f.Thing.policy, err = policy.Parse(f.Thing.text)
	f.Exists = len(f.Thing.policy.Statements) > 0 // An empty policy is none.
	return f, errors.Wrapf(err, "cannot read %s", f.What)
}

// Judge by the name, since a policy has no tags. One that is there before a put whose
// answer was lost, and is as this resource would have put it, is its own.
func (t *thing) Judge(ctx context.Context, p *v1beta1.ResourcePolicy, f found) (ownership.Verdict, error) {
	w, err := wanted(p)
	v := ownership.JudgeUntagged(p, f.Name, err == nil && len(changes(w, f.Thing.policy)) == 0)
	if !v.Manageable() {
		return v, managed.NewForeignUntaggedError(ctx, f.What, f.Name)
	}
	return v, nil
}

// Show the policy in status.
func (t *thing) Show(p *v1beta1.ResourcePolicy, f found) { p.Status.AtProvider = observation(f.Thing) }

// State is that a policy which is there counts.
func (t *thing) State(p *v1beta1.ResourcePolicy, _ found) xpv2.Condition {
	return condition.Available(p.GetGeneration())
}

// Plan compares the policy with spec.
func (t *thing) Plan(_ context.Context, p *v1beta1.ResourcePolicy, f found) (flow.Plan, error) {
	if p.Spec.ForProvider.Policy == nil {
		return flow.Plan{Ready: t.State(p, f)}, nil
	}
	w, err := wanted(p)
	if err != nil {
		return flow.Plan{}, managed.Invalid(err)
	}
	cs := changes(w, f.Thing.policy)
	if len(cs) == 0 {
		return flow.Plan{Ready: t.State(p, f)}, nil
	}
	return flow.Plan{Changes: cs, Call: callPut, Ready: condition.Updating(p.GetGeneration(), cs.String())}, nil
}

// Prepare checks the policy, and notes whose it is, for when it is to be deleted.
func (t *thing) Prepare(_ context.Context, p *v1beta1.ResourcePolicy) error {
	meta.AddAnnotations(p, map[string]string{ownership.AnnotationParent: t.arn})
	_, err := wanted(p)
	return managed.Invalid(err)
}

// Create puts a policy where there is none.
func (t *thing) Create(ctx context.Context, p *v1beta1.ResourcePolicy) (string, error) {
	return t.arn, t.put(ctx, p, "")
}

// Update replaces the policy, if it is still the one that was compared.
func (t *thing) Update(ctx context.Context, p *v1beta1.ResourcePolicy, f found, _ flow.Plan) error {
	return t.put(ctx, p, f.Thing.revision)
}

func (t *thing) put(ctx context.Context, p *v1beta1.ResourcePolicy, revision string) error {
	_, err := t.api.PutResourcePolicy(ctx, putInput(t.arn, ptr.Deref(p.Spec.ForProvider.Policy, ""), revision))
	return errors.Wrapf(err, "cannot put the policy of %s", t.arn)
}

// Delete the policy, if it is still the one that was looked at.
func (t *thing) Delete(ctx context.Context, _ *v1beta1.ResourcePolicy, f found) error {
	_, err := t.api.DeleteResourcePolicy(ctx, deleteInput(f.Thing))
	return errors.Wrapf(err, "cannot delete %s", f.What)
}

// Connection has nothing to tell.
func (t *thing) Connection(*v1beta1.ResourcePolicy) xpmanaged.ConnectionDetails { return nil }
