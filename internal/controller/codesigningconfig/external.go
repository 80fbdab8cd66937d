package codesigningconfig

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/once"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/tagmemory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/fields"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
)

// thing is how this kind sees its configuration in AWS. It lives for one reconcile.
type thing struct {
	api    lambdaAPI
	fields fields.Getter
	tags   *tagmemory.TagCache
	cache  *inventory.Cache
	owner  tagging.Owner

	// wanted and comparison are what Prepare and Plan found, for the call that follows.
	wanted     desired
	comparison comparison
}

type found = flow.Found[observed]

// Read a configuration with GetCodeSigningConfig, and its tags where they are due.
// Without an ARN, a create whose answer was lost may have left one.
func (t *thing) Read(ctx context.Context, c *v1beta1.CodeSigningConfig) (found, error) {
	arn := flow.Name(c)
	if arn == "" {
		var err error
		if arn, err = t.lost(ctx, c); err != nil || arn == "" {
			return found{}, err
		}
	}
	if !strings.HasPrefix(arn, "arn:") {
		return found{}, errors.Errorf("the external name %q is not the ARN of a code signing configuration: correct the annotation %s", arn, meta.AnnotationKeyExternalName)
	}
	out, err := t.api.GetCodeSigningConfig(ctx, &lambda.GetCodeSigningConfigInput{CodeSigningConfigArn: ptr.To(arn)})
	if awserr.IsNotFound(err) {
		return found{}, nil
	}
	if err != nil {
		return found{}, errors.Wrapf(awserr.Clean(err), "cannot read %s", what(arn))
	}
	if out.CodeSigningConfig == nil {
		return found{}, errors.Errorf("cannot read %s: AWS's answer to %s contains no CodeSigningConfig", what(arn), opGet)
	}
	o := observed{config: out.CodeSigningConfig}
	if flow.ObserveOnly(c) {
		o.tags, err = t.tags.Show(ctx, c, arn, t.api)
	} else {
		o.tags, err = t.tags.Read(ctx, c, arn, t.api)
	}
	return found{Thing: o, Exists: err == nil, Name: arn, What: what(arn)}, err
}

func what(arn string) string { return "code signing configuration " + arn }

// Judge whose a configuration is, by its tags.
func (t *thing) Judge(ctx context.Context, c *v1beta1.CodeSigningConfig, f found) (ownership.Verdict, error) {
	named := meta.GetExternalName(c) == f.Name && (ownership.UserSetName(c) || ownership.WroteName(c))
	return t.owner.Judge(ctx, c, f.Thing.tags, named, f.What)
}

// Show what was found in status.atProvider.
func (t *thing) Show(c *v1beta1.CodeSigningConfig, f found) {
	c.Status.AtProvider = status(f.Thing)
}

// State is that a configuration which is there is in force.
func (t *thing) State(c *v1beta1.CodeSigningConfig, f found) xpv2.Condition {
	if f.Thing.tags == nil && !flow.ObserveOnly(c) {
		return condition.Available(c.GetGeneration()).WithMessage(tagging.Untold)
	}
	return condition.Available(c.GetGeneration())
}

// Plan compares spec with what was found.
func (t *thing) Plan(ctx context.Context, c *v1beta1.CodeSigningConfig, f found) (flow.Plan, error) {
	d, err := t.desired(ctx, c)
	if err != nil {
		return flow.Plan{}, err
	}
	t.comparison = compare(d, f.Thing, t.owner)
	call, changes := t.comparison.due()
	if call == "" {
		return flow.Plan{Ready: t.State(c, f)}, nil
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
func (t *thing) desired(ctx context.Context, c *v1beta1.CodeSigningConfig) (desired, error) {
	forProvider, err := t.settings(ctx, c.GetNamespace(), "spec.forProvider", c.Spec.ForProvider.CodeSigningConfigSettings)
	if err != nil {
		return desired{}, err
	}
	initProvider := settings{}
	if c.Spec.InitProvider != nil {
		if initProvider, err = t.settings(ctx, c.GetNamespace(), "spec.initProvider", *c.Spec.InitProvider); err != nil {
			return desired{}, err
		}
	}
	forProvider.Tags = t.owner.Desired(c, forProvider.Tags)
	return want(forProvider, initProvider), nil
}

func (t *thing) settings(ctx context.Context, namespace, at string, p v1beta1.CodeSigningConfigSettings) (settings, error) {
	var arns []string
	var err error
	if a := p.AllowedPublishers; a != nil {
		arns, err = fields.All(ctx, t.fields, namespace, at+".allowedPublishers.signingProfileVersionArnsFrom", a.SigningProfileVersionArns, a.SigningProfileVersionArnsFrom)
	}
	return fromSpec(p, arns), err
}

// Prepare works out what to create.
func (t *thing) Prepare(ctx context.Context, c *v1beta1.CodeSigningConfig) error {
	var err error
	t.wanted, err = t.desired(ctx, c)
	return err
}

// Create the configuration with CreateCodeSigningConfig. Where the answer lacks the ARN,
// it is found by its tags.
func (t *thing) Create(ctx context.Context, _ *v1beta1.CodeSigningConfig) (string, error) {
	s := t.wanted.settings
	s.Tags = t.owner.Target(s.Tags, nil)
	defer t.cache.Forget(listKey())
	out, err := t.api.CreateCodeSigningConfig(ctx, createInput(s), new(once.Call).Options)
	if err != nil {
		return "", errors.Wrap(awserr.Clean(err), "cannot create code signing configuration")
	}
	if out.CodeSigningConfig == nil {
		return "", nil
	}
	return ptr.Deref(out.CodeSigningConfig.CodeSigningConfigArn, ""), nil
}

// Update makes the call that is due.
func (t *thing) Update(ctx context.Context, _ *v1beta1.CodeSigningConfig, f found, p flow.Plan) error {
	var err error
	if p.Call == opUpdate {
		_, err = t.api.UpdateCodeSigningConfig(ctx, updateInput(f.Name, t.comparison.target, p.Changes))
	} else {
		err = tagging.Apply(ctx, t.api, f.Name, t.comparison.target.Tags, t.comparison.have.Tags)
	}
	return errors.Wrapf(awserr.Clean(err), "cannot update %s (%s)", f.What, p.Call)
}

// Delete the configuration. AWS refuses it while a function uses it.
func (t *thing) Delete(ctx context.Context, c *v1beta1.CodeSigningConfig, f found) error {
	_, err := t.api.DeleteCodeSigningConfig(ctx, &lambda.DeleteCodeSigningConfigInput{CodeSigningConfigArn: ptr.To(f.Name)})
	if err == nil || awserr.IsNotFound(err) {
		t.tags.Forget(c)
	}
	return errors.Wrapf(awserr.Clean(err), "cannot delete %s", f.What)
}

// Connection is what those who use the configuration need to know.
func (t *thing) Connection(c *v1beta1.CodeSigningConfig) xpmanaged.ConnectionDetails {
	return xpmanaged.ConnectionDetails{"codeSigningConfigArn": []byte(ptr.Deref(c.Status.AtProvider.CodeSigningConfigArn, ""))}
}
