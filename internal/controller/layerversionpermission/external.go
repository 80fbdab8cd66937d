package layerversionpermission

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/statements"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// The AWS operations that this kind calls.
const (
	opRead   = "GetLayerVersionPolicy"
	opAdd    = "AddLayerVersionPermission"
	opRemove = "RemoveLayerVersionPermission"
)

// calls are the operations by which this kind creates, updates and deletes.
var calls = reconcile.Calls{Create: opAdd, Update: opRemove, Delete: opRemove, Replaces: true}

// external is a statement in AWS. It lives for one reconcile.
type external struct {
	api   *lambda.Client
	cache *readcache.Cache

	// The facts of the reconcile, and the desired place of the statement, set by read.
	facts reconcile.Facts
	at    statementKey
}

type (
	awsResource = reconcile.Resource[*v1beta1.LayerVersionPermission, observed, policy.Grant]
	found       = reconcile.Observation[observed, policy.Grant]
	update      = reconcile.Update[policy.Grant]
)

func newExternal(api *lambda.Client, cache *readcache.Cache) awsResource {
	e := &external{api: api, cache: cache}
	return awsResource{
		Calls: calls, Read: e.read, Owner: e.owner, Desired: e.desired, Compare: e.compare, Plan: e.plan,
		Create: e.create, Update: e.update, Delete: e.delete,
		Status: func(p *v1beta1.LayerVersionPermission, o found) { p.Status.AtProvider = observation(o.Resource) },
	}
}

// read reads the statement from its former place, if spec now asks for another one, or else from the desired place. A
// statement where a create was not answered is read even if it is not as spec asks for now: it may be a grant of this
// resource, which must not stay unnoticed.
func (e *external) read(ctx context.Context, f reconcile.Facts, p *v1beta1.LayerVersionPermission) (found, error) {
	at, others, err := allVersions(p)
	if err != nil {
		return found{}, reconcile.Invalid(err)
	}
	e.facts, e.at = f, at
	_, unanswered := ownership.UnansweredAt(p)
	for _, other := range others {
		tried := unanswered && other.String() == ownership.Parent(p)
		o, err := e.find(ctx, f, p, other)
		if err != nil || o.Exists && (tried || ownershipOf(p, o).Manageable()) {
			return o, err
		}
		if tried { // AWS may not show it yet.
			if wait := f.Repeats.Confirm("absence of "+other.String(), reconcile.AbsentReports, f.Now()); wait > 0 {
				return found{}, reconcile.WaitFor(wait)
			}
		}
	}
	if !at.known() {
		return found{}, nil // It is being deleted and was never added.
	}
	return e.find(ctx, f, p, at)
}

func (e *external) find(
	ctx context.Context, f reconcile.Facts, p *v1beta1.LayerVersionPermission, at statementKey,
) (found, error) {
	get := func(ctx context.Context) (statements.Policy, error) { return e.get(ctx, at) }
	d, err := readcache.Read(ctx, e.cache, key(at), f.Fresh, get)
	if err != nil {
		return found{}, err
	}
	st, exists := d.Of(p, at.sid)
	seen := observed{at: at, statement: st, revision: d.Revision}
	return found{
		Resource:    seen,
		Settings:    fromAWS(seen),
		Exists:      exists,
		Name:        at.String(),
		Description: "statement " + at.sid + " of the policy of layer version " + at.layerVersion(),
		Parent:      e.at.String(),
	}, nil
}

func key(at statementKey) readcache.Key {
	return readcache.Key{Operation: opRead, Of: at.layerVersion()}
}

func (e *external) get(ctx context.Context, at statementKey) (statements.Policy, error) {
	in := &lambda.GetLayerVersionPolicyInput{LayerName: ptr.To(at.layer), VersionNumber: ptr.To(at.version)}
	out, err := e.api.GetLayerVersionPolicy(ctx, in)
	return statements.Parse((*lambda.GetPolicyOutput)(out), err, "layer version "+at.layerVersion())
}

