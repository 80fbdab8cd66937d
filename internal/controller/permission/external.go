package permission

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/answer"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/fields"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/policy"
)

// thing is how a statement is seen in AWS. It lives for one reconcile.
type thing struct {
	api    lambdaAPI
	cache  *inventory.Cache
	fields fields.Getter

	// ongoing changes of policies, and the account and region that names are in.
	ongoing *ongoing
	scope   string

	// holder and sid of the statement, once Read has worked them out.
	holder holder
	sid    string
}

// observed is a statement in AWS.
type observed struct {
	holder    holder
	statement policy.Statement
	revision  string
}

// document is what GetPolicy answers, read by all Permissions of one holder.
type document struct {
	policy   policy.Document
	revision string
}

type found = flow.Found[observed]

// Read the statement out of the policy that all Permissions of a holder share.
func (t *thing) Read(ctx context.Context, p *v1beta1.Permission) (found, error) {
	var err error
	if t.sid, err = statementID(p); err != nil {
		return found{}, managed.Invalid(err)
	}
	if t.holder, err = target(p); err != nil {
		return found{}, managed.Invalid(err)
	}
	if t.holder.function == "" {
		return found{}, nil // It is being deleted, and was never added.
	}
	a, err := inventory.Read(ctx, t.cache, t.key(), managed.Freshness(ctx), t.get)
	if err != nil {
		return found{}, err
	}
	st, ok := a.policy.Find(t.sid)
	return found{
		Thing:  observed{holder: t.holder, statement: st, revision: a.revision},
		Exists: ok,
		Name:   t.sid,
		What:   "statement " + t.sid + " of the policy of " + t.holder.what(),
	}, nil
}

func (t *thing) key() inventory.Key { return inventory.Key{Operation: callRead, Of: t.holder.String()} }

// get the policy. Where there is none, or no function, there are no statements.
func (t *thing) get(ctx context.Context) (document, error) {
	out, err := t.api.GetPolicy(ctx, &lambda.GetPolicyInput{FunctionName: ptr.To(t.holder.function), Qualifier: answer.Text(t.holder.qualifier)})
	if awserr.IsNotFound(err) {
		return document{}, nil
	}
	if err != nil {
		return document{}, errors.Wrapf(err, "cannot get the policy of %s", t.holder.what())
	}
	d, err := policy.Parse(ptr.Deref(out.Policy, ""))
	if err != nil {
		return document{}, errors.Wrapf(err, "cannot read the policy of %s", t.holder.what())
	}
	return document{policy: d, revision: ptr.Deref(out.RevisionId, "")}, nil
}

// Judge by the name, since a statement has no tags. One that is there before a create
// whose answer was lost, and is as this resource would have made it, is its own.
func (t *thing) Judge(ctx context.Context, p *v1beta1.Permission, f found) (ownership.Verdict, error) {
	wanted, err := t.wanted(ctx, p)
	asMade := err == nil && len(changes(wanted, policy.GrantOf(f.Thing.statement, t.holder.suffix()))) == 0
	v := ownership.JudgeUntagged(p, f.Name, asMade)
	if !v.Manageable() && err != nil && !meta.WasDeleted(p) {
		return v, err
	}
	if !v.Manageable() {
		return v, managed.NewForeignUntaggedError(ctx, f.What, f.Name)
	}
	return v, nil
}

// wanted is the statement that spec asks for.
func (t *thing) wanted(ctx context.Context, p *v1beta1.Permission) (policy.Grant, error) {
	arn, err := t.sourceArn(ctx, p)
	return grantOf(p.Spec.ForProvider, arn), err
}

func (t *thing) sourceArn(ctx context.Context, p *v1beta1.Permission) (*string, error) {
	fp := p.Spec.ForProvider
	return fields.One(ctx, t.fields, p.GetNamespace(), "spec.forProvider.sourceArnFrom", fp.SourceArn, fp.SourceArnFrom)
}

// Show the statement in status.
func (t *thing) Show(p *v1beta1.Permission, f found) { p.Status.AtProvider = observation(f.Thing) }

// State is that a statement which is there counts.
func (t *thing) State(p *v1beta1.Permission, _ found) xpv2.Condition {
	return condition.Available(p.GetGeneration())
}

// Plan compares the statement with spec. One that differs can only be removed and
// added again, so it stays where it may not be added.
func (t *thing) Plan(ctx context.Context, p *v1beta1.Permission, f found) (flow.Plan, error) {
	wanted, err := t.wanted(ctx, p)
	if err != nil {
		return flow.Plan{}, err
	}
	cs := changes(wanted, policy.GrantOf(f.Thing.statement, t.holder.suffix()))
	switch {
	case len(cs) == 0:
		return flow.Plan{Ready: condition.Available(p.GetGeneration())}, nil
	case !flow.Allows(p, xpv2.ManagementActionCreate):
		return flow.Plan{
			Changes: cs,
			Ready:   condition.Unavailable(p.GetGeneration(), "the statement differs from spec, and managementPolicies do not allow adding it again: "+cs.String()),
		}, nil
	}
	return flow.Plan{Changes: cs, Call: callRemove, Ready: condition.Updating(p.GetGeneration(), cs.String())}, nil
}

// Prepare notes whose policy the statement goes into, for when it is to be removed.
func (t *thing) Prepare(ctx context.Context, p *v1beta1.Permission) error {
	meta.AddAnnotations(p, map[string]string{ownership.AnnotationParent: t.holder.String()})
	if _, err := t.sourceArn(ctx, p); err != nil {
		return err
	}
	if t.ongoing.under(t.function()) {
		return &flow.NotReadyError{Reason: "another Permission is changing the policies of function " + t.holder.function, After: changeWait}
	}
	return nil
}

// function whose policies are changed, by a name that is its own in all accounts.
func (t *thing) function() string { return t.scope + "/" + t.holder.function }

// Create adds the statement.
func (t *thing) Create(ctx context.Context, p *v1beta1.Permission) (string, error) {
	arn, err := t.sourceArn(ctx, p)
	if err != nil {
		return "", err
	}
	if !t.ongoing.begin(t.function()) {
		return "", notSent(callAdd)
	}
	defer t.ongoing.end(t.function())
	defer t.cache.Forget(t.key())
	_, err = t.api.AddPermission(ctx, addInput(t.holder, t.sid, p.Spec.ForProvider, arn))
	return t.sid, errors.Wrapf(err, "cannot add statement %s to the policy of %s", t.sid, t.holder.what())
}

// Update removes a statement that differs. The next reconcile adds it.
func (t *thing) Update(ctx context.Context, _ *v1beta1.Permission, f found, _ flow.Plan) error {
	return t.remove(ctx, f)
}

// Delete removes the statement, and nothing else.
func (t *thing) Delete(ctx context.Context, _ *v1beta1.Permission, f found) error {
	return t.remove(ctx, f)
}

func (t *thing) remove(ctx context.Context, f found) error {
	if !t.ongoing.begin(t.function()) {
		return notSent(callRemove)
	}
	defer t.ongoing.end(t.function())
	defer t.cache.Forget(t.key())
	_, err := t.api.RemovePermission(ctx, removeInput(t.holder, t.sid))
	if awserr.IsNotFound(err) {
		return nil
	}
	return errors.Wrapf(err, "cannot remove %s", f.What)
}

// Connection has nothing to tell.
func (t *thing) Connection(*v1beta1.Permission) xpmanaged.ConnectionDetails { return nil }
