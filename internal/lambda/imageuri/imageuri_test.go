package imageuri

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	const host = "123456789012.dkr.ecr.eu-central-1.amazonaws.com"
	hello := Image{Registry: "123456789012", Region: "eu-central-1", Repository: "team/hello"}
	with := func(tag, digest string) Image {
		i := hello
		i.Tag, i.Digest = tag, digest
		return i
	}
	for uri, want := range map[string]Image{
		host + "/team/hello":                with("latest", ""),
		host + "/team/hello:v1":             with("v1", ""),
		host + "/team/hello@sha256:0f3a":    with("", "sha256:0f3a"),
		host + "/team/hello:v1@sha256:0f3a": with("v1", "sha256:0f3a"),
		"123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn/hello:v1": {
			Registry: "123456789012",
			Region:   "cn-north-1", Repository: "hello", Tag: "v1",
		},
		"123456789012.dkr.ecr-fips.us-gov-west-1.amazonaws.com/hello:v1": {
			Registry: "123456789012",
			Region:   "us-gov-west-1", Repository: "hello", Tag: "v1",
		},
		"123456789012.dkr-ecr.eu-west-1.on.aws/hello:v1": {
			Registry: "123456789012",
			Region:   "eu-west-1", Repository: "hello", Tag: "v1",
		},
		"localhost:5000/hello:v1": {
			Registry: "localhost", Repository: "hello",
			Tag: "v1",
		},
		"hello:v1": {},
		"":         {},
	} {
		got, ok := Parse(uri)
		if diff := cmp.Diff(want, got); diff != "" || ok != (want != Image{}) {
			t.Errorf("%q: -want, +got:\n%s", uri, diff)
		}
	}
}
