package function

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestReported(t *testing.T) {
	cases := map[string]struct {
		reason string
		code   *v1beta1.FunctionCode
		want   bool
	}{
		"Inline": {
			"the code is in the spec", &v1beta1.FunctionCode{Inline: map[string]string{"index.mjs": ""}}, true,
		},
		"S3": {
			"an object may be replaced without a call to Lambda",
			&v1beta1.FunctionCode{S3Bucket: ptr.To("b"), S3Key: ptr.To("k")}, false,
		},
		"Version": {
			"a version of an object stays as it is",
			&v1beta1.FunctionCode{S3Bucket: ptr.To("b"), S3Key: ptr.To("k"), S3ObjectVersion: ptr.To("v")}, true,
		},
		"Image": {"the image is deployed once", &v1beta1.FunctionCode{ImageURI: ptr.To("i:1")}, true},
		"ImageTag": {
			"a tag may move without a call to Lambda",
			&v1beta1.FunctionCode{ImageURI: ptr.To("i:1"), TrackImageTag: ptr.To(true)}, false,
		},
		"None": {"the code is left to other tools", nil, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &v1beta1.Function{}
			f.Spec.ForProvider.Code = tc.code
			if got := reported(f); got != tc.want {
				t.Errorf("%s: %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
