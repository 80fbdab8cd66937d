package codesigningconfig

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// external is a code signing configuration in AWS. It lives for one reconcile.
type external struct {
	api    lambdaAPI
	fields refs.Getter
	tags   *readcache.TagCache
	cache  *readcache.Cache
	owner  tagging.Owner
}

type (
	found  = reconcile.Observation[observed, settings]
	update = reconcile.Update[settings]
)

// The optional interfaces that this kind implements.
var (
	_ reconcile.OwnershipChecker[*v1beta1.CodeSigningConfig, observed, settings] = &external{}
	_ reconcile.ReadyConditioner[*v1beta1.CodeSigningConfig, observed, settings] = &external{}
	_ reconcile.Comparer[*v1beta1.CodeSigningConfig, observed, settings]         = &external{}
	_ reconcile.Planner[*v1beta1.CodeSigningConfig, observed, settings]          = &external{}
	_ reconcile.ConnectionDetailer[*v1beta1.CodeSigningConfig]                   = &external{}
)

// Read reads a configuration with GetCodeSigningConfig, and its tags if their cached value
// is outdated. Without an ARN, it searches for the result of an unanswered create.
func (e *external) Read(ctx context.Context, c *v1beta1.CodeSigningConfig) (found, error) {
	arn := reconcile.ExternalName(c)
	if arn == "" {
		var err error
		if arn, err = e.lost(ctx, c); err != nil || arn == "" {
			return found{}, err
		}
	}
	if !strings.HasPrefix(arn, "arn:") {
		return found{}, errors.Errorf("the external name %q is not the ARN of a code signing configuration: correct the annotation %s", arn, meta.AnnotationKeyExternalName)
	}
	out, err := e.api.GetCodeSigningConfig(ctx, &lambda.GetCodeSigningConfigInput{CodeSigningConfigArn: ptr.To(arn)})
	if awserr.IsNotFound(err) {
		return found{}, nil
	}
	if err != nil {
		return found{}, errors.Wrapf(awserr.Sanitize(err), "cannot read %s", description(arn))
	}
	if out.CodeSigningConfig == nil {
		return found{}, errors.Errorf("cannot read %s: AWS's answer to %s contains no CodeSigningConfig", description(arn), opGet)
	}
	tags, err := tagging.Read(ctx, c, arn, e.tags, e.api)
	o := observed{config: out.CodeSigningConfig, tags: tags}
	return found{Resource: o, Settings: fromAWS(o), Exists: err == nil, Name: arn, Description: description(arn)}, err
}

func description(arn string) string { return "code signing configuration " + arn }

// CheckOwnership decides by the tags.
func (e *external) CheckOwnership(ctx context.Context, c *v1beta1.CodeSigningConfig, o found) (ownership.Ownership, error) {
	return e.owner.CheckOwnership(ctx, reconcile.FactsFrom(ctx).Others, c, o.Resource.tags, ownership.IsNamed(c, o.Name), o.Description)
}

// SetStatus sets status.atProvider.
func (e *external) SetStatus(c *v1beta1.CodeSigningConfig, o found) {
	c.Status.AtProvider = observation(o.Resource)
}

// ReadyCondition returns Available for a configuration that exists.
func (e *external) ReadyCondition(c *v1beta1.CodeSigningConfig, o found) xpv2.Condition {
	return tagging.Ready(c, o.Resource.tags, reconcile.Available(c.GetGeneration()))
}

// Desired returns the settings of spec, with what it refers to resolved. A policy that is
// not set is AWS's default.
func (e *external) Desired(ctx context.Context, c *v1beta1.CodeSigningConfig) (forProvider, initProvider settings, err error) {
	if forProvider, err = e.settings(ctx, c.GetNamespace(), "spec.forProvider", c.Spec.ForProvider.CodeSigningConfigSettings); err != nil {
		return forProvider, initProvider, err
	}
	if c.Spec.InitProvider != nil {
		initProvider, err = e.settings(ctx, c.GetNamespace(), "spec.initProvider", *c.Spec.InitProvider)
	}
	if forProvider.CodeSigningPolicies == nil && initProvider.CodeSigningPolicies == nil {
		forProvider.CodeSigningPolicies = defaultPolicies()
	}
	forProvider.Tags = e.owner.Desired(c, forProvider.Tags)
	return forProvider, initProvider, err
}

