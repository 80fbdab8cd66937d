package oci

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry/remote"
)

// Limits of what is read of a registry.
const (
	// lookUpTimeout limits the time of one look-up of a digest, of a manifest, or of signatures.
	lookUpTimeout = 30 * time.Second

	// maxManifest is the most that a manifest may have, in bytes. Those of artifacts and signatures have some KB.
	maxManifest = 1 << 20

	// maxList is the most that a page of a list of referrers may have, in bytes. In memory, it takes many times as
	// much.
	maxList = 256 << 10

	// maxReferrerPages is the number of pages of a list of referrers that are read.
	maxReferrerPages = 4

	// maxSignatures is the number of signatures of an artifact that are read.
	maxSignatures = 32

	// maxSignatureBytes is the most that the signatures of an artifact may have together, in bytes.
	maxSignatureBytes = 1 << 20

	// maxLayers is the number of layers up to which a manifest is read: one for an archive, and one for each signature.
	maxLayers = maxSignatures
)

// A manifestText is the part of a manifest or of an index that is read.
type manifestText struct {
	MediaType   string            `json:"mediaType"`
	Layers      layers            `json:"layers"`
	Annotations map[string]string `json:"annotations"`
	// Manifests are the manifests of an index.
	Manifests json.RawMessage `json:"manifests"`
}

// layers are the layers of a manifest. In memory, a layer takes many times as much as in JSON, so that too many are an
// error before they are in memory.
type layers []ocispec.Descriptor

// UnmarshalJSON parses the layers. It returns an error if there are more than maxLayers.
func (l *layers) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil { // The bracket.
		return err
	}
	for d.More() {
		if len(*l) == maxLayers {
			return errTooMany
		}
		var next ocispec.Descriptor
		if err := d.Decode(&next); err != nil {
			return err
		}
		*l = append(*l, next)
	}
	return nil
}

// A checkedBody reads a blob. It returns an error as soon as the blob is too long, and instead of io.EOF if it is too
// short or has another digest.
type checkedBody struct {
	body io.ReadCloser
	left int64
	want digest.Digest
	hash digest.Digester
}

// Read reads the next part of the blob.
func (c *checkedBody) Read(p []byte) (int, error) {
	n, err := c.body.Read(p)
	c.left -= int64(n)
	if c.left < 0 {
		return 0, errSize
	}
	c.hash.Hash().Write(p[:n])
	switch {
	case err == nil:
		return n, nil
	case !errors.Is(err, io.EOF):
		return n, errEnded
	case c.left > 0:
		return n, errSize
	case c.hash.Digest() != c.want:
		return n, errDigest
	}
	return n, io.EOF
}

// Close closes the connection.
func (c *checkedBody) Close() error { return c.body.Close() }

// fetchManifest returns the manifest of a digest.
func fetchManifest(ctx context.Context, repo *remote.Repository, of string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	m, err := manifest(ctx, repo, of)
	if err == nil && digest.FromBytes(m).String() != of {
		err = errDigest
	}
	return m, err
}

// errTooMany wraps ErrTooLarge, so that its text remains.
var errTooMany = fmt.Errorf("%w: the artifact has more than %d signatures, or they have more than %d MB", ErrTooLarge,
	maxSignatures, maxSignatureBytes>>20)

// manifest returns the manifest of a tag or digest. The caller checks the digest.
func manifest(ctx context.Context, repo *remote.Repository, tagOrDigest string) ([]byte, error) {
	_, body, err := repo.Manifests().FetchReference(ctx, tagOrDigest)
	if err != nil {
		return nil, err
	}
	defer body.Close() //nolint:errcheck // Nothing is written.
	m, err := io.ReadAll(io.LimitReader(body, maxManifest+1))
	if err == nil && len(m) > maxManifest {
		err = fmt.Errorf("%w: its manifest has more than %d MB", ErrTooLarge, maxManifest>>20)
	}
	return m, err
}

// openBlob returns a reader of a blob, which checks its size and its digest.
func openBlob(ctx context.Context, repo *remote.Repository, d ocispec.Descriptor) (io.ReadCloser, error) {
	if d.Digest.Validate() != nil || d.Digest.Algorithm() != digest.SHA256 {
		return nil, errDigest
	}
	body, err := repo.Blobs().Fetch(ctx, d)
	if err != nil {
		return nil, err
	}
	return &checkedBody{body: body, left: d.Size, want: d.Digest, hash: digest.SHA256.Digester()}, nil
}

// readBlob returns a blob that is small.
func readBlob(ctx context.Context, repo *remote.Repository, d ocispec.Descriptor) ([]byte, error) {
	body, err := openBlob(ctx, repo, d)
	if err != nil {
		return nil, err
	}
	defer body.Close() //nolint:errcheck // Nothing is written.
	return io.ReadAll(body)
}
