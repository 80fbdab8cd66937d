package function

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/objects"
)

func TestArchiveOfObject(t *testing.T) {
	body := []byte("zip bytes")
	at := func(change ...func(*v1beta1.FunctionCode)) v1beta1.FunctionCode {
		c := v1beta1.FunctionCode{S3Bucket: ptr.To("b"), S3Key: ptr.To("k")}
		for _, f := range change {
			f(&c)
		}
		return c
	}
	pin := func(sha string) func(*v1beta1.FunctionCode) {
		return func(c *v1beta1.FunctionCode) { c.SHA256 = ptr.To(sha) }
	}
	version := func(c *v1beta1.FunctionCode) { c.S3ObjectVersion = ptr.To("v1") }
	plain := &s3.HeadObjectOutput{ETag: ptr.To(`"e1"`)}
	download := func(*s3.GetObjectInput) (*s3.GetObjectOutput, error) {
		return &s3.GetObjectOutput{Body: io.NopCloser(bytes.NewReader(body))}, nil
	}

	type want struct {
		source, sha256, err string
	}
	cases := map[string]struct {
		reason   string
		code     v1beta1.FunctionCode
		deployed *v1beta1.DeployedCode
		head     func(*s3.HeadObjectInput) (*s3.HeadObjectOutput, error)
		get      func(*s3.GetObjectInput) (*s3.GetObjectOutput, error)
		want     want
	}{
		"ETag": {
			reason: "One HeadObject tells the version.",
			code:   at(), head: always[*s3.HeadObjectInput](plain, nil),
			want: want{source: "s3://b/k#e1"},
		},
		"Checksum": {
			reason: "A checksum of the whole object is AWS's CodeSha256.",
			code:   at(), head: always[*s3.HeadObjectInput](&s3.HeadObjectOutput{ETag: ptr.To(`"e1"`), ChecksumSHA256: ptr.To("H="), ChecksumType: s3types.ChecksumTypeFullObject}, nil),
			want: want{source: "s3://b/k#e1", sha256: "H="},
		},
		"ChecksumOfParts": {
			reason: "A checksum of checksums is not the object's hash.",
			code:   at(), head: always[*s3.HeadObjectInput](&s3.HeadObjectOutput{ETag: ptr.To(`"e1"`), ChecksumSHA256: ptr.To("H=-2"), ChecksumType: s3types.ChecksumTypeComposite}, nil),
			want: want{source: "s3://b/k#e1"},
		},
		"VersionNeedsNoCall": {
			reason: "A version that is named never changes: no call is made.",
			code:   at(version), want: want{source: "s3://b/k?versionId=v1"},
		},
		"Denied": {
			reason: "Without the permission, all but replaced objects works.",
			code:   at(), head: always[*s3.HeadObjectInput]((*s3.HeadObjectOutput)(nil), apiError(403, "Forbidden", "Forbidden")),
			want: want{source: "s3://b/k"},
		},
		"Missing": {
			reason: "A missing object is named.",
			code:   at(), head: always[*s3.HeadObjectInput]((*s3.HeadObjectOutput)(nil), apiError(404, "NotFound", "Not Found")),
			want: want{err: "s3://b/k does not exist"},
		},
		"Fails": {
			reason: "Any other failure is told.",
			code:   at(), head: always[*s3.HeadObjectInput]((*s3.HeadObjectOutput)(nil), errors.New("boom")),
			want: want{err: "cannot look up s3://b/k"},
		},
		"PinDownloads": {
			reason: "Where nothing else tells the hash, a pinned object is read.",
			code:   at(pin(hash(body))), head: always[*s3.HeadObjectInput](plain, nil), get: download,
			want: want{source: "s3://b/k#e1", sha256: hash(body)},
		},
		"PinRefuses": {
			reason: "Another object is not deployed.",
			code:   at(pin(hash([]byte("other")))), head: always[*s3.HeadObjectInput](plain, nil), get: download,
			want: want{err: "nothing is deployed"},
		},
		"PinKnownFromDeployment": {
			reason: "What was deployed of this very version is not read again.",
			code:   at(pin(hash(body))), head: always[*s3.HeadObjectInput](plain, nil),
			deployed: &v1beta1.DeployedCode{Source: "s3://b/k#e1", CodeSHA256: hash(body)},
			want:     want{source: "s3://b/k#e1", sha256: hash(body)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := &resolver{s3: &fakeS3{head: tc.head, get: tc.get}}
			a, err := r.archive(testContext(t), "ns", tc.code, tc.deployed)
			if err != nil {
				if tc.want.err == "" || !strings.Contains(err.Error(), tc.want.err) {
					t.Fatalf("%s\nerror: want %q, got %v", tc.reason, tc.want.err, err)
				}
				return
			}
			if diff := cmp.Diff(tc.want, want{source: a.source(), sha256: a.sha256}, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestArchiveOfZipFile(t *testing.T) {
	good, err := makeZip(map[string][]byte{"index.py": []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	r := &resolver{objects: fakeObjects{secret("ns", "z"): objects.Data{"good": good, "bad": []byte("no zip")}}}
	from := func(key string) v1beta1.FunctionCode {
		return v1beta1.FunctionCode{ZipFileFrom: &v1beta1.ZipFileSource{SecretKeyRef: &v1beta1.KeySelector{Name: "z", Key: key}}}
	}
	a, err := r.archive(testContext(t), "ns", from("good"), nil)
	if err != nil || a.sha256 != hash(good) {
		t.Errorf("an archive is deployed as it is: %v, %v", a.sha256, err)
	}
	if _, err := r.archive(testContext(t), "ns", from("bad"), nil); err == nil || !strings.Contains(err.Error(), "is no .zip archive") {
		t.Errorf("what is no archive is refused before AWS is asked, got %v", err)
	}
}

func TestReferences(t *testing.T) {
	sel := &v1beta1.FieldSelector{APIVersion: "iam.example.org/v1", Kind: "Role", Name: "r", FieldPath: "status.atProvider.arn"}
	p := minimal(func(p *v1beta1.FunctionSettings) {
		p.Role, p.RoleFrom = nil, sel
		p.VPCConfig = &v1beta1.VPCConfig{SubnetIDsFrom: []v1beta1.FieldSelector{*sel, *sel}, SecurityGroupIDs: []string{"sg-1"}}
	})
	r := &resolver{fields: fakeFields(func(v1beta1.FieldSelector) (string, error) { return "found", nil })}
	got, err := r.references(testContext(t), "ns", "spec.forProvider", p)
	if err != nil {
		t.Fatal(err)
	}
	if ptr.Deref(got.Role, "") != "found" || len(got.VPCConfig.SubnetIDs) != 2 || got.VPCConfig.SecurityGroupIDs[0] != "sg-1" {
		t.Errorf("each <field>From must be replaced by what it selects, got %+v", got)
	}
	if p.Role != nil || p.VPCConfig.SubnetIDs != nil {
		t.Error("the spec itself is the user's and must stay as it was")
	}
	r.fields = fakeFields(func(v1beta1.FieldSelector) (string, error) { return "", errors.New("Role ns/r does not exist") })
	if _, err := r.references(testContext(t), "ns", "spec.forProvider", p); err == nil || !strings.Contains(err.Error(), "spec.forProvider.roleFrom: Role ns/r does not exist") {
		t.Errorf("the field and what is missing must be named, got %v", err)
	}
}
