package archive

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecr"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/store"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// S3 is the part of the Amazon S3 API that is used. HeadObject detects replaced objects.
// GetObject is only called if the hash of an object is needed and not known otherwise: to
// check a pin, or to recognize what another tool has deployed. PutObject stages archives of artifacts.
type S3 interface {
	HeadObject(ctx context.Context, in *s3.HeadObjectInput, opts ...func(*s3.Options)) (*s3.HeadObjectOutput, error)
	GetObject(ctx context.Context, in *s3.GetObjectInput, opts ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	PutObject(ctx context.Context, in *s3.PutObjectInput, opts ...func(*s3.Options)) (*s3.PutObjectOutput, error)
}

// maxArchive is the number of bytes of an object that are read to compute its hash. AWS
// rejects archives of more than 250 MB unzipped.
const maxArchive = 300 << 20

// hashMaxAge is the time for which the hash of an object is cached.
const hashMaxAge = time.Hour

// minSharedAge is the least age of a look-up at which resources share it: less is not a poll.
const minSharedAge = 10 * time.Second

// A Finder finds archives.
type Finder struct {
	Objects refs.Objects
	S3      S3

	// Fields reads Flux sources.
	Fields refs.Getter

	// Store has the artifacts. It is nil in a plan, which downloads nothing.
	Store *store.Store

	// OCI reads registries, and ECR has the credentials for those of Amazon ECR. OCI is nil in a plan.
	OCI *oci.Client
	ECR *oci.ECR

	// Code is the policy of the config.
	Code v1beta1.CodePolicy

	// Hashes caches the hashes of objects that were read, per credentials, so that an object
	// that does not match the pin is not read again in each attempt. Nil caches none.
	Hashes *readcache.Cache

	// Fresh limits the age of the look-up of an object. Its zero value looks up each object anew.
	Fresh readcache.Freshness

	// Now is the clock of the cache.
	Now func() time.Time
}

// object is the identity of an object in S3, as HeadObject returns it. The hash is empty if S3 does not store it.
type object struct{ etag, sha256 string }

// With returns a Finder that finds archives with the identity and the policy of a session.
func (f Finder) With(s *session.Session) Finder {
	f.S3, f.Hashes, f.Code = session.Client(s, s3.NewFromConfig), s.ReadCache(), s.Code
	f.ECR = oci.NewECR(func(region string) oci.ECRAPI {
		return ecr.NewFromConfig(s.AWS, func(o *ecr.Options) { o.Region = region })
	}, s.AWS.Region, s.ReadCache(), f.Now)
	return f
}

// lookUp calls HeadObject, or returns what another resource with the same object has read, if that may be so old that
// this is a poll. What a user has changed is always compared with the present object.
func (f Finder) lookUp(ctx context.Context, b *Bundle) (object, error) {
	read := func(ctx context.Context) (object, error) {
		out, err := f.S3.HeadObject(ctx, &s3.HeadObjectInput{
			Bucket: b.From.S3Bucket, Key: b.From.S3Key,
			ChecksumMode: s3types.ChecksumModeEnabled,
		})
		if err != nil {
			return object{}, err
		}
		return object{etag: trimETag(out.ETag), sha256: StoredHash(out)}, nil
	}
	if f.Hashes == nil || f.Fresh.Now.Sub(f.Fresh.Since) < minSharedAge {
		return read(ctx)
	}
	return readcache.Read(ctx, f.Hashes, readcache.Key{Operation: "HeadObject", Of: b.Location()}, f.Fresh, read)
}

// StoredHash returns the hash of an object that S3 stores, empty if it stores none of the object as a whole.
func StoredHash(o *s3.HeadObjectOutput) string {
	sum := ptr.Deref(o.ChecksumSHA256, "")
	if o.ChecksumType != s3types.ChecksumTypeFullObject && strings.Contains(sum, "-") {
		return ""
	}
	return sum
}

// hash returns the hash of an object in S3, from the cache or by reading the object.
func (f Finder) hash(ctx context.Context, b Bundle) (string, error) {
	if f.Hashes == nil || b.Version == "" && b.From.S3ObjectVersion == nil {
		return f.download(ctx, b)
	}
	now := f.Now()
	k := readcache.Key{Operation: "GetObject", Of: b.Name()}
	return readcache.Read(ctx, f.Hashes, k, readcache.Freshness{Now: now, Since: now.Add(-hashMaxAge)},
		func(ctx context.Context) (string, error) {
			return f.download(ctx, b)
		})
}

// download reads an object from S3 (GetObject) to compute its hash. It does not keep the
// object in memory, and stops reading if it is too large for AWS.
func (f Finder) download(ctx context.Context, b Bundle) (string, error) {
	in := &s3.GetObjectInput{Bucket: b.From.S3Bucket, Key: b.From.S3Key, VersionId: b.From.S3ObjectVersion}
	if b.Version != "" {
		in.IfMatch = ptr.To(`"` + b.Version + `"`) // Only the object that HeadObject returned.
	}
	out, err := f.S3.GetObject(ctx, in)
	if err != nil {
		return "", errors.Wrapf(awserr.Sanitize(err), "cannot read %s", b.Location())
	}
	defer out.Body.Close() //nolint:errcheck // Nothing is written.
	h, n := sha256.New(), ptr.Deref(out.ContentLength, 0)
	if n <= maxArchive {
		if n, err = io.Copy(h, io.LimitReader(out.Body, maxArchive+1)); err != nil {
			return "", errors.Wrapf(err, "cannot read %s", b.Location())
		}
	}
	if n > maxArchive {
		return "", reconcile.Invalid(
			errors.Errorf("%s is larger than %d MB, the most that AWS accepts", b.Location(), maxArchive>>20))
	}
	return base64.StdEncoding.EncodeToString(h.Sum(nil)), nil
}

func trimETag(etag *string) string { return strings.Trim(ptr.Deref(etag, ""), `"`) }
