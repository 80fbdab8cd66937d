package archive

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/store"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
)

func TestCheckPin(t *testing.T) {
	const b64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
	const hexed = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

	cases := map[string]struct {
		reason string
		pin    *string
		sha256 string
		want   string
	}{
		"NoPin":       {reason: "Without a pin anything goes.", sha256: "x"},
		"Base64":      {reason: "A pin may be as AWS writes it.", pin: ptr.To(b64), sha256: b64},
		"Hexadecimal": {reason: "A pin may be as sha256sum writes it.", pin: ptr.To(hexed), sha256: b64},
		"UpperCase":   {reason: "A pin may be in upper case.", pin: ptr.To(strings.ToUpper(hexed)), sha256: b64},
		"OtherContent": {
			reason: "Another archive is refused, with its hash as AWS writes it.", pin: ptr.To("x"), sha256: b64,
			want: "pins x, but the code found has SHA-256 " + b64,
		},
		"OtherContentInHexadecimal": {
			reason: "Another archive is refused, with its hash as sha256sum writes it.",
			pin:    ptr.To(strings.Repeat("A0", 32)), sha256: b64,
			want: "pins " + strings.Repeat("a0", 32) + ", but the code found has SHA-256 " + hexed,
		},
		"NotHexadecimal": {
			reason: "A text that is no hash pins nothing that exists.", pin: ptr.To(strings.Repeat("z", 64)), sha256: b64,
			want: "but the code found has SHA-256 " + hexed,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := Bundle{From: Source{SHA256: tc.pin}, SHA256: tc.sha256}.checkPin()
			if (err == nil) != (tc.want == "") || !strings.Contains(fmt.Sprint(err), tc.want) {
				t.Errorf("%s: checkPin: %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

func TestCompare(t *testing.T) {
	s3 := Source{S3Bucket: ptr.To("b"), S3Key: ptr.To("k")}
	cases := map[string]struct {
		reason string
		b      Bundle
		has    string
		last   *v1beta1.DeployedCode
		same   bool
	}{
		"KnownHashSame": {
			reason: "A known hash is all that counts.",
			b:      Bundle{Zip: []byte("z"), SHA256: "H"}, has: "H", same: true,
		},
		"KnownHashOther": {
			reason: "Code that someone else deployed is seen without any memory.",
			b:      Bundle{Zip: []byte("z"), SHA256: "H"}, has: "other",
		},
		"ObjectUnchanged": {
			reason: "The same version of the object, and the hash that it had.",
			b:      Bundle{From: s3, Version: "e1"}, has: "H", last: &v1beta1.DeployedCode{
				Source:     "s3://b/k#e1",
				CodeSHA256: "H",
			}, same: true,
		},
		"ObjectReplaced": {
			reason: "A replaced object under the same key is seen.",
			b:      Bundle{From: s3, Version: "e2"}, has: "H", last: &v1beta1.DeployedCode{
				Source:     "s3://b/k#e1",
				CodeSHA256: "H",
			},
		},
		"ObjectSameButCodeOutOfBand": {
			reason: "Code that someone else deployed is seen by its hash.",
			b:      Bundle{From: s3, Version: "e1"}, has: "other", last: &v1beta1.DeployedCode{
				Source:     "s3://b/k#e1",
				CodeSHA256: "H",
			},
		},
		"ObjectNeverDeployed": {
			reason: "What was not deployed from here can't be known to be the object: it is deployed once.",
			b:      Bundle{From: s3, Version: "e1"}, has: "H",
		},
		"VersionUnreadable": {
			reason: "Without permission to read the object, the last known version is kept.",
			b:      Bundle{From: s3}, has: "H", last: &v1beta1.DeployedCode{
				Source:     "s3://b/k#e1",
				CodeSHA256: "H",
			}, same: true,
		},
		"LongerKeyVersionUnreadable": {
			reason: "A key may have a # too.",
			b:      Bundle{From: s3}, has: "H", last: &v1beta1.DeployedCode{Source: "s3://b/k#2#e1", CodeSHA256: "H"},
		},
		"OtherKeyVersionUnreadable": {
			reason: "Another key is another object, readable or not.",
			b:      Bundle{From: s3}, has: "H", last: &v1beta1.DeployedCode{Source: "s3://b/k2#e1", CodeSHA256: "H"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want, have := tc.b.Compare(tc.has, tc.last)
			if diff := cmp.Diff(want, have); (diff == "") != tc.same {
				t.Errorf("%s: want same %t, got:\n%s", tc.reason, tc.same, diff)
			}
		})
	}
}

func TestRefs(t *testing.T) {
	key := &v1beta1.KeySelector{Name: "z", Key: "k"}
	cases := map[string]struct {
		reason string
		s      Source
		want   []refs.ObjectRef
	}{
		"None": {reason: "S3 is not in the cluster.", s: Source{S3Key: ptr.To("k")}},
		"Files": {
			reason: "A ConfigMap of files.", s: Source{ConfigMap: "z"},
			want: []refs.ObjectRef{{Kind: refs.ConfigMap, Namespace: "ns", Name: "z"}},
		},
		"Secret": {
			reason: "An archive in a Secret.",
			s:      Source{ZipFileFrom: &v1beta1.ZipFileSource{SecretKeyRef: key}},
			want:   []refs.ObjectRef{{Kind: refs.Secret, Namespace: "ns", Name: "z"}},
		},
		"ConfigMap": {
			reason: "An archive in a ConfigMap.",
			s:      Source{ZipFileFrom: &v1beta1.ZipFileSource{ConfigMapKeyRef: key}},
			want:   []refs.ObjectRef{{Kind: refs.ConfigMap, Namespace: "ns", Name: "z"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.s.Refs("ns")); diff != "" {
				t.Errorf("%s\nRefs(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRemember(t *testing.T) {
	if got := (Bundle{Zip: []byte("z"), SHA256: "H"}).Remember(ptr.To("H")); got != nil {
		t.Errorf("what is known by its hash needs no memory, got %v", got)
	}
	b := Bundle{From: Source{S3Bucket: ptr.To("b"), S3Key: ptr.To("k")}, Version: "e1"}
	if diff := cmp.Diff(&v1beta1.DeployedCode{Source: "s3://b/k#e1", CodeSHA256: "H"},
		b.Remember(ptr.To("H"))); diff != "" {
		t.Errorf("Remember(): -want, +got:\n%s", diff)
	}
}

// TestOtherPathIsOtherArtifact checks that the digest of another path, which has a # too, is not that of the path.
func TestOtherPathIsOtherArtifact(t *testing.T) {
	const reference = "ghcr.io/acme/shop:v1"
	last := &v1beta1.DeployedCode{Source: "oci://" + reference + "//functions/c##sha256:0a"}
	for path, want := range map[string]string{"functions/c": "", "functions/c#": "sha256:0a"} {
		s := Source{Field: "code", OCI: &v1beta1.OCISource{Reference: reference, Path: ptr.To(path)}}
		b, err := Finder{}.Find(t.Context(), "ns", s, last)
		if err != nil || b.Version != want {
			t.Errorf("path %s: got version %q, %v, want %q", path, b.Version, err, want)
		}
	}
}

// TestReplacedWhileDeployed checks that code which AWS has read of another object than the pinned one is replaced once
// the pinned object is back under its key, with the same ETag as before.
func TestReplacedWhileDeployed(t *testing.T) {
	f := Finder{S3: &fakeS3{
		head: answers(&s3.HeadObjectOutput{ETag: ptr.To(`"e1"`)}, nil),
		get: func(*s3.GetObjectInput) (*s3.GetObjectOutput, error) {
			return &s3.GetObjectOutput{Body: io.NopCloser(strings.NewReader("pinned"))}, nil
		},
	}}
	pinned := Hash([]byte("pinned"))
	s := Source{Field: "code", S3Bucket: ptr.To("b"), S3Key: ptr.To("k"), SHA256: &pinned}
	b, err := f.Find(t.Context(), "ns", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	last := b.Remember(ptr.To("other"))
	if b, err = f.Find(t.Context(), "ns", s, last); err != nil {
		t.Fatalf("the object has the pinned hash: %v", err)
	}
	if want, have := b.Compare("other", last); want == have {
		t.Errorf("AWS has other code than the pinned one, got no difference from %+v", have)
	}
}

// TestTwoSources checks that a source that names both an object in S3 and an artifact, which the API server rejects but
// a manifest may have, is loaded as the object.
func TestTwoSources(t *testing.T) {
	f := Finder{Store: &store.Store{}, OCI: &oci.Client{}}
	b := Bundle{From: Source{S3Bucket: ptr.To("code"), S3Key: ptr.To("one.zip"), OCI: &v1beta1.OCISource{}}}
	if got, err := f.Load(t.Context(), b); err != nil || got.Artifact != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}
