package function

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestMakeZip(t *testing.T) {
	files := map[string][]byte{"index.py": []byte("def handler(e, c):\n    return 1\n"), "lib/util.py": []byte("x = 1\n")}
	b, err := makeZip(files)
	if err != nil {
		t.Fatal(err)
	}

	// The hash is written out, since a change of it would redeploy the code of
	// every function of every user.
	if got, want := hash(b), "w8lnj+s1fbUjGFltdyapoyE5KkTl5M6Zl9lri56Mzoc="; got != want {
		t.Errorf("the same files must always give the same archive: hash %s, want %s", got, want)
	}

	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]byte{}
	for _, f := range r.File {
		rc, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if got[f.Name], err = io.ReadAll(rc); err != nil {
			t.Fatal(err)
		}
		if f.Mode().Perm() != 0o755 {
			t.Errorf("%s must be executable, for custom runtimes: mode %v", f.Name, f.Mode())
		}
	}
	if diff := cmp.Diff(files, got); diff != "" {
		t.Errorf("the archive must hold the files: -want, +got:\n%s", diff)
	}
}

func TestCheckPin(t *testing.T) {
	const b64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
	const hexed = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

	cases := map[string]struct {
		reason string
		pin    *string
		sha256 string
		refuse bool
	}{
		"NoPin":        {reason: "Without a pin anything goes.", sha256: "x"},
		"Base64":       {reason: "A pin may be as AWS writes it.", pin: ptr.To(b64), sha256: b64},
		"Hexadecimal":  {reason: "A pin may be as sha256sum writes it.", pin: ptr.To(hexed), sha256: b64},
		"OtherContent": {reason: "Another archive is refused.", pin: ptr.To(hexed), sha256: "x", refuse: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := checkPin(archive{spec: v1beta1.FunctionCode{SHA256: tc.pin}, sha256: tc.sha256})
			if (err != nil) != tc.refuse {
				t.Errorf("%s: checkPin: %v", tc.reason, err)
			}
		})
	}
}

func TestCodeStates(t *testing.T) {
	s3 := v1beta1.FunctionCode{S3Bucket: ptr.To("b"), S3Key: ptr.To("k")}
	out := func(sha, image string) *lambda.GetFunctionOutput {
		o := &lambda.GetFunctionOutput{Configuration: &types.FunctionConfiguration{CodeSha256: ptr.To(sha)}, Code: &types.FunctionCodeLocation{}}
		if image != "" {
			o.Code.ImageUri = ptr.To(image)
		}
		return o
	}

	cases := map[string]struct {
		reason   string
		a        archive
		o        *lambda.GetFunctionOutput
		deployed *v1beta1.DeployedCode
		same     bool
	}{
		"KnownHashSame": {
			reason: "A known hash is all that counts.",
			a:      archive{zip: []byte("z"), sha256: "H"}, o: out("H", ""), same: true,
		},
		"KnownHashOther": {
			reason: "Code that someone else deployed is seen without any memory.",
			a:      archive{zip: []byte("z"), sha256: "H"}, o: out("other", ""),
		},
		"ObjectUnchanged": {
			reason: "The same version of the object, and the hash that it had.",
			a:      archive{spec: s3, version: "e1"}, o: out("H", ""), deployed: &v1beta1.DeployedCode{Source: "s3://b/k#e1", CodeSHA256: "H"}, same: true,
		},
		"ObjectReplaced": {
			reason: "A replaced object under the same key is seen.",
			a:      archive{spec: s3, version: "e2"}, o: out("H", ""), deployed: &v1beta1.DeployedCode{Source: "s3://b/k#e1", CodeSHA256: "H"},
		},
		"ObjectSameButCodeOutOfBand": {
			reason: "Code that someone else deployed is seen by its hash.",
			a:      archive{spec: s3, version: "e1"}, o: out("other", ""), deployed: &v1beta1.DeployedCode{Source: "s3://b/k#e1", CodeSHA256: "H"},
		},
		"ObjectNeverDeployed": {
			reason: "What was not deployed from here can't be known to be the object: it is deployed once.",
			a:      archive{spec: s3, version: "e1"}, o: out("H", ""),
		},
		"VersionUnreadable": {
			reason: "Without the permission to look, the last known version stands.",
			a:      archive{spec: s3}, o: out("H", ""), deployed: &v1beta1.DeployedCode{Source: "s3://b/k#e1", CodeSHA256: "H"}, same: true,
		},
		"OtherKeyVersionUnreadable": {
			reason: "Another key is another object, readable or not.",
			a:      archive{spec: s3}, o: out("H", ""), deployed: &v1beta1.DeployedCode{Source: "s3://b/k2#e1", CodeSHA256: "H"},
		},
		"ImageSame": {
			reason: "An image is what it is called.",
			a:      archive{spec: v1beta1.FunctionCode{ImageURI: ptr.To("repo:1")}}, o: out("d", "repo:1"), same: true,
		},
		"ImageOther": {
			reason: "Another tag is another image.",
			a:      archive{spec: v1beta1.FunctionCode{ImageURI: ptr.To("repo:2")}}, o: out("d", "repo:1"),
		},
		"ImageTagMoved": {
			reason: "A tracked tag that moved is seen by its digest.",
			a:      archive{spec: v1beta1.FunctionCode{ImageURI: ptr.To("repo:1")}, version: "sha256:new"}, o: out("old", "repo:1"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want, have := codeStates(tc.a, tc.o, tc.deployed)
			if diff := cmp.Diff(want, have); (diff == "") != tc.same {
				t.Errorf("%s: want same %t, got:\n%s", tc.reason, tc.same, diff)
			}
		})
	}
}
