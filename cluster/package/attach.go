package main

import (
	"encoding/json"
	"fmt"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

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
