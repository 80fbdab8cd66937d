package imageuri

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// MediaTypes are the media types of the manifests of images and of image indexes.
var MediaTypes = []string{
	"application/vnd.docker.distribution.manifest.v2+json", "application/vnd.oci.image.manifest.v1+json",
	"application/vnd.docker.distribution.manifest.list.v2+json", "application/vnd.oci.image.index.v1+json",
}

// platforms maps the architectures of Lambda to those of image indexes.
var platforms = map[string]string{"x86_64": "linux/amd64", "arm64": "linux/arm64"}

// An entry is a manifest that an image index lists.
type entry struct {
	Digest   string `json:"digest"`
	Platform struct {
		OS           string `json:"os"`
		Architecture string `json:"architecture"`
		Variant      string `json:"variant"`
	} `json:"platform"`
	Annotations map[string]string `json:"annotations"`
}

// isAttestation reports whether a manifest describes an image, such as its provenance, and is no image itself.
func (e entry) isAttestation() bool {
	return e.Annotations["vnd.docker.reference.type"] != "" || e.Platform.OS == "unknown"
}

// FromIndex returns the digest of the image that an image index has for an architecture of Lambda: x86_64 or arm64. Of
// variants such as v3, it is the first one, which most processors run, and an image without one comes before all. It
// returns an empty digest if the manifest is not that of an index, and an error that says which platforms an index has
// if it lacks the one of the architecture.
func FromIndex(manifest, architecture string) (string, error) {
	var index struct {
		Manifests []entry `json:"manifests"`
	}
	if json.Unmarshal([]byte(manifest), &index) != nil || len(index.Manifests) == 0 {
		return "", nil //nolint:nilerr // What is no JSON is no index.
	}
	want, has := platforms[architecture], []string(nil)
	var fit []entry
	for _, e := range index.Manifests {
		if e.isAttestation() {
			continue
		}
		platform := e.Platform.OS + "/" + e.Platform.Architecture
		if platform == want {
			fit = append(fit, e)
		}
		has = append(has, platform)
	}
	if len(fit) > 0 {
		return slices.MinFunc(fit, func(a, b entry) int {
			return strings.Compare(a.Platform.Variant, b.Platform.Variant)
		}).Digest, nil
	}
	slices.Sort(has)
	return "",
		fmt.Errorf("it is an image index without an image for %s, the platform of the architecture %s (it has %s): "+
			"build one for this platform, or change architectures", want, architecture, strings.Join(has, ", "))
}
