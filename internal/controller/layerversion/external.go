package layerversion

import (
	"cmp"
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// The AWS operations that this kind calls, by the names that the quota package uses.
const (
	opGet     = "GetLayerVersion"
	opList    = "ListLayerVersions"
	opPublish = "PublishLayerVersion"
	opDelete  = "DeleteLayerVersion"

	opFunctions = "ListFunctions"
)

// calls names the operations that create, update and delete a version. AWS assigns the name.
var calls = reconcile.Calls{Create: opPublish, Update: opPublish, Delete: opDelete, NameGiven: true}

// external is a layer in AWS. It lives for one reconcile.
type external struct {
	api     *lambda.Client
	bundles archive.Finder
	usages  *usages

	// facts are the facts of the reconcile.
	facts reconcile.Facts

	// lost is true if the version was published by a call without an answer. adopted is true if others published it.
	lost, adopted bool

	// recorded is true if status had the version before this reconcile.
	recorded bool

	// preview is true if the comparison is only displayed.
	preview bool

	// bundle is the content to publish, unlisted is why the versions before it are not known, and due is the old
	// version to delete.
	bundle   archive.Bundle
	unlisted error
	due      int64
}

type awsResource = reconcile.Resource[*v1beta1.LayerVersion, *lambda.GetLayerVersionOutput, settings]

// A found without a Resource means that only old versions are left to delete.
type (
	found  = reconcile.Observation[*lambda.GetLayerVersionOutput, settings]
	update = reconcile.Update[settings]
)

func (e *external) get(ctx context.Context, v version) (*lambda.GetLayerVersionOutput, error) {
	o, err := e.api.GetLayerVersion(ctx, &lambda.GetLayerVersionInput{
		LayerName: ptr.To(v.layer), VersionNumber: ptr.To(v.number),
	})
	if err != nil {
		return nil, errors.Wrapf(awserr.Sanitize(err), "cannot read %s", v)
	}
	o.Version = v.number // Some emulators omit it.
	o.LayerVersionArn = arnOf(o.LayerVersionArn, o.LayerArn, v.number)
	return o, nil
}

// mayOwn reports whether no other LayerVersion owns a version of a layer, or may just have published it.
func (e *external) mayOwn(ctx context.Context, layer string, number int64) (bool, error) {
	err := e.facts.Others.MayOwn(ctx, tenancy.Target{
		Kind: v1beta1.LayerVersionKind, Name: fmt.Sprintf("%s:%d", layer, number),
	})
	return err == nil, resource.Ignore(tenancy.IsRefused, err)
}

// observationOf returns the observation of a version, or an empty one if there is none. readBy is the
// ARN by which it was read, if it was. It restores the content in status if the intent led to the version.
func (e *external) observationOf(l *v1beta1.LayerVersion, o *lambda.GetLayerVersionOutput, readBy string) found {
	if o == nil {
		return found{}
	}
	arn, s := cmp.Or(ptr.Deref(o.LayerVersionArn, ""), readBy), &l.Status.AtProvider
	if i, _ := intentOf(l); i.Name != "" && i.ledTo(o.Version) && ptr.Deref(s.Version, 0) != o.Version &&
		(e.lost || ownership.WrittenName(l) == arn) {
		// Status was not written when the version was published.
		s.PublishedContent = &v1beta1.DeployedCode{Source: i.Name, CodeSHA256: codeSHA256(o)}
	}
	v := version{layer: layerName(l), number: o.Version}
	return found{
		Resource: o, Settings: fromAWS(o), Exists: true, Name: arn, Description: v.String(),
	}
}

// owner decides by the external name and the recorded intent, because a version has no tags.
func (e *external) owner(
	ctx context.Context, f reconcile.Facts, l *v1beta1.LayerVersion, o found,
) (ownership.Ownership, error) {
	if e.lost {
		return ownership.Ours, nil
	}
	v, err := f.Others.CheckUntaggedOwner(
		ctx, l, ownership.CheckUntaggedOwnership(l, o.Name, false), o.Description, o.Parent, o.Name)
	if err != nil {
		return v, err
	}
	e.adopted = v == ownership.Adopted
	if i, _ := intentOf(l); o.Resource != nil && l.Status.AtProvider.Version == nil && !i.ledTo(o.Resource.Version) {
		e.adopted = true // Status was not written when it was.
	}
	return v, nil
}

// status sets status.atProvider.
func (e *external) status(l *v1beta1.LayerVersion, o found) {
	last, layer, arn := l.Status.AtProvider, layerName(l), o.Resource.LayerVersionArn
	e.recorded = ptr.Deref(last.Version, 0) == o.Resource.Version
	if v, err := versionOf(o.Name); err == nil {
		layer, arn = v.layer, ptr.To(o.Name)
	}
	if ptr.Deref(last.LayerName, layer) != layer {
		last = v1beta1.LayerVersionObservation{} // Its numbers are those of another layer's versions.
	}
	l.Status.AtProvider = observation(layer, o.Resource, last)
	l.Status.AtProvider.LayerVersionArn = arn
	if e.adopted || reconcile.ObserveOnly(l) && ownership.WrittenName(l) != o.Name {
		l.Status.AtProvider.ImportedVersion = ptr.To(o.Resource.Version)
	}
}
