package archive

import (
	"context"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
)

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
