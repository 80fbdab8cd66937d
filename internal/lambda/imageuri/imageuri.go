// Package imageuri parses the URI of an image in Amazon ECR. It is pure.
package imageuri

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// An Image is the parsed URI of an image.
type Image struct {
	// Registry is the ID of the account that has the repository.
	Registry string

	// Region of the registry. It is empty if the host is not one of Amazon ECR, such as that of an emulator.
	Region string

	// Repository is the name of the repository.
	Repository string

	// Tag of the image, latest if the URI has neither a tag nor a digest.
	Tag string

	// Digest of the image, such as sha256:0f3a. It is empty if a tag names the image.
	Digest string
}

// uri has the groups host, registry, repository, tag and digest.
var uri = regexp.MustCompile(`^(([^/.:]+)[^/]*)/([^:@]+)(?::([^@]+))?(?:@(.+))?$`)

// host has the group region. See https://docs.aws.amazon.com/AmazonECR/latest/userguide/ecr-requests.html.
var host = regexp.MustCompile(`^[0-9]{12}\.dkr[.-]ecr(?:-fips)?\.([a-z0-9-]+)\.`)

// Parse parses a URI. It returns false if the text is not the URI of an image.
func Parse(s string) (Image, bool) {
	m := uri.FindStringSubmatch(s)
	if m == nil {
		return Image{}, false
	}
	i := Image{Registry: m[2], Repository: m[3], Tag: m[4], Digest: m[5]}
	if h := host.FindStringSubmatch(m[1]); h != nil {
		i.Region = h[1]
	}
	if i.Tag == "" && i.Digest == "" {
		i.Tag = "latest"
	}
	return i, true
}

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
