package codesigningconfig

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
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

// The AWS operations that this kind calls.
const (
	opGet    = "GetCodeSigningConfig"
	opList   = "ListCodeSigningConfigs"
	opTags   = "ListTags"
	opCreate = "CreateCodeSigningConfig"
	opUpdate = "UpdateCodeSigningConfig"
	opDelete = "DeleteCodeSigningConfig"
)

// calls are the operations by which this kind creates, updates and deletes. AWS gives the name.
var calls = reconcile.Calls{Create: opCreate, Update: opUpdate, Delete: opDelete, NameGiven: true}

// external is a code signing configuration in AWS. It lives for one reconcile.
type external struct {
	api    *lambda.Client
	fields refs.Getter
	tags   *readcache.TagCache
	cache  *readcache.Cache
	owner  tagging.Owner
}

type (
	awsResource = reconcile.Resource[*v1beta1.CodeSigningConfig, observed, settings]
	found       = reconcile.Observation[observed, settings]
	update      = reconcile.Update[settings]
)

// newExternal returns the code signing configuration as a reconcile.Resource.
func newExternal(e *external) awsResource {
	return awsResource{
		Calls: calls, Read: e.read, Owner: e.checkOwnership, Ready: e.ready, Desired: e.desired, Compare: e.compare,
		Plan: e.plan, Create: e.create, Update: e.update, Delete: e.delete, Details: e.details,
		Shown: func(c *v1beta1.CodeSigningConfig) bool { // Ready does not tell while it is changed.
			return ownership.IsNamed(c, ptr.Deref(c.Status.AtProvider.CodeSigningConfigArn, ""))
		},
		Status: func(c *v1beta1.CodeSigningConfig, o found) { c.Status.AtProvider = observation(o.Resource) },
	}
}

// read reads the configuration. Without an ARN, it searches for the result of an unanswered create.
func (e *external) read(ctx context.Context, f reconcile.Facts, c *v1beta1.CodeSigningConfig) (found, error) {
	if arn := reconcile.ExternalName(c); arn != "" {
		return e.get(ctx, c, arn)
	}
	arn, effects, err := e.lost(ctx, f, c)
	if err != nil || arn == "" {
		return found{Effects: effects}, err
	}
	o, err := e.get(ctx, c, arn)
	o.Effects = effects
	return o, err
}

// get reads a configuration with GetCodeSigningConfig, and its tags if their cached value is outdated.
func (e *external) get(ctx context.Context, c *v1beta1.CodeSigningConfig, arn string) (found, error) {
	if !isARN(arn) {
		return found{}, reconcile.Invalid(errors.Errorf("the external name %q is not the ARN of a code signing "+
			"configuration: correct the annotation %s", arn, meta.AnnotationKeyExternalName))
	}
	out, err := e.api.GetCodeSigningConfig(ctx, &lambda.GetCodeSigningConfigInput{CodeSigningConfigArn: ptr.To(arn)})
	if awserr.IsNotFound(err) {
		return found{Description: description(arn)}, nil
	}
	if err != nil {
		return found{}, errors.Wrapf(awserr.Sanitize(err), "cannot read %s", description(arn))
	}
	if out.CodeSigningConfig == nil {
		return found{}, errors.Errorf("cannot read %s: AWS's answer to %s contains no CodeSigningConfig",
			description(arn), opGet)
	}
	tags, err := tagging.Read(ctx, c, arn, e.tags, e.api)
	o := observed{config: out.CodeSigningConfig, tags: tags}
	return found{Resource: o, Settings: fromAWS(o), Exists: err == nil, Name: arn, Description: description(arn)}, err
}

func isARN(name string) bool { return strings.HasPrefix(name, "arn:") }

func description(arn string) string { return "code signing configuration " + arn }

// checkOwnership decides by the tags.
func (e *external) checkOwnership(
	ctx context.Context, f reconcile.Facts, c *v1beta1.CodeSigningConfig, o found,
) (ownership.Ownership, error) {
	return e.owner.CheckOwnership(ctx, f.Others, c, o.Resource.tags, ownership.IsNamed(c, o.Name), o.Description)
}

// ready returns Available for a configuration that exists.
func (e *external) ready(c *v1beta1.CodeSigningConfig, o found) xpv2.Condition {
	return tagging.Ready(c, o.Resource.tags, reconcile.Available(c.GetGeneration()))
}

// desired returns the settings of spec, with what it refers to resolved. A policy that is not set is AWS's default.
func (e *external) desired(
	ctx context.Context, c *v1beta1.CodeSigningConfig,
) (forProvider, initProvider settings, err error) {
	fp := c.Spec.ForProvider.CodeSigningConfigSettings
	if forProvider, err = e.settings(ctx, c.GetNamespace(), "spec.forProvider", fp); err != nil {
		return forProvider, initProvider, err
	}
	if c.Spec.InitProvider != nil {
		initProvider, err = e.settings(ctx, c.GetNamespace(), "spec.initProvider", *c.Spec.InitProvider)
	}
	if forProvider.CodeSigningPolicies == nil && initProvider.CodeSigningPolicies == nil {
		forProvider.CodeSigningPolicies = defaultPolicies()
	}
	forProvider.Tags = e.owner.Desired(c, forProvider.Tags, initProvider.Tags)
	return forProvider, initProvider, err
}

// compare compares spec with the configuration.
func (e *external) compare(
	_ context.Context, _ *v1beta1.CodeSigningConfig, d reconcile.Desired[settings], o found,
) (reconcile.Comparison[settings], error) {
	return compare(d, o.Settings, e.owner), nil
}

