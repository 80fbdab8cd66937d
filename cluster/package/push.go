package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// push pushes an OCI image layout: the index with its images by a tag, and their attachments. Credentials are those
// of Docker's configuration, as `docker login` stores them. Registries on this machine and in private networks may
// use plain HTTP.
func push(ctx context.Context, folder string, tag name.Tag, out io.Writer) error {
	index, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		return fmt.Errorf("cannot read what was built, `make xpkg` builds it: %w", err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	options := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
	for _, d := range manifest.Manifests {
		if err := pushManifest(index, d, tag, options); err != nil {
			return explain(err)
		}
		if d.MediaType.IsIndex() {
			_, _ = fmt.Fprintln(out, "pushed", tag.String()+"@"+d.Digest.String())
		}
	}
	return nil
}

// pushManifest pushes the index by its tag, and everything else by its digest.
func pushManifest(from v1.ImageIndex, d v1.Descriptor, tag name.Tag, options []remote.Option) error {
	if d.MediaType.IsIndex() {
		index, err := from.ImageIndex(d.Digest)
		if err != nil {
			return err
		}
		return remote.WriteIndex(tag, index, options...)
	}
	image, err := from.Image(d.Digest)
	if err != nil {
		return err
	}
	return remote.Write(tag.Digest(d.Digest.String()), image, options...)
}

// explain adds to a registry's error what to do about it.
func explain(err error) error {
	refusal := &transport.Error{}
	if !errors.As(err, &refusal) {
		return err
	}
	switch refusal.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("the registry does not let you in, log in to it with `docker login` or alike: %w", err)
	}
	return err
}

const (
	// spdxType is the media type of SPDX JSON, and the type of an artifact that contains it.
	spdxType = "application/spdx+json"
	// emptyType is the media type of an artifact's empty configuration.
	emptyType types.MediaType = "application/vnd.oci.empty.v1+json"
)

// An artifact is an object in a registry that is not an image.
type artifact struct {
	manifest []byte
	content  v1.Layer
}

// attach returns an artifact with a bill of materials, which refers to its image. The OCI distribution specification
// lets registries find it that way.
func attach(r release, p v1.Platform, image v1.Descriptor, sbom []byte) (v1.Image, error) {
	content := static.NewLayer(sbom, spdxType)
	layer, err := partial.Descriptor(content)
	if err != nil {
		return nil, err
	}
	// Tools save it under this file name.
	layer.Annotations = map[string]string{"org.opencontainers.image.title": fileName(r.Version, p) + sbomExtension}
	config, err := partial.Descriptor(static.NewLayer([]byte("{}"), emptyType))
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal(v1.Manifest{
		SchemaVersion: 2,
		MediaType:     types.OCIManifestSchema1,
		ArtifactType:  spdxType,
		Config:        *config,
		Layers:        []v1.Descriptor{*layer},
		Subject:       &v1.Descriptor{MediaType: image.MediaType, Digest: image.Digest, Size: image.Size},
		Annotations:   map[string]string{"org.opencontainers.image.created": r.Created.Format(time.RFC3339)},
	})
	if err != nil {
		return nil, err
	}
	return partial.CompressedToImage(artifact{manifest: manifest, content: content})
}

// RawManifest returns the manifest of the artifact.
func (a artifact) RawManifest() ([]byte, error) { return a.manifest, nil }

// RawConfigFile returns the artifact's configuration, which is empty.
func (artifact) RawConfigFile() ([]byte, error) { return []byte("{}"), nil }

// MediaType returns the media type of the manifest.
func (artifact) MediaType() (types.MediaType, error) { return types.OCIManifestSchema1, nil }

// LayerByDigest returns the artifact's content.
func (a artifact) LayerByDigest(h v1.Hash) (partial.CompressedLayer, error) {
	if d, err := a.content.Digest(); err != nil || d != h {
		return nil, fmt.Errorf("the artifact has no content %s", h)
	}
	return a.content, nil
}
