package dryrun

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"hash"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecr"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/imageuri"
)

// readCode answers a read of code that Lambda does not store, and remembers what AWS would deploy: the hash of an
// object in S3, and the digest that a tag of an image names.
func (a *Account) readCode(in any, live func() (any, error)) (any, error) {
	out, err := live()
	if err != nil {
		return nil, err
	}
	switch in := in.(type) {
	case *s3.HeadObjectInput:
		if o, ok := out.(*s3.HeadObjectOutput); ok && archive.StoredHash(o) != "" {
			a.state.hashes[objectKey(in.Bucket, in.Key, in.VersionId)] = archive.StoredHash(o)
		}
	case *s3.GetObjectInput:
		if o, ok := out.(*s3.GetObjectOutput); ok && o.Body != nil {
			o.Body = &hashedBody{ReadCloser: o.Body, sum: sha256.New(), done: func(sum string) {
				a.mu.Lock()
				defer a.mu.Unlock()
				a.state.hashes[objectKey(in.Bucket, in.Key, in.VersionId)] = sum
			}}
		}
	case *ecr.BatchGetImageInput:
		o, ok := out.(*ecr.BatchGetImageOutput)
		if !ok {
			break
		}
		for _, i := range o.Images {
			if i.ImageId != nil && i.ImageId.ImageDigest != nil && i.ImageId.ImageTag != nil {
				k := imageuri.Image{
					Registry: aws.ToString(in.RegistryId), Repository: aws.ToString(in.RepositoryName),
					Tag: *i.ImageId.ImageTag,
				}
				a.state.digests[k] = *i.ImageId.ImageDigest
			}
		}
	}
	return out, nil
}

// A hashedBody reports the hash of what was read at its end.
type hashedBody struct {
	io.ReadCloser
	sum  hash.Hash
	done func(sum string)
}

// Read reads the body.
func (b *hashedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.sum.Write(p[:n])
	if errors.Is(err, io.EOF) {
		b.done(base64.StdEncoding.EncodeToString(b.sum.Sum(nil)))
	}
	return n, err
}

func objectKey(bucket, object, version *string) string {
	return aws.ToString(bucket) + "/" + aws.ToString(object) + "#" + aws.ToString(version)
}

// codeHash returns the hash of an archive. If that of an object in S3 was not read, it is known after AWS has accepted
// it.
func (a *Account) codeHash(zip []byte, bucket, object, version *string) *string {
	if zip != nil {
		return aws.String(archive.Hash(zip))
	}
	k := objectKey(bucket, object, version)
	if sum, ok := a.state.hashes[k]; ok {
		return aws.String(sum)
	}
	return aws.String(archive.Hash([]byte("s3://" + k + a.placeholder("planned-code-%d"))))
}

// referred returns the object that AWS uses without a copy of it, or nil if it makes a copy.
func referred(mode types.S3ObjectStorageMode, bucket, object, version *string) *types.ResolvedS3Object {
	if mode != types.S3ObjectStorageModeReference {
		return nil
	}
	return &types.ResolvedS3Object{S3Bucket: bucket, S3Key: object, S3ObjectVersion: version}
}

// deploy sets the code of a function.
func (a *Account) deploy(f *lambda.GetFunctionOutput, code types.FunctionCode) {
	f.Configuration.CodeSha256 = a.codeHash(code.ZipFile, code.S3Bucket, code.S3Key, code.S3ObjectVersion)
	f.Code = ptr.To(ptr.Deref(f.Code, types.FunctionCodeLocation{}))
	f.Code.SourceKMSKeyArn = code.SourceKMSKeyArn
	f.Code.ResolvedS3Object = referred(code.S3ObjectStorageMode, code.S3Bucket, code.S3Key, code.S3ObjectVersion)
	a.image(f, code.ImageUri)
}

// image sets the image of a function, if it has one. AWS resolves a tag when it deploys the image.
func (a *Account) image(f *lambda.GetFunctionOutput, uri *string) {
	if uri == nil {
		return
	}
	f.Configuration.PackageType, f.Configuration.CodeSha256 = types.PackageTypeImage, aws.String(
		archive.Hash([]byte(*uri)))
	f.Code.ImageUri, f.Code.RepositoryType, f.Code.ResolvedImageUri = uri, aws.String("ECR"), uri
	image, _ := imageuri.Parse(*uri)
	digest := image.Digest
	if digest == "" {
		image.Region = "" // A read does not have it.
		digest = a.state.digests[image]
	}
	if digest == "" {
		return
	}
	host, _, _ := strings.Cut(*uri, "/")
	f.Configuration.CodeSha256 = aws.String(strings.TrimPrefix(digest, "sha256:"))
	f.Code.ResolvedImageUri = aws.String(host + "/" + image.Repository + "@" + digest)
}
