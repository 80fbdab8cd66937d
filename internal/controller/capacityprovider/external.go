package capacityprovider

import (
	"cmp"
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/tagmemory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/fields"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
)

// deletion is when to look again at what AWS is busy with before or while deleting.
const deletion = 5 * time.Second

// thing is how this kind sees its capacity provider in AWS. It lives for one reconcile.
type thing struct {
	api    lambdaAPI
	fields fields.Getter
	tags   *tagmemory.TagCache
	owner  tagging.Owner

	// wanted, comparison and active are what was found for the call that follows. active
	// says that the capacity provider was Active when it was last looked at, or changed.
	wanted     desired
	comparison comparison
	active     bool
}

type found = flow.Found[observed]

func nameOf(c *v1beta1.CapacityProvider) string { return cmp.Or(flow.Name(c), c.GetName()) }

func what(name string) string { return "capacity provider " + name }

// Read a capacity provider with GetCapacityProvider, and its tags where they are due.
func (t *thing) Read(ctx context.Context, c *v1beta1.CapacityProvider) (found, error) {
	name := nameOf(c)
	out, err := t.api.GetCapacityProvider(ctx, &lambda.GetCapacityProviderInput{CapacityProviderName: ptr.To(name)})
	if awserr.IsNotFound(err) {
		return found{}, nil
	}
	if err != nil {
		return found{}, errors.Wrapf(awserr.Clean(err), "cannot read %s", what(name))
	}
	if out.CapacityProvider == nil {
		return found{}, errors.Errorf("cannot read %s: AWS's answer to %s contains no CapacityProvider", what(name), opGet)
	}
	o := observed{provider: out.CapacityProvider}
	if arn := ptr.Deref(o.provider.CapacityProviderArn, ""); flow.ObserveOnly(c) {
		o.tags, err = t.tags.Show(ctx, c, arn, t.api)
	} else {
		o.tags, err = t.tags.Read(ctx, c, arn, t.api)
	}
	return found{Thing: o, Exists: err == nil, Name: name, What: what(name)}, err
}

// Judge whose a capacity provider is, by its tags.
func (t *thing) Judge(ctx context.Context, c *v1beta1.CapacityProvider, f found) (ownership.Verdict, error) {
	arn := ptr.Deref(f.Thing.provider.CapacityProviderArn, "")
	same := ownership.WroteName(c) && (arn == "" || ptr.Deref(c.Status.AtProvider.CapacityProviderArn, arn) == arn)
	return t.owner.Judge(ctx, c, f.Thing.tags, same || ownership.UserSetName(c), f.What)
}

// Show what was found in status.atProvider.
func (t *thing) Show(c *v1beta1.CapacityProvider, f found) {
	t.active = wasActive(c)
	c.Status.AtProvider = status(f.Name, f.Thing)
}

// wasActive says that the capacity provider has been there for use before.
func wasActive(c *v1beta1.CapacityProvider) bool {
	r := c.GetCondition(xpv2.TypeReady).Reason
	return r == xpv2.ReasonAvailable || r == condition.ReasonUpdating || r == condition.ReasonDiffers ||
		ptr.Deref(c.Status.AtProvider.State, "") == string(types.CapacityProviderStateActive)
}

// State is the Ready condition by what AWS says alone.
func (t *thing) State(c *v1beta1.CapacityProvider, f found) xpv2.Condition {
	r := ready(c.GetGeneration(), f.Thing.provider.State, t.active)
	if f.Thing.tags == nil && r.Message == "" && !flow.ObserveOnly(c) {
		return r.WithMessage(tagging.Untold)
	}
	return r
}

// Plan compares spec with what was found. While AWS is busy, nothing is due.
func (t *thing) Plan(ctx context.Context, c *v1beta1.CapacityProvider, f found) (flow.Plan, error) {
	d, err := t.desired(ctx, c)
	if err != nil {
		return flow.Plan{}, err
	}
	t.comparison = compare(f.Name, d, f.Thing, t.owner)
	if fixed := t.comparison.immutable(); len(fixed) > 0 && flow.Allows(c, xpv2.ManagementActionUpdate) {
		return flow.Plan{}, errors.Errorf("%s exists with settings that AWS can't change: %s; correct spec.forProvider, or create a new CapacityProvider", f.What, fixed)
	}
	call, changes := t.comparison.due()
	if call == "" || call == opUpdate && busy(f.Thing.provider.State) {
		return flow.Plan{Changes: t.comparison.changes, Ready: t.State(c, f)}, nil
	}
	if t.tags.Outdated(c) {
		managed.Abort(ctx, 0)
	}
	if call != opUpdate {
		t.tags.Forget(c)
	}
	return flow.Plan{Call: call, Changes: t.comparison.changes, Carried: changes, Ready: condition.Updating(c.GetGeneration(), changes.String())}, nil
}

