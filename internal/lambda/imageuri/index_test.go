package imageuri

import (
	"strings"
	"testing"
)

// buildx is the index that docker buildx pushes for two platforms, shortened.
const buildx = `{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [
	{"digest": "sha256:0a", "annotations": {"vnd.docker.reference.type": "attestation-manifest"},
	 "platform": {"architecture": "amd64", "os": "linux"}},
	{"digest": "sha256:0b", "platform": {"architecture": "unknown", "os": "unknown"}},
	{"digest": "sha256:0c", "platform": {"architecture": "amd64", "os": "linux"}},
	{"digest": "sha256:0d", "platform": {"architecture": "arm64", "os": "linux", "variant": "v8"}}]}`

func TestFromIndex(t *testing.T) {
	type want struct{ digest, err string }
	cases := map[string]struct {
		reason       string
		manifest     string
		architecture string
		want         want
	}{
		"Intel": {
			reason:   "Attestations are skipped, also one with the platform of the image that it describes.",
			manifest: buildx, architecture: "x86_64", want: want{digest: "sha256:0c"},
		},
		"Arm": {
			reason:       "The variant does not matter.",
			manifest:     buildx,
			architecture: "arm64",
			want:         want{digest: "sha256:0d"},
		},
		"Variants": {
			reason: "Of several variants, it is the one that every processor of the architecture runs.",
			manifest: `{"manifests": [
				{"digest": "sha256:0a", "platform": {"architecture": "amd64", "os": "linux", "variant": "v4"}},
				{"digest": "sha256:0b", "platform": {"architecture": "amd64", "os": "linux"}},
				{"digest": "sha256:0c", "platform": {"architecture": "arm64", "os": "linux", "variant": "v9"}},
				{"digest": "sha256:0d", "platform": {"architecture": "arm64", "os": "linux", "variant": "v8"}}]}`,
			architecture: "x86_64", want: want{digest: "sha256:0b"},
		},
		"OnlyVariant": {
			reason: "An image for later processors alone is deployed.",
			manifest: `{"manifests": [
				{"digest": "sha256:0a", "platform": {"architecture": "amd64", "os": "linux", "variant": "v3"}},
				{"digest": "sha256:0b", "platform": {"architecture": "arm64", "os": "linux"}}]}`,
			architecture: "x86_64", want: want{digest: "sha256:0a"},
		},
		"Other": {
			reason: "The error says what there is.",
			manifest: `{"manifests": [{"digest": "sha256:0a", "platform": {"architecture": "s390x", "os": "linux"}},
				{"digest": "sha256:0b", "platform": {"architecture": "unknown", "os": "unknown"}}]}`,
			architecture: "arm64",
			want: want{
				err: "without an image for linux/arm64, the platform of the architecture arm64 (it has linux/s390x)",
			},
		},
		"Image": {
			reason:       "The manifest of an image has layers, and no manifests.",
			manifest:     `{"mediaType": "application/vnd.oci.image.manifest.v1+json", "layers": []}`,
			architecture: "arm64",
		},
		"None": {reason: "An emulator may return no manifest.", architecture: "arm64"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			digest, err := FromIndex(tc.manifest, tc.architecture)
			if digest != tc.want.digest || (err != nil) != (tc.want.err != "") ||
				err != nil && !strings.Contains(err.Error(), tc.want.err) {
				t.Errorf("%s\ngot %q, %v, want %+v", tc.reason, digest, err, tc.want)
			}
		})
	}
}
