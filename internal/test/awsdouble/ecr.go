package awsdouble

// PutImage sets a tag of a repository to a digest (sha256:...), both for ECR and for functions that use the image.
func (s *Server) PutImage(repository, tag, digest string) {
	defer s.lock()()
	s.images[repository+":"+tag] = digest
}

// PutImageIndex sets a tag of a repository to the digest of an image index. Lambda does not accept an index, by tag or
// by digest.
func (s *Server) PutImageIndex(repository, tag, digest, manifest string) {
	s.PutImage(repository, tag, digest)
	defer s.lock()()
	s.indexes[digest] = manifest
}

// imageID identifies an image by its digest, its tag, or both.
type imageID struct {
	ImageDigest string `json:"imageDigest,omitempty"`
	ImageTag    string `json:"imageTag,omitempty"`
}

// imageFailure is the reason why an image was not found.
type imageFailure struct {
	ImageID imageID `json:"imageId"`
	Code    string  `json:"failureCode"`
	Reason  string  `json:"failureReason"`
}

// image is an image that was found.
type image struct {
	RegistryID     string  `json:"registryId"`
	RepositoryName string  `json:"repositoryName"`
	ImageID        imageID `json:"imageId"`
	Manifest       string  `json:"imageManifest"`
	MediaType      string  `json:"imageManifestMediaType"`
}

const (
	mediaTypeImage = "application/vnd.oci.image.manifest.v1+json"
	mediaTypeIndex = "application/vnd.oci.image.index.v1+json"
)

func batchGetImage(s *Server, r *request) any {
	in := struct {
		RepositoryName string    `json:"repositoryName"`
		RegistryID     string    `json:"registryId"`
		ImageIDs       []imageID `json:"imageIds"`
	}{RegistryID: r.account}
	r.decode(&in)
	images, failures := []image{}, []imageFailure{}
	for _, id := range in.ImageIDs {
		digest := s.imageDigest(in.RepositoryName, id)
		if digest == "" {
			failures = append(failures,
				imageFailure{ImageID: id, Code: "ImageNotFound", Reason: "Requested image not found"})
			continue
		}
		id.ImageDigest = digest
		found := image{
			RegistryID: in.RegistryID, RepositoryName: in.RepositoryName, ImageID: id,
			MediaType: mediaTypeImage, Manifest: `{"schemaVersion": 2, "mediaType": "` + mediaTypeImage +
				`", "layers": []}`,
		}
		if index, ok := s.indexes[digest]; ok {
			found.MediaType, found.Manifest = mediaTypeIndex, index
		}
		images = append(images, found)
	}
	return map[string]any{"images": images, "failures": failures}
}

// imageDigest returns the digest of an image, or "" if it does not exist.
func (s *Server) imageDigest(repository string, id imageID) string {
	if id.ImageTag != "" {
		return s.images[repository+":"+id.ImageTag]
	}
	for name, digest := range s.images {
		if digest == id.ImageDigest && untagged(name) == repository {
			return digest
		}
	}
	return ""
}
