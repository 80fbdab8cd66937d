package archive

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
)

// Fields returns the selector by which the Flux source is read and watched, if there is one.
func (s Source) Fields() []v1beta1.FieldSelector {
	if s.Flux == nil {
		return nil
	}
	return []v1beta1.FieldSelector{{
		APIVersion: ptr.Deref(s.Flux.APIVersion, flux.Group+"/v1"), Kind: s.Flux.Kind, Name: s.Flux.Name,
		FieldPath: flux.View,
	}}
}

// fluxSource finds the artifact of a Flux source. It downloads nothing.
func (f Finder) fluxSource(ctx context.Context, namespace string, b Bundle) (Bundle, error) {
	text, err := f.Fields.Get(ctx, namespace, b.From.Fields()[0])
	if err != nil {
		return b, errors.Wrapf(err, "cannot read %s", b.From.artifactField())
	}
	s, err := flux.Parse(text)
	if err != nil {
		return b, errors.Wrapf(err, "cannot use %s: %s %s/%s", b.From.artifactField(), b.From.Flux.Kind, namespace,
			b.From.Flux.Name)
	}
	b.Version = s.Digest
	b.Artifact = &Artifact{Revision: s.Revision, Verified: s.Verified, Unverified: s.Unverified}
	if f.Store != nil {
		b.Artifact.content = f.Store.Flux(namespace, s.Artifact)
	}
	return b, nil
}
