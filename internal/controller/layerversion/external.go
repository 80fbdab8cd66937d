package layerversion

import (
	"cmp"
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// external is a layer in AWS. It lives for one reconcile.
type external struct {
	api     lambdaAPI
	bundles archive.Finder
	usages  *usages

	// lost is true if the version was published by a call without an answer. adopted is true if others published it.
	lost, adopted bool

	// bundle is the content to publish, and due is the old version to delete.
	bundle archive.Bundle
	due    int64
}

// A found without a Resource means that only old versions are left to delete.
type (
	found  = reconcile.Observation[*lambda.GetLayerVersionOutput, settings]
	update = reconcile.Update[settings]
)

// The optional interfaces of the shared client that this kind implements.
var (
	_ reconcile.OwnershipChecker[*v1beta1.LayerVersion, *lambda.GetLayerVersionOutput, settings] = &external{}
	_ reconcile.Comparer[*v1beta1.LayerVersion, *lambda.GetLayerVersionOutput, settings]         = &external{}
	_ reconcile.Planner[*v1beta1.LayerVersion, *lambda.GetLayerVersionOutput, settings]          = &external{}
	_ reconcile.CreationPreparer[*v1beta1.LayerVersion, settings]                                = &external{}
	_ reconcile.ConnectionDetailer[*v1beta1.LayerVersion]                                        = &external{}
)

// Read reads the version with GetLayerVersion. If a publication was not answered, it reads
// the newer versions to find its result.
func (e *external) Read(ctx context.Context, l *v1beta1.LayerVersion) (found, error) {
	arn := reconcile.ExternalName(l)
	if i, recorded := intentOf(l); recorded && !i.settled(arn) {
		o, searched, err := e.published(ctx, l, i)
		if err != nil || o != nil || !searched {
			return e.observationOf(l, o, ""), err
		}
		if wait := i.waits(reconcile.Freshness(ctx).Now); wait > 0 {
			reconcile.Abort(ctx, wait)
			return found{}, nil
		}
		if err := reconcile.RecordIntent(ctx, l, none()); err != nil {
			return found{}, errors.Wrap(err, "cannot record that nothing was published")
		}
	}
	if arn == "" {
		return found{}, nil
	}
	v, err := versionOf(arn)
	if err != nil {
		return found{}, err
	}
	if v.layer != layerName(l) && !reconcile.ObserveOnly(l) && !meta.WasDeleted(l) {
		return found{}, errors.Errorf("the external name is a version of layer %s, but spec.forProvider.layerName (or else metadata.name) is %s: set it to %s", v.layer, layerName(l), v.layer)
	}
	o, err := e.get(ctx, v)
	if awserr.IsNotFound(err) {
		left := meta.WasDeleted(l) && oldVersionsPolicy(l.Spec.ForProvider) == v1beta1.OldVersionsDelete && len(e.old(l, v.number)) > 0
		return found{Exists: left, Name: arn, Description: v.String()}, nil
	}
	if err != nil {
		return found{}, err
	}
	return e.observationOf(l, o, arn), nil
}

func (e *external) get(ctx context.Context, v version) (*lambda.GetLayerVersionOutput, error) {
	o, err := e.api.GetLayerVersion(ctx, &lambda.GetLayerVersionInput{LayerName: ptr.To(v.layer), VersionNumber: ptr.To(v.number)})
	if err != nil {
		return nil, errors.Wrapf(awserr.Sanitize(err), "cannot read %s", v)
	}
	o.Version = v.number // Some emulators omit it.
	o.LayerVersionArn = arnOf(o.LayerVersionArn, o.LayerArn, v.number)
	return o, nil
}

// observationOf returns the observation of a version, or an empty one if there is none. readBy is the
// ARN by which it was read, if it was.
func (e *external) observationOf(l *v1beta1.LayerVersion, o *lambda.GetLayerVersionOutput, readBy string) found {
	if o == nil {
		return found{}
	}
	v := version{layer: layerName(l), number: o.Version}
	return found{Resource: o, Settings: fromAWS(o), Exists: true, Name: cmp.Or(ptr.Deref(o.LayerVersionArn, ""), readBy), Description: v.String()}
}

// CheckOwnership checks ownership by the external name and the recorded intent, because a version has no tags.
func (e *external) CheckOwnership(ctx context.Context, l *v1beta1.LayerVersion, o found) (ownership.Ownership, error) {
	if e.lost {
		return ownership.Ours, nil
	}
	v := ownership.CheckUntaggedOwnership(l, o.Name, false)
	if !v.Manageable() {
		return v, reconcile.NewForeignUntaggedError(ctx, o.Description, o.Name)
	}
	e.adopted = v == ownership.Adopted
	return v, nil
}

// SetStatus sets status.atProvider.
func (e *external) SetStatus(l *v1beta1.LayerVersion, o found) {
	l.Status.AtProvider = observation(layerName(l), o.Resource, l.Status.AtProvider)
	if v, err := versionOf(o.Name); err == nil {
		l.Status.AtProvider.LayerName, l.Status.AtProvider.LayerVersionArn = ptr.To(v.layer), ptr.To(o.Name)
	}
	if e.adopted {
		l.Status.AtProvider.ImportedVersion = ptr.To(o.Resource.Version)
	}
}

// Desired returns the settings of spec, except for the content.
func (e *external) Desired(_ context.Context, l *v1beta1.LayerVersion) (forProvider, initProvider settings, err error) {
	return desired(l.Spec.ForProvider), settings{}, nil
}

// Compare compares spec, and the content that it refers to, with the version. Without
// content in spec, it compares nothing.
func (e *external) Compare(ctx context.Context, l *v1beta1.LayerVersion, d reconcile.Desired[settings], o found) (reconcile.Comparison[settings], error) {
	if l.Spec.ForProvider.Content == nil {
		return reconcile.Comparison[settings]{}, nil
	}
	if err := e.find(ctx, l); err != nil {
		return reconcile.Comparison[settings]{}, err
	}
	if err := e.identify(ctx, l); err != nil {
		return reconcile.Comparison[settings]{}, err
	}
	i, _ := intentOf(l)
	s := &l.Status.AtProvider
	c := compare(d, e.bundle, o.Resource, s.PublishedContent, i)
	if !reconcile.Allows(l, xpv2.ManagementActionUpdate) && e.bundle.Unidentified(s.PublishedContent) {
		c.Changes = c.Changes.But("content.source") // Whether it differs is unknown.
	}
	s.PublishedContent = e.bundle.RestoreIdentity(codeSHA256(o.Resource), s.PublishedContent)
	return c, nil
}

// Plan publishes a version if the one in AWS differs from spec. Otherwise it deletes
// versions that were replaced, one at a time.
func (e *external) Plan(ctx context.Context, l *v1beta1.LayerVersion, o found, c reconcile.Comparison[settings]) (reconcile.Plan, error) {
	switch {
	case len(c.Changes) > 0:
		reconcile.Reserve(ctx, opList)
		// AWS never changes a version, so the change comes from spec or the content's source.
		ready := reconcile.Updating(l.GetGeneration(), "publishing a new version: "+c.Changes.Names()+" changed")
		return reconcile.Plan{Ready: ready, Call: opPublish, Changes: c.Changes, Followed: c.Changes}, nil
	case reconcile.ObserveOnly(l):
		return reconcile.Plan{}, nil
	}
	return e.cleanUp(ctx, l, o)
}

// cleanUp plans the deletion of the oldest version that may be deleted.
func (e *external) cleanUp(ctx context.Context, l *v1beta1.LayerVersion, o found) (reconcile.Plan, error) {
	p := reconcile.Plan{Ready: reconcile.Available(l.GetGeneration())}
	old := e.old(l, o.Resource.Version)
	if len(old) == 0 {
		e.usages.forget(l)
		return p, nil
	}
	if oldVersionsPolicy(l.Spec.ForProvider) == v1beta1.OldVersionsDeleteUnused {
		free, u, err := e.unused(ctx, l, layerName(l), old)
		if err != nil || len(free) == 0 {
			p.Ready = p.Ready.WithMessage(u.message())
			return p, err
		}
		old = free
	}
	e.due = old[0]
	p.Call, p.Changes = opDelete, deletion(e.due)
	p.Followed = p.Changes
	return p, nil
}

// old returns the versions that the policy deletes, oldest first, whether or not functions use them.
func (e *external) old(l *v1beta1.LayerVersion, current int64) []int64 {
	if oldVersionsPolicy(l.Spec.ForProvider) == v1beta1.OldVersionsKeep || !reconcile.Allows(l, xpv2.ManagementActionDelete) {
		return nil
	}
	return oldVersions(l.Status.AtProvider, current)
}

// find reads the content of the layer.
func (e *external) find(ctx context.Context, l *v1beta1.LayerVersion) error {
	var err error
	e.bundle, err = e.bundles.Find(ctx, l.GetNamespace(), source(*l.Spec.ForProvider.Content), l.Status.AtProvider.PublishedContent)
	return err
}

// identify determines the hash of the content, so that importing a version with the same
// content does not publish another one.
func (e *external) identify(ctx context.Context, l *v1beta1.LayerVersion) error {
	var err error
	e.bundle, err = e.bundles.Identify(ctx, e.bundle, l.Status.AtProvider.PublishedContent)
	return err
}

// PrepareCreate reads the content.
func (e *external) PrepareCreate(ctx context.Context, l *v1beta1.LayerVersion, _ settings) error {
	reconcile.Reserve(ctx, opList)
	return e.find(ctx, l)
}

// Create publishes a version and returns its ARN.
func (e *external) Create(ctx context.Context, l *v1beta1.LayerVersion, s settings) (string, error) {
	return e.publish(ctx, l, s)
}

// publish records the intent, and then publishes a version.
func (e *external) publish(ctx context.Context, l *v1beta1.LayerVersion, s settings) (string, error) {
	layer := layerName(l)
	before, err := e.highest(ctx, layer)
	if err != nil {
		return "", err
	}
	i := newIntent(l, before, s, e.bundle)
	i.At = reconcile.Freshness(ctx).Now.Unix()
	if err := reconcile.RecordIntent(ctx, l, i.annotation()); err != nil {
		return "", errors.Wrap(err, "cannot record what is about to be published")
	}
	var storage *string
	if c := l.Spec.ForProvider.Content; c != nil {
		storage = c.S3ObjectStorageMode
	}
	out, err := e.api.PublishLayerVersion(ctx, publishInput(layer, s, e.bundle, storage), new(lambdaapi.AtMostOnce).Options)
	if awserr.IsRefused(err) && !awserr.IsThrottled(err) {
		_ = reconcile.Annotate(ctx, l, none()) // If this fails, the next observation finds that nothing was published.
	}
	if err != nil {
		return "", errors.Wrapf(awserr.Sanitize(err), "cannot publish a version of layer %s", layer)
	}
	if out.Content != nil {
		l.Status.AtProvider.PublishedContent = e.bundle.Remember(out.Content.CodeSha256)
	}
	return ptr.Deref(arnOf(out.LayerVersionArn, out.LayerArn, out.Version), ""), nil
}

// Update publishes a version, or deletes one that was replaced.
func (e *external) Update(ctx context.Context, l *v1beta1.LayerVersion, o found, u update) error {
	if u.Call == opDelete {
		v, err := versionOf(o.Name)
		if err != nil {
			return err
		}
		return e.deleteOld(ctx, l, v, e.due)
	}
	arn, err := e.publish(ctx, l, u.Target)
	if err != nil {
		return err
	}
	if arn == "" {
		return errors.Errorf("AWS's answer to %s lacks the version's ARN: the provider looks for the version by its contents", opPublish)
	}
	return errors.Wrap(reconcile.Annotate(ctx, l, reconcile.CreatedAgain(ctx, l, arn)), "cannot write the external name")
}

// deleteOld deletes a version that was replaced by the given one.
func (e *external) deleteOld(ctx context.Context, l *v1beta1.LayerVersion, by version, number int64) error {
	if err := e.delete(ctx, version{layer: by.layer, number: number}); err != nil {
		return err
	}
	s := &l.Status.AtProvider
	s.OldVersions = slices.DeleteFunc(oldVersions(*s, by.number), func(n int64) bool { return n == number })
	if s.Version != nil && *s.Version == number {
		s.Version = ptr.To(by.number)
	}
	reconcile.DeletedPart(ctx)
	return nil
}

func (e *external) delete(ctx context.Context, v version) error {
	_, err := e.api.DeleteLayerVersion(ctx, &lambda.DeleteLayerVersionInput{LayerName: ptr.To(v.layer), VersionNumber: ptr.To(v.number)})
	return errors.Wrapf(awserr.Sanitize(err), "cannot delete %s", v)
}

// Delete deletes the versions that were replaced and may be deleted, one at a time, and
// then the current one. AWS accepts the deletion of a version that is gone.
func (e *external) Delete(ctx context.Context, l *v1beta1.LayerVersion, o found) error {
	v, err := versionOf(o.Name)
	if err != nil {
		return err
	}
	old := e.old(l, v.number)
	if oldVersionsPolicy(l.Spec.ForProvider) == v1beta1.OldVersionsDeleteUnused && len(old) > 0 {
		var u usage
		if old, u, err = e.unused(ctx, l, v.layer, old); err != nil || !u.done {
			return err
		}
	}
	if len(old) > 0 {
		return e.deleteOld(ctx, l, v, old[0])
	}
	e.usages.forget(l)
	return e.delete(ctx, v)
}

// ConnectionDetails returns the ARNs of the layer and of the version.
func (e *external) ConnectionDetails(l *v1beta1.LayerVersion) managed.ConnectionDetails {
	s := l.Status.AtProvider
	return managed.ConnectionDetails{
		"layerArn":        []byte(ptr.Deref(s.LayerArn, "")),
		"layerVersionArn": []byte(ptr.Deref(s.LayerVersionArn, "")),
	}
}
