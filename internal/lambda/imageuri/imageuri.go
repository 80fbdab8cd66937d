// Package imageuri parses the URI of an image in Amazon ECR. It is pure.
package imageuri

import "regexp"

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
