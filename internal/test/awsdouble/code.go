package awsdouble

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// The sizes that Lambda accepts, in bytes.
const (
	maxZip      = 52428800
	maxUnzipped = 262144000
)

// code is code that was fetched and measured.
type code struct {
	sha256   string
	size     int64
	unzipped uint64
	location types.FunctionCodeLocation
}

// resolve fetches and measures the code that a request names.
func (s *Server) resolve(in *types.FunctionCode, name string) code {
	switch {
	case some(in.ImageUri) != nil:
		return s.resolveImage(*in.ImageUri)
	case some(in.S3Bucket) != nil:
		o := s.codeObject(in)
		c := s.measure(o.data, in, name)
		if in.S3ObjectStorageMode == types.S3ObjectStorageModeReference {
			c.location.Location = nil
			c.location.ResolvedS3Object = &types.ResolvedS3Object{
				S3Bucket: in.S3Bucket, S3Key: in.S3Key, S3ObjectVersion: &o.version,
			}
		}
		return c
	case len(in.ZipFile) > maxZip:
		panic(tooLarge("Zipped size must be smaller than %d bytes", maxZip))
	case len(in.ZipFile) == 0:
		panic(invalidParameter("Uploaded file must be a non-empty zip"))
	}
	return s.measure(in.ZipFile, in, name)
}

func (s *Server) measure(data []byte, in *types.FunctionCode, name string) code {
	unzipped := checkZip(data)
	sum := sha256.Sum256(data)
	location := fmt.Sprintf("%s/snapshots/%s-%s?X-Amz-Security-Token=double&X-Amz-Signature=double", s.URL(), name,
		hex.EncodeToString(sum[:8]))
	return code{
		sha256:   base64.StdEncoding.EncodeToString(sum[:]),
		size:     int64(len(data)),
		unzipped: unzipped,
		location: types.FunctionCodeLocation{
			RepositoryType: aws.String("S3"), Location: &location, SourceKMSKeyArn: some(in.SourceKMSKeyArn),
		},
	}
}

// checkZip returns the unpacked size of an archive.
func checkZip(data []byte) uint64 {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		panic(invalidParameter("Could not unzip uploaded file. Please check your file, then try to upload again."))
	}
	total := uint64(0)
	for _, f := range z.File {
		total += f.UncompressedSize64
	}
	if total >= maxUnzipped {
		panic(invalidParameter("Unzipped size must be smaller than %d bytes", maxUnzipped))
	}
	return total
}

// codeObject fetches the object. It returns S3's errors in Lambda's words.
func (s *Server) codeObject(in *types.FunctionCode) *object {
	b := s.buckets[*in.S3Bucket]
	if b == nil {
		panic(invalidParameter("Error occurred while GetObject. S3 Error Code: NoSuchBucket. S3 Error Message: The " +
			"specified bucket does not exist"))
	}
	version := aws.ToString(in.S3ObjectVersion)
	o := b.find(aws.ToString(in.S3Key), version)
	switch {
	case o == nil && version != "":
		panic(invalidParameter("Error occurred while GetObject. S3 Error Code: NoSuchVersion. S3 Error Message: The " +
			"specified version does not exist."))
	case o == nil:
		panic(invalidParameter("Error occurred while GetObject. S3 Error Code: NoSuchKey. S3 Error Message: The " +
			"specified key does not exist."))
	}
	return o
}

// resolveImage resolves an image URI to its digest. The digest of a tag that PutImage did not set is derived from the
// URI. It refuses an image index as Lambda does: https://github.com/aws/aws-lambda-roadmap/issues/82.
func (s *Server) resolveImage(uri string) code {
	repository, digest, pinned := strings.Cut(uri, "@")
	if !pinned {
		digest = s.digest(uri)
		repository = untagged(uri)
	}
	if _, ok := s.indexes[digest]; ok {
		panic(invalidParameter("The image manifest, config or layer media type for the source image %s is not "+
			"supported.",
			uri))
	}
	return code{
		sha256: strings.TrimPrefix(digest, "sha256:"),
		location: types.FunctionCodeLocation{
			RepositoryType: aws.String("ECR"), ImageUri: &uri, ResolvedImageUri: aws.String(repository + "@" + digest),
		},
	}
}

// digest returns the digest of REGISTRY/REPOSITORY:TAG.
func (s *Server) digest(uri string) string {
	path := uri[strings.Index(uri, "/")+1:]
	if !strings.Contains(path, ":") {
		path += ":latest"
	}
	if d, ok := s.images[path]; ok {
		return d
	}
	sum := sha256.Sum256([]byte(uri))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// untagged removes the tag from an image URI, but not a registry's port.
func untagged(uri string) string {
	if i := strings.LastIndex(uri, ":"); i > strings.LastIndex(uri, "/") {
		return uri[:i]
	}
	return uri
}
