package layerversion

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// find finds the content of the layer.
func (e *external) find(ctx context.Context, l *v1beta1.LayerVersion) (err error) {
	// A plan creates in memory also what only observes, whose spec may have no content.
	content := ptr.Deref(l.Spec.ForProvider.Content, v1beta1.LayerContent{})
	e.bundle, err = e.bundles.Find(ctx, l.GetNamespace(), source(content), l.Status.AtProvider.PublishedContent)
	return err
}

// prepareCreate reads the content, and finds out what the intent has to record.
func (e *external) prepareCreate(
	ctx context.Context, l *v1beta1.LayerVersion, s settings,
) (reconcile.Creation, error) {
	if err := e.facts.Reserve(opList, opPublish); err != nil {
		return reconcile.Creation{}, err
	}
	err := e.find(ctx, l)
	if err == nil {
		e.bundle, err = e.bundles.Load(ctx, e.bundle)
	}
	if err != nil {
		return reconcile.Creation{}, err
	}
	intent, err := e.toPublish(ctx, l, s)
	return reconcile.Creation{Intent: intent}, err
}

// toPublish returns the record of what is about to be published.
func (e *external) toPublish(ctx context.Context, l *v1beta1.LayerVersion, s settings) (reconcile.Record, error) {
	before, err := e.highest(ctx, layerName(l))
	if err != nil {
		return reconcile.Record{}, err
	}
	if v, err := versionOf(reconcile.ExternalName(l)); err == nil {
		before = max(before, v.number) // AWS does not list a version that was deleted.
	}
	i := newIntent(l, before, s, e.bundle)
	i.At = e.facts.Now().Unix()
	return reconcile.Record{
		Annotations: i.annotation(), Failure: "cannot record what is about to be published",
	}, nil
}

// publish publishes a version, and returns its ARN as the name.
func (e *external) publish(ctx context.Context, l *v1beta1.LayerVersion, s settings) (reconcile.Result, error) {
	if e.unlisted != nil {
		return reconcile.Result{}, e.unlisted
	}
	layer, storage := layerName(l), desired(l.Spec.ForProvider).StorageMode // That of s is of AWS if spec has none.
	u, err := e.bundles.Upload(ctx, e.bundle)
	if err != nil {
		return reconcile.Result{Annotate: reconcile.Record{Annotations: none()}}, err
	}
	out, err := e.api.PublishLayerVersion(
		ctx, publishInput(layer, s, u, storage), new(lambdaapi.AtMostOnce).Options,
	)
	if err != nil {
		res := reconcile.Result{}
		if awserr.IsRefused(err) && !awserr.IsThrottled(err) && !awserr.IsNotFound(err) {
			// If it cannot be written, the next observation finds that nothing was published. AWS publishes to any
			// layer, so that it is something else that does not find one.
			res.Annotate = reconcile.Record{Annotations: none()}
		}
		return res, errors.Wrapf(awserr.Sanitize(err), "cannot publish a version of layer %s", layer)
	}
	at := &l.Status.AtProvider
	if out.Content != nil {
		at.PublishedContent = e.bundle.Remember(out.Content.CodeSha256)
	}
	if out.Version > 0 { // The next observation may publish another version, and then not be able to write status.
		at.OldVersions, at.Version = oldVersions(*at, out.Version), ptr.To(out.Version)
	}
	return reconcile.Result{Name: ptr.Deref(arnOf(out.LayerVersionArn, out.LayerArn, out.Version), "")}, nil
}
