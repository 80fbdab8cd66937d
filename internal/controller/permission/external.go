package permission

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// external is a statement in AWS. It lives for one reconcile.
type external struct {
	api    *lambda.Client
	cache  *readcache.Cache
	fields refs.Getter

	// ongoing changes of policies, and scope, the account and region of the names.
	ongoing *ongoing
	scope   string

	// The facts of the reconcile, and target and sid of the statement, set by read. interim is the id of the statement
	// that allows the same while an update replaces it.
	facts        reconcile.Facts
	target       functionname.Name
	sid, interim string
}

// observed is a statement in AWS.
type observed struct {
	target    functionname.Name
	statement policy.Statement
	revision  string

	// interrupted reports whether an update has left its interim statement. It counts as the statement if that is gone.
	interrupted bool
}

// document is the result of GetPolicy, which all Permissions of one function share. size is that of its text, in bytes.
type document struct {
	policy   policy.Document
	revision string
	size     int
}

type (
	awsResource = reconcile.Resource[*v1beta1.Permission, observed, policy.Grant]
	found       = reconcile.Observation[observed, policy.Grant]
	update      = reconcile.Update[policy.Grant]
)

// newExternal returns the statement as a reconcile.Resource.
func newExternal(e *external) awsResource {
	return awsResource{
		Calls: calls, Read: e.read, Status: e.status, Desired: e.desired, Compare: e.compare, Plan: e.plan,
		PrepareCreate: e.prepareCreate, Create: e.create, Update: e.update, Delete: e.delete,
	}
}

// read reads the statement from the policy that all Permissions of a function share.
func (e *external) read(ctx context.Context, f reconcile.Facts, p *v1beta1.Permission) (found, error) {
	e.facts = f
	var err error
	if e.sid, err = statementID(p); err != nil {
		return found{}, reconcile.Invalid(err)
	}
	if e.target, err = targetOf(p); err != nil {
		return found{}, reconcile.Invalid(err)
	}
	if e.target.Function == "" {
		return found{}, nil // It is being deleted and was never added.
	}
	a, err := readcache.Read(ctx, e.cache, e.key(), f.Fresh, e.get)
	if err != nil {
		return found{}, err
	}
	e.interim = interimID(p)
	st, ok := a.policy.Find(e.sid)
	interim, interrupted := a.policy.Find(e.interim)
	if !ok {
		st = interim
	}
	seen := observed{target: e.target, statement: st, revision: a.revision, interrupted: interrupted}
	return found{
		Effects:     reconcile.Effects{Sizes: advice.Sizes{advice.PolicyNearLimit: a.size}},
		Resource:    seen,
		Settings:    fromAWS(seen),
		Exists:      ok || interrupted,
		Name:        e.sid,
		Description: "statement " + e.sid + " of the policy of " + description(e.target),
		Parent:      e.target.String(),
	}, nil
}

func (e *external) key() readcache.Key {
	return readcache.Key{Operation: opRead, Of: e.target.String()}
}

// get reads the policy. It returns no statements if there is no policy or no function.
func (e *external) get(ctx context.Context) (document, error) {
	in := &lambda.GetPolicyInput{FunctionName: ptr.To(e.target.Function), Qualifier: lambdaapi.Text(e.target.Qualifier)}
	out, err := e.api.GetPolicy(ctx, in)
	if awserr.IsNotFound(err) {
		return document{}, nil
	}
	if err != nil {
		return document{}, errors.Wrapf(err, "cannot get the policy of %s", description(e.target))
	}
	d, err := policy.Parse(ptr.Deref(out.Policy, ""))
	if err != nil {
		return document{}, errors.Wrapf(err, "cannot read the policy of %s", description(e.target))
	}
	return document{policy: d, revision: ptr.Deref(out.RevisionId, ""), size: len(ptr.Deref(out.Policy, ""))}, nil
}

// status sets status.atProvider.
func (e *external) status(p *v1beta1.Permission, o found) {
	p.Status.AtProvider = observation(o.Resource)
}

// desired returns the statement that spec asks for.
func (e *external) desired(
	ctx context.Context, p *v1beta1.Permission,
) (forProvider, initProvider policy.Grant, err error) {
	const from = "spec.forProvider.sourceArnFrom"
	fp := p.Spec.ForProvider
	arn, err := refs.One(ctx, e.fields, p.GetNamespace(), from, fp.SourceArn, fp.SourceArnFrom)
	return desired(fp, arn), policy.Grant{}, err
}

// compare compares the statement with spec.
func (e *external) compare(
	_ context.Context, _ *v1beta1.Permission, d reconcile.Desired[policy.Grant], o found,
) (reconcile.Comparison[policy.Grant], error) {
	c := reconcile.Comparison[policy.Grant]{
		Target: d.Settings, Observed: o.Settings, Changes: changes(d.Settings, o.Settings),
	}
	if o.Resource.interrupted {
		c.Changes = append(c.Changes, diff.Change{Path: "statementId", Old: e.interim, New: e.sid})
	}
	return c, nil
}