// plan returns the call that is due. Tags are changed first.
func (e *external) plan(
	_ context.Context, c *v1beta1.CodeSigningConfig, _ found, k reconcile.Comparison[settings],
) (reconcile.Plan, error) {
	p := reconcile.Plan{Changes: k.Changes}
	calls, err := tagging.Calls(c, e.tags, k.Target.Tags, k.Observed.Tags, k.Changes, k.Changes.But("tags"), opUpdate)
	return p.With(calls...), err
}

func (e *external) settings(
	ctx context.Context, namespace, at string, p v1beta1.CodeSigningConfigSettings,
) (s settings, err error) {
	p, err = refs.Resolve(ctx, e.fields, namespace, at, p)
	specToSettings.Copy(&s, &p)
	return s, err
}

// create creates the configuration. If the response lacks the ARN, it is found by its tags.
func (e *external) create(ctx context.Context, _ *v1beta1.CodeSigningConfig, s settings) (reconcile.Result, error) {
	s.Tags = e.owner.Target(s.Tags, nil)
	defer e.cache.Forget(listKey())
	out, err := e.api.CreateCodeSigningConfig(ctx, createInput(s), new(lambdaapi.AtMostOnce).Options)
	if err != nil {
		return reconcile.Result{}, errors.Wrap(awserr.Sanitize(err), "cannot create code signing configuration")
	}
	if created := out.CodeSigningConfig; created != nil && isARN(ptr.Deref(created.CodeSigningConfigArn, "")) {
		return reconcile.Result{Name: *created.CodeSigningConfigArn}, nil
	}
	return reconcile.Result{}, nil
}

// update makes the call that is due.
func (e *external) update(
	ctx context.Context, _ *v1beta1.CodeSigningConfig, o found, u update,
) (reconcile.Result, error) {
	var err error
	if u.Call == opUpdate {
		_, err = e.api.UpdateCodeSigningConfig(ctx, updateInput(o.Name, u.Target, u.Changes))
	} else {
		err = tagging.Apply(ctx, e.api, o.Name, u.Target.Tags, u.Observed.Tags)
	}
	return reconcile.Result{}, errors.Wrapf(awserr.Sanitize(err), "cannot update %s (%s)", o.Description, u.Call)
}

// delete deletes the configuration. AWS rejects the call while a function uses it.
func (e *external) delete(ctx context.Context, c *v1beta1.CodeSigningConfig, o found) (reconcile.Result, error) {
	in := &lambda.DeleteCodeSigningConfigInput{CodeSigningConfigArn: ptr.To(o.Name)}
	_, err := e.api.DeleteCodeSigningConfig(ctx, in)
	if err == nil || awserr.IsNotFound(err) {
		e.tags.Forget(c)
	}
	return reconcile.Result{}, errors.Wrapf(awserr.Sanitize(err), "cannot delete %s", o.Description)
}

// details returns what users of the configuration need.
func (e *external) details(c *v1beta1.CodeSigningConfig) managed.ConnectionDetails {
	arn := ptr.Deref(c.Status.AtProvider.CodeSigningConfigArn, "")
	return managed.ConnectionDetails{"codeSigningConfigArn": []byte(arn)}
}

// skew is by how much AWS's clock may be behind the provider's.
const skew = 10 * time.Minute

// lost returns the ARN of the configuration that this resource has created without
// recording the ARN, see tagging.Search. It is empty if there is none.
func (e *external) lost(
	ctx context.Context, f reconcile.Facts, c *v1beta1.CodeSigningConfig,
) (string, reconcile.Effects, error) {
	return tagging.Search{
		Facts: f, API: e.api, Cache: e.cache, Kind: "code signing configuration", Identifier: "ARN",
		InStatus: ptr.Deref(c.Status.AtProvider.CodeSigningConfigArn, ""),
		Tags: func(ctx context.Context, arn string) (map[string]string, error) {
			return e.tags.Read(ctx, c, arn, e.api)
		},
		List: e.candidates,
	}.FindLost(ctx, c)
}

// candidates returns the configurations that were not last changed before a create was
// recorded, or all of them if none was.
func (e *external) candidates(
	ctx context.Context, created time.Time, f readcache.Freshness,
) ([]tagging.Candidate, error) {
	all, err := readcache.Read(ctx, e.cache, listKey(), f, e.list)
	if err != nil {
		return nil, err
	}
	var out []tagging.Candidate
	for i := range all {
		at := lambdaapi.Modified(all[i].LastModified)
		earlier := !at.IsZero() && at.Before(created.Add(-skew))
		if arn := ptr.Deref(all[i].CodeSigningConfigArn, ""); isARN(arn) && !earlier {
			out = append(out, tagging.Candidate{Name: arn, ARN: arn, Likely: !created.IsZero()})
		}
	}
	return out, nil
}

// listKey returns the key of the list of all configurations in the read cache.
func listKey() readcache.Key { return readcache.Key{Operation: opList} }

// list reads all configurations with ListCodeSigningConfigs.
func (e *external) list(ctx context.Context) ([]types.CodeSigningConfig, error) {
	var all []types.CodeSigningConfig
	pages := lambda.NewListCodeSigningConfigsPaginator(e.api, &lambda.ListCodeSigningConfigsInput{})
	for page, err := range lambdaapi.Each(ctx, "code signing configurations", pages) {
		if err != nil {
			return nil, errors.Wrap(awserr.Sanitize(err),
				"cannot list code signing configurations to find one that this resource may have created")
		}
		all = append(all, page.CodeSigningConfigs...)
	}
	return all, nil
}
