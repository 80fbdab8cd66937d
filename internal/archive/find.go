package archive

import (
	"context"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// Find finds the archive of a source in a namespace. It returns an error if the archive does not have the pinned hash.
// last is what AWS accepted last, if anything. Find calls HeadObject at most once if the source is an object in S3
// without a version, and GetObject only to check a pin. Of an artifact, it finds the digest, and Load the archive.
func (f Finder) Find(ctx context.Context, namespace string, s Source, last *v1beta1.DeployedCode) (Bundle, error) {
	b := Bundle{From: s}
	switch {
	case s.S3Key != nil:
		return f.object(ctx, b, last)
	case s.Flux != nil:
		return f.fluxSource(ctx, namespace, b)
	case s.OCI != nil:
		return f.registry(ctx, namespace, b, last)
	}
	var err error
	if b.Zip, err = f.zip(ctx, namespace, s); err != nil {
		return Bundle{}, err
	}
	b.SHA256 = Hash(b.Zip)
	return b, b.checkPin()
}

// zip returns the archive of a source that is not in S3.
func (f Finder) zip(ctx context.Context, namespace string, s Source) ([]byte, error) {
	switch {
	case s.ConfigMap != "":
		return f.configMap(ctx, namespace, s)
	case s.ZipFileFrom != nil:
		return f.zipFile(ctx, namespace, s)
	}
	files := make(map[string][]byte, len(s.Inline))
	for k, v := range s.Inline {
		files[k] = []byte(v)
	}
	return Zip(files)
}

func (f Finder) configMap(ctx context.Context, namespace string, s Source) ([]byte, error) {
	data, err := f.Objects.Get(ctx, refs.ConfigMapOf(namespace, s.ConfigMap))
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read %s.configMapRef", s.Field)
	}
	files := make(map[string][]byte, len(data))
	for k, v := range data {
		files[s.FilePrefix+k] = v
	}
	return Zip(files)
}

func (f Finder) zipFile(ctx context.Context, namespace string, s Source) ([]byte, error) {
	ref, k := refs.KeyOf(namespace, v1beta1.ValueSource(*s.ZipFileFrom))
	zip, err := refs.Value(ctx, f.Objects, ref, k.Key)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read %s.zipFileFrom", s.Field)
	}
	if !isZip(zip) {
		return nil, reconcile.Invalid(errors.Errorf(
			"key %q of %s is not a .zip archive: put the archive's bytes there, base64-encoded once", k.Key, ref))
	}
	return zip, nil
}

// object looks up the current version of an object in S3. A version in the source is immutable, so it costs no call.
func (f Finder) object(ctx context.Context, b Bundle, last *v1beta1.DeployedCode) (Bundle, error) {
	if b.From.S3ObjectVersion == nil {
		if err := f.head(ctx, &b); err != nil {
			return b, err
		}
	}
	if b.From.SHA256 == nil {
		return b, nil
	}
	if b.SHA256 == "" && last != nil && last.Source == b.Name() && (b.Version != "" || b.From.S3ObjectVersion != nil) {
		b.SHA256 = last.CodeSHA256
	}
	if b.SHA256 == "" {
		sum, err := f.hash(ctx, b)
		if err != nil {
			return b, errors.Wrapf(err, "cannot check %s.sha256", b.From.Field)
		}
		b.SHA256 = sum
	}
	return b, b.checkPin()
}

// Identify returns the bundle with its hash, if the bundle is in S3 or in an artifact and AWS may already have it
// although status stores nothing, as when an import takes over what another tool has deployed. If S3 does not return
// the hash, Identify reads the object once (GetObject). Without the permission to read it, the hash remains unknown.
func (f Finder) Identify(ctx context.Context, b Bundle, last *v1beta1.DeployedCode) (Bundle, error) {
	if b.SHA256 != "" || last != nil {
		return b, nil
	}
	switch {
	case b.Artifact != nil:
		return f.identified(ctx, b)
	case b.From.S3Key == nil:
		return b, nil
	}
	sum, err := f.hash(ctx, b)
	if awserr.IsAccessDenied(err) {
		return b, nil
	}
	b.SHA256 = sum
	return b, errors.Wrapf(err, "cannot check whether AWS already has the code of %s", b.From.Field)
}

// head sets the ETag and, if S3 stores it, the hash of an object (HeadObject).
func (f Finder) head(ctx context.Context, b *Bundle) error {
	o, err := f.lookUp(ctx, b)
	switch {
	case awserr.IsAccessDenied(err):
		// Then a replaced object is not detected. Everything else works.
		return nil
	case awserr.IsNotFound(err):
		return reconcile.Ambiguous(errors.Errorf("%s: %s does not exist", b.From.Field, b.Location()))
	case err != nil:
		return errors.Wrapf(awserr.Sanitize(err), "cannot look up %s", b.Location())
	}
	b.Version, b.SHA256 = o.etag, o.sha256
	return nil
}
