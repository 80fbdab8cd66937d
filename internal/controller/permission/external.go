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
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// external is a statement in AWS. It lives for one reconcile.
type external struct {
	api    lambdaAPI
	cache  *readcache.Cache
	fields refs.Getter

	// ongoing changes of policies, and scope, the account and region of the names.
	ongoing *ongoing
	scope   string

	// holder and sid of the statement, set by Read.
	holder functionname.Name
	sid    string
}

// observed is a statement in AWS.
type observed struct {
	holder    functionname.Name
	statement policy.Statement
	revision  string
}

// document is the result of GetPolicy, which all Permissions of one function share. size is that of its text, in bytes.
type document struct {
	policy   policy.Document
	revision string
	size     int
}

type (
	found  = reconcile.Observation[observed, policy.Grant]
	update = reconcile.Update[policy.Grant]
)

// The optional interfaces that this kind implements.
var (
	_ reconcile.Comparer[*v1beta1.Permission, observed, policy.Grant] = &external{}
	_ reconcile.CreationPreparer[*v1beta1.Permission, policy.Grant]   = &external{}
)

// Read reads the statement from the policy that all Permissions of a function share.
func (e *external) Read(ctx context.Context, p *v1beta1.Permission) (found, error) {
	var err error
	if e.sid, err = statementID(p); err != nil {
		return found{}, reconcile.Invalid(err)
	}
	if e.holder, err = holderOf(p); err != nil {
		return found{}, reconcile.Invalid(err)
	}
	if e.holder.Function == "" {
		return found{}, nil // It is being deleted and was never added.
	}
	a, err := readcache.Read(ctx, e.cache, e.key(), reconcile.Freshness(ctx), e.get)
	if err != nil {
		return found{}, err
	}
	reconcile.ReportSize(ctx, advice.PolicyNearLimit, a.size)
	st, ok := a.policy.Find(e.sid)
	seen := observed{holder: e.holder, statement: st, revision: a.revision}
	return found{
		Resource:    seen,
		Settings:    fromAWS(seen),
		Exists:      ok,
		Name:        e.sid,
		Description: "statement " + e.sid + " of the policy of " + description(e.holder),
		Parent:      e.holder.String(),
	}, nil
}

func (e *external) key() readcache.Key {
	return readcache.Key{Operation: opRead, Of: e.holder.String()}
}

// get reads the policy. It returns no statements if there is no policy or no function.
func (e *external) get(ctx context.Context) (document, error) {
	out, err := e.api.GetPolicy(ctx, &lambda.GetPolicyInput{FunctionName: ptr.To(e.holder.Function), Qualifier: lambdaapi.Text(e.holder.Qualifier)})
	if awserr.IsNotFound(err) {
		return document{}, nil
	}
	if err != nil {
		return document{}, errors.Wrapf(err, "cannot get the policy of %s", description(e.holder))
	}
	d, err := policy.Parse(ptr.Deref(out.Policy, ""))
	if err != nil {
		return document{}, errors.Wrapf(err, "cannot read the policy of %s", description(e.holder))
	}
	return document{policy: d, revision: ptr.Deref(out.RevisionId, ""), size: len(ptr.Deref(out.Policy, ""))}, nil
}

// SetStatus sets status.atProvider.
func (e *external) SetStatus(p *v1beta1.Permission, o found) {
	p.Status.AtProvider = observation(o.Resource)
}

// Desired returns the statement that spec asks for.
func (e *external) Desired(ctx context.Context, p *v1beta1.Permission) (forProvider, initProvider policy.Grant, err error) {
	fp := p.Spec.ForProvider
	arn, err := refs.One(ctx, e.fields, p.GetNamespace(), "spec.forProvider.sourceArnFrom", fp.SourceArn, fp.SourceArnFrom)
	return desired(fp, arn), policy.Grant{}, err
}

// Compare compares the statement with spec.
func (e *external) Compare(_ context.Context, _ *v1beta1.Permission, d reconcile.Desired[policy.Grant], o found) (reconcile.Comparison[policy.Grant], error) {
	return reconcile.Comparison[policy.Grant]{Target: d.Settings, Observed: o.Settings, Changes: changes(d.Settings, o.Settings)}, nil
}

// PrepareCreate returns an error while another change of the function's policies is in
// progress.
func (e *external) PrepareCreate(context.Context, *v1beta1.Permission, policy.Grant) error {
	if e.ongoing.under(e.function()) {
		return &reconcile.NotReadyError{Reason: "another Permission is changing the policies of function " + e.holder.Function, After: changeWait}
	}
	return nil
}

// function returns a name of the function that is unique across accounts and regions.
func (e *external) function() string { return e.scope + "/" + e.holder.Function }

// Create adds the statement.
func (e *external) Create(ctx context.Context, p *v1beta1.Permission, g policy.Grant) (string, error) {
	if !e.ongoing.begin(e.function()) {
		return "", notSent(opAdd)
	}
	defer e.ongoing.end(e.function())
	defer e.cache.Forget(e.key())
	_, err := e.api.AddPermission(ctx, addInput(e.holder, e.sid, p.Spec.ForProvider, g.SourceArn))
	return e.sid, errors.Wrapf(err, "cannot add statement %s to the policy of %s", e.sid, description(e.holder))
}

// Update removes a statement that differs. The next reconcile adds it.
func (e *external) Update(ctx context.Context, _ *v1beta1.Permission, o found, _ update) error {
	return e.remove(ctx, o)
}

// Delete removes the statement, and nothing else.
func (e *external) Delete(ctx context.Context, _ *v1beta1.Permission, o found) error {
	return e.remove(ctx, o)
}

func (e *external) remove(ctx context.Context, o found) error {
	if !e.ongoing.begin(e.function()) {
		return notSent(opRemove)
	}
	defer e.ongoing.end(e.function())
	defer e.cache.Forget(e.key())
	_, err := e.api.RemovePermission(ctx, removeInput(e.holder, e.sid))
	if awserr.IsNotFound(err) {
		return nil
	}
	return errors.Wrapf(err, "cannot remove %s", o.Description)
}
