package layerversion

import (
	"cmp"
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/answer"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/once"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/bundle"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

// thing is how this kind sees its layer in AWS. It lives for one reconcile.
type thing struct {
	api     lambdaAPI
	bundles bundle.Finder
	usages  *usages

	// lost says that what was found is of a publication whose answer was lost, adopted
	// that it is a version that others have published.
	lost, adopted bool

	// target and bundle are what Prepare or Plan found, for the publication that follows,
	// and due the old version that Plan found is to be deleted.
	target settings
	bundle bundle.Bundle
	due    int64
}

// found has no version where only old ones are left of a resource that is being deleted.
type found = flow.Found[*lambda.GetLayerVersionOutput]

// Read the version with GetLayerVersion. Where a publication was not answered, the
// versions that are newer are looked at.
func (t *thing) Read(ctx context.Context, l *v1beta1.LayerVersion) (found, error) {
	arn := flow.Name(l)
	if i, noted := intentOf(l); noted && !i.settled(arn) {
		o, looked, err := t.published(ctx, l, i)
		if err != nil || o != nil || !looked {
			return t.seen(l, o, ""), err
		}
		if wait := i.waits(managed.Freshness(ctx).Now); wait > 0 {
			managed.Abort(ctx, wait)
			return found{}, nil
		}
		if err := managed.RecordIntent(ctx, l, none()); err != nil {
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
	if v.layer != layerName(l) && !flow.ObserveOnly(l) && !meta.WasDeleted(l) {
		return found{}, errors.Errorf("the external name is a version of layer %s, but spec.forProvider.layerName (or else metadata.name) is %s: set it to %s", v.layer, layerName(l), v.layer)
	}
	o, err := t.get(ctx, v)
	if awserr.IsNotFound(err) {
		left := meta.WasDeleted(l) && fate(l.Spec.ForProvider) == v1beta1.OldVersionsDelete && len(t.old(l, v.number)) > 0
		return found{Exists: left, Name: arn, What: v.String()}, nil
	}
	if err != nil {
		return found{}, err
	}
	return t.seen(l, o, arn), nil
}

func (t *thing) get(ctx context.Context, v version) (*lambda.GetLayerVersionOutput, error) {
	o, err := t.api.GetLayerVersion(ctx, &lambda.GetLayerVersionInput{LayerName: ptr.To(v.layer), VersionNumber: ptr.To(v.number)})
	if err != nil {
		return nil, errors.Wrapf(awserr.Clean(err), "cannot read %s", v)
	}
	o.Version = v.number // Some emulators leave it out.
	o.LayerVersionArn = arnOf(o.LayerVersionArn, o.LayerArn, v.number)
	return o, nil
}

// seen is what was found of a version, nil if there is none. asked is its ARN, where it
// was looked up by that.
func (t *thing) seen(l *v1beta1.LayerVersion, o *lambda.GetLayerVersionOutput, asked string) found {
	if o == nil {
		return found{}
	}
	v := version{layer: layerName(l), number: o.Version}
	return found{Thing: o, Exists: true, Name: cmp.Or(ptr.Deref(o.LayerVersionArn, ""), asked), What: v.String()}
}

// published is the version that an intent has led to, nil if there is none. It tells
// whether quota let it look.
func (t *thing) published(ctx context.Context, l *v1beta1.LayerVersion, i intent) (found *lambda.GetLayerVersionOutput, looked bool, err error) {
	numbers, err := t.newer(ctx, layerName(l), i.Before)
	if err != nil {
		return nil, false, err
	}
	if len(numbers) > 0 && !managed.Reserve(ctx, slices.Repeat([]string{opGet}, len(numbers))...) {
		return nil, false, nil
	}
	for _, n := range numbers {
		o, err := t.get(ctx, version{layer: layerName(l), number: n})
		if err != nil && !awserr.IsNotFound(err) {
			return nil, false, err
		}
		if err == nil && i.fits(o) {
			t.lost = true
			if i.Name != "" {
				l.Status.AtProvider.PublishedContent = &v1beta1.DeployedCode{Source: i.Name, CodeSHA256: codeSHA256(o)}
			}
			return o, true, nil
		}
	}
	return nil, true, nil
}

// newer are the versions of a layer above a number, the lowest first. AWS lists the
// highest first.
func (t *thing) newer(ctx context.Context, layer string, than int64) ([]int64, error) {
	var numbers []int64
	pages := lambda.NewListLayerVersionsPaginator(t.api, &lambda.ListLayerVersionsInput{LayerName: ptr.To(layer)})
	var read answer.Pages
	for pages.HasMorePages() {
		if err := read.Next("layer versions"); err != nil {
			return nil, err
		}
		page, err := pages.NextPage(ctx)
		if awserr.IsNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, errors.Wrapf(awserr.Clean(err), "cannot list the versions of layer %s", layer)
		}
		above := 0
		for i := range page.LayerVersions {
			if n := page.LayerVersions[i].Version; n > than {
				numbers = append(numbers, n)
				above++
			}
		}
		if above < len(page.LayerVersions) {
			break
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// highest number of a layer's versions, 0 if it has none.
func (t *thing) highest(ctx context.Context, layer string) (int64, error) {
	page, err := t.api.ListLayerVersions(ctx, &lambda.ListLayerVersionsInput{LayerName: ptr.To(layer)})
	if awserr.IsNotFound(err) || err == nil && len(page.LayerVersions) == 0 {
		return 0, nil
	}
	if err != nil {
		return 0, errors.Wrapf(awserr.Clean(err), "cannot list the versions of layer %s", layer)
	}
	var numbers []int64
	for i := range page.LayerVersions {
		numbers = append(numbers, page.LayerVersions[i].Version)
	}
	return slices.Max(numbers), nil
}

// Judge by the name, since a version has no tags, or by what was about to be published.
func (t *thing) Judge(ctx context.Context, l *v1beta1.LayerVersion, f found) (ownership.Verdict, error) {
	if t.lost {
		return ownership.Ours, nil
	}
	v := ownership.JudgeUntagged(l, f.Name, false)
	if !v.Manageable() {
		return v, managed.NewForeignUntaggedError(ctx, f.What, f.Name)
	}
	t.adopted = v == ownership.Adopted
	return v, nil
}

// Show the version in status.
func (t *thing) Show(l *v1beta1.LayerVersion, f found) {
	l.Status.AtProvider = status(layerName(l), f.Thing, l.Status.AtProvider)
	if v, err := versionOf(f.Name); err == nil {
		l.Status.AtProvider.LayerName, l.Status.AtProvider.LayerVersionArn = ptr.To(v.layer), ptr.To(f.Name)
	}
	if t.adopted {
		l.Status.AtProvider.ImportedVersion = ptr.To(f.Thing.Version)
	}
}

// State is that a version which is there can be used.
func (t *thing) State(l *v1beta1.LayerVersion, _ found) xpv2.Condition {
	return condition.Available(l.GetGeneration())
}

// Plan compares the version with spec. Once they are the same, versions that were
// replaced are deleted, one at a time.
func (t *thing) Plan(ctx context.Context, l *v1beta1.LayerVersion, f found) (flow.Plan, error) {
	if l.Spec.ForProvider.Content != nil {
		if err := t.find(ctx, l); err != nil {
			return flow.Plan{}, err
		}
		if err := t.identify(ctx, l); err != nil {
			return flow.Plan{}, err
		}
		i, _ := intentOf(l)
		s := &l.Status.AtProvider
		target, changes := compare(l.Spec.ForProvider, t.bundle, f.Thing, s.PublishedContent, i)
		if !flow.Allows(l, xpv2.ManagementActionUpdate) && t.bundle.Unidentified(s.PublishedContent) {
			changes = changes.But("content.source") // Nobody knows whether it differs.
		}
		s.PublishedContent = t.bundle.RestoreIdentity(codeSHA256(f.Thing), s.PublishedContent)
		if len(changes) > 0 {
			t.target = target
			managed.Reserve(ctx, opList)
			// AWS never changes a version, so the content's source did.
			return flow.Plan{Call: opPublish, Changes: changes, Followed: changes, Ready: condition.Updating(l.GetGeneration(), changes.String())}, nil
		}
	}
	if flow.ObserveOnly(l) {
		return flow.Plan{Ready: t.State(l, f)}, nil
	}
	return t.cleanUp(ctx, l, f)
}

// cleanUp plans the deletion of the oldest version that may go.
func (t *thing) cleanUp(ctx context.Context, l *v1beta1.LayerVersion, f found) (flow.Plan, error) {
	p := flow.Plan{Ready: condition.Available(l.GetGeneration())}
	old := t.old(l, f.Thing.Version)
	if len(old) == 0 {
		t.usages.forget(l)
		return p, nil
	}
	if fate(l.Spec.ForProvider) == v1beta1.OldVersionsDeleteUnused {
		free, u, err := t.unused(ctx, l, layerName(l), old)
		if err != nil || len(free) == 0 {
			p.Ready = p.Ready.WithMessage(u.message())
			return p, err
		}
		old = free
	}
	t.due = old[0]
	p.Call, p.Changes = opDelete, deletion(t.due)
	p.Followed = p.Changes
	return p, nil
}

// old are the versions to delete, if no function uses them where that matters, oldest
// first.
func (t *thing) old(l *v1beta1.LayerVersion, current int64) []int64 {
	if fate(l.Spec.ForProvider) == v1beta1.OldVersionsKeep || !flow.Allows(l, xpv2.ManagementActionDelete) {
		return nil
	}
	return oldVersions(l.Status.AtProvider, current)
}

// find the content of the layer.
func (t *thing) find(ctx context.Context, l *v1beta1.LayerVersion) error {
	var err error
	t.bundle, err = t.bundles.Find(ctx, l.GetNamespace(), source(*l.Spec.ForProvider.Content), l.Status.AtProvider.PublishedContent)
	return err
}

// identify the content, so that importing a version of the same content publishes none.
func (t *thing) identify(ctx context.Context, l *v1beta1.LayerVersion) error {
	var err error
	t.bundle, err = t.bundles.Identify(ctx, t.bundle, l.Status.AtProvider.PublishedContent)
	return err
}

// Prepare finds the content.
func (t *thing) Prepare(ctx context.Context, l *v1beta1.LayerVersion) error {
	t.target = fromSpec(l.Spec.ForProvider)
	managed.Reserve(ctx, opList)
	return t.find(ctx, l)
}

// Create publishes a version.
func (t *thing) Create(ctx context.Context, l *v1beta1.LayerVersion) (string, error) {
	return t.publish(ctx, l)
}

// publish a version, after a note of what is about to be published.
func (t *thing) publish(ctx context.Context, l *v1beta1.LayerVersion) (string, error) {
	layer := layerName(l)
	before, err := t.highest(ctx, layer)
	if err != nil {
		return "", err
	}
	i := newIntent(l, before, t.target, t.bundle)
	i.At = managed.Freshness(ctx).Now.Unix()
	if err := managed.RecordIntent(ctx, l, i.annotation()); err != nil {
		return "", errors.Wrap(err, "cannot record what is about to be published")
	}
	var storage *string
	if c := l.Spec.ForProvider.Content; c != nil {
		storage = c.S3ObjectStorageMode
	}
	out, err := t.api.PublishLayerVersion(ctx, publishInput(layer, t.target, t.bundle, storage), new(once.Call).Options)
	if awserr.IsRefused(err) && !awserr.IsThrottled(err) {
		_ = managed.Annotate(ctx, l, none()) // Else the next look finds that nothing came of it.
	}
	if err != nil {
		return "", errors.Wrapf(awserr.Clean(err), "cannot publish a version of layer %s", layer)
	}
	if out.Content != nil {
		l.Status.AtProvider.PublishedContent = t.bundle.Remember(out.Content.CodeSha256)
	}
	return ptr.Deref(arnOf(out.LayerVersionArn, out.LayerArn, out.Version), ""), nil
}

// Update publishes a version, or deletes one that was replaced.
func (t *thing) Update(ctx context.Context, l *v1beta1.LayerVersion, f found, p flow.Plan) error {
	if p.Call == opDelete {
		v, err := versionOf(f.Name)
		if err != nil {
			return err
		}
		return t.deleteOld(ctx, l, v, t.due)
	}
	arn, err := t.publish(ctx, l)
	if err != nil {
		return err
	}
	if arn == "" {
		return errors.Errorf("AWS's answer to %s lacks the version's ARN: the provider looks for the version by its contents", opPublish)
	}
	return errors.Wrap(managed.Annotate(ctx, l, flow.CreatedAgain(ctx, l, arn)), "cannot write the external name")
}

// deleteOld deletes a version that was replaced by the given one.
func (t *thing) deleteOld(ctx context.Context, l *v1beta1.LayerVersion, by version, number int64) error {
	if err := t.delete(ctx, version{layer: by.layer, number: number}); err != nil {
		return err
	}
	s := &l.Status.AtProvider
	s.OldVersions = slices.DeleteFunc(oldVersions(*s, by.number), func(n int64) bool { return n == number })
	if s.Version != nil && *s.Version == number {
		s.Version = ptr.To(by.number)
	}
	flow.DeletedPart(ctx)
	return nil
}

func (t *thing) delete(ctx context.Context, v version) error {
	_, err := t.api.DeleteLayerVersion(ctx, &lambda.DeleteLayerVersionInput{LayerName: ptr.To(v.layer), VersionNumber: ptr.To(v.number)})
	return errors.Wrapf(awserr.Clean(err), "cannot delete %s", v)
}

// Delete the versions that were replaced and may go, one at a time, and then this one. AWS
// does not mind one that is gone.
func (t *thing) Delete(ctx context.Context, l *v1beta1.LayerVersion, f found) error {
	v, err := versionOf(f.Name)
	if err != nil {
		return err
	}
	old := t.old(l, v.number)
	if fate(l.Spec.ForProvider) == v1beta1.OldVersionsDeleteUnused && len(old) > 0 {
		var u usage
		if old, u, err = t.unused(ctx, l, v.layer, old); err != nil || !u.done {
			return err
		}
	}
	if len(old) > 0 {
		return t.deleteOld(ctx, l, v, old[0])
	}
	t.usages.forget(l)
	return t.delete(ctx, v)
}

// Connection is what functions need to use the layer.
func (t *thing) Connection(l *v1beta1.LayerVersion) xpmanaged.ConnectionDetails {
	s := l.Status.AtProvider
	return xpmanaged.ConnectionDetails{
		"layerArn":        []byte(ptr.Deref(s.LayerArn, "")),
		"layerVersionArn": []byte(ptr.Deref(s.LayerVersionArn, "")),
	}
}
