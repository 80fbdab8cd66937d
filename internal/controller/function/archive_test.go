package function

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
)

func TestCodeStates(t *testing.T) {
	out := func(sha, image string) *lambda.GetFunctionOutput {
		o := &lambda.GetFunctionOutput{
			Configuration: &types.FunctionConfiguration{CodeSha256: ptr.To(sha)}, Code: &types.FunctionCodeLocation{},
		}
		if image != "" {
			o.Code.ImageUri = ptr.To(image)
		}
		return o
	}

	cases := map[string]struct {
		reason string
		a      deploymentPackage
		o      *lambda.GetFunctionOutput
		same   bool
	}{
		"ArchiveSame": {
			reason: "An archive is what its hash says.",
			a:      deploymentPackage{bundle: archive.Bundle{Zip: []byte("z"), SHA256: "H"}}, o: out("H", ""),
			same: true,
		},
		"ArchiveOther": {
			reason: "Code that someone else deployed is seen without any memory.",
			a:      deploymentPackage{bundle: archive.Bundle{Zip: []byte("z"), SHA256: "H"}}, o: out("other", ""),
		},
		"ImageSame": {
			reason: "An image is what it is called.",
			a:      deploymentPackage{spec: v1beta1.FunctionCode{ImageURI: ptr.To("repo:1")}}, o: out("d", "repo:1"),
			same: true,
		},
		"ImageOther": {
			reason: "Another tag is another image.",
			a:      deploymentPackage{spec: v1beta1.FunctionCode{ImageURI: ptr.To("repo:2")}}, o: out("d", "repo:1"),
		},
		"ImageTagMoved": {
			reason: "A tracked tag that moved is seen by its digest.",
			a:      deploymentPackage{spec: v1beta1.FunctionCode{ImageURI: ptr.To("repo:1")}, digest: "sha256:new"},
			o:      out("old", "repo:1"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want, have := codeStates(tc.a, tc.o, nil)
			if diff := cmp.Diff(want, have); (diff == "") != tc.same {
				t.Errorf("%s: want same %t, got:\n%s", tc.reason, tc.same, diff)
			}
		})
	}
}
