package permission

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/statements"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// The AWS operations that this kind calls.
const (
	opRead   = "GetPolicy"
	opAdd    = "AddPermission"
	opRemove = "RemovePermission"
)

// calls are the operations by which this kind creates, updates and deletes.
var calls = reconcile.Calls{Create: opAdd, Update: opRemove, Delete: opRemove, Replaces: true}

// external is a statement in AWS. It lives for one reconcile.
type external struct {
	api    *lambda.Client
	cache  *readcache.Cache
	fields refs.Getter

	// ongoing changes of policies, and scope, the account and region of the names.
	ongoing *ongoing
	scope   string

	// The facts of the reconcile, and target, sid and content of the statement, set by read.
	facts     reconcile.Facts
	target    functionname.Name
	sid       string
	statement statements.Statement
}

type (
	awsResource = reconcile.Resource[*v1beta1.Permission, observed, policy.Grant]
	found       = reconcile.Observation[observed, policy.Grant]
	update      = reconcile.Update[policy.Grant]
)

// newExternal returns the statement as a reconcile.Resource.
func newExternal(e *external) awsResource {
	return awsResource{
		Calls: calls, Read: e.read, Desired: e.desired, Plan: e.plan, PrepareCreate: e.prepareCreate,
		Create: e.create, Update: e.update, Delete: e.delete,
		Status:  func(p *v1beta1.Permission, o found) { p.Status.AtProvider = observation(o.Resource) },
		Compare: reconcile.By[*v1beta1.Permission, observed](compare),
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
	d, err := readcache.Read(ctx, e.cache, e.key(), f.Fresh, e.get)
	if err != nil {
		return found{}, err
	}
	var exists bool
	e.statement, exists = d.Of(p, e.sid)
	seen := observed{target: e.target, statement: e.statement, revision: d.Revision}
	return found{
		Effects:     reconcile.Effects{Sizes: advice.Sizes{advice.PolicyNearLimit: d.Size}},
		Resource:    seen,
		Settings:    fromAWS(seen),
		Exists:      exists,
		Name:        e.sid,
		Description: "statement " + e.sid + " of the policy of " + description(e.target),
		Parent:      e.target.String(),
	}, nil
}

func (e *external) key() readcache.Key {
	return readcache.Key{Operation: opRead, Of: e.target.String()}
}

func (e *external) get(ctx context.Context) (statements.Policy, error) {
	in := &lambda.GetPolicyInput{FunctionName: ptr.To(e.target.Function), Qualifier: lambdaapi.Text(e.target.Qualifier)}
	out, err := e.api.GetPolicy(ctx, in)
	return statements.Parse(out, err, description(e.target))
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

// plan returns the replacement of a statement that differs.
func (e *external) plan(
	_ context.Context, _ *v1beta1.Permission, _ found, c reconcile.Comparison[policy.Grant],
) (reconcile.Plan, error) {
	return e.statement.Plan(e.facts, c.Changes, opAdd, opRemove), nil
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
	err := e.change(opAdd, func() error { return e.add(p, g)(ctx, e.sid) })
	return reconcile.Result{Name: e.sid},
		errors.Wrapf(err, "cannot add statement %s to the policy of %s", e.sid, description(e.target))
}

// update replaces a statement that differs.
func (e *external) update(ctx context.Context, p *v1beta1.Permission, o found, u update) (reconcile.Result, error) {
	err := e.change(opRemove, func() error { return e.statement.Replace(ctx, e.add(p, u.Target), e.remove) })
	return reconcile.Result{}, errors.Wrapf(err, "cannot change %s", o.Description)
}

// delete removes the statement.
func (e *external) delete(ctx context.Context, _ *v1beta1.Permission, o found) (reconcile.Result, error) {
	err := e.change(opRemove, func() error { return e.statement.Remove(ctx, e.remove) })
	return reconcile.Result{}, errors.Wrapf(err, "cannot remove %s", o.Description)
}

// change makes a change of the function's policies.
func (e *external) change(call string, do func() error) error {
	return e.ongoing.do(e.function(), call, func() error {
		defer e.cache.Forget(e.key())
		return do()
	})
}

func (e *external) add(p *v1beta1.Permission, g policy.Grant) statements.Call {
	return func(ctx context.Context, sid string) error {
		_, err := e.api.AddPermission(ctx, addInput(e.target, sid, p.Spec.ForProvider, g.SourceArn))
		return e.statement.Explain(err)
	}
}

func (e *external) remove(ctx context.Context, sid string) error {
	_, err := e.api.RemovePermission(ctx, removeInput(e.target, sid))
	return err
}

// changeWait is the requeue interval while another Permission is changing the policy: about as long as one call takes.
const changeWait = 100 * time.Millisecond

// ongoing is the set of functions with policies that this provider is changing. If several
// statements are added at the same time, AWS may accept all and keep one, so the policies
// of a function are changed one call after the other. It is safe for concurrent use.
type ongoing struct{ functions sync.Map }

// do makes a change of the policies of a function. While another change is in progress, it returns the error of a call
// that is deferred by the quota.
func (o *ongoing) do(function, call string, change func() error) error {
	if _, under := o.functions.LoadOrStore(function, struct{}{}); under {
		return &quota.DeferredError{Operation: call, After: changeWait}
	}
	defer o.functions.Delete(function)
	return change()
}

// under reports whether a change of the policies of a function is in progress.
func (o *ongoing) under(function string) bool {
	_, under := o.functions.Load(function)
	return under
}