// desired resolves what spec refers to.
func (t *thing) desired(ctx context.Context, c *v1beta1.CapacityProvider) (desired, error) {
	p, err := t.resolve(ctx, c.GetNamespace(), c.Spec.ForProvider)
	if err != nil {
		return desired{}, err
	}
	s := fixed(fromSettings(p.CapacityProviderSettings), p)
	s.Tags = t.owner.Desired(c, s.Tags)
	initProvider := settings{}
	if c.Spec.InitProvider != nil {
		initProvider = fromSettings(*c.Spec.InitProvider)
	}
	return want(s, initProvider), nil
}

// resolve replaces each <field>From by the value that it selects.
func (t *thing) resolve(ctx context.Context, namespace string, p v1beta1.CapacityProviderParameters) (v1beta1.CapacityProviderParameters, error) {
	const at = "spec.forProvider."
	var err error
	if p.KMSKeyArn, err = fields.One(ctx, t.fields, namespace, at+"kmsKeyArnFrom", p.KMSKeyArn, p.KMSKeyArnFrom); err != nil {
		return p, err
	}
	if c := p.PermissionsConfig; c != nil {
		role, err := fields.One(ctx, t.fields, namespace, at+"permissionsConfig.capacityProviderOperatorRoleArnFrom", c.CapacityProviderOperatorRoleArn, c.CapacityProviderOperatorRoleArnFrom)
		if err != nil {
			return p, err
		}
		p.PermissionsConfig = &v1beta1.CapacityProviderPermissionsConfig{CapacityProviderOperatorRoleArn: role}
	}
	if v := p.VPCConfig; v != nil {
		c := v1beta1.CapacityProviderVPCConfig{}
		if c.SubnetIDs, err = fields.All(ctx, t.fields, namespace, at+"vpcConfig.subnetIdsFrom", v.SubnetIDs, v.SubnetIDsFrom); err != nil {
			return p, err
		}
		if c.SecurityGroupIDs, err = fields.All(ctx, t.fields, namespace, at+"vpcConfig.securityGroupIdsFrom", v.SecurityGroupIDs, v.SecurityGroupIDsFrom); err != nil {
			return p, err
		}
		p.VPCConfig = &c
	}
	return p, nil
}

// Prepare works out what to create.
func (t *thing) Prepare(ctx context.Context, c *v1beta1.CapacityProvider) error {
	var err error
	t.wanted, err = t.desired(ctx, c)
	return err
}

// Create the capacity provider with CreateCapacityProvider.
func (t *thing) Create(ctx context.Context, c *v1beta1.CapacityProvider) (string, error) {
	name, s := nameOf(c), t.wanted.settings
	s.Tags = t.owner.Target(s.Tags, nil)
	_, err := t.api.CreateCapacityProvider(ctx, createInput(name, s))
	return name, errors.Wrapf(awserr.Clean(err), "cannot create %s", what(name))
}

// Update makes the call that is due.
func (t *thing) Update(ctx context.Context, c *v1beta1.CapacityProvider, f found, p flow.Plan) error {
	var err error
	if p.Call == opUpdate {
		_, err = t.api.UpdateCapacityProvider(ctx, updateInput(f.Name, t.comparison.target, p.Changes))
	} else {
		t.tags.Forget(c)
		err = tagging.Apply(ctx, t.api, ptr.Deref(f.Thing.provider.CapacityProviderArn, ""), t.comparison.target.Tags, t.comparison.have.Tags)
	}
	return errors.Wrapf(awserr.Clean(err), "cannot update %s (%s)", f.What, p.Call)
}

// Delete the capacity provider. AWS refuses it while functions use it, and takes a while
// over it.
func (t *thing) Delete(ctx context.Context, c *v1beta1.CapacityProvider, f found) error {
	if busy(f.Thing.provider.State) {
		managed.Abort(ctx, deletion)
		return nil
	}
	_, err := t.api.DeleteCapacityProvider(ctx, &lambda.DeleteCapacityProviderInput{CapacityProviderName: ptr.To(f.Name)})
	if err == nil || awserr.IsNotFound(err) {
		t.tags.Forget(c)
	}
	return errors.Wrapf(awserr.Clean(err), "cannot delete %s", f.What)
}

// Connection is what functions need to use the capacity provider.
func (t *thing) Connection(c *v1beta1.CapacityProvider) xpmanaged.ConnectionDetails {
	return xpmanaged.ConnectionDetails{"capacityProviderArn": []byte(ptr.Deref(c.Status.AtProvider.CapacityProviderArn, ""))}
}