// unresolvedReports is the number of reports in a row, over twelve seconds, after which a principal counts as deleted.
const unresolvedReports = 3

// plan returns the replacement of a statement that differs. AWS may return the ID of a role or user
// instead of its ARN for a moment. If it does so for longer, the principal was deleted.
func (e *external) plan(
	_ context.Context, _ *v1beta1.Permission, o found, c reconcile.Comparison[policy.Grant],
) (reconcile.Plan, error) {
	p := reconcile.Plan{Changes: c.Changes}
	if len(c.Changes) == 0 {
		return p, nil
	}
	if o.Resource.statement.IsUnresolved() {
		p.Wait = e.facts.Repeats.Confirm("unresolved principal", unresolvedReports, e.facts.Now())
	}
	if p.Wait == 0 {
		p.Call, p.Reserve = opRemove, []string{opAdd, opAdd, opRemove}
	}
	return p, nil
}

// prepareCreate returns a reconcile.NotReadyError while another change of the function's policies is in progress.
func (e *external) prepareCreate(context.Context, *v1beta1.Permission, policy.Grant) (reconcile.Creation, error) {
	if !e.ongoing.under(e.function()) {
		return reconcile.Creation{}, nil
	}
	return reconcile.Creation{}, &reconcile.NotReadyError{
		Reason: "another Permission is changing the policies of function " + e.target.Function, After: changeWait,
	}
}

// function returns a name of the function that is unique across accounts and regions.
func (e *external) function() string { return e.scope + "/" + e.target.Function }

// create adds the statement.
func (e *external) create(ctx context.Context, p *v1beta1.Permission, g policy.Grant) (reconcile.Result, error) {
	if !e.ongoing.begin(e.function()) {
		return reconcile.Result{}, notSent(opAdd)
	}
	defer e.ongoing.end(e.function())
	defer e.cache.Forget(e.key())
	err := e.add(ctx, p, e.sid, g)
	return reconcile.Result{Name: e.sid},
		errors.Wrapf(err, "cannot add statement %s to the policy of %s", e.sid, description(e.target))
}

// update replaces a statement that differs, which no call of AWS does. It first adds the new one with another ID: AWS
// has then accepted it before the old one is removed, and never rejects what both allow. What an interrupted update has
// left is removed before.
func (e *external) update(ctx context.Context, p *v1beta1.Permission, o found, u update) (reconcile.Result, error) {
	if !e.ongoing.begin(e.function()) {
		return reconcile.Result{}, notSent(opRemove)
	}
	defer e.ongoing.end(e.function())
	defer e.cache.Forget(e.key())
	if o.Resource.interrupted && o.Resource.statement.Sid == e.sid {
		err := e.remove(ctx, e.interim)
		return reconcile.Result{}, errors.Wrapf(err, "cannot remove statement %s", e.interim)
	}
	err := e.add(ctx, p, e.interim, u.Target)
	if awserr.IsAlreadyExists(err) || awserr.Code(err) == policyTooLong || o.Resource.statement.IsUnresolved() {
		// An interrupted update has added it, there is no room for it, or AWS rejects every addition while the old one,
		// which allows nothing, is there.
		err = nil
	}
	if err == nil {
		err = e.remove(ctx, e.sid)
	}
	if err == nil {
		err = e.add(ctx, p, e.sid, u.Target)
	}
	if err == nil {
		err = e.remove(ctx, e.interim)
	}
	return reconcile.Result{}, errors.Wrapf(err, "cannot change %s", o.Description)
}

// delete removes the statement, and what an interrupted update has left of it.
func (e *external) delete(ctx context.Context, _ *v1beta1.Permission, o found) (reconcile.Result, error) {
	if !e.ongoing.begin(e.function()) {
		return reconcile.Result{}, notSent(opRemove)
	}
	defer e.ongoing.end(e.function())
	defer e.cache.Forget(e.key())
	err := e.remove(ctx, e.sid)
	if err == nil && o.Resource.interrupted {
		err = e.remove(ctx, e.interim)
	}
	return reconcile.Result{}, errors.Wrapf(err, "cannot remove %s", o.Description)
}

func (e *external) add(ctx context.Context, p *v1beta1.Permission, sid string, g policy.Grant) error {
	_, err := e.api.AddPermission(ctx, addInput(e.target, sid, p.Spec.ForProvider, g.SourceArn))
	return err
}

func (e *external) remove(ctx context.Context, sid string) error {
	_, err := e.api.RemovePermission(ctx, removeInput(e.target, sid))
	if awserr.IsNotFound(err) {
		return nil
	}
	return err
}
