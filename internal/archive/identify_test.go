package archive

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestIdentify(t *testing.T) {
	body := []byte("zip bytes")
	object := Source{Field: "spec.forProvider.code", S3Bucket: ptr.To("b"), S3Key: ptr.To("k")}
	read := func(*s3.GetObjectInput) (*s3.GetObjectOutput, error) {
		return &s3.GetObjectOutput{Body: io.NopCloser(bytes.NewReader(body))}, nil
	}
	fails := func(err error) func(*s3.GetObjectInput) (*s3.GetObjectOutput, error) {
		return func(*s3.GetObjectInput) (*s3.GetObjectOutput, error) { return nil, err }
	}
	cases := map[string]struct {
		reason string
		bundle Bundle
		last   *v1beta1.DeployedCode
		get    func(*s3.GetObjectInput) (*s3.GetObjectOutput, error)
		want   string
		err    string
	}{
		"Unknown": {
			reason: "The object is read if its hash is not known.", bundle: Bundle{From: object}, get: read,
			want: Hash(body),
		},
		"SameObject": {
			reason: "The version that was looked up is read, not a later one.",
			bundle: Bundle{From: object, Version: "e1"},
			get: func(in *s3.GetObjectInput) (*s3.GetObjectOutput, error) {
				if ptr.Deref(in.IfMatch, "") != `"e1"` {
					return nil, errors.New("not that one")
				}
				return read(in)
			},
			want: Hash(body),
		},
		"Known": {
			reason: "A hash that S3 returns needs no further call.",
			bundle: Bundle{From: object, SHA256: "H="}, want: "H=",
		},
		"Remembered": {
			reason: "The object is not read if AWS's hash of it is known from before.",
			bundle: Bundle{From: object}, last: &v1beta1.DeployedCode{},
		},
		"NotInS3": {
			reason: "The hash of an archive in the cluster is known.",
			bundle: Bundle{From: Source{ConfigMap: "files"}, SHA256: "H="}, want: "H=",
		},
		"Denied": {
			reason: "Without the permission, the hash stays unknown.",
			bundle: Bundle{From: object}, get: fails(&smithy.GenericAPIError{Code: "AccessDenied"}),
		},
		"Fails": {
			reason: "Any other error is returned, because the same code could be deployed again.",
			bundle: Bundle{From: object}, get: fails(errors.New("boom")),
			err: "cannot check whether AWS already has the code of spec.forProvider.code: cannot read s3://b/k",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Finder{S3: &fakeS3{get: tc.get}}.Identify(t.Context(), tc.bundle, tc.last)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s\nerror: want %q, got %v", tc.reason, tc.err, err)
				}
				return
			}
			if err != nil || got.SHA256 != tc.want {
				t.Errorf("%s\nIdentify(): hash %q, want %q, error %v", tc.reason, got.SHA256, tc.want, err)
			}
		})
	}
}

func TestRecognise(t *testing.T) {
	object := Source{S3Bucket: ptr.To("b"), S3Key: ptr.To("k")}
	earlier := &v1beta1.DeployedCode{Source: "s3://b/k#e0", CodeSHA256: "G="}
	cases := map[string]struct {
		reason string
		bundle Bundle
		has    string
		last   *v1beta1.DeployedCode
		want   *v1beta1.DeployedCode
	}{
		"Same": {
			reason: "What AWS has already counts as deployed.",
			bundle: Bundle{From: object, SHA256: "H=", Version: "e1"}, has: "H=",
			want: &v1beta1.DeployedCode{Source: "s3://b/k#e1", CodeSHA256: "H="},
		},
		"Other":   {reason: "Other code does not.", bundle: Bundle{From: object, SHA256: "H="}, has: "I="},
		"Unknown": {reason: "Code is not recognized if nothing is known about it.", bundle: Bundle{From: object}},
		"SameInAnotherObject": {
			reason: "So does what it has from an earlier object.",
			bundle: Bundle{From: object, SHA256: "H=", Version: "e1"}, has: "H=",
			last: earlier, want: &v1beta1.DeployedCode{Source: "s3://b/k#e1", CodeSHA256: "H="},
		},
		"OtherThanRemembered": {
			reason: "What is remembered stands while AWS has other code.", bundle: Bundle{From: object, SHA256: "H="},
			has: "I=", last: earlier, want: earlier,
		},
		"NotInS3": {
			reason: "The hash of an archive in the cluster is not recorded.",
			bundle: Bundle{From: Source{ConfigMap: "files"}, SHA256: "H="}, has: "H=",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.bundle.RestoreIdentity(tc.has, tc.last)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
