package awsdouble

import (
	"archive/zip"
	"bytes"
	"crypto/md5" //nolint:gosec // an ETag is an MD5, not a protection
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

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

// bucket is an S3 bucket. Without versioning a key has one version.
type bucket struct {
	versioned bool
	objects   map[string][]*object
}

// object is a version of an object.
type object struct {
	data     []byte
	etag     string
	version  string
	checksum string
	modified time.Time
}

// find returns a key's version, by default the newest, or nil.
func (b *bucket) find(key, version string) *object {
	versions := b.objects[key]
	if len(versions) == 0 {
		return nil
	}
	if version == "" {
		return versions[len(versions)-1]
	}
	for _, o := range versions {
		if o.version == version {
			return o
		}
	}
	return nil
}

// CreateBucket creates a bucket, with or without versioning. It keeps the objects of an existing one.
func (s *Server) CreateBucket(name string, versioned bool) {
	defer s.lock()()
	s.bucket(name).versioned = versioned
}

// PutObject stores an object and returns its version ID, which is empty without versioning. If the bucket does not
// exist, it is created without versioning. Like an upload that sends no checksum, it stores none.
func (s *Server) PutObject(name, key string, data []byte) string {
	defer s.lock()()
	return s.store(s.bucket(name), key, data, "").version
}

func (s *Server) bucket(name string) *bucket {
	if s.buckets[name] == nil {
		s.buckets[name] = &bucket{objects: map[string][]*object{}}
	}
	return s.buckets[name]
}

func (s *Server) store(b *bucket, key string, data []byte, checksum string) *object {
	sum := md5.Sum(data) //nolint:gosec // as above
	o := &object{
		data: data, etag: `"` + hex.EncodeToString(sum[:]) + `"`, checksum: checksum,
		modified: s.options.Now(),
	}
	if !b.versioned {
		b.objects[key] = []*object{o}
		return o
	}
	s.serial++
	o.version = "v" + strconv.Itoa(s.serial)
	b.objects[key] = append(b.objects[key], o)
	return o
}

func putObject(s *Server, r *request) any {
	b := s.buckets[r.vars["Bucket"]]
	if b == nil {
		panic(noSuchBucket())
	}
	checksum := r.http.Header.Get("X-Amz-Checksum-Sha256")
	sum := sha256.Sum256(r.body)
	if checksum != "" && checksum != base64.StdEncoding.EncodeToString(sum[:]) {
		panic(apiError(http.StatusBadRequest, "BadDigest",
			"The SHA256 you specified did not match the calculated checksum."))
	}
	o := s.store(b, r.vars["Key"], r.body, checksum)
	return &answer{header: o.header(true)}
}

func noSuchBucket() error {
	return apiError(http.StatusNotFound, "NoSuchBucket", "The specified bucket does not exist")
}

func (s *Server) object(r *request) *object {
	b := s.buckets[r.vars["Bucket"]]
	if b == nil {
		panic(noSuchBucket())
	}
	version := r.query("versionId")
	o := b.find(r.vars["Key"], version)
	switch {
	case o == nil && version != "":
		panic(apiError(http.StatusNotFound, "NoSuchVersion", "The specified version does not exist."))
	case o == nil:
		panic(apiError(http.StatusNotFound, "NoSuchKey", "The specified key does not exist."))
	}
	return o
}

func headObject(s *Server, r *request) any {
	o := s.object(r)
	return &answer{header: o.describe(r)}
}

func getObject(s *Server, r *request) any {
	o := s.object(r)
	return &answer{header: o.describe(r), body: o.data}
}

// describe returns the header of a read; it contains checksums only if they were requested.
func (o *object) describe(r *request) http.Header {
	h := o.header(r.http.Header.Get("X-Amz-Checksum-Mode") == "ENABLED")
	h.Set("Content-Length", strconv.Itoa(len(o.data)))
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Last-Modified", o.modified.UTC().Format(http.TimeFormat))
	return h
}

func (o *object) header(checksums bool) http.Header {
	h := http.Header{}
	h.Set("ETag", o.etag)
	if o.version != "" {
		h.Set("X-Amz-Version-Id", o.version)
	}
	if checksums && o.checksum != "" {
		h.Set("X-Amz-Checksum-Sha256", o.checksum)
		h.Set("X-Amz-Checksum-Type", "FULL_OBJECT")
	}
	return h
}

// PutImage sets a tag of a repository to a digest (sha256:...), both for ECR and for functions that use the image.
func (s *Server) PutImage(repository, tag, digest string) {
	defer s.lock()()
	s.images[repository+":"+tag] = digest
}

// PutImageIndex sets a tag of a repository to the digest of an image index. Lambda does not accept an index, by tag or
// by digest.
func (s *Server) PutImageIndex(repository, tag, digest, manifest string) {
	s.PutImage(repository, tag, digest)
	defer s.lock()()
	s.indexes[digest] = manifest
}

// imageID identifies an image by its digest, its tag, or both.
type imageID struct {
	ImageDigest string `json:"imageDigest,omitempty"`
	ImageTag    string `json:"imageTag,omitempty"`
}

// imageFailure is the reason why an image was not found.
type imageFailure struct {
	ImageID imageID `json:"imageId"`
	Code    string  `json:"failureCode"`
	Reason  string  `json:"failureReason"`
}

// image is an image that was found.
type image struct {
	RegistryID     string  `json:"registryId"`
	RepositoryName string  `json:"repositoryName"`
	ImageID        imageID `json:"imageId"`
	Manifest       string  `json:"imageManifest"`
	MediaType      string  `json:"imageManifestMediaType"`
}

const (
	mediaTypeImage = "application/vnd.oci.image.manifest.v1+json"
	mediaTypeIndex = "application/vnd.oci.image.index.v1+json"
)

func batchGetImage(s *Server, r *request) any {
	in := struct {
		RepositoryName string    `json:"repositoryName"`
		RegistryID     string    `json:"registryId"`
		ImageIDs       []imageID `json:"imageIds"`
	}{RegistryID: r.account}
	r.decode(&in)
	images, failures := []image{}, []imageFailure{}
	for _, id := range in.ImageIDs {
		digest := s.imageDigest(in.RepositoryName, id)
		if digest == "" {
			failures = append(failures,
				imageFailure{ImageID: id, Code: "ImageNotFound", Reason: "Requested image not found"})
			continue
		}
		id.ImageDigest = digest
		found := image{
			RegistryID: in.RegistryID, RepositoryName: in.RepositoryName, ImageID: id,
			MediaType: mediaTypeImage, Manifest: `{"schemaVersion": 2, "mediaType": "` + mediaTypeImage +
				`", "layers": []}`,
		}
		if index, ok := s.indexes[digest]; ok {
			found.MediaType, found.Manifest = mediaTypeIndex, index
		}
		images = append(images, found)
	}
	return map[string]any{"images": images, "failures": failures}
}

// imageDigest returns the digest of an image, or "" if it does not exist.
func (s *Server) imageDigest(repository string, id imageID) string {
	if id.ImageTag != "" {
		return s.images[repository+":"+id.ImageTag]
	}
	for name, digest := range s.images {
		if digest == id.ImageDigest && untagged(name) == repository {
			return digest
		}
	}
	return ""
}
