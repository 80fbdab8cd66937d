package archive

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// maxDirect is the size of the largest archive that a call of AWS takes, in bytes. Larger ones are staged in S3.
const maxDirect = 50 << 20

// stage returns the bundle with its archive in S3 if it is too large for a call. An object is named by the hash of the
// archive, and uploaded only if S3 does not have it.
func (f Finder) stage(ctx context.Context, b Bundle) (Bundle, error) {
	z, err := f.open(ctx, b)
	if err != nil {
		return b, err
	}
	size := z.Size()
	z.Release() // It may be dropped while others are uploaded.
	if size <= maxDirect {
		return b, nil
	}
	at := f.staging(b)
	if at == nil {
		where := b.From.Field + ".staging, or "
		if f.Code.RequireVerified {
			where = ""
		}
		return b, reconcile.Invalid(errors.Errorf("the .zip of %s has %d MB, and AWS takes more than %d MB only from "+
			"S3: set %sspec.code.staging of the provider config",
			b.From.artifactField(), size>>20, maxDirect>>20, where))
	}
	o, err := stagedAt(*at, b.SHA256)
	if err != nil {
		return b, err
	}
	err = f.upload(ctx, b, &o)
	b.staged = &o
	return b, errors.Wrapf(err, "cannot stage the .zip of %s as s3://%s/%s", b.From.artifactField(), o.bucket, o.key)
}

// staging returns the place of a resource, or else that of the config. It returns nil if there is none. If the config
// requires verified code, it is always that of the config: whoever can write to a bucket without versioning could
// replace the object before AWS reads it.
func (f Finder) staging(b Bundle) *v1beta1.Staging {
	if b.From.Staging != nil && !f.Code.RequireVerified {
		return b.From.Staging
	}
	return f.Code.Staging
}

// stagedAt returns the object of an archive with a hash.
func stagedAt(s v1beta1.Staging, sha256 string) (stagedObject, error) {
	sum, err := base64.StdEncoding.DecodeString(sha256)
	return stagedObject{bucket: s.S3Bucket, key: ptr.Deref(s.Prefix, "") + hex.EncodeToString(sum) + ".zip"}, err
}

// staged reports whether S3 has an object with the hash, and sets its version.
func (f Finder) staged(ctx context.Context, o *stagedObject, sha256 string) (bool, error) {
	out, err := f.S3.HeadObject(ctx, &s3.HeadObjectInput{
		Bucket: &o.bucket, Key: &o.key, ChecksumMode: s3types.ChecksumModeEnabled,
	})
	switch {
	case awserr.IsNotFound(err), awserr.IsAccessDenied(err):
		return false, nil
	case err != nil:
		return false, awserr.Sanitize(err)
	}
	o.version = out.VersionId
	return StoredHash(out) == sha256, nil
}

// upload uploads an archive unless S3 has it, and sets the version of the object that it has become. Another one may
// follow at once.
func (f Finder) upload(ctx context.Context, b Bundle, o *stagedObject) error {
	to, namespace, key := *o, b.Artifact.content.Namespace, o.bucket+"/"+o.key
	if !f.Store.Uploads(namespace, key) {
		if found, err := f.staged(ctx, o, b.SHA256); found || err != nil {
			return err
		}
	}
	version, err := f.Store.Upload(ctx, namespace, key,
		func(ctx context.Context) (string, error) { return f.put(ctx, b, to) })
	if o.version = nil; version != "" {
		o.version = &version
	}
	return err
}

// put uploads an archive, and returns the version, which is empty without versioning. It opens the archive again,
// because it may end after the reconcile.
func (f Finder) put(ctx context.Context, b Bundle, o stagedObject) (string, error) {
	z, err := f.open(ctx, b)
	if err != nil {
		return "", err
	}
	defer z.Release()
	out, err := f.S3.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &o.bucket, Key: &o.key, Body: io.NewSectionReader(z, 0, z.Size()), ContentLength: ptr.To(z.Size()),
		ChecksumSHA256: ptr.To(b.SHA256),
	})
	if err != nil {
		return "", awserr.Sanitize(err)
	}
	return ptr.Deref(out.VersionId, ""), nil
}
