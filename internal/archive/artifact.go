package archive

import (
	"cmp"
	"context"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/store"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
)

// An Artifact is the archive that a Flux source or a registry has.
type Artifact struct {
	// Revision is the commit or version of the archive, such as main@sha1:c5d4e9. It is empty if it is unknown.
	Revision string

	// Verified is the signer of the archive. If it is empty, Unverified is the reason why none is known.
	Verified, Unverified string

	// policy is a hash of who has to have signed the archive, if that was checked.
	policy string

	// content is the download. That of a registry is known once its manifest was read.
	content store.Artifact

	// namespace is the namespace of the resource.
	namespace string
}

// artifactLocation returns the name of a Flux source and the path in it, such as
// GitRepository/shop//functions/checkout, or the reference of an artifact in a registry. It is empty for other sources.
func (s Source) artifactLocation() string {
	at, path := "", s.artifactPath()
	switch {
	case s.Flux != nil:
		at = s.Flux.Kind + "/" + s.Flux.Name
	case s.OCI != nil:
		at = "oci://" + s.OCI.Reference
	}
	if path != "" {
		at += "//" + path
	}
	return at
}

func (s Source) artifactPath() string {
	switch {
	case s.Flux != nil:
		return ptr.Deref(s.Flux.Path, "")
	case s.OCI != nil:
		return ptr.Deref(s.OCI.Path, "")
	}
	return ""
}

// artifactField returns the field that names an artifact's source.
func (s Source) artifactField() string {
	if s.OCI != nil {
		return s.Field + ".oci"
	}
	return s.Field + ".sourceRef"
}

// Load returns the bundle with its archive ready to be deployed: that of an artifact is downloaded, has its hash, and
// is staged in S3 if it is too large for a call. It returns an error if the policy of the config does not allow the
// code, and a reconcile.LaterError if that takes longer than a moment.
func (f Finder) Load(ctx context.Context, b Bundle) (Bundle, error) {
	b, err := f.described(ctx, b)
	if err != nil {
		return b, err
	}
	if err := f.permit(b); err != nil || b.Artifact == nil || f.Store == nil {
		return b, err
	}
	if b, err = f.hashed(ctx, b); err != nil {
		return b, err
	}
	return f.stage(ctx, b)
}

// Upload returns what a call of AWS deploys of a bundle, which Load has returned.
func (f Finder) Upload(ctx context.Context, b Bundle) (Upload, error) {
	if err := f.permit(b); err != nil {
		return Upload{}, err
	}
	switch {
	case b.Artifact == nil:
		return Upload{
			Zip: b.Zip, S3Bucket: b.From.S3Bucket, S3Key: b.From.S3Key, S3ObjectVersion: b.From.S3ObjectVersion,
		}, nil
	case f.Store == nil:
		return Upload{Zip: []byte("known after apply: " + b.Name())}, nil
	case b.staged != nil:
		return Upload{S3Bucket: &b.staged.bucket, S3Key: &b.staged.key, S3ObjectVersion: b.staged.version}, nil
	}
	z, err := f.open(ctx, b)
	if err != nil {
		return Upload{}, err
	}
	defer z.Release()
	out := make([]byte, z.Size())
	if _, err := z.ReadAt(out, 0); err != nil {
		return Upload{}, errors.Wrap(err, "cannot read a temporary file")
	}
	return Upload{Zip: out}, nil
}

// An Upload is an archive as a call of AWS takes it: the bytes, or an object in S3.
type Upload struct {
	Zip                              []byte
	S3Bucket, S3Key, S3ObjectVersion *string
}

// described returns the bundle of an artifact with what is known of it before it is downloaded.
func (f Finder) described(ctx context.Context, b Bundle) (Bundle, error) {
	if b.Artifact == nil || b.From.OCI == nil || f.OCI == nil || b.Artifact.content.Fetch != nil {
		return b, nil
	}
	b, err := f.fetch(ctx, b)
	return b, errors.Wrapf(err, "cannot deploy %s", b.From.artifactField())
}

// identified returns the bundle of an artifact with the hash of its archive. In a plan, the hash remains unknown.
func (f Finder) identified(ctx context.Context, b Bundle) (Bundle, error) {
	if f.Store == nil {
		return b, nil
	}
	b, err := f.described(ctx, b)
	if err != nil {
		return b, err
	}
	return f.hashed(ctx, b)
}

// hashed returns the bundle of an artifact that was described, with the hash of its archive.
func (f Finder) hashed(ctx context.Context, b Bundle) (Bundle, error) {
	z, err := f.open(ctx, b)
	if err != nil {
		return b, err
	}
	defer z.Release()
	b.SHA256 = z.SHA256()
	return b, nil
}

func (f Finder) open(ctx context.Context, b Bundle) (*store.File, error) {
	z, err := f.Store.Zip(ctx, b.Artifact.content, b.From.artifactPath())
	return z, errors.Wrapf(err, "cannot deploy %s", b.From.artifactField())
}

// again returns what status stores of the artifact that was deployed last. A Flux source may have another revision of
// it now, and a verification counts even if the source is verifying a later artifact meanwhile.
func (b Bundle) again(last v1beta1.DeployedCode) *v1beta1.DeployedCode {
	last.Revision = cmp.Or(b.revision(), last.Revision)
	last.Verified = cmp.Or(b.Artifact.Verified, last.Verified)
	return &last
}

func (b Bundle) revision() string {
	if b.Artifact == nil {
		return ""
	}
	return b.Artifact.Revision
}

// revisions returns the names and revisions of the artifact and of the one that was deployed last, if they differ.
func (b Bundle) revisions(last *v1beta1.DeployedCode) (want, wantRevision, have, haveRevision string) {
	l := ptr.Deref(last, v1beta1.DeployedCode{})
	if l.Source == b.Name() {
		return "", "", "", ""
	}
	return b.Name(), b.revision(), l.Source, l.Revision
}

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
