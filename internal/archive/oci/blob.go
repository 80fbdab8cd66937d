package oci

import (
	"context"
	"errors"
	"io"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry/remote"
)

// Errors of content that is not what was asked for.
var (
	errDigest = errors.New("the content does not have its digest: it was changed, or damaged on its way")
	errSize   = errors.New("the content does not have the size that its manifest says")
	errEnded  = errors.New("the registry closed the connection, or took too long, before the end of the content")
)

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
