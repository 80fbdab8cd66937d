package bundle

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/objects"
)

// Objects reads Secrets and ConfigMaps. *objects.Reader does.
type Objects interface {
	Get(ctx context.Context, ref objects.Ref) (objects.Data, error)
}

// S3 are the calls to Amazon S3: HeadObject tells a replaced object, and GetObject is
// made only for an object whose hash is needed and that nothing else tells: to check a
// pin, or to recognise what another tool has deployed.
type S3 interface {
	HeadObject(ctx context.Context, in *s3.HeadObjectInput, opts ...func(*s3.Options)) (*s3.HeadObjectOutput, error)
	GetObject(ctx context.Context, in *s3.GetObjectInput, opts ...func(*s3.Options)) (*s3.GetObjectOutput, error)
}

// maxArchive is how many bytes of an object are read to learn its hash. AWS takes no
// archive of more than 250 MB when it is unpacked.
const maxArchive = 300 << 20

// hashMaxAge is how long the hash of a version of an object is remembered.
const hashMaxAge = time.Hour

// A Finder finds archives.
type Finder struct {
	Objects Objects
	S3      S3

	// Hashes remembers the hashes of objects that were read, for those with the same
	// credentials: an object that is not the pinned one is not read again at each try.
	// Nil remembers none.
	Hashes *inventory.Cache

	// Now is the time by which they are remembered.
	Now func() time.Time
}

// Find the archive of a source in a namespace, and refuse one that isn't the pinned
// one. last is what AWS took last, if anything. It makes one HeadObject call where the
// source is an object in S3 without a version, and GetObject only where a pin has to be
// checked.
func (f Finder) Find(ctx context.Context, namespace string, s Source, last *v1beta1.DeployedCode) (Bundle, error) {
	b := Bundle{From: s}
	if s.S3Key != nil {
		return f.object(ctx, b, last)
	}
	var err error
	if b.Zip, err = f.zip(ctx, namespace, s); err != nil {
		return Bundle{}, err
	}
	b.SHA256 = Hash(b.Zip)
	return b, b.checkPin()
}

// zip is the archive of a source that is not in S3.
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
	data, err := f.Objects.Get(ctx, configMap(namespace, s.ConfigMap))
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
	ref, key := s.zipFile(namespace)
	data, err := f.Objects.Get(ctx, ref)
	if err == nil && data[key] == nil {
		err = objects.NoKey(ref, key, data)
	}
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read %s.zipFileFrom", s.Field)
	}
	if !isZip(data[key]) {
		return nil, errors.Errorf("key %q of %s is not a .zip archive: put the archive's bytes there, base64-encoded once", key, ref)
	}
	return data[key], nil
}

// object asks S3 which version of the object there is now. A version that the user
// names never changes, so it costs no call.
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

// Identify learns the hash of a bundle in S3 that AWS may have already: one of which
// nothing is remembered, as when what another tool has deployed is taken over. Where S3
// does not tell the hash, the object is read, once (GetObject). Without the permission to
// read it, the hash stays unknown.
func (f Finder) Identify(ctx context.Context, b Bundle, last *v1beta1.DeployedCode) (Bundle, error) {
	if b.From.S3Key == nil || b.SHA256 != "" || last != nil {
		return b, nil
	}
	sum, err := f.hash(ctx, b)
	if awserr.IsAccessDenied(err) {
		return b, nil
	}
	b.SHA256 = sum
	return b, errors.Wrapf(err, "cannot check whether AWS already has the code of %s", b.From.Field)
}

func (f Finder) head(ctx context.Context, b *Bundle) error {
	out, err := f.S3.HeadObject(ctx, &s3.HeadObjectInput{Bucket: b.From.S3Bucket, Key: b.From.S3Key, ChecksumMode: s3types.ChecksumModeEnabled})
	switch {
	case awserr.IsAccessDenied(err):
		// A replaced object goes unseen then; all else works.
		return nil
	case awserr.IsNotFound(err):
		return errors.Errorf("%s: %s does not exist", b.From.Field, b.Location())
	case err != nil:
		return errors.Wrapf(awserr.Clean(err), "cannot look up %s", b.Location())
	}
	b.Version = strings.Trim(ptr.Deref(out.ETag, ""), `"`)
	if out.ChecksumType == s3types.ChecksumTypeFullObject || !strings.Contains(ptr.Deref(out.ChecksumSHA256, ""), "-") {
		b.SHA256 = ptr.Deref(out.ChecksumSHA256, "")
	}
	return nil
}

// hash of a whole object in S3: one that is remembered, or else what the object is read
// for.
func (f Finder) hash(ctx context.Context, b Bundle) (string, error) {
	if f.Hashes == nil || b.Version == "" && b.From.S3ObjectVersion == nil {
		return f.download(ctx, b)
	}
	now := f.Now()
	k := inventory.Key{Operation: "GetObject", Of: b.Name()}
	return inventory.Read(ctx, f.Hashes, k, inventory.Freshness{Now: now, Since: now.Add(-hashMaxAge)}, func(ctx context.Context) (string, error) {
		return f.download(ctx, b)
	})
}

// download reads a whole object from S3 (GetObject) to learn its hash. It is not kept in
// memory, and one that is too large for AWS to take is not read to its end.
func (f Finder) download(ctx context.Context, b Bundle) (string, error) {
	in := &s3.GetObjectInput{Bucket: b.From.S3Bucket, Key: b.From.S3Key, VersionId: b.From.S3ObjectVersion}
	if b.Version != "" {
		in.IfMatch = ptr.To(`"` + b.Version + `"`) // The object that HeadObject spoke of, and no other.
	}
	out, err := f.S3.GetObject(ctx, in)
	if err != nil {
		return "", errors.Wrapf(awserr.Clean(err), "cannot read %s", b.Location())
	}
	defer out.Body.Close() //nolint:errcheck // Nothing is written.
	h, n := sha256.New(), ptr.Deref(out.ContentLength, 0)
	if n <= maxArchive {
		if n, err = io.Copy(h, io.LimitReader(out.Body, maxArchive+1)); err != nil {
			return "", errors.Wrapf(err, "cannot read %s", b.Location())
		}
	}
	if n > maxArchive {
		return "", errors.Errorf("%s is larger than %d MB, the most that AWS accepts", b.Location(), maxArchive>>20)
	}
	return base64.StdEncoding.EncodeToString(h.Sum(nil)), nil
}
