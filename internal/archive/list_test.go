package archive

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestListed(t *testing.T) {
	object := func(key string) Source { return Source{S3Bucket: ptr.To("code"), S3Key: ptr.To(key)} }
	cases := map[string]struct {
		reason   string
		source   Source
		deployed string
		revision string
		ok       bool
	}{
		"Object":   {"The list has the ETag.", object("a.zip"), "s3://code/a.zip#e1", "e1", true},
		"HashSign": {"A key may have any character.", object("build#1/a.zip"), "s3://code/build#1/a.zip#e1", "e1", true},
		"NoETag":   {"AWS did not return the ETag.", object("build#1.zip"), "s3://code/build#1.zip", "", true},
		"Longer":   {"Another object has the key with a # and more.", object("a"), "s3://code/a#1#e1", "", false},
		"Other":    {"Another object was deployed.", object("b.zip"), "s3://code/a.zip#e1", "", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			items, ok := Listed(tc.source, &v1beta1.DeployedCode{Source: tc.deployed})
			revision := ""
			for _, i := range items {
				revision = i.Revision
			}
			if ok != tc.ok || revision != tc.revision {
				t.Errorf("%s\ngot %q, %t, want %q, %t", tc.reason, revision, ok, tc.revision, tc.ok)
			}
		})
	}
}
