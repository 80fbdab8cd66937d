package oci

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// maxLayer is the most that a layer may have, in bytes. Lambda takes 250 MB unzipped.
const maxLayer = 300 << 20

// maxAnnotation is the length up to which an annotation is taken.
const maxAnnotation = 1024

// Media types of layers.
const (
	mediaTypeZip  = "application/zip"
	mediaTypeFlux = "application/vnd.cncf.flux.content.v1.tar+gzip"
	mediaTypeTar  = "application/vnd.oci.image.layer.v1.tar"
	mediaTypeTgz  = "application/vnd.oci.image.layer.v1.tar+gzip"
	mediaTypeGzip = "application/gzip"
)

const mediaTypeDockerIndex = "application/vnd.docker.distribution.manifest.list.v2+json"

// taken lists the media types of the layers that are archives. `flux push artifact` sets Flux's, and `oras push`
// that of a tar.gz for a folder. mediaTypeTar is what `oras push` sets for a file of no type, whatever its format.
var taken = []string{mediaTypeZip, mediaTypeGzip, mediaTypeTgz, mediaTypeFlux}

// An Artifact is an artifact of a single layer, which is an archive.
type Artifact struct {
	// Revision is the annotation org.opencontainers.image.revision of the manifest: what was built. It is empty if it
	// is not set, or is not plain text.
	Revision string

	// Open reads the layer from the registry. The reader returns an error, at the end at the latest, if the content is
	// not what the manifest says. It reads until ctx is done or the caller closes it.
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// Fetch returns the artifact of a digest in the repository of a reference. It reads the manifest (one GET) and not
// the layer. It returns an error if the artifact does not have exactly one layer, which is a .zip archive or a
// tar.gz of at most 300 MB. For its other errors, see ErrNotFound.
func (c *Client) Fetch(ctx context.Context, ref, digest string, a Auth) (Artifact, error) {
	r, err := parseAt(ref, digest)
	if err != nil {
		return Artifact{}, err
	}
	repo, err := c.repository(ctx, r, a)
	if err != nil {
		return Artifact{}, err
	}
	text, err := fetchManifest(ctx, repo, digest)
	if err != nil {
		return Artifact{}, explain(fmt.Sprintf("read the manifest %s of %s", digest, ref), err)
	}
	layer, m, err := layerOf(text)
	if err != nil {
		return Artifact{}, reconcile.Ambiguous(fmt.Errorf("%s (%s) is not an archive: %w", ref, digest, err))
	}
	return Artifact{
		Revision: annotation(m, ocispec.AnnotationRevision),
		Open: func(ctx context.Context) (io.ReadCloser, error) {
			body, err := openBlob(ctx, repo, layer)
			if err != nil {
				return nil, explain("read the archive of "+ref, err)
			}
			return body, nil
		},
	}, nil
}

// layerOf returns the only layer of a manifest.
func layerOf(text []byte) (ocispec.Descriptor, manifestText, error) {
	var m manifestText
	if err := json.Unmarshal(text, &m); err != nil {
		return ocispec.Descriptor{}, m, errors.New("its manifest is not JSON as the OCI specification says, or has " +
			"too many layers")
	}
	if len(m.Manifests) > 0 || m.MediaType == ocispec.MediaTypeImageIndex || m.MediaType == mediaTypeDockerIndex {
		return ocispec.Descriptor{}, m, errors.New("it is an index: refer to one of its manifests, or push the " +
			"archive as an artifact of its own")
	}
	if len(m.Layers) != 1 {
		return ocispec.Descriptor{}, m, fmt.Errorf("it has %d layers: push one, which is a .zip archive or a tar.gz "+
			"(a container image is deployed by its URI instead)", len(m.Layers))
	}
	return m.Layers[0], m, checkLayer(m.Layers[0])
}

func checkLayer(l ocispec.Descriptor) error {
	if !slices.Contains(taken, l.MediaType) && !(l.MediaType == mediaTypeTar && isArchiveName(l)) {
		return fmt.Errorf("the media type of its layer is %q: push the layer as one of %s", clean(l.MediaType),
			strings.Join(taken, ", "))
	}
	if l.Size > maxLayer {
		return fmt.Errorf("%w: its layer has %d MB, and Lambda takes no archive of more than %d MB", ErrTooLarge,
			l.Size>>20, maxLayer>>20)
	}
	if l.Size <= 0 || l.Digest.Validate() != nil || l.Digest.Algorithm() != digest.SHA256 {
		return errors.New("the manifest has no size or no SHA-256 digest of its layer")
	}
	return nil
}

// isArchiveName reports whether the title of a layer, which is the name of the file that was pushed, is that of an
// archive.
func isArchiveName(l ocispec.Descriptor) bool {
	title := l.Annotations[ocispec.AnnotationTitle]
	return strings.HasSuffix(title, ".zip") || strings.HasSuffix(title, ".tar.gz") || strings.HasSuffix(title, ".tgz")
}

// annotation returns an annotation that is plain text.
func annotation(m manifestText, key string) string {
	if v := m.Annotations[key]; len(v) <= maxAnnotation && v == clean(v) {
		return v
	}
	return ""
}

// clean returns a text without what is not printable, shortened.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s)
	return s[:min(len(s), maxAnnotation)]
}