// Compare compares spec with the configuration.
func (e *external) Compare(_ context.Context, _ *v1beta1.CodeSigningConfig, d reconcile.Desired[settings], o found) (reconcile.Comparison[settings], error) {
	return compare(d, o.Settings, e.owner), nil
}

// Plan returns the call that is due. Tags are changed first.
func (e *external) Plan(ctx context.Context, c *v1beta1.CodeSigningConfig, _ found, k reconcile.Comparison[settings]) (reconcile.Plan, error) {
	p := reconcile.Plan{Changes: k.Changes}
	steps, err := tagging.Steps(c, e.tags, k.Target.Tags, k.Observed.Tags, k.Changes, k.Changes.But("tags"), opUpdate)
	return p.With(steps...), err
}

func (e *external) settings(ctx context.Context, namespace, at string, p v1beta1.CodeSigningConfigSettings) (settings, error) {
	var arns []string
	var err error
	if a := p.AllowedPublishers; a != nil {
		arns, err = refs.All(ctx, e.fields, namespace, at+".allowedPublishers.signingProfileVersionArnsFrom", a.SigningProfileVersionArns, a.SigningProfileVersionArnsFrom)
	}
	return fromSpec(p, arns), err
}

// Create creates the configuration. If the response lacks the ARN, it is found by its
// tags.
func (e *external) Create(ctx context.Context, _ *v1beta1.CodeSigningConfig, s settings) (string, error) {
	s.Tags = e.owner.Target(s.Tags, nil)
	defer e.cache.Forget(listKey())
	out, err := e.api.CreateCodeSigningConfig(ctx, createInput(s), new(lambdaapi.AtMostOnce).Options)
	if err != nil {
		return "", errors.Wrap(awserr.Sanitize(err), "cannot create code signing configuration")
	}
	if out.CodeSigningConfig == nil {
		return "", nil
	}
	return ptr.Deref(out.CodeSigningConfig.CodeSigningConfigArn, ""), nil
}

// Update makes the call that is due.
func (e *external) Update(ctx context.Context, _ *v1beta1.CodeSigningConfig, o found, u update) error {
	var err error
	if u.Call == opUpdate {
		_, err = e.api.UpdateCodeSigningConfig(ctx, updateInput(o.Name, u.Target, u.Changes))
	} else {
		err = tagging.Apply(ctx, e.api, o.Name, u.Target.Tags, u.Observed.Tags)
	}
	return errors.Wrapf(awserr.Sanitize(err), "cannot update %s (%s)", o.Description, u.Call)
}

// Delete deletes the configuration. AWS rejects the call while a function uses it.
func (e *external) Delete(ctx context.Context, c *v1beta1.CodeSigningConfig, o found) error {
	_, err := e.api.DeleteCodeSigningConfig(ctx, &lambda.DeleteCodeSigningConfigInput{CodeSigningConfigArn: ptr.To(o.Name)})
	if err == nil || awserr.IsNotFound(err) {
		e.tags.Forget(c)
	}
	return errors.Wrapf(awserr.Sanitize(err), "cannot delete %s", o.Description)
}

// ConnectionDetails returns what users of the configuration need.
func (e *external) ConnectionDetails(c *v1beta1.CodeSigningConfig) managed.ConnectionDetails {
	return managed.ConnectionDetails{"codeSigningConfigArn": []byte(ptr.Deref(c.Status.AtProvider.CodeSigningConfigArn, ""))}
}
