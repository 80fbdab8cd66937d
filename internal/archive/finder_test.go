package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

func TestArchiveOfObject(t *testing.T) {
	body := []byte("zip bytes")
	at := func(change ...func(*Source)) Source {
		c := Source{Field: "spec.forProvider.code", S3Bucket: ptr.To("b"), S3Key: ptr.To("k")}
		for _, f := range change {
			f(&c)
		}
		return c
	}
	pin := func(sha string) func(*Source) {
		return func(c *Source) { c.SHA256 = ptr.To(sha) }
	}
	version := func(c *Source) { c.S3ObjectVersion = ptr.To("v1") }
	plain := &s3.HeadObjectOutput{ETag: ptr.To(`"e1"`)}
	download := func(*s3.GetObjectInput) (*s3.GetObjectOutput, error) {
		return &s3.GetObjectOutput{Body: io.NopCloser(bytes.NewReader(body))}, nil
	}

	type want struct {
		source, sha256, err string
		class               backoff.Class
	}
	cases := map[string]struct {
		reason   string
		code     Source
		deployed *v1beta1.DeployedCode
		head     func(*s3.HeadObjectInput) (*s3.HeadObjectOutput, error)
		get      func(*s3.GetObjectInput) (*s3.GetObjectOutput, error)
		want     want
	}{
		"ETag": {
			reason: "One HeadObject returns the version.",
			code:   at(), head: answers(plain, nil),
			want: want{source: "s3://b/k#e1"},
		},
		"Checksum": {
			reason: "A checksum of the whole object is AWS's CodeSha256.",
			code:   at(), head: answers(&s3.HeadObjectOutput{
				ETag: ptr.To(`"e1"`), ChecksumSHA256: ptr.To("H="),
				ChecksumType: s3types.ChecksumTypeFullObject,
			}, nil),
			want: want{source: "s3://b/k#e1", sha256: "H="},
		},
		"ChecksumOfParts": {
			reason: "A checksum of checksums is not the object's hash.",
			code:   at(), head: answers(&s3.HeadObjectOutput{
				ETag: ptr.To(`"e1"`), ChecksumSHA256: ptr.To("H=-2"),
				ChecksumType: s3types.ChecksumTypeComposite,
			}, nil),
			want: want{source: "s3://b/k#e1"},
		},
		"VersionNeedsNoCall": {
			reason: "A version that is named never changes: no call is made.",
			code:   at(version), want: want{source: "s3://b/k?versionId=v1"},
		},
		"Denied": {
			reason: "Without the permission, all but replaced objects works.",
			code:   at(), head: answers(nil, &smithy.GenericAPIError{Code: "Forbidden"}),
			want: want{source: "s3://b/k"},
		},
		"Missing": {
			reason: "A missing object is named.",
			code:   at(), head: answers(nil, &smithy.GenericAPIError{Code: "NotFound"}),
			want: want{err: "s3://b/k does not exist", class: backoff.Ambiguous},
		},
		"Fails": {
			reason: "Any other error is returned.",
			code:   at(), head: answers(nil, errors.New("boom")),
			want: want{err: "cannot look up s3://b/k"},
		},
		"PinDownloads": {
			reason: "A pinned object is read if its hash is not known otherwise.",
			code:   at(pin(Hash(body))), head: answers(plain, nil), get: download,
			want: want{source: "s3://b/k#e1", sha256: Hash(body)},
		},
		"PinOfMissingVersion": {
			reason: "The version may be uploaded at the same time, as an object may be.",
			code:   at(version, pin(Hash(body))),
			get: func(*s3.GetObjectInput) (*s3.GetObjectOutput, error) {
				return nil, &smithy.GenericAPIError{
					Code:    "NoSuchVersion",
					Message: "The specified version does not exist.",
				}
			},
			want: want{err: "cannot read s3://b/k?versionId=v1", class: backoff.Ambiguous},
		},
		"PinRefuses": {
			reason: "Another object is not deployed.",
			code:   at(pin(Hash([]byte("other")))), head: answers(plain, nil), get: download,
			want: want{err: "nothing is deployed", class: backoff.Ambiguous},
		},
		"PinKnownFromDeployment": {
			reason: "What was deployed of this very version is not read again.",
			code:   at(pin(Hash(body))), head: answers(plain, nil),
			deployed: &v1beta1.DeployedCode{Source: "s3://b/k#e1", CodeSHA256: Hash(body)},
			want:     want{source: "s3://b/k#e1", sha256: Hash(body)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := Finder{S3: &fakeS3{head: tc.head, get: tc.get}}
			b, err := f.Find(t.Context(), "ns", tc.code, tc.deployed)
			if err != nil {
				if tc.want.err == "" || !strings.Contains(err.Error(), tc.want.err) ||
					backoff.Classify(err) != tc.want.class {
					t.Fatalf(
						"%s\nerror: want %q of class %s, got %v of class %s",
						tc.reason,
						tc.want.err,
						tc.want.class,
						err,
						backoff.Classify(err),
					)
				}
				return
			}
			if diff := cmp.Diff(tc.want, want{source: b.Name(), sha256: b.SHA256},
				cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestArchiveInTheCluster(t *testing.T) {
	good, err := Zip(map[string][]byte{"index.py": []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	prefixed, err := Zip(map[string][]byte{"python/index.py": []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	objects := testenv.Objects{
		{Kind: refs.Secret, Namespace: "ns", Name: "z"}:        {"good": good, "bad": []byte("no zip")},
		{Kind: refs.ConfigMap, Namespace: "ns", Name: "files"}: {"index.py": []byte("x")},
	}
	zipIn := func(key string) Source {
		return Source{
			Field:       "spec.forProvider.code",
			ZipFileFrom: &v1beta1.ZipFileSource{SecretKeyRef: &v1beta1.KeySelector{Name: "z", Key: key}},
		}
	}
	cases := map[string]struct {
		reason string
		s      Source
		want   string
		err    string
		class  backoff.Class
	}{
		"Zip": {reason: "An archive is used unchanged.", s: zipIn("good"), want: Hash(good)},
		"NoZip": {
			reason: "An invalid archive is rejected without a call to AWS.", s: zipIn("bad"),
			err: "is not a .zip archive", class: backoff.Terminal,
		},
		"NoKey": {
			reason: "The missing key is named.", s: zipIn("absent"),
			err: "spec.forProvider.code.zipFileFrom", class: backoff.Ambiguous,
		},
		"Inline": {
			reason: "Files in the spec are zipped.", s: Source{Inline: map[string]string{"index.py": "x"}},
			want: Hash(good),
		},
		"ConfigMap": {reason: "Files in a ConfigMap are zipped.", s: Source{ConfigMap: "files"}, want: Hash(good)},
		"Prefix": {
			reason: "A prefix puts them into a folder.", s: Source{ConfigMap: "files", FilePrefix: "python/"},
			want: Hash(prefixed),
		},
		"NoObject": {
			reason: "The field is named.", s: Source{Field: "spec.forProvider.content", ConfigMap: "absent"},
			err: "cannot read spec.forProvider.content.configMapRef", class: backoff.Ambiguous,
		},
		"Pin": {
			reason: "Another archive than the pinned one is refused.",
			s:      Source{Inline: map[string]string{"a": "b"}, SHA256: ptr.To(Hash(good))}, err: "nothing is deployed",
			class: backoff.Ambiguous,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b, err := Finder{Objects: objects}.Find(t.Context(), "ns", tc.s, nil)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || backoff.Classify(err) != tc.class {
					t.Errorf("%s\nerror: want %q of class %s, got %v of class %s", tc.reason, tc.err, tc.class, err,
						backoff.Classify(err))
				}
				return
			}
			if err != nil || b.SHA256 != tc.want {
				t.Errorf("%s\nFind(): %v, hash %s, want %s", tc.reason, err, b.SHA256, tc.want)
			}
		})
	}
}

// fakeS3 implements HeadObject and GetObject.
type fakeS3 struct {
	head func(*s3.HeadObjectInput) (*s3.HeadObjectOutput, error)
	get  func(*s3.GetObjectInput) (*s3.GetObjectOutput, error)
}

func (f *fakeS3) HeadObject(_ context.Context, in *s3.HeadObjectInput,
	_ ...func(*s3.Options),
) (*s3.HeadObjectOutput, error) {
	return f.head(in)
}

func (f *fakeS3) GetObject(_ context.Context, in *s3.GetObjectInput,
	_ ...func(*s3.Options),
) (*s3.GetObjectOutput, error) {
	return f.get(in)
}

func (f *fakeS3) PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error) {
	panic("no archive is staged")
}

func answers(out *s3.HeadObjectOutput, err error) func(*s3.HeadObjectInput) (*s3.HeadObjectOutput, error) {
	return func(*s3.HeadObjectInput) (*s3.HeadObjectOutput, error) { return out, err }
}
