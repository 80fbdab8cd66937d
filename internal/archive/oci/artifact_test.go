package oci

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/opencontainers/go-digest"
)

func TestLayerOf(t *testing.T) {
	d := digest.FromString("x").String()
	layer := func(mediaType string, size int64, digest string) string {
		return fmt.Sprintf(`{"mediaType":%q,"size":%d,"digest":%q}`, mediaType, size, digest)
	}
	of := func(layers ...string) string { return `{"layers":[` + strings.Join(layers, ",") + `]}` }
	cases := map[string]struct {
		reason, manifest string
		// want is empty if the layer is taken, or part of an error.
		want string
	}{
		"Zip":  {"A .zip archive.", of(layer(mediaTypeZip, 9, d)), ""},
		"Flux": {"What flux push artifact pushes.", of(layer(mediaTypeFlux, 9, d)), ""},
		"Gzip": {"A tar.gz.", of(layer(mediaTypeGzip, 9, d)), ""},
		"ORAS": {"A folder that oras push pushes.", of(layer(mediaTypeTgz, 9, d)), ""},
		"ORASFile": {
			"A file that oras push pushes without a type has that of a tar, and its name.",
			of(`{"mediaType":"application/vnd.oci.image.layer.v1.tar","size":9,"digest":"` + d + `","annotations":` +
				`{"org.opencontainers.image.title":"code.zip"}}`), "",
		},
		"Tar": {
			"A tar that is not compressed is not taken.", of(layer(mediaTypeTar, 9, d)),
			`the media type of its layer is "application/vnd.oci.image.layer.v1.tar"`,
		},
		"Helm": {
			"Nor is any other artifact.", of(layer("application/vnd.cncf.helm.chart.content.v1.tar+gzip", 9, d)),
			"push the layer as one of application/zip, application/gzip",
		},
		"Control": {
			"A manifest may hold any text.", of(`{"mediaType":"a\u001b[31mb\u202e","size":9,"digest":"` + d + `"}`),
			`"a[31mb"`,
		},
		"Image": {
			"A container image has several layers.", of(layer(mediaTypeTgz, 9, d), layer(mediaTypeTgz, 9, d)),
			"it has 2 layers",
		},
		"Layers": {
			"Descriptors take more in memory than in JSON.", of(strings.Repeat("{},", maxLayers) + "{}"),
			"too many layers",
		},
		"NoList": {"Layers are a list.", `{"layers":{}}`, "it has 0 layers"},
		"Empty":  {"An artifact may have none.", of(), "it has 0 layers"},
		"Index": {
			"An index is no artifact.", `{"manifests":[{},{}]}`, "it is an index",
		},
		"EmptyIndex": {
			"Nor is one of no manifests.", `{"mediaType":"application/vnd.oci.image.index.v1+json"}`,
			"it is an index",
		},
		"Large": {
			"What Lambda does not take is not read.", of(layer(mediaTypeZip, maxLayer+1, d)),
			"no archive of more than 300 MB",
		},
		"Negative": {"A size is positive.", of(layer(mediaTypeZip, -1, d)), "has no size"},
		"NoDigest": {"What has no digest cannot be checked.", of(layer(mediaTypeZip, 9, "")), "no SHA-256 digest"},
		"Path":     {"A digest is part of a URL.", of(layer(mediaTypeZip, 9, "sha256:../../x")), "no SHA-256 digest"},
		"Text":     {"A server may send anything.", "<html>", "its manifest is not JSON"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, _, err := layerOf([]byte(tc.manifest))
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%s\nwant %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

func TestAnnotation(t *testing.T) {
	cases := map[string]struct{ reason, value, want string }{
		"Revision": {"A revision is plain text.", "main@sha1:0f3a", "main@sha1:0f3a"},
		"Control":  {"What a terminal would interpret is not shown.", "main\x1b[2J", ""},
		"Long":     {"Nor is what is too long for a status.", strings.Repeat("a", maxAnnotation+1), ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, m, err := layerOf(fmt.Appendf(nil, `{"layers":[{"mediaType":"application/zip","size":9,"digest":"%s"}],`+
				`"annotations":{"k":%q}}`, digest.FromString("x"), tc.value))
			if strings.Contains(tc.value, "\x1b") {
				// %q is not JSON's form of a control character.
				m.Annotations, err = map[string]string{"k": tc.value}, nil
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, annotation(m, "k")); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func FuzzLayerOf(f *testing.F) {
	f.Add([]byte(`{"layers":[{"mediaType":"application/zip","size":9,"digest":"sha256:0f3a"}]}`))
	f.Add([]byte(`{"manifests":[null]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, _, err := layerOf(text)
		if err == nil && (l.Size <= 0 || l.Size > maxLayer || l.Digest.Validate() != nil) {
			t.Errorf("a layer of %d bytes with the digest %q must not be taken", l.Size, l.Digest)
		}
	})
}
