package oci

import (
	"bytes"
	"encoding/json"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// maxLayers is the number of layers up to which a manifest is read: one for an archive, and one for each signature.
const maxLayers = maxSignatures

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