// owner decides by the name, because a statement has no tags.
func (e *external) owner(
	ctx context.Context, f reconcile.Facts, p *v1beta1.LayerVersionPermission, o found,
) (ownership.Ownership, error) {
	return f.Others.CheckUntaggedOwner(ctx, p, ownershipOf(p, o), o.Description, o.Parent, o.Name)
}

// ownershipOf returns the ownership of a statement. One that did not exist before an
// unanswered create, and is as this resource would have made it, is its own.
func ownershipOf(p *v1beta1.LayerVersionPermission, o found) ownership.Ownership {
	asMade := slices.ContainsFunc(ownership.AskedFor(p, desired(p.Spec.ForProvider)), func(asked policy.Grant) bool {
		return len(changes(o.Resource.at, asked, o.Resource)) == 0
	})
	return ownership.CheckUntaggedOwnership(p, o.Name, asMade)
}

// desired returns the statement that spec asks for.
func (e *external) desired(
	_ context.Context, p *v1beta1.LayerVersionPermission,
) (forProvider, initProvider policy.Grant, err error) {
	return desired(p.Spec.ForProvider), policy.Grant{}, nil
}

// compare compares the statement and its place with spec.
func (e *external) compare(
	_ context.Context, _ *v1beta1.LayerVersionPermission, d reconcile.Desired[policy.Grant], o found,
) (reconcile.Comparison[policy.Grant], error) {
	return reconcile.Comparison[policy.Grant]{
		Target: d.Settings, Observed: o.Settings, Changes: changes(e.at, d.Settings, o.Resource),
	}, nil
}

// plan returns the replacement of a statement that differs.
func (e *external) plan(
	_ context.Context, _ *v1beta1.LayerVersionPermission, o found, c reconcile.Comparison[policy.Grant],
) (reconcile.Plan, error) {
	p := o.Resource.statement.Plan(e.facts, c.Changes, opAdd, opRemove)
	if o.Resource.at != e.at {
		p.Reserve = nil // It is only removed.
	}
	return p, nil
}

// create adds the statement.
func (e *external) create(
	ctx context.Context, p *v1beta1.LayerVersionPermission, _ policy.Grant,
) (reconcile.Result, error) {
	defer e.cache.Forget(key(e.at))
	err := e.add(p)(ctx, e.at.sid)
	if awserr.IsNotFound(err) {
		return reconcile.Result{}, errors.Wrapf(err,
			"cannot add statement %s: publish layer version %s first, or set spec.forProvider to one that exists",
			e.at.sid, e.at.layerVersion())
	}
	return reconcile.Result{Name: e.at.String()}, errors.Wrapf(err,
		"cannot add statement %s to the policy of layer version %s", e.at.sid, e.at.layerVersion())
}

// update replaces a statement that differs. If it belongs elsewhere, it is removed, and the next reconcile adds it
// there.
func (e *external) update(
	ctx context.Context, p *v1beta1.LayerVersionPermission, o found, _ update,
) (reconcile.Result, error) {
	if o.Resource.at != e.at {
		return e.delete(ctx, p, o)
	}
	defer e.cache.Forget(key(e.at))
	err := o.Resource.statement.Replace(ctx, e.add(p), e.remove(e.at))
	return reconcile.Result{}, errors.Wrapf(err, "cannot change %s", o.Description)
}

// delete removes the statement, and nothing else.
func (e *external) delete(ctx context.Context, _ *v1beta1.LayerVersionPermission, o found) (reconcile.Result, error) {
	defer e.cache.Forget(key(o.Resource.at))
	err := o.Resource.statement.Remove(ctx, e.remove(o.Resource.at))
	return reconcile.Result{}, errors.Wrapf(err, "cannot remove %s", o.Description)
}

// add adds the statement that spec asks for.
func (e *external) add(p *v1beta1.LayerVersionPermission) statements.Call {
	return func(ctx context.Context, sid string) error {
		_, err := e.api.AddLayerVersionPermission(ctx, addInput(e.at, sid, p.Spec.ForProvider))
		return err
	}
}

func (e *external) remove(at statementKey) statements.Call {
	return func(ctx context.Context, sid string) error {
		_, err := e.api.RemoveLayerVersionPermission(ctx, removeInput(at, sid))
		return err
	}
}
