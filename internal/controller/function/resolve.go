package function

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/ecr"
	ecrtypes "github.com/aws/aws-sdk-go-v2/service/ecr/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/imageuri"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// resolver turns a spec into desired settings by reading everything that the spec refers to.
type resolver struct {
	objects refs.Objects
	fields  refs.Getter
	bundles archive.Finder

	// ecr resolves an image tag to a digest.
	ecr *ecr.Client
}

// archive returns the deployment package and its identity, and an error if it doesn't match the pinned hash. runs is
// the architecture of the function, and deployed the code that was deployed last.
func (r *resolver) archive(
	ctx context.Context, namespace string, c v1beta1.FunctionCode, runs architectures, deployed *v1beta1.DeployedCode,
) (deploymentPackage, error) {
	a := deploymentPackage{spec: c}
	if c.ImageURI != nil {
		return r.image(ctx, a, runs)
	}
	var err error
	a.bundle, err = r.bundles.Find(ctx, namespace, source(c), deployed)
	return a, err
}

// load returns a package that is ready to be deployed. It returns an error if the policy of the config does not allow
// the code.
func (r *resolver) load(ctx context.Context, a deploymentPackage) (deploymentPackage, error) {
	if a.spec.ImageURI != nil {
		return a, r.bundles.Permit("spec.forProvider.code.imageUri", archive.SourceImage)
	}
	if a.none() {
		return a, nil
	}
	var err error
	a.bundle, err = r.bundles.Load(ctx, a.bundle)
	return a, err
}

// input returns a package as input for AWS, after load. It is the only way of code to AWS, so it checks the policy
// again.
func (r *resolver) input(ctx context.Context, a deploymentPackage) (*types.FunctionCode, error) {
	if a.spec.ImageURI != nil {
		return a.functionCode(archive.Upload{}), r.bundles.Permit("spec.forProvider.code.imageUri", archive.SourceImage)
	}
	if a.none() {
		return a.functionCode(archive.Upload{}), nil
	}
	u, err := r.bundles.Upload(ctx, a.bundle)
	return a.functionCode(u), err
}

// image looks up the digest of an image tag if the user wants the tag to be tracked. Lambda refuses an image index, so
// the package is the index's image of the function's architecture.
func (r *resolver) image(ctx context.Context, a deploymentPackage, runs architectures) (deploymentPackage, error) {
	image, ok := imageuri.Parse(*a.spec.ImageURI)
	if !ptr.Deref(a.spec.TrackImageTag, false) || !ok || image.Digest != "" {
		return a, nil
	}
	out, err := r.ecr.BatchGetImage(ctx, &ecr.BatchGetImageInput{
		RegistryId:     ptr.To(image.Registry),
		RepositoryName: ptr.To(image.Repository),
		ImageIds:       []ecrtypes.ImageIdentifier{{ImageTag: ptr.To(image.Tag)}},

		AcceptedMediaTypes: imageuri.MediaTypes,
	})
	if err != nil {
		return a, errors.Wrapf(awserr.Sanitize(err), "cannot look up the tag of %s (trackImageTag)", *a.spec.ImageURI)
	}
	if len(out.Images) == 0 || out.Images[0].ImageId == nil {
		why := append(out.Failures, ecrtypes.ImageFailure{FailureCode: ecrtypes.ImageFailureCodeImageNotFound})[0]
		return a, reconcile.Ambiguous(errors.Errorf(
			"spec.forProvider.code.imageUri: Amazon ECR does not return image %s: %s", *a.spec.ImageURI,
			awserr.InAnswer(why.FailureReason, ptr.To(string(why.FailureCode))),
		))
	}
	a.digest = ptr.Deref(out.Images[0].ImageId.ImageDigest, "")
	digest, err := imageuri.FromIndex(ptr.Deref(out.Images[0].ImageManifest, ""), ptr.Deref(runs, defaultArchitecture))
	if err != nil {
		return a, reconcile.Ambiguous(
			errors.Wrapf(err, "spec.forProvider.code.imageUri: cannot deploy %s", *a.spec.ImageURI))
	}
	if digest != "" {
		host, _, _ := strings.Cut(*a.spec.ImageURI, "/")
		a.indexed, a.digest = host+"/"+image.Repository+"@", digest
		a.spec.ImageURI = ptr.To(a.indexed + digest)
	}
	return a, nil
}
