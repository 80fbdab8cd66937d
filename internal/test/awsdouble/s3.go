package awsdouble

import (
	"crypto/md5" //nolint:gosec // an ETag is an MD5, not a protection
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"
)

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
