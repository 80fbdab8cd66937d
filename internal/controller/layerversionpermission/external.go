package layerversionpermission

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
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/policy"
)

// thing is how a statement is seen in AWS. It lives for one reconcile.
type thing struct {
	api   lambdaAPI
	cache *inventory.Cache

	// at is where the statement is to be, once Read has worked it out.
	at place
}

// answer is what GetLayerVersionPolicy answers, read by all permissions of one version.
type answer struct {
	policy   policy.Document
	revision string
}

type found = flow.Found[observed]

// Read the statement from where it was, if spec now asks for it elsewhere, or else from
// where it is to be.
func (t *thing) Read(ctx context.Context, p *v1beta1.LayerVersionPermission) (found, error) {
	at, others, err := places(p)
	if err != nil {
		return found{}, managed.Invalid(err)
	}
	t.at = at
	for _, other := range others {
		f, err := t.find(ctx, other)
		if err != nil || f.Exists && verdict(p, f).Manageable() {
			return f, err
		}
	}
	if !at.known() {
		return found{}, nil // It is being deleted, and was never added.
	}
	return t.find(ctx, at)
}

func (t *thing) find(ctx context.Context, at place) (found, error) {
	a, err := inventory.Read(ctx, t.cache, key(at), managed.Freshness(ctx), func(ctx context.Context) (answer, error) { return t.get(ctx, at) })
	if err != nil {
		return found{}, err
	}
	st, ok := a.policy.Find(at.sid)
	return found{
		Thing:  observed{at: at, statement: st, revision: a.revision},
		Exists: ok,
		Name:   at.String(),
		What:   "statement " + at.sid + " of the policy of layer version " + at.holder(),
	}, nil
}

func key(at place) inventory.Key { return inventory.Key{Operation: callRead, Of: at.holder()} }

// get the policy. Where there is none, or no version, there are no statements.
func (t *thing) get(ctx context.Context, at place) (answer, error) {
	out, err := t.api.GetLayerVersionPolicy(ctx, &lambda.GetLayerVersionPolicyInput{LayerName: ptr.To(at.layer), VersionNumber: ptr.To(at.version)})
	if awserr.IsNotFound(err) {
		return answer{}, nil
	}
	if err != nil {
		return answer{}, errors.Wrapf(err, "cannot get the policy of layer version %s", at.holder())
	}
	d, err := policy.Parse(ptr.Deref(out.Policy, ""))
	if err != nil {
		return answer{}, errors.Wrapf(err, "cannot read the policy of layer version %s", at.holder())
	}
	return answer{policy: d, revision: ptr.Deref(out.RevisionId, "")}, nil
}

// Judge by the name, since a statement has no tags.
func (t *thing) Judge(ctx context.Context, p *v1beta1.LayerVersionPermission, f found) (ownership.Verdict, error) {
	v := verdict(p, f)
	if !v.Manageable() {
		return v, managed.NewForeignUntaggedError(ctx, f.What, f.Name)
	}
	return v, nil
}

// verdict says whose a statement is. One that is there before a create whose answer was
// lost, and is as this resource would have made it, is its own.
func verdict(p *v1beta1.LayerVersionPermission, f found) ownership.Verdict {
	asMade := len(changes(f.Thing.at, grantOf(p.Spec.ForProvider), f.Thing)) == 0
	return ownership.JudgeUntagged(p, f.Name, asMade)
}

// Show the statement in status.
func (t *thing) Show(p *v1beta1.LayerVersionPermission, f found) {
	p.Status.AtProvider = observation(f.Thing)
}

// State is that a statement which is there counts.
func (t *thing) State(p *v1beta1.LayerVersionPermission, _ found) xpv2.Condition {
	return condition.Available(p.GetGeneration())
}

// Plan compares the statement with spec. One that differs can only be removed and
// added again, so it stays where it may not be added.
func (t *thing) Plan(_ context.Context, p *v1beta1.LayerVersionPermission, f found) (flow.Plan, error) {
	cs := changes(t.at, grantOf(p.Spec.ForProvider), f.Thing)
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

// Prepare notes where the statement goes, for when it is to be removed.
func (t *thing) Prepare(_ context.Context, p *v1beta1.LayerVersionPermission) error {
	meta.AddAnnotations(p, map[string]string{ownership.AnnotationParent: t.at.String()})
	return nil
}

// Create adds the statement.
func (t *thing) Create(ctx context.Context, p *v1beta1.LayerVersionPermission) (string, error) {
	defer t.cache.Forget(key(t.at))
	_, err := t.api.AddLayerVersionPermission(ctx, addInput(t.at, p.Spec.ForProvider))
	if awserr.IsNotFound(err) {
		return "", errors.Wrapf(err, "cannot add statement %s: publish layer version %s first, or set spec.forProvider to one that exists", t.at.sid, t.at.holder())
	}
	return t.at.String(), errors.Wrapf(err, "cannot add statement %s to the policy of layer version %s", t.at.sid, t.at.holder())
}

// Update removes a statement that differs. The next reconcile adds it.
func (t *thing) Update(ctx context.Context, _ *v1beta1.LayerVersionPermission, f found, _ flow.Plan) error {
	return t.remove(ctx, f)
}

// Delete removes the statement, and nothing else.
func (t *thing) Delete(ctx context.Context, _ *v1beta1.LayerVersionPermission, f found) error {
	return t.remove(ctx, f)
}

func (t *thing) remove(ctx context.Context, f found) error {
	defer t.cache.Forget(key(f.Thing.at))
	_, err := t.api.RemoveLayerVersionPermission(ctx, removeInput(f.Thing.at))
	if awserr.IsNotFound(err) {
		return nil
	}
	return errors.Wrapf(err, "cannot remove %s", f.What)
}

// Connection has nothing to tell.
func (t *thing) Connection(*v1beta1.LayerVersionPermission) xpmanaged.ConnectionDetails { return nil }
