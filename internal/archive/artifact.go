package archive

import (
	"cmp"
	"context"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/store"
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

// locationOf returns the name of a Flux source and the path in it, such as GitRepository/shop//functions/checkout.
func locationOf(s v1beta1.SourceReference) string {
	at := s.Kind + "/" + s.Name
	if s.Path != nil {
		at += "//" + *s.Path
	}
	return at
}

// artifact finds the artifact of a Flux source. It downloads nothing.
func (f Finder) artifact(ctx context.Context, namespace string, b Bundle) (Bundle, error) {
	text, err := f.Fields.Get(ctx, namespace, b.From.Fields()[0])
	if err != nil {
		return b, errors.Wrapf(err, "cannot read %s.sourceRef", b.From.Field)
	}
	s, err := flux.Parse(text)
	if err != nil {
		return b, errors.Wrapf(err, "cannot use %s.sourceRef: %s %s/%s", b.From.Field, b.From.Flux.Kind, namespace,
			b.From.Flux.Name)
	}
	b.Artifact, b.Version = &s, s.Digest
	return b, nil
}

// Load returns the bundle with its archive ready to be deployed: that of an artifact is downloaded, has its hash, and is
// staged in S3 if it is too large for a call. It returns an error if the policy of the config does not allow the code, and
// a *store.BusyError if that takes longer than a moment.
func (f Finder) Load(ctx context.Context, b Bundle) (Bundle, error) {
	if err := f.permit(b); err != nil || b.Artifact == nil {
		return b, err
	}
	b, err := f.unpacked(ctx, b)
	if err != nil || f.Store == nil {
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

// unpacked returns the bundle of an artifact with the hash of its archive. In a plan, the hash remains unknown.
func (f Finder) unpacked(ctx context.Context, b Bundle) (Bundle, error) {
	if f.Store == nil {
		return b, nil
	}
	z, err := f.open(ctx, b)
	if err != nil {
		return b, err
	}
	defer z.Release()
	b.SHA256 = z.SHA256()
	return b, nil
}

func (f Finder) open(ctx context.Context, b Bundle) (*store.File, error) {
	z, err := f.Store.Zip(ctx, f.Store.Flux(b.Artifact.Artifact), ptr.Deref(b.From.Flux.Path, ""))
	return z, errors.Wrapf(err, "cannot deploy %s.sourceRef", b.From.Field)
}

// deployedArtifact returns what status stores of an artifact whose archive has a hash. If the provider knows the hash, it
// does not rely on that of AWS, since others may be able to replace a staged object.
func (b Bundle) deployedArtifact(codeSHA256 string) *v1beta1.DeployedCode {
	return &v1beta1.DeployedCode{
		Source: b.Name(), CodeSHA256: cmp.Or(b.SHA256, codeSHA256), Revision: b.revision(), Verified: b.Artifact.Verified,
	}
}

// again returns what status stores of the artifact that was deployed last, which may have another revision now. A
// verification counts even if the source is verifying a later artifact meanwhile.
func (b Bundle) again(last v1beta1.DeployedCode) *v1beta1.DeployedCode {
	last.Revision, last.Verified = b.revision(), cmp.Or(b.Artifact.Verified, last.Verified)
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

// Names of sources in CodePolicy.Unverified.
const (
	sourceInline    = "Inline"
	sourceConfigMap = "ConfigMap"
	sourceSecret    = "Secret"
	sourceS3        = "S3"

	// SourceImage is a container image.
	SourceImage = "Image"
)

// permit returns an error if the config requires verified code and the bundle's is not.
func (f Finder) permit(b Bundle) error {
	switch s := b.From; {
	case b.Artifact != nil && f.Code.RequireVerified && b.Artifact.Verified == "":
		return errors.Errorf("%s.sourceRef: the provider config requires verified code (spec.code.requireVerified), and "+
			"%s %s is not verified: %s", s.Field, s.Flux.Kind, s.Flux.Name, b.Artifact.Unverified)
	case b.Artifact != nil:
		return nil
	case s.S3Key != nil:
		return f.Permit(s.Field+".s3Key", sourceS3)
	case s.Inline != nil:
		return f.Permit(s.Field+".inline", sourceInline)
	case s.ConfigMap != "":
		return f.Permit(s.Field+".configMapRef", sourceConfigMap)
	case s.ZipFileFrom != nil && s.ZipFileFrom.SecretKeyRef != nil:
		return f.Permit(s.Field+".zipFileFrom", sourceSecret)
	}
	return f.Permit(b.From.Field+".zipFileFrom", sourceConfigMap)
}

// Permit returns an error if the config requires verified code, and has no exception for a source. field is the field of
// the resource that names the source.
func (f Finder) Permit(field, source string) error {
	if !f.Code.RequireVerified || slices.Contains(f.Code.Unverified, source) {
		return nil
	}
	return errors.Errorf("%s: the provider config requires verified code (spec.code.requireVerified), and this source is "+
		"not verified: use sourceRef with a GitRepository or an OCIRepository that has spec.verify", field)
}
