package layerversion

import (
	"cmp"
	"context"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// resource returns the layer as a reconcile.Resource.
func (e *external) resource() awsResource {
	return awsResource{
		Calls: calls, Read: e.read, Owner: e.owner, Status: e.status, Desired: e.desired, Compare: e.compare,
		Plan: e.plan, PrepareCreate: e.prepareCreate, Create: e.publish, Update: e.update, Delete: e.delete,
		Details: details,
	}
}

// read reads the version with GetLayerVersion. If a publication was not answered, it reads the newer versions to find
// its result.
func (e *external) read(ctx context.Context, f reconcile.Facts, l *v1beta1.LayerVersion) (found, error) {
	e.facts = f
	arn := reconcile.ExternalName(l)
	i, recorded := intentOf(l)
	if !recorded || i.completed(arn) {
		return e.named(ctx, l, arn)
	}
	o, err := e.published(ctx, l, i)
	if err != nil || o != nil {
		return e.observationOf(l, o, ""), err
	}
	if wait := i.waits(f.Now()); wait > 0 {
		return found{}, reconcile.WaitFor(wait)
	}
	named, err := e.named(ctx, l, arn)
	named.Annotate = reconcile.Record{Annotations: none(), Failure: "cannot record that nothing was published"}
	return named, err
}

// named reads the version with an ARN. It returns that nothing exists if the ARN is empty.
func (e *external) named(ctx context.Context, l *v1beta1.LayerVersion, arn string) (found, error) {
	if arn == "" {
		return found{}, nil
	}
	v, err := versionOf(arn)
	if err == nil && v.layer != layerName(l) && !reconcile.ObserveOnly(l) && !meta.WasDeleted(l) {
		err = errors.Errorf("the external name is a version of layer %s, but spec.forProvider.layerName (or else "+
			"metadata.name) is %s: set it to %s", v.layer, layerName(l), v.layer)
	}
	if err != nil {
		return found{}, reconcile.Invalid(err)
	}
	o, err := e.get(ctx, v)
	if awserr.IsNotFound(err) {
		gone := found{Name: arn, Description: v.String()}
		if meta.WasDeleted(l) && oldVersionsPolicy(l.Spec.ForProvider) == v1beta1.OldVersionsDelete {
			old, err := e.old(ctx, l, v)
			gone.Exists = len(old) > 0
			return gone, err
		}
		return gone, nil
	}
	if err != nil {
		return found{}, err
	}
	// The version was read by its layer's name and its number, which another account, region or service may have too.
	if is := cmp.Or(ptr.Deref(o.LayerVersionArn, ""), arn); is != arn {
		if meta.WasDeleted(l) {
			return found{}, nil
		}
		return found{}, reconcile.Invalid(errors.Errorf(
			"the external name is %s, but %s is %s in the account and region of this resource: correct the "+
				"annotation %s", arn, v, is, meta.AnnotationKeyExternalName,
		))
	}
	return e.observationOf(l, o, arn), nil
}

// desired returns the settings of spec, except for the content.
func (e *external) desired(_ context.Context, l *v1beta1.LayerVersion) (forProvider, initProvider settings, err error) {
	return desired(l.Spec.ForProvider), settings{}, nil
}

// compare compares spec, and the content that it refers to, with the version. Without content in spec, it compares
// nothing.
func (e *external) compare(
	ctx context.Context, l *v1beta1.LayerVersion, d reconcile.Desired[settings], o found,
) (reconcile.Comparison[settings], error) {
	e.preview = d.Preview
	if l.Spec.ForProvider.Content == nil {
		return reconcile.Comparison[settings]{}, nil
	}
	s := &l.Status.AtProvider
	err := e.find(ctx, l)
	if err == nil { // With its hash, importing a version with the same content does not publish another one.
		e.bundle, err = e.bundles.Identify(ctx, e.bundle, s.PublishedContent)
	}
	if err != nil {
		return reconcile.Comparison[settings]{}, err
	}
	i, _ := intentOf(l)
	c := compare(d, e.bundle, o.Resource, s.PublishedContent, i)
	mayUpdate := reconcile.Allows(l, xpv2.ManagementActionUpdate)
	if mayUpdate && !d.Preview && len(c.Changes) > 0 {
		if e.bundle, err = e.bundles.Load(ctx, e.bundle); err != nil {
			return c, err
		}
		// The same content may be that of an earlier artifact.
		c = compare(d, e.bundle, o.Resource, s.PublishedContent, i)
	}
	if !mayUpdate && e.bundle.Unidentified(s.PublishedContent) {
		c.Changes = c.Changes.But("content.source", "content.revision") // Whether it differs is unknown.
	}
	s.PublishedContent = e.bundle.RestoreIdentity(codeSHA256(o.Resource), s.PublishedContent)
	if !mayUpdate || d.Preview || len(c.Changes) > 0 {
		return c, nil
	}
	s.PublishedContent, err = e.bundles.Recheck(ctx, e.bundle, s.PublishedContent)
	return c, err
}

// plan publishes a version if the one in AWS differs from spec. Otherwise it deletes versions that were replaced, one
// at a time.
func (e *external) plan(
	ctx context.Context, l *v1beta1.LayerVersion, o found, c reconcile.Comparison[settings],
) (reconcile.Plan, error) {
	switch {
	case len(c.Changes) > 0:
		return e.publication(ctx, l, c)
	case reconcile.ObserveOnly(l):
		return reconcile.Plan{}, nil
	}
	return e.cleanUp(ctx, l, o)
}

// publication plans the publication of a version. If the call is due, it finds out what the intent has to record; if
// that fails, the call returns the error.
func (e *external) publication(
	ctx context.Context, l *v1beta1.LayerVersion, c reconcile.Comparison[settings],
) (reconcile.Plan, error) {
	// AWS never changes a version, so the change comes from spec or the content's source.
	p := reconcile.Plan{
		Ready:       reconcile.Updating(l.GetGeneration(), "publishing a new version: "+c.Changes.Names()+" changed"),
		PlannedCall: reconcile.PlannedCall{Call: opPublish}, Changes: c.Changes, Followed: c.Changes,
	}
	if !e.recorded && !e.preview {
		// The version is deleted later only if status has it, which was not written when it was published.
		return p.AfterStatus(), nil
	}
	due, _, _ := e.facts.Due(reconcile.PlannedCall{Call: opPublish, Applies: c.Changes})
	if e.preview || len(due) == 0 || !reconcile.Allows(l, xpv2.ManagementActionUpdate) {
		return p, nil
	}
	if err := e.facts.Reserve(opList, opPublish); err != nil {
		return p, err
	}
	if p.Intent, e.unlisted = e.toPublish(ctx, l, c.Target); awserr.IsThrottled(e.unlisted) {
		return p, e.unlisted // The call would wait for the quota, and not return it.
	}
	return p, nil
}

// update publishes a version, or deletes one that was replaced.
func (e *external) update(ctx context.Context, l *v1beta1.LayerVersion, o found, u update) (reconcile.Result, error) {
	if u.Call == opDelete {
		v, err := versionOf(o.Name)
		if err != nil {
			return reconcile.Result{}, err
		}
		return e.deleteOld(ctx, l, v, e.due)
	}
	res, err := e.publish(ctx, l, u.Target)
	if err == nil && res.Name == "" {
		return res, errors.Errorf(
			"AWS's answer to %s lacks the version's ARN: the provider looks for the version by its contents", opPublish,
		)
	}
	return res, err
}

// delete deletes the versions that were replaced and may be deleted, one at a time, and then the current one. AWS
// accepts the deletion of a version that is gone.
func (e *external) delete(ctx context.Context, l *v1beta1.LayerVersion, o found) (reconcile.Result, error) {
	v, err := versionOf(o.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	old, err := e.old(ctx, l, v)
	if err != nil {
		return reconcile.Result{}, err
	}
	if oldVersionsPolicy(l.Spec.ForProvider) == v1beta1.OldVersionsDeleteUnused && len(old) > 0 {
		if old, _, err = e.unused(ctx, l, v.layer, old); err != nil {
			return reconcile.Result{}, err
		}
	}
	if len(old) > 0 {
		return e.deleteOld(ctx, l, v, old[0])
	}
	e.usages.drop(l.GetUID())
	return reconcile.Result{}, e.deleteVersion(ctx, v)
}
